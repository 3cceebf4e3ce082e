/* SPDX-License-Identifier: Apache-2.0 */
/* The device, the example's own kernels, and the tensors that every format uses. */
#include "kv_cache.h"

#include <stdio.h>

enum { GROUP = 64, RUN = 16 };

static const char source[] = {
#include "kv_cache_attention_cl.inc"
};

static clq_status build(struct loop *loop)
{
    const cl_device_id device = clq_context_device(loop->context);
    const char *text = source;
    const size_t length = sizeof source;
    char log[256] = "", options[64];
    clq_status status = CLQ_OK;

    snprintf(options, sizeof options, "-cl-std=CL1.2 -DGROUP=%d -DRUN=%d", GROUP, RUN);
    loop->program = clCreateProgramWithSource(clq_context_cl(loop->context), 1, &text, &length, &status);
    TRY(noted(status, "clCreateProgramWithSource"));
    status = clBuildProgram(loop->program, 1, &device, options, NULL, NULL);
    if (status != CLQ_OK) {
        clGetProgramBuildInfo(loop->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        return clq_error_set(status, "attention.cl does not build: %s", log);
    }
    loop->softmax = clCreateKernel(loop->program, "softmax", &status);
    TRY(noted(status, "clCreateKernel of softmax"));
    loop->widen = clCreateKernel(loop->program, "widen", &status);
    return noted(status, "clCreateKernel of widen");
}

static clq_status make_tensors(struct loop *loop)
{
    const struct options *o = loop->options;
    const int64_t tokens = tokens_of(o);
    const int64_t cache[] = {o->batch, tokens, o->heads, o->head_size};
    const int64_t queries[] = {o->steps, o->batch, o->heads, o->queries, o->head_size};
    const int64_t scores[] = {o->batch, o->heads, o->queries, tokens}, starts[] = {tokens, o->batch};
    const struct {
        DLManagedTensor **tensor;
        DLDataType dtype;
        int rank;
        const int64_t *shape;
    } wanted[] = {
        {&loop->source[0], CLQ_FLOAT16, 4, cache}, {&loop->source[1], CLQ_FLOAT16, 4, cache},
        {&loop->queries, CLQ_FLOAT32, 5, queries}, {&loop->starts, CLQ_INT32, 2, starts},
        {&loop->wide[0], CLQ_FLOAT32, 4, cache},   {&loop->wide[1], CLQ_FLOAT32, 4, cache},
        {&loop->scores, CLQ_FLOAT32, 4, scores},   {&loop->outputs, CLQ_FLOAT32, 4, queries + 1},
        {&loop->slots, CLQ_INT32, 2, cache},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        TRY(clq_tensor_create(loop->context, wanted[i].dtype, wanted[i].rank, wanted[i].shape,
                              wanted[i].tensor));
    return CLQ_OK;
}

static clq_status upload(struct loop *loop, const DLManagedTensor *tensor, const void *bytes)
{
    size_t size_bytes = 0;

    TRY(clq_tensor_size_bytes(&tensor->dl_tensor, &size_bytes));
    return clq_tensor_write(loop->queue, &tensor->dl_tensor, CL_TRUE, bytes, size_bytes, 0, NULL, NULL);
}

/* Everybody's next place, token by token, and every place of a cache. */
static clq_status upload_places(struct loop *loop)
{
    const int64_t count = tokens_of(loop->options) * loop->options->batch;
    int32_t *places = malloc((size_t)count * sizeof *places);
    clq_status status;

    if (places == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %lld places", (long long)count);
    for (int64_t i = 0; i < count; i++)
        places[i] = (int32_t)(i / loop->options->batch);
    status = upload(loop, loop->starts, places);
    for (int64_t i = 0; i < count; i++)
        places[i] = (int32_t)i;
    if (status == CLQ_OK)
        status = upload(loop, loop->slots, places);
    free(places);
    return status;
}

clq_status loop_create(struct loop *loop, const struct options *options,
                       const struct activations *activations)
{
    *loop = (struct loop){.options = options};
    TRY(clq_context_create(&(struct clq_context_desc){.device_text = options->device}, &loop->context));
    TRY(clq_queue_create(loop->context, 0, &loop->queue));
    clGetDeviceInfo(clq_context_device(loop->context), CL_DEVICE_NAME, sizeof loop->device_name - 1,
                    loop->device_name, NULL);
    TRY(build(loop));
    TRY(make_tensors(loop));
    TRY(upload(loop, loop->source[0], activations->keys));
    TRY(upload(loop, loop->source[1], activations->values));
    TRY(upload(loop, loop->queries, activations->queries));
    return upload_places(loop);
}

void loop_destroy(struct loop *loop)
{
    DLManagedTensor *const tensors[] = {loop->source[0], loop->source[1], loop->queries,
                                        loop->starts,    loop->slots,     loop->wide[0],
                                        loop->wide[1],   loop->scores,    loop->outputs};

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        clq_tensor_destroy(tensors[i]);
    if (loop->widen != NULL)
        clReleaseKernel(loop->widen);
    if (loop->softmax != NULL)
        clReleaseKernel(loop->softmax);
    if (loop->program != NULL)
        clReleaseProgram(loop->program);
    clq_queue_destroy(loop->queue);
    clq_context_destroy(loop->context);
}

clq_status loop_widen(const struct loop *loop, const DLTensor *src, int64_t src_first, int64_t src_pitch,
                      const DLTensor *dst, int64_t dst_pitch, int64_t count, cl_event *done)
{
    const cl_ulong first = (cl_ulong)src_first, pitch = (cl_ulong)src_pitch, to = (cl_ulong)dst_pitch,
                   length = (cl_ulong)count;
    const struct {
        size_t size_bytes;
        const void *value;
    } arguments[] = {{sizeof(cl_mem), &src->data}, {sizeof first, &first}, {sizeof pitch, &pitch},
                     {sizeof(cl_mem), &dst->data}, {sizeof to, &to},       {sizeof length, &length}};
    const size_t groups = ((size_t)count + GROUP * RUN - 1) / (GROUP * RUN);
    const size_t local[2] = {GROUP, 1}, global[2] = {GROUP * groups, (size_t)loop->options->batch};

    for (cl_uint i = 0; i < 6; i++)
        TRY(noted(clSetKernelArg(loop->widen, i, arguments[i].size_bytes, arguments[i].value),
                  "clSetKernelArg"));
    return noted(clEnqueueNDRangeKernel(loop->queue, loop->widen, 2, NULL, global, local, 0, NULL, done),
                 "clEnqueueNDRangeKernel of widen");
}
