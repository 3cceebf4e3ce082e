/* SPDX-License-Identifier: Apache-2.0 */
/* Making and filling the loop's tensors. */
#include "loop.h"

#include <stdlib.h>

static clq_status make(struct loop *loop, DLManagedTensor **tensor, DLDataType dtype, int rank,
                       const int64_t *shape)
{
    return clq_tensor_create(loop->device.context, dtype, rank, shape, tensor);
}

static clq_status make_tensors(struct loop *loop)
{
    const struct setup *s = loop->setup;
    const int64_t tokens = setup_tokens(s);
    const int64_t cache[] = {s->batch, tokens, s->heads, s->head_size};
    const int64_t queries[] = {s->steps, s->batch, s->heads, s->queries, s->head_size};
    const int64_t scores[] = {s->batch, s->heads, s->queries, tokens};
    const int64_t starts[] = {tokens, s->batch};
    const struct {
        DLManagedTensor **tensor;
        DLDataType dtype;
        int rank;
        const int64_t *shape;
    } wanted[] = {
        {&loop->keys, CLQ_FLOAT16, 4, cache},
        {&loop->values, CLQ_FLOAT16, 4, cache},
        {&loop->queries, CLQ_FLOAT32, 5, queries},
        {&loop->starts, CLQ_INT32, 2, starts},
        {&loop->wide[0], CLQ_FLOAT32, 4, cache},
        {&loop->wide[1], CLQ_FLOAT32, 4, cache},
        {&loop->scores, CLQ_FLOAT32, 4, scores},
        {&loop->outputs, CLQ_FLOAT32, 4, queries + 1},
        {&loop->turned[0], CLQ_FLOAT32, 4, queries + 1},
        {&loop->turned[1], CLQ_FLOAT32, 4, queries + 1},
    };
    clq_status status = CLQ_OK;

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == CLQ_OK; i++)
        status = make(loop, wanted[i].tensor, wanted[i].dtype, wanted[i].rank, wanted[i].shape);
    return status;
}

static clq_status upload(struct loop *loop, const DLManagedTensor *tensor, const void *bytes)
{
    size_t size_bytes = 0;
    clq_status status = clq_tensor_size_bytes(&tensor->dl_tensor, &size_bytes);

    if (status == CLQ_OK)
        status = clq_tensor_write(loop->device.queue, &tensor->dl_tensor, CL_TRUE, bytes, size_bytes, 0, NULL,
                                  NULL);
    return status;
}

static clq_status upload_starts(struct loop *loop)
{
    const int64_t tokens = setup_tokens(loop->setup), batch = loop->setup->batch;
    int32_t *starts = malloc((size_t)(tokens * batch) * sizeof *starts);
    clq_status status;

    if (starts == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %lld starts", (long long)(tokens * batch));
    for (int64_t i = 0; i < tokens * batch; i++)
        starts[i] = (int32_t)(i / batch);
    status = upload(loop, loop->starts, starts);
    free(starts);
    return status;
}

clq_status loop_create(struct loop *loop, const struct setup *setup, const struct activations *activations,
                       const char *device)
{
    clq_status status;

    *loop = (struct loop){.setup = setup};
    status = device_open(&loop->device, device);
    if (status == CLQ_OK)
        status = make_tensors(loop);
    if (status == CLQ_OK)
        status = upload(loop, loop->keys, activations->keys);
    if (status == CLQ_OK)
        status = upload(loop, loop->values, activations->values);
    if (status == CLQ_OK)
        status = upload(loop, loop->queries, activations->queries);
    if (status == CLQ_OK)
        status = upload_starts(loop);
    if (status == CLQ_OK) {
        status = clq_rotation_create(loop->device.context, setup->head_size, &loop->rotation);
        status = status == CLQ_ERROR_VALUE ? CLQ_OK : status; /* no matrix of this size */
    }
    return status;
}

void loop_destroy(struct loop *loop)
{
    DLManagedTensor *const tensors[] = {loop->keys,      loop->values,   loop->queries, loop->starts,
                                        loop->wide[0],   loop->wide[1],  loop->scores,  loop->outputs,
                                        loop->turned[0], loop->turned[1]};

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        clq_tensor_destroy(tensors[i]);
    clq_rotation_destroy(loop->rotation);
    device_close(&loop->device);
}

void tokens_view(struct tokens_view *view, const DLTensor *whole, int64_t from, int64_t count)
{
    int64_t stride = 1;

    view->tensor = *whole;
    view->tensor.shape = view->shape;
    view->tensor.strides = view->strides;
    for (int d = whole->ndim - 1; d >= 0; d--) {
        view->shape[d] = whole->shape[d];
        view->strides[d] = stride;
        stride *= whole->shape[d];
    }
    view->shape[1] = count;
    view->tensor.byte_offset += (uint64_t)(from * view->strides[1]) * whole->dtype.bits / 8;
}

void tokens_view_flatten(struct tokens_view *view)
{
    view->tensor.ndim = 3;
    view->shape[2] *= view->shape[3];
    view->strides[2] = 1;
}
