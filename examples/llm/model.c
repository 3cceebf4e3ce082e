/* SPDX-License-Identifier: Apache-2.0 */
/* From the file to the device: the sizes that it tells of, and the weights, which become float32 of whatever
 * type they are. Blocks are brought back by clq_dequantize, and floats are converted by clq_move_rows. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clq_status size(const struct gguf *file, const char *name, double high, double otherwise,
                       int64_t *number)
{
    double read = 0.0;

    TRY(gguf_number(file, name, 1.0, high, otherwise, &read));
    *number = (int64_t)read;
    return CLQ_OK;
}

static clq_status read_sizes(struct model *m, const struct gguf *file)
{
    double epsilon = 0.0, ignored = 0.0;

    TRY(size(file, "llama.block_count", MOST_LAYERS, GGUF_REQUIRED, &m->num_layers));
    TRY(size(file, "llama.context_length", 1048576.0, GGUF_REQUIRED, &m->context));
    TRY(size(file, "llama.embedding_length", 65536.0, GGUF_REQUIRED, &m->width));
    TRY(size(file, "llama.feed_forward_length", 1048576.0, GGUF_REQUIRED, &m->hidden));
    TRY(size(file, "llama.attention.head_count", 1024.0, GGUF_REQUIRED, &m->heads));
    TRY(size(file, "llama.attention.head_count_kv", 1024.0, (double)m->heads, &m->kv_heads));
    TRY(size(file, "llama.attention.key_length", 65536.0, (double)(m->width / m->heads), &m->head_size));
    TRY(size(file, "llama.rope.dimension_count", 65536.0, (double)m->head_size, &m->turned));
    TRY(gguf_number(file, "llama.attention.layer_norm_rms_epsilon", 0.0, 1.0, GGUF_REQUIRED, &epsilon));
    m->epsilon = (float)epsilon;
    TRY(gguf_number(file, "llama.attention.value_length", (double)m->head_size, (double)m->head_size,
                    (double)m->head_size, &ignored));
    TRY(gguf_number(file, "llama.vocab_size", (double)m->vocabulary, (double)m->vocabulary,
                    (double)m->vocabulary, &ignored));
    return CLQ_OK;
}

static clq_status check_sizes(const struct model *m, const struct gguf *file)
{
    if (m->heads % m->kv_heads != 0)
        return gguf_refuse(file, "%lld heads of queries cannot share %lld of keys", (long long)m->heads,
                           (long long)m->kv_heads);
    if (m->head_size % 32 != 0 || m->head_size > MOST_HEAD_SIZE || m->turned % 2 != 0 ||
        m->turned > m->head_size)
        return gguf_refuse(file,
                           "heads of %lld channels, of which %lld are turned: a multiple of 32, at most "
                           "%d, and an even part of it are expected",
                           (long long)m->head_size, (long long)m->turned, MOST_HEAD_SIZE);
    return CLQ_OK;
}

/* Of a tensor of the file: rows of `width` values. */
static clq_status find(struct gguf *file, const char *name, int64_t rows, int64_t width,
                       struct gguf_tensor **found)
{
    struct gguf_tensor *tensor = gguf_find_tensor(file, name);

    if (tensor == NULL)
        return gguf_refuse(file, "tensor '%s' is missing", name);
    if (tensor->dtype.lanes == 0)
        return gguf_refuse(file,
                           "tensor '%s' has type %llu of ggml: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1 "
                           "and IQ4_NL can be read",
                           name, (unsigned long long)tensor->type);
    if (tensor->rank < 1 || tensor->rank > 2 || tensor->shape[0] != (uint64_t)width ||
        (tensor->rank == 2 ? tensor->shape[1] : 1) != (uint64_t)rows)
        return gguf_refuse(file, "tensor '%s' must be of %lld x %lld values", name, (long long)rows,
                           (long long)width);
    tensor->used = true;
    *found = tensor;
    return CLQ_OK;
}

/* The tensor's rows to those of y from `first` on. To clq_move_rows all of them are one entry. */
static clq_status load(const struct device *device, struct gguf *file, const char *name, int64_t rows,
                       int64_t width, const DLManagedTensor *y, int64_t first)
{
    struct gguf_tensor *tensor = NULL;
    DLManagedTensor *raw = NULL;
    int64_t shape[] = {1, rows, width}, raw_shape[] = {1, rows, width};
    DLTensor to = clq_tensor_view(y->dl_tensor.data, CLQ_FLOAT32, 3, shape);
    clq_status status;
    bool blocks;

    TRY(find(file, name, rows, width, &tensor));
    to.byte_offset = (uint64_t)(first * width) * sizeof(float);
    blocks = tensor->dtype.lanes > 1;
    if (blocks)
        raw_shape[2] = width / 32;
    TRY(clq_tensor_create(device->context, tensor->dtype, 3, raw_shape, &raw));
    status = clq_tensor_write(device->queue, &raw->dl_tensor, CL_TRUE, tensor->bytes, tensor->size_bytes, 0,
                              NULL, NULL);
    if (status == CLQ_OK && blocks)
        status = clq_dequantize(
            device->context, device->queue,
            &(struct clq_dequantize_desc){.q = &raw->dl_tensor, .y = &to, .mode = CLQ_DEQUANTIZE_DYNAMIC}, 0,
            NULL, NULL);
    else if (status == CLQ_OK)
        status = clq_move_rows(
            device->context, device->queue,
            &(struct clq_move_rows_desc){
                .src = &raw->dl_tensor, .dst_indices = &device->zero->dl_tensor, .dst = &to, .axis = 1},
            0, NULL, NULL);
    clq_tensor_destroy(raw);
    return status;
}

struct source {
    const char *name;
    int64_t rows;
};

/* A matrix on the device, of one or several of the file's, one behind the other. */
static clq_status join(const struct model *model, struct gguf *file, int64_t layer, int64_t width, int count,
                       const struct source *sources, DLManagedTensor **y)
{
    int64_t shape[] = {0, width}, first = 0;
    char name[64];

    for (int i = 0; i < count; i++)
        shape[0] += sources[i].rows;
    TRY(device_tensor(model->device, CLQ_FLOAT32, 2, shape, y));
    for (int i = 0; i < count; i++) {
        if (layer < 0)
            snprintf(name, sizeof name, "%s.weight", sources[i].name);
        else
            snprintf(name, sizeof name, "blk.%lld.%s.weight", (long long)layer, sources[i].name);
        TRY(load(model->device, file, name, sources[i].rows, width, *y, first));
        first += sources[i].rows;
    }
    return CLQ_OK;
}

static clq_status load_layer(struct model *m, struct gguf *file, int64_t i)
{
    const int64_t queries = m->heads * m->head_size, keys = m->kv_heads * m->head_size;
    struct layer *layer = &m->layers[i];

    TRY(join(m, file, i, m->width, 1, &(struct source){"attn_norm", 1}, &layer->attention_norm));
    TRY(join(m, file, i, m->width, 3,
             (const struct source[]){{"attn_q", queries}, {"attn_k", keys}, {"attn_v", keys}}, &layer->qkv));
    TRY(join(m, file, i, queries, 1, &(struct source){"attn_output", m->width}, &layer->attention_output));
    TRY(join(m, file, i, m->width, 1, &(struct source){"ffn_norm", 1}, &layer->hidden_norm));
    TRY(join(m, file, i, m->width, 2, (const struct source[]){{"ffn_gate", m->hidden}, {"ffn_up", m->hidden}},
             &layer->gate_up));
    return join(m, file, i, m->hidden, 1, &(struct source){"ffn_down", m->width}, &layer->down);
}

static clq_status load_weights(struct model *m, struct gguf *file)
{
    const struct source embedding = {"token_embd", m->vocabulary}, output = {"output", m->vocabulary};

    TRY(join(m, file, -1, m->width, 1, &embedding, &m->embedding));
    m->output = m->embedding;
    if (gguf_find_tensor(file, "output.weight") != NULL)
        TRY(join(m, file, -1, m->width, 1, &output, &m->output));
    TRY(join(m, file, -1, m->width, 1, &(struct source){"output_norm", 1}, &m->norm));
    for (int64_t i = 0; i < m->num_layers; i++)
        TRY(load_layer(m, file, i));
    return CLQ_OK;
}

/* A value of the model that nobody asked for would change what it computes. */
static clq_status refuse_values(const struct gguf *file)
{
    static const char prefix[] = "llama.";

    for (uint64_t i = 0; i < file->num_values; i++) {
        const struct gguf_text name = file->values[i].name;

        if (!file->values[i].used && name.size >= strlen(prefix) &&
            memcmp(name.bytes, prefix, strlen(prefix)) == 0)
            return gguf_refuse(file, "value '%.*s' is none of a model that is known here", GGUF_SHOWN(name));
    }
    return CLQ_OK;
}

clq_status model_create(struct model *model, struct device *device, struct gguf *file,
                        const struct tokenizer *tokenizer, int64_t positions)
{
    *model = (struct model){.device = device, .vocabulary = (int64_t)tokenizer->count};
    if (!gguf_says(file, "general.architecture", "llama"))
        return gguf_refuse(file, "its architecture is not 'llama'");
    TRY(read_sizes(model, file));
    TRY(check_sizes(model, file));
    if (positions > model->context)
        return clq_error_set(CLQ_ERROR_VALUE, "%lld tokens are more than the model's context of %lld",
                             (long long)positions, (long long)model->context);
    TRY(load_angles(model, file, positions));
    TRY(refuse_values(file));
    TRY(load_weights(model, file));
    for (uint64_t i = 0; i < file->num_tensors; i++)
        if (!file->tensors[i].used)
            return gguf_refuse(file, "tensor '%.*s' is none of a model that is known here",
                               GGUF_SHOWN(file->tensors[i].name));
    return CLQ_OK;
}
