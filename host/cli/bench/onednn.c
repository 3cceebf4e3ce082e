/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2's C interface, through dlopen. */
#include "onednn.h"

#ifdef BENCH_ONEDNN
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS(X)                                                                                         \
    X(engine_create)                                                                                         \
    X(engine_destroy)                                                                                        \
    X(stream_create)                                                                                         \
    X(stream_destroy)                                                                                        \
    X(stream_wait)                                                                                           \
    X(memory_desc_init_by_tag)                                                                               \
    X(memory_create)                                                                                         \
    X(memory_destroy)                                                                                        \
    X(memory_set_data_handle)                                                                                \
    X(primitive_attr_create)                                                                                 \
    X(primitive_attr_destroy)                                                                                \
    X(primitive_attr_set_output_scales)                                                                      \
    X(reorder_primitive_desc_create)                                                                         \
    X(primitive_desc_destroy)                                                                                \
    X(primitive_create)                                                                                      \
    X(primitive_destroy)                                                                                     \
    X(primitive_execute)

struct functions {
#define MEMBER(name) __typeof__(dnnl_##name) *name;
    FUNCTIONS(MEMBER)
};

struct onednn {
    struct functions call;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_memory_t x, y;
};

static bool find_function(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    *(void **)function = found;
    return found != NULL;
}

static bool load(struct functions *call)
{
    char name[32];
    void *library = NULL;

    /* Its threads would otherwise spin on after a run, on the processors that the next contestant needs. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    snprintf(name, sizeof name, "libdnnl.so.%d", DNNL_VERSION_MAJOR);
    library = dlopen(name, RTLD_NOW | RTLD_NODELETE);
    if (!library)
        return false;
#define FIND(name) &&find_function(library, "dnnl_" #name, &call->name)
    return true FUNCTIONS(FIND);
}

static bool create_primitive(struct onednn *reorder, const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y,
                             size_t count, const float *scales)
{
    const struct functions *call = &reorder->call;
    dnnl_primitive_attr_t attributes = NULL;
    dnnl_primitive_desc_t description = NULL;
    bool done = call->primitive_attr_create(&attributes) == dnnl_success &&
                call->primitive_attr_set_output_scales(attributes, (dnnl_dim_t)count, count > 1 ? 1 << 1 : 0,
                                                       scales) == dnnl_success &&
                call->reorder_primitive_desc_create(&description, x, reorder->engine, y, reorder->engine,
                                                    attributes) == dnnl_success &&
                call->primitive_create(&reorder->primitive, description) == dnnl_success;

    if (description)
        call->primitive_desc_destroy(description);
    if (attributes)
        call->primitive_attr_destroy(attributes);
    return done;
}

struct onednn *onednn_create(size_t rows, size_t columns, const float *scales, bool each)
{
    const dnnl_dims_t dims = {(dnnl_dim_t)rows, (dnnl_dim_t)columns};
    struct onednn *reorder = calloc(1, sizeof *reorder);
    const struct functions *call = NULL;
    dnnl_memory_desc_t x, y;

    if (!reorder || !load(&reorder->call)) {
        free(reorder);
        return NULL;
    }
    call = &reorder->call;
    if (call->engine_create(&reorder->engine, dnnl_cpu, 0) == dnnl_success &&
        call->stream_create(&reorder->stream, reorder->engine, dnnl_stream_default_flags) == dnnl_success &&
        call->memory_desc_init_by_tag(&x, 2, dims, dnnl_f32, dnnl_ab) == dnnl_success &&
        call->memory_desc_init_by_tag(&y, 2, dims, dnnl_s8, dnnl_ab) == dnnl_success &&
        create_primitive(reorder, &x, &y, each ? columns : 1, scales) &&
        call->memory_create(&reorder->x, &x, reorder->engine, DNNL_MEMORY_NONE) == dnnl_success &&
        call->memory_create(&reorder->y, &y, reorder->engine, DNNL_MEMORY_NONE) == dnnl_success)
        return reorder;
    onednn_destroy(reorder);
    return NULL;
}

bool onednn_run(struct onednn *reorder, const void *x, void *y)
{
    const struct functions *call = &reorder->call;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, reorder->x}, {DNNL_ARG_TO, reorder->y}};

    return call->memory_set_data_handle(reorder->x, (void *)(size_t)x) == dnnl_success &&
           call->memory_set_data_handle(reorder->y, y) == dnnl_success &&
           call->primitive_execute(reorder->primitive, reorder->stream, 2, arguments) == dnnl_success &&
           call->stream_wait(reorder->stream) == dnnl_success;
}

void onednn_destroy(struct onednn *reorder)
{
    if (!reorder)
        return;
    if (reorder->x)
        reorder->call.memory_destroy(reorder->x);
    if (reorder->y)
        reorder->call.memory_destroy(reorder->y);
    if (reorder->primitive)
        reorder->call.primitive_destroy(reorder->primitive);
    if (reorder->stream)
        reorder->call.stream_destroy(reorder->stream);
    if (reorder->engine)
        reorder->call.engine_destroy(reorder->engine);
    free(reorder);
}

#else

struct onednn *onednn_create(size_t rows, size_t columns, const float *scales, bool each)
{
    (void)rows;
    (void)columns;
    (void)scales;
    (void)each;
    return NULL;
}

bool onednn_run(struct onednn *reorder, const void *x, void *y)
{
    (void)reorder;
    (void)x;
    (void)y;
    return false;
}

void onednn_destroy(struct onednn *reorder)
{
    (void)reorder;
}

#endif
