/* SPDX-License-Identifier: Apache-2.0 */
/* From the file to the device: weights of whatever type become float32 there. Blocks are brought back by
 * clq_dequantize, and float16 is converted by clq_move_rows. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a tensor of the file: rows of `width` values. */
static clq_status find(struct gguf *file, const char *name, int64_t rows, int64_t width,
                       struct gguf_tensor **found)
{
    struct gguf_tensor *tensor = gguf_find_tensor(file, name);

    *found = tensor;
    if (tensor == NULL)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: tensor '%s' is missing", file->path, name);
    if (tensor->dtype.lanes == 0)
        return clq_error_set(
            CLQ_ERROR_TYPE,
            "%.200s: tensor '%s' has type %u of ggml: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, "
            "Q5_1 and IQ4_NL can be read",
            file->path, name, (unsigned)tensor->type);
    if (tensor->rank < 1 || tensor->rank > 2 || tensor->shape[0] != (uint64_t)width ||
        (tensor->rank == 2 ? tensor->shape[1] : 1) != (uint64_t)rows)
        return clq_error_set(CLQ_ERROR_SHAPE, "%.200s: tensor '%s' must be of %lld x %lld values", file->path,
                             name, (long long)rows, (long long)width);
    tensor->used = true;
    return CLQ_OK;
}

/* All rows are one entry, whose place is the begin. */
static clq_status convert(const struct device *device, const DLTensor *x, const DLTensor *y)
{
    const int64_t one = 1;
    const int32_t begin = 0;
    DLManagedTensor *index = NULL;
    clq_status status = clq_tensor_create(device->context, CLQ_INT32, 1, &one, &index);

    if (status == CLQ_OK)
        status =
            clq_tensor_write(device->queue, &index->dl_tensor, CL_TRUE, &begin, sizeof begin, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = clq_move_rows(
            device->context, device->queue,
            &(struct clq_move_rows_desc){.src = x, .dst_indices = &index->dl_tensor, .dst = y, .axis = 1}, 0,
            NULL, NULL);
    clq_tensor_destroy(index);
    return status;
}

/* The tensor's rows to those of y from `first` on. */
static clq_status load(const struct device *device, struct gguf *file, const char *name, int64_t rows,
                       int64_t width, const DLManagedTensor *y, int64_t first)
{
    struct gguf_tensor *tensor = NULL;
    DLManagedTensor *raw = NULL;
    int64_t shape[3] = {1}, raw_shape[3] = {1, rows, width};
    DLTensor to = rows_of(y, first, rows, width, shape + 1);
    clq_status status = find(file, name, rows, width, &tensor);
    const bool blocks = status == CLQ_OK && tensor->dtype.lanes > 1;

    TRY(status);
    if (tensor->dtype.bits == 32)
        return clq_tensor_write(device->queue, &to, CL_TRUE, tensor->bytes, tensor->size_bytes, 0, NULL,
                                NULL);
    raw_shape[2] = blocks ? width / 32 : width;
    to.ndim = 3;
    to.shape = shape;
    status = clq_tensor_create(device->context, tensor->dtype, 3, raw_shape, &raw);
    if (status == CLQ_OK)
        status = clq_tensor_write(device->queue, &raw->dl_tensor, CL_TRUE, tensor->bytes, tensor->size_bytes,
                                  0, NULL, NULL);
    if (status == CLQ_OK)
        status = blocks ? clq_dequantize(device->context, device->queue,
                                         &(struct clq_dequantize_desc){
                                             .q = &raw->dl_tensor, .y = &to, .mode = CLQ_DEQUANTIZE_DYNAMIC},
                                         0, NULL, NULL)
                        : convert(device, &raw->dl_tensor, &to);
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
    TRY(clq_tensor_create(model->device->context, CLQ_FLOAT32, 2, shape, y));
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

static clq_status load_layer(const struct model *m, struct gguf *file, int64_t i)
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

/* Of all positions, in double: cosine and sine of position * base^(-2i / turned), or of that over a factor
 * of the file's. */
static clq_status load_angles(struct model *m, struct gguf *file)
{
    const int64_t pairs = m->turned / 2, shape[] = {m->context, pairs, 2};
    const size_t size_bytes = (size_t)(m->context * m->turned) * sizeof(float);
    float *angles = malloc(size_bytes);
    struct gguf_tensor *factors = NULL;
    clq_status status = angles != NULL ? CLQ_OK : clq_error_set(CLQ_ERROR_MEMORY, "no memory for angles");

    if (status == CLQ_OK && gguf_find_tensor(file, "rope_freqs.weight") != NULL)
        status = find(file, "rope_freqs.weight", 1, pairs, &factors);
    if (factors != NULL && factors->dtype.bits != 32)
        status = clq_error_set(CLQ_ERROR_TYPE, "%.200s: rope_freqs.weight must be F32", file->path);
    for (int64_t i = 0; i < m->context * pairs && status == CLQ_OK; i++) {
        float factor = 1.0f;
        double angle = (double)(i / pairs) * pow(m->base, -2.0 * (double)(i % pairs) / (double)m->turned);

        if (factors != NULL)
            memcpy(&factor, factors->bytes + (size_t)(i % pairs) * sizeof factor, sizeof factor);
        angle /= (double)factor;
        angles[2 * i] = (float)cos(angle);
        angles[2 * i + 1] = (float)sin(angle);
    }
    if (status == CLQ_OK)
        status = clq_tensor_create(m->device->context, CLQ_FLOAT32, 3, shape, &m->angles);
    if (status == CLQ_OK)
        status = clq_tensor_write(m->device->queue, &m->angles->dl_tensor, CL_TRUE, angles, size_bytes, 0,
                                  NULL, NULL);
    free(angles);
    return status;
}

clq_status model_load(struct model *m, struct gguf *file)
{
    const struct source embedding = {"token_embd", m->vocabulary}, output = {"output", m->vocabulary};

    m->layers = calloc((size_t)m->num_layers, sizeof *m->layers);
    if (m->layers == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %lld layers", (long long)m->num_layers);
    TRY(join(m, file, -1, m->width, 1, &embedding, &m->embedding));
    if (gguf_find_tensor(file, "output.weight") != NULL)
        TRY(join(m, file, -1, m->width, 1, &output, &m->output));
    TRY(join(m, file, -1, m->width, 1, &(struct source){"output_norm", 1}, &m->norm));
    for (int64_t i = 0; i < m->num_layers; i++)
        TRY(load_layer(m, file, i));
    TRY(load_angles(m, file));
    for (uint64_t i = 0; i < file->num_tensors; i++)
        if (!file->tensors[i].used)
            return clq_error_set(CLQ_ERROR_VALUE,
                                 "%.200s: tensor '%.*s' is none of a model that is known here", file->path,
                                 (int)(file->tensors[i].name.size % 80), file->tensors[i].name.bytes);
    return CLQ_OK;
}
