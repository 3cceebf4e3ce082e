/* SPDX-License-Identifier: Apache-2.0 */
/* The paths by hand, and the contexts of all. */
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_VARIANT "quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=each"

static const struct clq_context_desc quiet = {.flags = CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT};

/* Contexts: made and destroyed, both with faults. */

static clq_status make_and_destroy(struct world *world, const struct clq_context_desc *desc)
{
    clq_status status = clq_context_create(desc, &world->context);

    if (status == CLQ_OK)
        clq_context_destroy(world->context);
    world->context = NULL;
    return status;
}

static clq_status context_own(struct world *world)
{
    return make_and_destroy(world, &quiet);
}

static clq_status context_own_by_text(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.device_text = world->platform_name;
    return make_and_destroy(world, &desc);
}

static clq_status context_own_on_device(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.device = world->device.id;
    return make_and_destroy(world, &desc);
}

static clq_status context_callers(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->device.cl;
    return make_and_destroy(world, &desc);
}

static struct clq_context_desc on_disk(const struct world *world, const char *directory)
{
    return (struct clq_context_desc){
        .context = world->device.cl, .cache_dir = directory, .flags = CLQ_NO_ENVIRONMENT};
}

static clq_status context_new_directory(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->cold_dir);

    return make_and_destroy(world, &desc);
}

static clq_status context_refused_directory(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->shared_dir);

    return make_and_destroy(world, &desc);
}

/* The store of get and put: one entry a name, in memory. */
static struct {
    char key[64];
    void *data;
    size_t size;
} store[4];

static int store_get(void *user, const char *key, void **data, size_t *size)
{
    (void)user;
    for (size_t i = 0; i < sizeof store / sizeof store[0]; i++) {
        if (strcmp(store[i].key, key) != 0 || store[i].data == NULL)
            continue;
        *data = malloc(store[i].size);
        if (*data == NULL)
            return 1;
        memcpy(*data, store[i].data, store[i].size);
        *size = store[i].size;
        return 0;
    }
    return 1;
}

static int store_put(void *user, const char *key, const void *data, size_t size)
{
    void *copy = malloc(size);

    (void)user;
    for (size_t i = 0; i < sizeof store / sizeof store[0] && copy != NULL; i++) {
        if (store[i].data != NULL && strcmp(store[i].key, key) != 0)
            continue;
        free(store[i].data);
        snprintf(store[i].key, sizeof store[i].key, "%s", key);
        store[i].data = memcpy(copy, data, size);
        store[i].size = size;
        return 0;
    }
    free(copy);
    return 1;
}

static void store_clear(void)
{
    for (size_t i = 0; i < sizeof store / sizeof store[0]; i++) {
        free(store[i].data);
        store[i].data = NULL;
    }
}

static struct clq_context_desc on_store(const struct world *world)
{
    return (struct clq_context_desc){.context = world->device.cl,
                                     .cache_get = store_get,
                                     .cache_put = store_put,
                                     .flags = CLQ_NO_ENVIRONMENT};
}

static clq_status context_functions(struct world *world)
{
    const struct clq_context_desc desc = on_store(world);

    return make_and_destroy(world, &desc);
}

/* Tensors. */

static clq_status tensor_create(struct world *world)
{
    clq_status status =
        clq_tensor_create(world->device.context, CLQ_FLOAT16, 2, (int64_t[]){3, 5}, &world->tensor);

    clq_tensor_destroy(world->tensor);
    world->tensor = NULL;
    return status;
}

static clq_status queue_create(struct world *world)
{
    cl_command_queue queue = NULL;
    clq_status status = clq_queue_create(world->device.context, 0, &queue);

    clq_queue_destroy(queue);
    return status;
}

/* Calls of quantize, of which the paths of tensors use y. */

enum { X, SCALES, ZERO_POINTS, Y, ROWS = 4, COLUMNS = 64, BYTES = ROWS * COLUMNS };

static void make_of(struct call *call, enum reference_type scales)
{
    const struct shape x = {.rank = 2, .size = {ROWS, COLUMNS}}, each = {.rank = 1, .size = {COLUMNS}};

    call->op = &operator_quantize;
    ((struct clq_quantize_desc *)call->desc)->axis = -1;
    call_tensor_of(call, X, REFERENCE_F32, &x, TENSOR_DENSE);
    call_tensor_of(call, SCALES, scales, &each, TENSOR_DENSE);
    call_tensor_of(call, Y, REFERENCE_I8, &x, TENSOR_DENSE);
}

static void make_plain(struct call *call)
{
    make_of(call, REFERENCE_F32);
}

/* Of two kernels. */
static void make_widened(struct call *call)
{
    make_of(call, REFERENCE_F16);
}

static const unsigned char *expected(const struct world *world)
{
    const struct tensor *y = &world->subject->call.tensors[Y];

    return y->memory.expected + y->dl.byte_offset;
}

/* A buffer that is a part: it is asked where it begins. */
static bool make_part(struct world *world)
{
    const struct placed *placed = &world->subject->placed;
    const struct placed_buffer *y = &placed->buffers[placed->count - 1];
    const cl_buffer_region region = {y->origin, y->memory->size};

    world->part = clCreateSubBuffer(y->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    return world->part != NULL;
}

static void release_part(struct world *world)
{
    clReleaseMemObject(world->part);
}

static clq_status read_y(struct world *world, cl_mem buffer)
{
    unsigned char y[BYTES];
    DLTensor tensor = *subject_tensor(world->subject, Y);

    tensor.data = buffer;
    return clq_tensor_read(world->device.queue, &tensor, CL_TRUE, y, sizeof y, 0, NULL, &world->done);
}

static clq_status tensor_read_part(struct world *world)
{
    return read_y(world, world->part);
}

static clq_status tensor_read(struct world *world)
{
    return read_y(world, subject_tensor(world->subject, Y)->data);
}

static clq_status tensor_write(struct world *world)
{
    return clq_tensor_write(world->device.queue, subject_tensor(world->subject, Y), CL_TRUE, expected(world),
                            BYTES, 1, &world->ready, &world->done);
}

static clq_status tensor_write_empty(struct world *world)
{
    DLTensor empty = *subject_tensor(world->subject, Y);

    empty.shape = (int64_t[]){0, COLUMNS};
    return clq_tensor_write(world->device.queue, &empty, CL_FALSE, NULL, 0, 1, &world->ready, &world->done);
}

/* A buffer that a failure left mapped is given back by whoever runs the path. */
static clq_status tensor_map(struct world *world)
{
    const DLTensor *y = subject_tensor(world->subject, Y);
    clq_status status;

    world->mapped_buffer = y->data;
    status = clq_tensor_map(world->device.queue, y, CL_TRUE, CL_MAP_WRITE, &world->mapped, 0, NULL, NULL);

    if (status == CLQ_OK) {
        memcpy(world->mapped, expected(world), BYTES);
        status = clq_tensor_unmap(world->device.queue, y, world->mapped, 0, NULL, &world->done);
    }
    if (status == CLQ_OK)
        world->mapped = NULL;
    return status;
}

/* Building, and the first call. */

static bool new_context(struct world *world, const struct clq_context_desc *desc)
{
    return clq_context_create(desc, &world->context) == CLQ_OK;
}

bool path_new_context(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->device.cl;
    return new_context(world, &desc);
}

static bool new_broken(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->device.cl;
    desc.build_options = "-D PARAMS=none";
    return new_context(world, &desc);
}

static bool new_cold(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->cold_dir);

    world_remove(world->cold_dir);
    return new_context(world, &desc);
}

static bool new_store(struct world *world)
{
    const struct clq_context_desc desc = on_store(world);

    store_clear();
    return new_context(world, &desc);
}

void path_destroy_context(struct world *world)
{
    clq_context_destroy(world->context);
    world->context = NULL;
    store_clear();
}

static clq_status context_build(struct world *world)
{
    return clq_context_build(world->context, 1, (const char *const[]){PLAIN_VARIANT});
}

clq_status path_build(struct world *world)
{
    const struct subject *subject = world->subject;

    return subject->call.op->build(world->context, subject->placed.bound.desc);
}

clq_status path_first_call(struct world *world)
{
    const struct subject *subject = world->subject;

    return subject->call.op->enqueue(world->context, world->device.queue, subject->placed.bound.desc, 1,
                                     &world->ready, &world->done);
}

/* A binary with the exported kernel of make_plain's call. */
static struct {
    unsigned char *bytes;
    size_t size;
} added;

static clq_status build_exported(void *user, const struct clq_exported *exported)
{
    const struct world *world = user;
    const char *source = exported->source;
    clq_status status = CLQ_OK;
    const cl_program program = clCreateProgramWithSource(world->device.cl, 1, &source, NULL, &status);

    if (status == CLQ_OK)
        status = clBuildProgram(program, 1, &world->device.id, exported->options, NULL, NULL);
    if (status == CLQ_OK)
        status = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof added.size, &added.size, NULL);
    if (status == CLQ_OK) {
        added.bytes = malloc(added.size);
        status = clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof added.bytes, &added.bytes, NULL);
    }
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

static bool new_for_binary(struct world *world)
{
    return clq_export_variants(PLAIN_VARIANT " FORM=item ARITHMETIC=exact", build_exported, world) ==
               CLQ_OK &&
           path_new_context(world);
}

static clq_status add_binary(struct world *world)
{
    return clq_context_add_binary(world->context, added.bytes, added.size, 1,
                                  (const char *const[]){PLAIN_VARIANT " FORM=item ARITHMETIC=exact"});
}

static bool new_with_binary(struct world *world)
{
    return new_for_binary(world) && add_binary(world) == CLQ_OK;
}

static clq_status build_added(struct world *world)
{
    return clq_context_build(world->context, 1,
                             (const char *const[]){PLAIN_VARIANT " FORM=item ARITHMETIC=exact"});
}

static void destroy_with_binary(struct world *world)
{
    path_destroy_context(world);
    free(added.bytes);
    added.bytes = NULL;
}

/* The directory is made warm by one call; a fault may have left it cold. */
static bool new_warm(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->warm_dir);

    for (int attempt = 0; attempt < 2; attempt++) {
        size_t programs = 0, from_cache = 0;

        if (!new_context(world, &desc) || path_first_call(world) != CLQ_OK || !world_await(world))
            return false;
        clq_context_count(world->context, &programs, &from_cache);
        path_destroy_context(world);
        if (from_cache == programs)
            return new_context(world, &desc);
    }
    return false;
}

static bool warm_store(struct world *world)
{
    const struct clq_context_desc desc = on_store(world);

    if (!new_store(world) || path_first_call(world) != CLQ_OK || !world_await(world))
        return false;
    clq_context_destroy(world->context);
    return new_context(world, &desc);
}

static bool built(struct world *world)
{
    return new_warm(world) && path_build(world) == CLQ_OK;
}

static clq_status destroy(struct world *world)
{
    clq_context_destroy(world->context);
    world->context = NULL;
    return CLQ_OK;
}

#define OWN  PATH_CHOOSES
#define WARM (PATH_CACHED | PATH_WARM | PATH_WRITES)
const struct path paths[] = {
    {"context, own", OWN, CLQ_OK, NULL, NULL, context_own, NULL},
    {"context, own, by text", OWN, CLQ_OK, NULL, NULL, context_own_by_text, NULL},
    {"context, own, on a device", 0, CLQ_OK, NULL, NULL, context_own_on_device, NULL},
    {"context, the caller's", 0, CLQ_OK, NULL, NULL, context_callers, NULL},
    {"context, new directory", PATH_CACHED, CLQ_OK, NULL, NULL, context_new_directory, NULL},
    {"context, refused directory", PATH_CACHED, CLQ_OK, NULL, NULL, context_refused_directory, NULL},
    {"context, functions", PATH_CACHED, CLQ_OK, NULL, NULL, context_functions, NULL},
    {"context, destroy", 0, CLQ_OK, make_plain, built, destroy, NULL},
    {"context, build", 0, CLQ_OK, NULL, path_new_context, context_build, path_destroy_context},
    {"context, build refused", 0, CLQ_ERROR_BUILD, NULL, new_broken, context_build, path_destroy_context},
    {"directory, cold", PATH_CACHED | PATH_WRITES, CLQ_OK, make_widened, new_cold, path_first_call,
     path_destroy_context},
    {"directory, warm", WARM, CLQ_OK, make_widened, new_warm, path_first_call, path_destroy_context},
    {"functions, cold", PATH_CACHED | PATH_WRITES, CLQ_OK, make_plain, new_store, path_first_call,
     path_destroy_context},
    {"functions, warm", WARM, CLQ_OK, make_plain, warm_store, path_first_call, path_destroy_context},
    {"binary, add", PATH_ADDS, CLQ_OK, NULL, new_for_binary, add_binary, destroy_with_binary},
    {"binary, build", PATH_WARM, CLQ_OK, NULL, new_with_binary, build_added, destroy_with_binary},
    {"queue, create", PATH_QUEUE, CLQ_OK, NULL, NULL, queue_create, NULL},
    {"tensor, create", 0, CLQ_OK, NULL, NULL, tensor_create, NULL},
    {"tensor, write", PATH_AWAITS | PATH_WRITES, CLQ_OK, make_plain, NULL, tensor_write, NULL},
    {"tensor, write empty", 0, CLQ_OK, make_plain, NULL, tensor_write_empty, NULL},
    {"tensor, read", PATH_UNTIED, CLQ_OK, make_plain, NULL, tensor_read, NULL},
    {"tensor, read a part", PATH_UNTIED, CLQ_OK, make_plain, make_part, tensor_read_part, release_part},
    {"tensor, map", PATH_UNTIED | PATH_WRITES, CLQ_OK, make_plain, NULL, tensor_map, NULL},
};
const size_t num_paths = sizeof paths / sizeof paths[0];
