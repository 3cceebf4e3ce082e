/* SPDX-License-Identifier: Apache-2.0 */
/* The paths. run() is repeated after a failure: it makes what is not there yet, and nothing else. */
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

    desc.device = world->device;
    return make_and_destroy(world, &desc);
}

static clq_status context_callers(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->cl;
    return make_and_destroy(world, &desc);
}

static struct clq_context_desc on_disk(const struct world *world, const char *directory)
{
    return (struct clq_context_desc){
        .context = world->cl, .cache_dir = directory, .flags = CLQ_NO_ENVIRONMENT};
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
    return (struct clq_context_desc){
        .context = world->cl, .cache_get = store_get, .cache_put = store_put, .flags = CLQ_NO_ENVIRONMENT};
}

static clq_status context_functions(struct world *world)
{
    const struct clq_context_desc desc = on_store(world);

    return make_and_destroy(world, &desc);
}

/* Tensors. */

static clq_status tensor_create(struct world *world)
{
    clq_status status = clq_tensor_create(world->warm, CLQ_FLOAT16, 2, (int64_t[]){3, 5}, &world->tensor);

    clq_tensor_destroy(world->tensor);
    world->tensor = NULL;
    return status;
}

static clq_status queue_create(struct world *world)
{
    cl_command_queue queue = NULL;
    clq_status status = clq_queue_create(world->warm, 0, &queue);

    clq_queue_destroy(queue);
    return status;
}

/* A buffer that is a part: it is asked where it begins. */
static clq_status tensor_read_part(struct world *world)
{
    unsigned char y[WORLD_ROWS * WORLD_COLS];
    DLTensor part = world->tensor_y;

    part.data = world->part_of_y;
    part.byte_offset = 0;
    return clq_tensor_read(world->queue, &part, CL_TRUE, y, sizeof y, 0, NULL, &world->done);
}

static clq_status tensor_write(struct world *world)
{
    return clq_tensor_write(world->queue, &world->tensor_y, CL_TRUE,
                            world->expected[RESULT_PLAIN] + WORLD_GUARD, WORLD_ROWS * WORLD_COLS, 1,
                            &world->ready, &world->done);
}

static clq_status tensor_read(struct world *world)
{
    unsigned char y[WORLD_ROWS * WORLD_COLS];

    return clq_tensor_read(world->queue, &world->tensor_y, CL_TRUE, y, sizeof y, 0, NULL, &world->done);
}

static clq_status tensor_write_empty(struct world *world)
{
    return clq_tensor_write(world->queue, &world->tensor_empty, CL_FALSE, NULL, 0, 1, &world->ready,
                            &world->done);
}

/* A buffer that a failure left mapped is given back by whoever runs the path. */
static clq_status tensor_map(struct world *world)
{
    clq_status status =
        clq_tensor_map(world->queue, &world->tensor_y, CL_TRUE, CL_MAP_WRITE, &world->mapped, 0, NULL, NULL);

    if (status == CLQ_OK) {
        memcpy(world->mapped, world->expected[RESULT_PLAIN] + WORLD_GUARD, WORLD_ROWS * WORLD_COLS);
        status = clq_tensor_unmap(world->queue, &world->tensor_y, world->mapped, 0, NULL, &world->done);
    }
    if (status == CLQ_OK)
        world->mapped = NULL;
    return status;
}

/* The operator, with kernels that are ready. */

static struct clq_quantize_desc plain(const struct world *world)
{
    return (struct clq_quantize_desc){
        .x = &world->tensor_x, .scales = &world->tensor_scales, .y = &world->tensor_y, .axis = -1};
}

static struct clq_quantize_desc widened(const struct world *world)
{
    return (struct clq_quantize_desc){.x = &world->tensor_x,
                                      .scales = &world->tensor_half,
                                      .zero_points = &world->tensor_zero_points,
                                      .y = &world->tensor_y,
                                      .axis = -1,
                                      .mode = CLQ_MULTIPLY};
}

static clq_status quantize_on(struct world *world, clq_context *context, cl_command_queue queue,
                              struct clq_quantize_desc desc)
{
    return clq_quantize(context, queue, &desc, 1, &world->ready, &world->done);
}

static clq_status quantize(struct world *world)
{
    return quantize_on(world, world->warm, world->queue, plain(world));
}

static clq_status quantize_widened(struct world *world)
{
    return quantize_on(world, world->warm, world->queue, widened(world));
}

static clq_status quantize_out_of_order(struct world *world)
{
    return quantize_on(world, world->warm, world->out_of_order, widened(world));
}

static clq_status quantize_no_event(struct world *world)
{
    const struct clq_quantize_desc desc = widened(world);

    return clq_quantize(world->warm, world->queue, &desc, 0, NULL, NULL);
}

static clq_status quantize_empty(struct world *world)
{
    return quantize_on(world, world->warm, world->queue,
                       (struct clq_quantize_desc){.x = &world->tensor_empty,
                                                  .scales = &world->tensor_scales,
                                                  .y = &world->tensor_empty_y,
                                                  .axis = -1});
}

static clq_status npu_quantize(struct world *world)
{
    return clq_npu_quantize(world->warm, world->queue, &world->tensor_x, &world->tensor_scales, NULL,
                            CLQ_NPU_QUINT4X2, 1, false, &world->tensor_words, 1, &world->ready, &world->done);
}

bool paths_prime(struct world *world)
{
    const struct clq_quantize_desc a = plain(world), b = widened(world);

    if (clq_quantize_build(world->warm, &a) != CLQ_OK || clq_quantize_build(world->warm, &b) != CLQ_OK ||
        npu_quantize(world) != CLQ_OK)
        return false;
    clWaitForEvents(1, &world->done);
    clReleaseEvent(world->done);
    world->done = NULL;
    return true;
}

/* Building, and the first call. */

static bool new_context(struct world *world, const struct clq_context_desc *desc)
{
    return clq_context_create(desc, &world->context) == CLQ_OK;
}

bool path_new_context(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->cl;
    return new_context(world, &desc);
}

static bool new_broken(struct world *world)
{
    struct clq_context_desc desc = quiet;

    desc.context = world->cl;
    desc.build_options = "-D PARAMS=none";
    return new_context(world, &desc);
}

static bool new_cold(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->cold_dir);

    world_remove(world->cold_dir);
    return new_context(world, &desc);
}

static bool new_warm(struct world *world)
{
    const struct clq_context_desc desc = on_disk(world, world->warm_dir);

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

static clq_status quantize_build(struct world *world)
{
    const struct clq_quantize_desc desc = plain(world);

    return clq_quantize_build(world->context, &desc);
}

static clq_status first_call(struct world *world)
{
    return quantize_on(world, world->context, world->queue, plain(world));
}

static clq_status first_call_widened(struct world *world)
{
    return quantize_on(world, world->context, world->queue, widened(world));
}

/* The directory is made warm by one call; a fault may have left it cold. */
static bool warm_with(struct world *world, clq_status (*call)(struct world *), size_t programs)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t from_cache = 0;

        if (!new_warm(world) || call(world) != CLQ_OK)
            return false;
        clWaitForEvents(1, &world->done);
        clReleaseEvent(world->done);
        world->done = NULL;
        clq_context_count(world->context, NULL, &from_cache);
        path_destroy_context(world);
        if (from_cache == programs)
            return new_warm(world);
    }
    return false;
}

static bool warm_plain(struct world *world)
{
    return warm_with(world, first_call, 1);
}

static bool warm_widened(struct world *world)
{
    return warm_with(world, first_call_widened, 2);
}

static bool warm_store(struct world *world)
{
    const struct clq_context_desc desc = on_store(world);

    if (!new_store(world) || first_call(world) != CLQ_OK)
        return false;
    clWaitForEvents(1, &world->done);
    clReleaseEvent(world->done);
    world->done = NULL;
    clq_context_destroy(world->context);
    return new_context(world, &desc);
}

static bool built(struct world *world)
{
    return new_warm(world) && quantize_build(world) == CLQ_OK;
}

static clq_status destroy(struct world *world)
{
    clq_context_destroy(world->context);
    world->context = NULL;
    return CLQ_OK;
}

#define OWN PATH_CHOOSES
const struct path paths[] = {
    {"context, own", OWN, CLQ_OK, RESULT_NONE, NULL, context_own, NULL},
    {"context, own, by text", OWN, CLQ_OK, RESULT_NONE, NULL, context_own_by_text, NULL},
    {"context, own, on a device", 0, CLQ_OK, RESULT_NONE, NULL, context_own_on_device, NULL},
    {"context, the caller's", 0, CLQ_OK, RESULT_NONE, NULL, context_callers, NULL},
    {"context, new directory", PATH_CACHED, CLQ_OK, RESULT_NONE, NULL, context_new_directory, NULL},
    {"context, refused directory", PATH_CACHED, CLQ_OK, RESULT_NONE, NULL, context_refused_directory, NULL},
    {"context, functions", PATH_CACHED, CLQ_OK, RESULT_NONE, NULL, context_functions, NULL},
    {"destroy", 0, CLQ_OK, RESULT_NONE, built, destroy, NULL},
    {"tensor, create", 0, CLQ_OK, RESULT_NONE, NULL, tensor_create, NULL},
    {"queue, create", PATH_QUEUE, CLQ_OK, RESULT_NONE, NULL, queue_create, NULL},
    {"tensor, write", PATH_AWAITS, CLQ_OK, RESULT_PLAIN, NULL, tensor_write, NULL},
    {"tensor, write empty", 0, CLQ_OK, RESULT_NONE, NULL, tensor_write_empty, NULL},
    {"tensor, read", PATH_UNTIED, CLQ_OK, RESULT_NONE, NULL, tensor_read, NULL},
    {"tensor, read a part", PATH_UNTIED, CLQ_OK, RESULT_NONE, NULL, tensor_read_part, NULL},
    {"tensor, map", PATH_UNTIED, CLQ_OK, RESULT_PLAIN, NULL, tensor_map, NULL},
    {"quantize", 0, CLQ_OK, RESULT_PLAIN, NULL, quantize, NULL},
    {"quantize, widened", 0, CLQ_OK, RESULT_WIDENED, NULL, quantize_widened, NULL},
    {"quantize, widened, out of order", 0, CLQ_OK, RESULT_WIDENED, NULL, quantize_out_of_order, NULL},
    {"quantize, no event", PATH_UNTIED, CLQ_OK, RESULT_WIDENED, NULL, quantize_no_event, NULL},
    {"quantize, empty", 0, CLQ_OK, RESULT_NONE, NULL, quantize_empty, NULL},
    {"npu_quantize", 0, CLQ_OK, RESULT_WORDS, NULL, npu_quantize, NULL},
    {"context_build", 0, CLQ_OK, RESULT_NONE, path_new_context, context_build, path_destroy_context},
    {"context_build, refused", 0, CLQ_ERROR_BUILD, RESULT_NONE, new_broken, context_build,
     path_destroy_context},
    {"quantize_build", 0, CLQ_OK, RESULT_NONE, path_new_context, quantize_build, path_destroy_context},
    {"first call, no cache", 0, CLQ_OK, RESULT_PLAIN, path_new_context, first_call, path_destroy_context},
    {"first call, cold", PATH_CACHED, CLQ_OK, RESULT_PLAIN, new_cold, first_call, path_destroy_context},
    {"first call, warm", PATH_CACHED | PATH_WARM, CLQ_OK, RESULT_PLAIN, warm_plain, first_call,
     path_destroy_context},
    {"first call, widened, warm", PATH_CACHED | PATH_WARM, CLQ_OK, RESULT_WIDENED, warm_widened,
     first_call_widened, path_destroy_context},
    {"first call, functions, cold", PATH_CACHED, CLQ_OK, RESULT_PLAIN, new_store, first_call,
     path_destroy_context},
    {"first call, functions, warm", PATH_CACHED | PATH_WARM, CLQ_OK, RESULT_PLAIN, warm_store, first_call,
     path_destroy_context},
};
const size_t num_paths = sizeof paths / sizeof paths[0];
