/* SPDX-License-Identifier: Apache-2.0 */
/* A step through the model: matrix products by CLBlast, the rest by kernels.cl and the cache. */
#include "model.h"

#include <clblast_c.h>
#include <stdlib.h>

static clq_status floats(const struct step *step, int64_t width, DLManagedTensor **tensor)
{
    return device_tensor(step->model->device, CLQ_FLOAT32, 2, (const int64_t[]){step->batch, width}, tensor);
}

clq_status step_create(struct step *step, const struct model *m, int64_t batch, int64_t positions)
{
    const int64_t slots[] = {m->num_layers, batch}, rows[] = {batch, 1, m->kv_heads, m->head_size};

    *step = (struct step){.model = m, .batch = batch, .positions = positions};
    TRY(device_tensor(m->device, CLQ_INT32, 1, &batch, &step->tokens));
    TRY(device_tensor(m->device, CLQ_INT32, 2, slots, &step->slots));
    TRY(floats(step, m->width, &step->x));
    TRY(floats(step, m->width, &step->normal));
    TRY(floats(step, (m->heads + 2 * m->kv_heads) * m->head_size, &step->qkv));
    TRY(floats(step, m->heads * m->head_size, &step->attended));
    TRY(floats(step, 2 * m->hidden, &step->gate_up));
    TRY(floats(step, m->hidden, &step->inner));
    TRY(device_tensor(m->device, CLQ_FLOAT16, 4, rows, &step->rows[0]));
    return device_tensor(m->device, CLQ_FLOAT16, 4, rows, &step->rows[1]);
}

/* Token t of layer l has slot l * positions + its position: the cache's first dimension is the layers'. Where
 * a step has fewer tokens than it has room for, -1 skips the rest. */
static clq_status begin(const struct step *step, const int32_t *tokens, int64_t count, int64_t first)
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

/* y[row] = weights · x[row], or that is added to y[row], for rows of x from `from` on. */
static clq_status multiply(const struct device *device, const DLManagedTensor *weights,
                           const DLManagedTensor *x, int64_t from, int64_t rows, float kept,
                           const DLManagedTensor *y)
{
    const size_t outputs = (size_t)weights->dl_tensor.shape[0], inputs = (size_t)weights->dl_tensor.shape[1];
    cl_command_queue queue = device->queue;
    const cl_mem w = weights->dl_tensor.data, in = x->dl_tensor.data, out = y->dl_tensor.data;

    if (rows == 1)
        return noted((clq_status)CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, outputs, inputs,
                                              1.0f, w, 0, inputs, in, (size_t)from * inputs, 1, kept, out, 0,
                                              1, &queue, NULL),
                     "CLBlastSgemv");
    return noted((clq_status)CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes,
                                          (size_t)rows, outputs, inputs, 1.0f, in, (size_t)from * inputs,
                                          inputs, w, 0, inputs, kept, out, 0, outputs, &queue, NULL),
                 "CLBlastSgemm");
}

static clq_status normalize(const struct step *step, const DLManagedTensor *weight, int64_t count)
{
    const struct model *m = step->model;
    const cl_uint width = (cl_uint)m->width;
    const struct argument arguments[] = {BUFFER(step->x), BUFFER(weight), BUFFER(step->normal), VALUE(width),
                                         VALUE(m->epsilon)};

    return device_run(m->device, m->device->kernels[RMS_NORM], (size_t)count, 1, arguments, 5);
}

static clq_status turn_and_split(const struct step *step, int64_t first_token, int64_t count)
{
    const struct model *m = step->model;
    const cl_uint first = (cl_uint)first_token, heads = (cl_uint)m->heads, kv_heads = (cl_uint)m->kv_heads,
                  head_size = (cl_uint)m->head_size, turned = (cl_uint)m->turned;
    const struct argument arguments[] = {BUFFER(step->qkv),     BUFFER(m->angles), BUFFER(step->rows[0]),
                                         BUFFER(step->rows[1]), VALUE(first),      VALUE(heads),
                                         VALUE(kv_heads),       VALUE(head_size),  VALUE(turned)};

    return device_run(m->device, m->device->kernels[TURN_AND_SPLIT], (size_t)count, 1, arguments, 9);
}

static clq_status run_layer(const struct step *step, const struct cache *cache, int64_t i, int64_t count,
                            int64_t first)
{
    const struct model *m = step->model;
    const struct device *device = m->device;
    const struct layer *layer = &m->layers[i];
    const cl_uint hidden = (cl_uint)m->hidden;
    const struct argument swiglu[] = {BUFFER(step->gate_up), BUFFER(step->inner), VALUE(hidden)};

    TRY(normalize(step, layer->attention_norm, count));
    TRY(multiply(device, layer->qkv, step->normal, 0, count, 0.0f, step->qkv));
    TRY(turn_and_split(step, first, count));
    TRY(cache_put(cache, i));
    TRY(cache_attend(cache, i, first, count));
    TRY(multiply(device, layer->attention_output, step->attended, 0, count, 1.0f, step->x));
    TRY(normalize(step, layer->hidden_norm, count));
    TRY(multiply(device, layer->gate_up, step->normal, 0, count, 0.0f, step->gate_up));
    TRY(device_run(device, device->kernels[SWIGLU], (size_t)count, 1, swiglu, 3));
    return multiply(device, layer->down, step->inner, 0, count, 1.0f, step->x);
}

clq_status step_run(const struct step *step, const struct cache *cache, const int32_t *tokens, int64_t count,
                    int64_t first, int64_t from, const DLManagedTensor *logits)
{
    const struct model *m = step->model;
    const cl_uint width = (cl_uint)m->width;
    const struct argument embed[] = {BUFFER(m->embedding), BUFFER(step->tokens), BUFFER(step->x),
                                     VALUE(width)};

    TRY(begin(step, tokens, count, first));
    TRY(device_run(m->device, m->device->kernels[EMBED], (size_t)count, 1, embed, 4));
    for (int64_t i = 0; i < m->num_layers; i++)
        TRY(run_layer(step, cache, i, count, first));
    TRY(normalize(step, m->norm, count));
    return multiply(m->device, m->output, step->normal, from, count - from, 0.0f, logits);
}
