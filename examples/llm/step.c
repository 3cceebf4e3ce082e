/* SPDX-License-Identifier: Apache-2.0 */
/* What a step computes with, and where its tokens go. */
#include "model.h"

#include <stdlib.h>

clq_status step_create(struct step *step, const struct model *m, int64_t batch, int64_t positions)
{
    const int64_t slots[] = {m->num_layers, batch}, x[] = {batch, m->width},
                  qkv[] = {batch, (m->heads + 2 * m->kv_heads) * m->head_size},
                  attended[] = {batch, m->heads * m->head_size}, gate_up[] = {batch, 2 * m->hidden},
                  inner[] = {batch, m->hidden}, rows[] = {batch, 1, m->kv_heads, m->head_size};
    const struct {
        DLManagedTensor **tensor;
        DLDataType dtype;
        int rank;
        const int64_t *shape;
    } wanted[] = {
        {&step->tokens, CLQ_INT32, 1, &batch},
        {&step->slots, CLQ_INT32, 2, slots},
        {&step->x, CLQ_FLOAT32, 2, x},
        {&step->normal, CLQ_FLOAT32, 2, x},
        {&step->qkv, CLQ_FLOAT32, 2, qkv},
        {&step->attended, CLQ_FLOAT32, 2, attended},
        {&step->gate_up, CLQ_FLOAT32, 2, gate_up},
        {&step->inner, CLQ_FLOAT32, 2, inner},
        {&step->rows[0], CLQ_FLOAT16, 4, rows},
        {&step->rows[1], CLQ_FLOAT16, 4, rows},
    };

    *step = (struct step){.model = m, .batch = batch, .positions = positions};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        TRY(create_zeros(m->device, wanted[i].dtype, wanted[i].rank, wanted[i].shape, wanted[i].tensor));
    return CLQ_OK;
}

void step_destroy(struct step *step)
{
    DLManagedTensor *const tensors[] = {step->tokens,  step->slots,    step->x,       step->normal,
                                        step->qkv,     step->attended, step->gate_up, step->inner,
                                        step->rows[0], step->rows[1]};

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        clq_tensor_destroy(tensors[i]);
}

/* Token t of layer l has slot l * positions + its position: the cache's first dimension is the layers'. Where
 * a step has fewer tokens than it has room for, -1 skips the rest. */
clq_status step_begin(const struct step *step, const int32_t *tokens, int64_t count, int64_t first)
{
    const int64_t layers = step->model->num_layers, batch = step->batch;
    const size_t slots_bytes = (size_t)(layers * batch) * sizeof(int32_t);
    const cl_command_queue queue = step->model->device->queue;
    int32_t *slots = malloc(slots_bytes);
    clq_status status = slots != NULL ? CLQ_OK : clq_error_set(CLQ_ERROR_MEMORY, "no memory for slots");

    for (int64_t i = 0; i < layers * batch && status == CLQ_OK; i++)
        slots[i] = i % batch < count ? (int32_t)(i / batch * step->positions + first + i % batch) : -1;
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &step->slots->dl_tensor, CL_TRUE, slots, slots_bytes, 0, NULL, NULL);
    free(slots);
    return status != CLQ_OK
               ? status
               : noted(clEnqueueWriteBuffer(queue, step->tokens->dl_tensor.data, CL_TRUE, 0,
                                            (size_t)count * sizeof *tokens, tokens, 0, NULL, NULL),
                       "clEnqueueWriteBuffer of the tokens");
}
