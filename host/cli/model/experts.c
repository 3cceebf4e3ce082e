/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of all experts, [experts, in, out], cut into a layer for each, [out, in]: Llama 4's files have the
 * former, and readers of a quantized Llama 4 the latter. gate_up_proj has the outputs of two layers. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *end;
    size_t count;
    const char *layers[2];
} kinds[] = {{".experts.gate_up_proj", 2, {"gate_proj", "up_proj"}},
             {".experts.down_proj", 1, {"down_proj"}}};
enum { NAME_BYTES_MORE = 48, NONE = -1 };

static int kind_of(const struct safetensors_tensor *tensor)
{
    for (int k = 0; k < 2; k++)
        if (tensor->rank == 3 && tensor->begin < tensor->end && tensor->type->bits % 8 == 0 &&
            model_has_end(tensor->name, kinds[k].end) && tensor->shape[2] % (int64_t)kinds[k].count == 0)
            return k;
    return NONE;
}

static bool cut(struct model_shard *shard, const struct safetensors_tensor *whole, int kind,
                struct model_tensor *tensors)
{
    const int64_t layers = (int64_t)kinds[kind].count, outputs = whole->shape[2] / layers;
    const char *end = strrchr(whole->name, '.');

    for (int64_t i = 0; i < whole->shape[0] * layers; i++) {
        struct safetensors_tensor *source = &shard->cuts[shard->cut_count];

        *source = (struct safetensors_tensor){.type = whole->type, .rank = 2};
        source->name = malloc(strlen(whole->name) + NAME_BYTES_MORE);
        if (!source->name)
            return false;
        sprintf(source->name, "%.*s.%jd.%s.weight", (int)(end - whole->name), whole->name,
                (intmax_t)(i / layers), kinds[kind].layers[i % layers]);
        source->shape[0] = outputs;
        source->shape[1] = whole->shape[1];
        source->end = (uint64_t)(outputs * whole->shape[1]) * whole->type->bits / 8;
        tensors[i] = (struct model_tensor){
            .source = source, .whole = whole, .expert = i / layers, .first = i % layers * outputs};
        shard->cut_count++;
    }
    return true;
}

static bool cut_shard(struct model_shard *shard)
{
    const size_t count = shard->file.count;
    struct model_tensor *tensors = NULL;
    size_t cuts = 0;

    for (size_t t = 0; t < count; t++) {
        const int kind = kind_of(&shard->file.tensors[t]);

        cuts += kind == NONE ? 0 : (size_t)shard->file.tensors[t].shape[0] * kinds[kind].count;
    }
    if (cuts == 0)
        return true;
    tensors = calloc(count + cuts, sizeof *tensors);
    shard->cuts = calloc(cuts, sizeof *shard->cuts);
    if (!tensors || !shard->cuts) {
        free(tensors);
        return false;
    }
    free(shard->tensors);
    shard->tensors = tensors;
    shard->tensor_count = 0;
    for (size_t t = 0; t < count; t++) {
        const struct safetensors_tensor *source = &shard->file.tensors[t];
        const int kind = kind_of(source);
        const size_t before = shard->cut_count;

        if (kind == NONE)
            tensors[shard->tensor_count++].source = source;
        else if (!cut(shard, source, kind, tensors + shard->tensor_count))
            return false;
        shard->tensor_count += shard->cut_count - before;
    }
    return true;
}

bool model_cut_experts(struct model *model)
{
    bool ok = true;

    if (!model->facts.llama4 || model->options.to != MODEL_COMPRESSED_TENSORS)
        return true;
    for (size_t i = 0; ok && i < model->shard_count; i++)
        ok = cut_shard(&model->shards[i]) ||
             fail(model->failure, STATUS_SYSTEM, "%s: no memory for its experts", model->shards[i].path);
    return ok;
}

/* The elements of a column are neighbours in a row of the tensor. */
static bool read_turned(const struct model_shard *shard, const struct model_tensor *tensor,
                        const struct model_tile *tile, char *bytes, size_t row_bytes, struct failure *failure)
{
    const struct safetensors_tensor *whole = tensor->whole;
    const size_t size = whole->type->bits / 8, run = (size_t)tile->rows * size;
    char *line = malloc(run);
    bool ok = line || fail(failure, STATUS_SYSTEM, "%s: no memory for %zu bytes", shard->path, run);

    for (int64_t k = 0; ok && k < tile->columns; k++) {
        const int64_t at = (tensor->expert * whole->shape[1] + tile->column + k) * whole->shape[2] +
                           tensor->first + tile->row;

        ok = safetensors_read(&shard->file, whole, (uint64_t)at * size, line, run, failure);
        for (int64_t r = 0; ok && r < tile->rows; r++)
            memcpy(bytes + (size_t)r * row_bytes + (size_t)k * size, line + (size_t)r * size, size);
    }
    free(line);
    return ok;
}

bool model_read(const struct model_shard *shard, const struct model_tensor *tensor,
                const struct model_tile *tile, char *bytes, size_t row_bytes, struct failure *failure)
{
    const struct safetensors_tensor *source = tensor->source;
    const int64_t columns = model_columns(source);
    const bool joined = tile->columns == columns; /* rows follow one another */
    const size_t run = (size_t)((joined ? tile->rows : 1) * tile->columns) * source->type->bits / 8;
    bool ok = true;

    if (tensor->whole)
        return read_turned(shard, tensor, tile, bytes, row_bytes, failure);
    for (int64_t r = 0; ok && r < (joined ? 1 : tile->rows); r++)
        ok = safetensors_read(&shard->file, source,
                              (uint64_t)((tile->row + r) * columns + tile->column) * source->type->bits / 8,
                              bytes + (size_t)r * row_bytes, run, failure);
    return ok;
}
