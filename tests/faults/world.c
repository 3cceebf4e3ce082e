/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "on_stub.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The test ends where its own making fails. */
static void need(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "the test cannot go on: %s\n", what);
    exit(2);
}

static void make_directories(struct world *world, const char *directory)
{
    world_remove(directory);
    need(mkdir(directory, 0700) == 0, "mkdir");
    snprintf(world->cold_dir, sizeof world->cold_dir, "%s/cold/below", directory);
    snprintf(world->warm_dir, sizeof world->warm_dir, "%s/warm", directory);
    snprintf(world->shared_dir, sizeof world->shared_dir, "%s/shared", directory);
    need(mkdir(world->shared_dir, 0700) == 0 && chmod(world->shared_dir, 0777) == 0, "mkdir");
}

static void find_layer(struct world *world, const char *layer)
{
    void *library = dlopen(layer, RTLD_NOW | RTLD_NOLOAD);
    clq_layer_function find;

    need(library != NULL, "the OpenCL loader did not load the layer");
    find = (clq_layer_function)dlsym(library, "clq_layer");
    world->references = (clq_layer_references_function)dlsym(library, "clq_layer_references");
    need(find != NULL && world->references != NULL, "the layer is another file");
    world->layer = find();
}

/* The library gets its OpenCL context from its caller. */
static void open_context(struct world *world, cl_device_id id)
{
    struct clq_context_desc desc = {.flags = CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT};
    clq_context *context;
    cl_int code;

    desc.context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    need(desc.context != NULL, "clCreateContext");
    need(clq_context_create(&desc, &context) == CLQ_OK, clq_error_detail());
    need(device_of(&world->device, context), "clCreateCommandQueue");
    world->out_of_order =
        clCreateCommandQueue(desc.context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    world->layer->callers[0] = world->device.queue;
    world->layer->callers[1] = world->out_of_order;
}

bool world_open(struct world *world, const char *layer, const char *directory)
{
    cl_platform_id platform;
    cl_device_id id;

    *world = (struct world){0};
    setenv("OPENCL_LAYERS", layer, 1);
    if (clq_device_find(NULL, 0, &platform, &id) != CLQ_OK) {
        fprintf(stderr, "SKIPPED: %s\n", clq_error_detail());
        return false;
    }
    find_layer(world, layer);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof world->platform_name, world->platform_name, NULL);
    on_stub_install(platform);
    open_context(world, id);
    make_directories(world, directory);
    world->ready = clCreateUserEvent(world->device.cl, NULL);
    need(world->ready != NULL && clSetUserEventStatus(world->ready, CL_COMPLETE) == CL_SUCCESS, "an event");
    return true;
}

void world_close(struct world *world)
{
    const cl_context cl = world->device.cl;

    clReleaseEvent(world->ready);
    if (world->out_of_order != NULL)
        clReleaseCommandQueue(world->out_of_order);
    device_close(&world->device);
    clReleaseContext(cl);
}

bool world_await(struct world *world)
{
    bool good = true;

    if (world->done == NULL)
        return true;
    good = clWaitForEvents(1, &world->done) == CL_SUCCESS;
    clReleaseEvent(world->done);
    world->done = NULL;
    return good;
}

void world_remove(const char *directory)
{
    DIR *stream = fdopendir(open(directory, O_RDONLY | O_DIRECTORY));
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
    DIR *stream = fdopendir(open(directory, O_RDONLY | O_DIRECTORY));
    int count = 0;

    for (struct dirent *item = stream ? readdir(stream) : NULL; item != NULL; item = readdir(stream))
        count += strncmp(item->d_name, prefix, strlen(prefix)) == 0;
    if (stream != NULL)
        closedir(stream);
    return count;
}
