/* SPDX-License-Identifier: Apache-2.0 */
/* Making what the paths work on, with plain OpenCL. */
#include "world.h"

#include "on_stub.h"
#include "reference.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATTERN 0xa5

static int64_t shape_x[2] = {WORLD_ROWS, WORLD_COLS}, shape_scales[1] = {WORLD_COLS},
               shape_words[2] = {WORLD_ROWS, WORLD_COLS / 8}, shape_empty[2] = {0, WORLD_COLS};

void world_need(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "the test cannot go on: %s\n", what);
    exit(2);
}

DLTensor world_tensor(cl_mem data, DLDataType dtype, int ndim, int64_t *shape, uint64_t offset)
{
    DLTensor tensor = {.data = data, .ndim = ndim, .dtype = dtype, .shape = shape, .byte_offset = offset};

    tensor.device.device_type = kDLOpenCL;
    return tensor;
}

cl_mem world_buffer(struct world *world, size_t size, void *data)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(world->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data, &code);

    world_need(buffer != NULL, "clCreateBuffer");
    return buffer;
}

static void expect(struct world *world, enum world_result result, enum reference_type type, int lanes,
                   struct reference_tensor *x, struct reference_tensor *scales,
                   struct reference_tensor *zero_points, bool multiply)
{
    const int64_t shape[2] = {WORLD_ROWS, WORLD_COLS / (lanes == 8 ? 8 : 1)};
    struct reference_tensor y;

    memset(world->expected[result], PATTERN, WORLD_BYTES);
    y = reference_dense(type, lanes, 2, shape, world->expected[result] + WORLD_GUARD);
    reference_quantize(&(struct reference_quantize_desc){
        .x = x, .scales = scales, .zero_points = zero_points, .y = &y, .axis = -1, .multiply = multiply});
}

static void make_tensors(struct world *world)
{
    float x[WORLD_ROWS * WORLD_COLS], scales[WORLD_COLS];
    uint16_t half[WORLD_COLS];
    int8_t zero_points[WORLD_COLS];
    unsigned char y[WORLD_BYTES];
    struct reference_tensor rx, rs, rh, rz;

    for (int i = 0; i < WORLD_ROWS * WORLD_COLS; i++)
        x[i] = (float)(i % 37) * 1.25f - 20.0f;
    for (int i = 0; i < WORLD_COLS; i++) {
        scales[i] = 0.125f * (float)(i + 1);
        half[i] = (uint16_t)(0x3800 + 16 * i); /* from 0.5 */
        zero_points[i] = (int8_t)(i - 32);
    }
    memset(y, PATTERN, sizeof y);
    rx = reference_dense(REFERENCE_F32, 1, 2, shape_x, x);
    rs = reference_dense(REFERENCE_F32, 1, 1, shape_scales, scales);
    rh = reference_dense(REFERENCE_F16, 1, 1, shape_scales, half);
    rz = reference_dense(REFERENCE_I8, 1, 1, shape_scales, zero_points);
    memset(world->expected[RESULT_NONE], PATTERN, WORLD_BYTES);
    expect(world, RESULT_PLAIN, REFERENCE_I8, 1, &rx, &rs, NULL, false);
    expect(world, RESULT_WIDENED, REFERENCE_I8, 1, &rx, &rh, &rz, true);
    expect(world, RESULT_WORDS, REFERENCE_I4, 8, &rx, &rs, NULL, true);
    world->x = world_buffer(world, sizeof x, x);
    world->scales = world_buffer(world, sizeof scales, scales);
    world->half = world_buffer(world, sizeof half, half);
    world->zero_points = world_buffer(world, sizeof zero_points, zero_points);
    world->y = world_buffer(world, sizeof y, y);
    world->part_of_y =
        clCreateSubBuffer(world->y, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, sizeof y}, NULL);
    world_need(world->part_of_y != NULL, "clCreateSubBuffer");
    world->tensor_x = world_tensor(world->x, CLQ_FLOAT32, 2, shape_x, 0);
    world->tensor_scales = world_tensor(world->scales, CLQ_FLOAT32, 1, shape_scales, 0);
    world->tensor_half = world_tensor(world->half, CLQ_FLOAT16, 1, shape_scales, 0);
    world->tensor_zero_points = world_tensor(world->zero_points, CLQ_INT8, 1, shape_scales, 0);
    world->tensor_y = world_tensor(world->y, CLQ_INT8, 2, shape_x, WORLD_GUARD);
    world->tensor_words = world_tensor(world->y, CLQ_INT32, 2, shape_words, WORLD_GUARD);
    world->tensor_empty = world_tensor(world->x, CLQ_FLOAT32, 2, shape_empty, 0);
    world->tensor_empty_y = world_tensor(world->y, CLQ_INT8, 2, shape_empty, 0);
}

static void make_directories(struct world *world, const char *directory)
{
    world_remove(directory);
    world_need(mkdir(directory, 0700) == 0, "mkdir");
    snprintf(world->cold_dir, sizeof world->cold_dir, "%s/cold/below", directory);
    snprintf(world->warm_dir, sizeof world->warm_dir, "%s/warm", directory);
    snprintf(world->shared_dir, sizeof world->shared_dir, "%s/shared", directory);
    world_need(mkdir(world->shared_dir, 0700) == 0 && chmod(world->shared_dir, 0777) == 0, "mkdir");
}

static bool open_device(struct world *world, const char *layer)
{
    void *library;
    clq_layer_function find;
    cl_int code;

    setenv("OPENCL_LAYERS", layer, 1);
    if (clq_device_find(NULL, 0, &world->platform, &world->device) != CLQ_OK) {
        fprintf(stderr, "SKIPPED: %s\n", clq_error_detail());
        return false;
    }
    library = dlopen(layer, RTLD_NOW | RTLD_NOLOAD);
    world_need(library != NULL, "the OpenCL loader did not load the layer");
    find = (clq_layer_function)dlsym(library, "clq_layer");
    world->references = (clq_layer_references_function)dlsym(library, "clq_layer_references");
    world_need(find != NULL && world->references != NULL, "the layer is another file");
    world->layer = find();
    clGetPlatformInfo(world->platform, CL_PLATFORM_NAME, sizeof world->platform_name, world->platform_name,
                      NULL);
    on_stub_install(world->platform);
    world->cl = clCreateContext(NULL, 1, &world->device, NULL, NULL, &code);
    world_need(world->cl != NULL, "clCreateContext");
    world->queue = clCreateCommandQueue(world->cl, world->device, 0, &code);
    world_need(world->queue != NULL, "clCreateCommandQueue");
    world->out_of_order =
        clCreateCommandQueue(world->cl, world->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    world->layer->callers[0] = world->queue;
    world->layer->callers[1] = world->out_of_order;
    return true;
}

bool world_open(struct world *world, const char *layer, const char *directory)
{
    const struct clq_context_desc desc = {.flags = CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT};
    struct clq_context_desc with = desc;

    *world = (struct world){0};
    if (!open_device(world, layer))
        return false;
    make_directories(world, directory);
    make_tensors(world);
    world_places_open(world);
    world_scales_open(world);
    world_dynamic_open(world);
    world_back_open(world);
    world->ready = clCreateUserEvent(world->cl, NULL);
    world_need(world->ready != NULL && clSetUserEventStatus(world->ready, CL_COMPLETE) == CL_SUCCESS,
               "an event");
    with.context = world->cl;
    world_need(clq_context_create(&with, &world->warm) == CLQ_OK, clq_error_detail());
    return true;
}

void world_close(struct world *world)
{
    cl_mem buffers[] = {world->x, world->scales, world->half, world->zero_points, world->part_of_y, world->y};

    clq_context_destroy(world->warm);
    world_places_close(world);
    world_dynamic_close(world);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseEvent(world->ready);
    clReleaseCommandQueue(world->queue);
    if (world->out_of_order != NULL)
        clReleaseCommandQueue(world->out_of_order);
    clReleaseContext(world->cl);
}

void world_fill(struct world *world)
{
    world_need(clEnqueueWriteBuffer(world->queue, world->y, CL_TRUE, 0, WORLD_BYTES,
                                    world->expected[RESULT_NONE], 0, NULL, NULL) == CL_SUCCESS,
               "clEnqueueWriteBuffer");
}

int world_result(struct world *world)
{
    unsigned char y[WORLD_BYTES];

    world_need(clEnqueueReadBuffer(world->queue, world->y, CL_TRUE, 0, WORLD_BYTES, y, 0, NULL, NULL) ==
                   CL_SUCCESS,
               "clEnqueueReadBuffer");
    for (int result = 0; result < RESULTS; result++)
        if (memcmp(y, world->expected[result], WORLD_BYTES) == 0)
            return result;
    return -1;
}

void world_remove(const char *directory)
{
    DIR *stream = opendir(directory);
    char path[PATH_MAX];

    for (struct dirent *item = stream ? readdir(stream) : NULL; item != NULL; item = readdir(stream)) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, item->d_name);
        if (item->d_type == DT_DIR)
            world_remove(path);
        else
            unlink(path);
    }
    if (stream != NULL)
        closedir(stream);
    rmdir(directory);
}

int world_count_files(const char *directory, const char *prefix)
{
    DIR *stream = opendir(directory);
    int count = 0;

    for (struct dirent *item = stream ? readdir(stream) : NULL; item != NULL; item = readdir(stream))
        count += strncmp(item->d_name, prefix, strlen(prefix)) == 0;
    if (stream != NULL)
        closedir(stream);
    return count;
}
