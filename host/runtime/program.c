/* The memory cache: variant text -> program, and the kernels that are free to be taken. */
#include "runtime/program.h"

#include "base/error.h"
#include "runtime/build.h"

#include <stdatomic.h>
#include <string.h>

#define MAX_FREE 16 /* more threads than this at once pay a clCreateKernel each */

struct clq__program {
    uint64_t hash;
    char *variant;
    cl_program cl;
    char *_Atomic key; /* of the binary cache, until the binary is kept */
    cl_kernel kernels[MAX_FREE];
    size_t num_free;
};

static void destroy(struct clq__program *program)
{
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->num_free; i++)
        clReleaseKernel(program->kernels[i]);
    if (program->cl != NULL)
        clReleaseProgram(program->cl);
    free(program->variant);
    free(program->key);
    free(program);
}

static cl_kernel create_kernel(cl_program program, const struct clq__variant *variant, cl_int *code)
{
    char name[CLQ__VARIANT_BYTES + 8];
    struct clq__text text = clq__text(name, sizeof name);

    clq__variant_kernel(variant, &text);
    return clCreateKernel(program, name, code);
}

/* The slot of the variant, or the empty one where it belongs; NULL while there is no table. */
static struct clq__program **slot_of(const clq_context *context, const struct clq__variant *variant,
                                     uint64_t hash)
{
    size_t i = hash & (context->num_slots - 1);

    if (context->num_slots == 0)
        return NULL;
    while (context->slots[i] != NULL &&
           !(context->slots[i]->hash == hash && strcmp(context->slots[i]->variant, variant->data) == 0))
        i = (i + 1) & (context->num_slots - 1);
    return &context->slots[i];
}

/* Finds the program and, where one is free, takes a kernel. */
static struct clq__program *look_up(clq_context *context, const struct clq__variant *variant, uint64_t hash,
                                    cl_kernel *kernel)
{
    struct clq__program **slot, *program;

    pthread_mutex_lock(&context->lock);
    slot = slot_of(context, variant, hash);
    program = slot ? *slot : NULL;
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
    for (size_t i = 0; i < old_slots; i++) {
        size_t at = old[i] ? old[i]->hash & (slots - 1) : 0;

        while (old[i] != NULL && grown[at] != NULL)
            at = (at + 1) & (slots - 1);
        if (old[i] != NULL)
            grown[at] = old[i];
    }
    free(old);
    context->slots = grown;
    context->num_slots = slots;
end:
    return status;
}

/* The table doubles at half full, so that a probe is short and always ends. */
static clq_status insert(clq_context *context, struct clq__program *program,
                         const struct clq__variant *variant, bool from_cache)
{
    clq_status status = CLQ_OK;

    pthread_mutex_lock(&context->lock);
    if (2 * (context->num_programs + 1) > context->num_slots)
        CLQ_TRY(grow(context));
    *slot_of(context, variant, program->hash) = program;
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
    program->kernels[0] = create_kernel(program->cl, variant, &code);
    program->num_free = program->kernels[0] != NULL;
    *from_cache = build.from_cache;
    /* a driver may take a binary and find only now that the kernel is not in it: the caller builds anew */
    CLQ_REQUIRE(program->num_free == 1 || build.from_cache, code, "clCreateKernel failed with %s (%d) for %s",
                clq_status_name(code), (int)code, variant->data);
end:
    return status;
}

static clq_status create(clq_context *context, const struct clq__variant *variant, uint64_t hash,
                         struct clq__program **out)
{
    clq_status status = CLQ_OK;
    struct clq__program *program = NULL;
    bool from_cache = false;

    CLQ_TRY_NEW(program);
    program->hash = hash;
    program->variant = strdup(variant->data);
    CLQ_REQUIRE(program->variant != NULL, CLQ_ERROR_MEMORY, "malloc for a variant's text failed");
    CLQ_TRY(build(context, variant, true, program, &from_cache));
    if (from_cache) {
        free(program->key);
        program->key = NULL;
    }
    if (program->num_free == 0) {
        clq__log(context, "%s: the kernel is not in the cached program: it is built anew", variant->data);
        clReleaseProgram(program->cl);
        program->cl = NULL;
        CLQ_TRY(build(context, variant, false, program, &from_cache));
    }
    CLQ_TRY(insert(context, program, variant, from_cache));
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
    const uint64_t hash = clq__variant_hash(variant);
    cl_int code = CL_SUCCESS;

    *program = look_up(context, variant, hash, kernel);
    if (*program == NULL) {
        pthread_mutex_lock(&context->building);
        *program = look_up(context, variant, hash, kernel);
        if (*program == NULL) {
            status = create(context, variant, hash, program);
            if (status == CLQ_OK)
                look_up(context, variant, hash, kernel);
        }
        pthread_mutex_unlock(&context->building);
    }
    CLQ_TRY(status);
    if (*kernel == NULL)
        *kernel = create_kernel((*program)->cl, variant, &code);
    CLQ_REQUIRE(*kernel != NULL, code, "clCreateKernel failed with %s (%d) for %s", clq_status_name(code),
                (int)code, variant->data);
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
