/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes that a file tells of, and a step through the model: matrix products by CLBlast, the rest by
 * kernels.cl and the cache. */
#include "model.h"

#include <clblast_c.h>
#include <stdio.h>
#include <stdlib.h>

static clq_status size(const struct gguf *file, const char *name, double high, int64_t otherwise,
                       int64_t *number)
{
    double read = 0.0;

    TRY(gguf_number(file, name, 1.0, high, (double)otherwise, &read));
    *number = (int64_t)read;
    return CLQ_OK;
}

static clq_status read_sizes(struct model *m, const struct gguf *file)
{
    double epsilon = 0.0;

    TRY(size(file, "llama.block_count", 1024.0, -1, &m->num_layers));
    TRY(size(file, "llama.context_length", 1048576.0, -1, &m->context));
    TRY(size(file, "llama.embedding_length", 65536.0, -1, &m->width));
    TRY(size(file, "llama.feed_forward_length", 1048576.0, -1, &m->hidden));
    TRY(size(file, "llama.attention.head_count", 1024.0, -1, &m->heads));
    TRY(size(file, "llama.attention.head_count_kv", 1024.0, m->heads, &m->kv_heads));
    TRY(size(file, "llama.attention.key_length", 65536.0, m->width / m->heads, &m->head_size));
    TRY(size(file, "llama.rope.dimension_count", 65536.0, m->head_size, &m->turned));
    TRY(gguf_number(file, "llama.rope.freq_base", 1.0, 1e12, 10000.0, &m->base));
    TRY(gguf_number(file, "llama.attention.layer_norm_rms_epsilon", 0.0, 1.0, -1.0, &epsilon));
    m->epsilon = (float)epsilon;
    return CLQ_OK;
}

static clq_status check_sizes(const struct model *m, const struct gguf *file)
{
    const struct gguf_value *scaling = gguf_find(file, "llama.rope.scaling.type");

    if (m->heads % m->kv_heads != 0)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: %lld heads of queries cannot share %lld of keys",
                             file->path, (long long)m->heads, (long long)m->kv_heads);
    if (m->head_size % 32 != 0 || m->head_size > MOST_HEAD_SIZE || m->turned % 2 != 0 ||
        m->turned > m->head_size)
        return clq_error_set(
            CLQ_ERROR_VALUE,
            "%.200s: heads of %lld channels, of which %lld are turned: a multiple of 32, at most "
            "%d, and an even part of it are expected",
            file->path, (long long)m->head_size, (long long)m->turned, MOST_HEAD_SIZE);
    if (scaling != NULL && !gguf_says(file, "llama.rope.scaling.type", "none"))
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: its angles are scaled, which is not known here",
                             file->path);
    return CLQ_OK;
}

clq_status model_create(struct model *model, const struct device *device, struct gguf *file,
                        const struct tokenizer *tokenizer, int64_t positions)
{
    *model = (struct model){.device = device, .vocabulary = (int64_t)tokenizer->count};
    if (!gguf_says(file, "general.architecture", "llama"))
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: its architecture is not 'llama'", file->path);
    TRY(read_sizes(model, file));
    TRY(check_sizes(model, file));
    if (positions > model->context)
        return clq_error_set(CLQ_ERROR_VALUE, "%lld tokens are more than the model's context of %lld",
                             (long long)positions, (long long)model->context);
    model->context = positions;
    return model_load(model, file);
}

void model_destroy(struct model *model)
{
    for (int64_t i = 0; i < model->num_layers && model->layers != NULL; i++) {
        struct layer *layer = &model->layers[i];
        DLManagedTensor *const tensors[] = {layer->attention_norm, layer->qkv,     layer->attention_output,
                                            layer->hidden_norm,    layer->gate_up, layer->down};

        for (size_t t = 0; t < sizeof tensors / sizeof *tensors; t++)
            clq_tensor_destroy(tensors[t]);
    }
    free(model->layers);
    clq_tensor_destroy(model->embedding);
    clq_tensor_destroy(model->output);
    clq_tensor_destroy(model->norm);
    clq_tensor_destroy(model->angles);
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

    return device_run(m->device, m->device->rms_norm, (size_t)count, 1, arguments, 5);
}

static clq_status turn_and_split(const struct step *step, int64_t first_token, int64_t count)
{
    const struct model *m = step->model;
    const cl_uint first = (cl_uint)first_token, heads = (cl_uint)m->heads, kv_heads = (cl_uint)m->kv_heads,
                  head_size = (cl_uint)m->head_size, turned = (cl_uint)m->turned;
    const struct argument arguments[] = {BUFFER(step->qkv),     BUFFER(m->angles), BUFFER(step->rows[0]),
                                         BUFFER(step->rows[1]), VALUE(first),      VALUE(heads),
                                         VALUE(kv_heads),       VALUE(head_size),  VALUE(turned)};

    return device_run(m->device, m->device->turn_and_split, (size_t)count, 1, arguments, 9);
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
    TRY(device_run(device, device->swiglu, (size_t)count, 1, swiglu, 3));
    return multiply(device, layer->down, step->inner, 0, count, 1.0f, step->x);
}

clq_status step_run(const struct step *step, const struct cache *cache, const int32_t *tokens, int64_t count,
                    int64_t first, int64_t from, const DLManagedTensor *logits)
{
    const struct model *m = step->model;
    const cl_uint width = (cl_uint)m->width;
    const struct argument embed[] = {BUFFER(m->embedding), BUFFER(step->tokens), BUFFER(step->x),
                                     VALUE(width)};

    TRY(step_begin(step, tokens, count, first));
    TRY(device_run(m->device, m->device->embed, (size_t)count, 1, embed, 4));
    for (int64_t i = 0; i < m->num_layers; i++)
        TRY(run_layer(step, cache, i, count, first));
    TRY(normalize(step, m->norm, count));
    return multiply(m->device, m->output != NULL ? m->output : m->embedding, step->normal, from, count - from,
                    0.0f, logits);
}
