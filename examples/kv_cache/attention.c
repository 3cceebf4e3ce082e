/* SPDX-License-Identifier: Apache-2.0 */
/* The products. Keys and values stand token by token, with the heads of a token side by side: for each sequence
 * one batch of products over its heads, a row being heads * head size long. */
#include "attention.h"

#include <clblast_c.h>
#include <math.h>

static clq_status rotate(const struct loop *loop, const DLTensor *x, const DLTensor *y, cl_event *done)
{
    return clq_rotate_rows(loop->device.context, loop->device.queue,
                           &(struct clq_rotate_rows_desc){.rotation = loop->rotation, .x = x, .y = y}, 0,
                           NULL, done);
}

/* scores[q][t] = queries[q] · keys[t] / sqrt(head size) */
static clq_status score(const struct loop *loop, const DLTensor *queries, int64_t tokens)
{
    const struct setup *s = loop->setup;
    const size_t size = (size_t)s->head_size, heads = (size_t)s->heads, group = (size_t)s->queries;
    const size_t room = (size_t)setup_tokens(s), row = heads * size;
    cl_command_queue queue = loop->device.queue;
    clq_status status = CLQ_OK;

    for (size_t b = 0; b < (size_t)s->batch && status == CLQ_OK; b++)
        status = (clq_status)CLBlastSgemmStridedBatched(
            CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, group, (size_t)tokens, size,
            1.0f / sqrtf((float)size), queries->data, queries->byte_offset / sizeof(float) + b * group * row,
            size, group * size, loop->wide[0]->dl_tensor.data, b * room * row, row, size, 0.0f,
            loop->scores->dl_tensor.data, b * heads * group * room, room, group * room, heads, &queue, NULL);
    return device_failed(status, "CLBlastSgemmStridedBatched of the scores");
}

/* outputs[q] = sum of weights[q][t] * values[t] */
static clq_status weigh(const struct loop *loop, const DLTensor *outputs, int64_t tokens, cl_event *done)
{
    const struct setup *s = loop->setup;
    const size_t size = (size_t)s->head_size, heads = (size_t)s->heads, group = (size_t)s->queries;
    const size_t room = (size_t)setup_tokens(s), row = heads * size, batch = (size_t)s->batch;
    cl_command_queue queue = loop->device.queue;
    clq_status status = CLQ_OK;

    for (size_t b = 0; b < batch && status == CLQ_OK; b++)
        status = (clq_status)CLBlastSgemmStridedBatched(
            CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, group, size, (size_t)tokens, 1.0f,
            loop->scores->dl_tensor.data, b * heads * group * room, room, group * room,
            loop->wide[1]->dl_tensor.data, b * room * row, row, size, 0.0f, outputs->data, b * group * row,
            size, group * size, heads, &queue, b + 1 == batch ? done : NULL);
    return device_failed(status, "CLBlastSgemmStridedBatched of the outputs");
}

clq_status attention_run(const struct loop *loop, int64_t step, int64_t tokens, bool rotated, cl_event *done)
{
    const DLTensor *outputs = &loop->outputs->dl_tensor, *turned = &loop->turned[1]->dl_tensor;
    const int64_t rows = setup_query_rows(loop->setup);
    DLTensor queries = *outputs; /* the step's part has the outputs' shape */
    clq_status status = CLQ_OK;

    queries.data = loop->queries->dl_tensor.data;
    queries.byte_offset = (uint64_t)(step * rows * loop->setup->head_size) * sizeof(float);
    if (rotated) {
        status = rotate(loop, &queries, &loop->turned[0]->dl_tensor, NULL);
        queries = loop->turned[0]->dl_tensor;
    }
    if (status == CLQ_OK)
        status = score(loop, &queries, tokens);
    if (status == CLQ_OK)
        status = device_softmax(&loop->device, &loop->scores->dl_tensor, rows, tokens,
                                setup_tokens(loop->setup), NULL);
    if (status == CLQ_OK)
        status = weigh(loop, rotated ? turned : outputs, tokens, rotated ? NULL : done);
    if (status == CLQ_OK && rotated)
        status = rotate(loop, turned, outputs, done);
    return status;
}
