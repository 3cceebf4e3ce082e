/* SPDX-License-Identifier: Apache-2.0 */
/* The memory cache: variant -> program, and the kernels that are free to be taken. */
#include "runtime/program.h"

#include "base/error.h"
#include "runtime/build.h"
#include "runtime/launch.h"
#include "runtime/recording.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_FREE 16 /* more threads than this at once pay a clCreateKernel each */

struct clq__program {
    struct clq__variant variant;
    cl_program cl;
    char kernel_name[CLQ__EXPORTED_BYTES];
    char *_Atomic key; /* of the binary cache, until the binary is kept */
    cl_kernel kernels[MAX_FREE];
    size_t num_free;
    size_t group_items; /* in a group, that the kernel takes */
};

static void destroy(struct clq__program *program)
{
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->num_free; i++)
        clReleaseKernel(program->kernels[i]);
    if (program->cl != NULL)
        clReleaseProgram(program->cl);
    free(program->key);
    free(program);
}

/* The slot of the variant, or the empty one where it belongs, in a table of 2^n slots. */
static struct clq__program **slot_of(struct clq__program **slots, size_t num_slots,
                                     const struct clq__variant *variant)
{
    size_t i = (variant->bits * 0x9e3779b97f4a7c15u >> 32) & (num_slots - 1);

    while (slots[i] != NULL && slots[i]->variant.bits != variant->bits)
        i = (i + 1) & (num_slots - 1);
    return &slots[i];
}

/* Finds the program and, where one is free, takes a kernel. */
static struct clq__program *look_up(clq_context *context, const struct clq__variant *variant,
                                    cl_kernel *kernel)
{
    struct clq__program *program;

    pthread_mutex_lock(&context->lock);
    program = context->num_slots > 0 ? *slot_of(context->slots, context->num_slots, variant) : NULL;
    *kernel = program != NULL && program->num_free > 0 ? program->kernels[--program->num_free] : NULL;
    pthread_mutex_unlock(&context->lock);
    return program;
}

static clq_status grow(clq_context *context)
{
    clq_status status = CLQ_OK;
    const size_t old_slots = context->num_slots, slots = old_slots == 0 ? 64 : 2 * old_slots;
    struct clq__program **old = context->slots, **grown = calloc(slots, sizeof *grown);

    CLQ_REQUIRE(grown != NULL, CLQ_ERROR_MEMORY, "malloc for %zu programs failed", slots);
    for (size_t i = 0; i < old_slots; i++)
        if (old[i] != NULL)
            *slot_of(grown, slots, &old[i]->variant) = old[i];
    free(old);
    context->slots = grown;
    context->num_slots = slots;
end:
    return status;
}

/* Work-items in a group: what is cut from now on has no more of them than this kernel takes. */
static clq_status read_group_items(clq_context *context, struct clq__program *program)
{
    clq_status status = CLQ_OK;

    program->group_items = context->device.max_group_items;
    if (context->device.takes_its_groups)
        goto end;
    CLQ_TRY_CL(clGetKernelWorkGroupInfo(program->kernels[0], context->device.id, CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof program->group_items, &program->group_items, NULL));
    CLQ_REQUIRE(program->group_items > 0, CLQ_ERROR_DEVICE,
                "device \"%s\" says that groups of %s have 0 work-items: it must take 1",
                context->device.name, clq__variant_text(&program->variant).data);
    if (program->group_items < clq__group_limit(context)) /* the lock of builds is held */
        atomic_store_explicit(&context->group_items, program->group_items, memory_order_relaxed);
end:
    return status;
}

clq_status clq__program_takes(const struct clq__program *program, size_t local)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(local <= program->group_items, CL_INVALID_WORK_GROUP_SIZE,
                "%s takes groups of %zu work-items: it was to have %zu",
                clq__variant_text(&program->variant).data, program->group_items, local);
end:
    return status;
}

/* The table doubles at half full, so that a probe is short and always ends. */
static clq_status insert(clq_context *context, struct clq__program *program, bool from_cache)
{
    clq_status status = CLQ_OK;

    pthread_mutex_lock(&context->lock);
    if (2 * (context->num_programs + 1) > context->num_slots)
        CLQ_TRY(grow(context));
    *slot_of(context->slots, context->num_slots, &program->variant) = program;
    context->num_programs++;
    context->num_from_cache += from_cache;
end:
    pthread_mutex_unlock(&context->lock);
    return status;
}

/* Builds the program and its first kernel. */
static clq_status build(clq_context *context, const struct clq__variant *variant, bool use_cache,
                        struct clq__program *program, bool *from_cache)
{
    clq_status status = CLQ_OK;
    struct clq__build build;
    cl_int code = CL_SUCCESS;

    CLQ_TRY(clq__build(context, variant, use_cache, &build));
    program->cl = build.program;
    program->key = build.key;
    memcpy(program->kernel_name, build.kernel, sizeof build.kernel);
    program->kernels[0] = clCreateKernel(program->cl, program->kernel_name, &code);
    program->num_free = program->kernels[0] != NULL;
    *from_cache = build.from_cache;
    /* a driver may take a binary and find only now that the kernel is not in it: the caller builds anew */
    CLQ_REQUIRE(program->num_free == 1 || build.from_cache, code, "clCreateKernel failed with %s (%d) for %s",
                clq_status_name(code), (int)code, clq__variant_text(variant).data);
end:
    return status;
}

static clq_status create(clq_context *context, const struct clq__variant *variant, struct clq__program **out)
{
    clq_status status = CLQ_OK;
    struct clq__program *program = NULL;
    bool from_cache = false;

    CLQ_TRY_NEW(program);
    program->variant = *variant;
    CLQ_TRY(build(context, variant, true, program, &from_cache));
    if (from_cache) {
        free(program->key);
        program->key = NULL;
    }
    if (program->num_free == 0) {
        clq__log(context, "%s: the kernel is not in the cached program: it is built anew",
                 clq__variant_text(variant).data);
        clReleaseProgram(program->cl);
        program->cl = NULL;
        CLQ_TRY(build(context, variant, false, program, &from_cache));
    }
    CLQ_TRY(read_group_items(context, program));
    CLQ_TRY(insert(context, program, from_cache));
    clq__recording_add(context, variant);
    *out = program;
    program = NULL;
end:
    destroy(program);
    return status;
}

clq_status clq__kernel_take(clq_context *context, const struct clq__variant *variant,
                            struct clq__program **program, cl_kernel *kernel)
{
    clq_status status = CLQ_OK;
    cl_int code = CL_SUCCESS;

    *program = look_up(context, variant, kernel);
    if (*program == NULL) {
        pthread_mutex_lock(&context->building);
        *program = look_up(context, variant, kernel);
        if (*program == NULL) {
            status = create(context, variant, program);
            if (status == CLQ_OK)
                look_up(context, variant, kernel);
        }
        pthread_mutex_unlock(&context->building);
    }
    CLQ_TRY(status);
    if (*kernel == NULL)
        *kernel = clCreateKernel((*program)->cl, (*program)->kernel_name, &code);
    CLQ_REQUIRE(*kernel != NULL, code, "clCreateKernel failed with %s (%d) for %s", clq_status_name(code),
                (int)code, clq__variant_text(variant).data);
end:
    return status;
}

void clq__kernel_give(clq_context *context, struct clq__program *program, cl_kernel kernel)
{
    pthread_mutex_lock(&context->lock);
    if (program->num_free < MAX_FREE && !context->device.retains_buffers) {
        program->kernels[program->num_free++] = kernel;
        kernel = NULL;
    }
    pthread_mutex_unlock(&context->lock);
    if (kernel != NULL)
        clReleaseKernel(kernel);
}

bool clq__program_is_new(struct clq__program *program)
{
    return atomic_load_explicit(&program->key, memory_order_relaxed) != NULL;
}

void clq__program_keep(clq_context *context, struct clq__program *program)
{
    char *key = atomic_exchange(&program->key, NULL);

    if (key == NULL)
        return;
    pthread_mutex_lock(&context->building);
    clq__build_keep(context, program->cl, key);
    pthread_mutex_unlock(&context->building);
    free(key);
}

void clq__programs_clear(clq_context *context)
{
    for (size_t i = 0; i < context->num_slots; i++)
        destroy(context->slots[i]);
    free(context->slots);
    context->slots = NULL;
    context->num_slots = 0;
}
