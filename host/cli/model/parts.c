/* SPDX-License-Identifier: Apache-2.0 */
/* OUT's shards from the headers: which tensors take a matrix's place, with their names, types and shapes.
 *
 * compressed-tensors counts four bits from 0 and keeps eight in a word, the lowest first: so its int4 are
 * clquant's uint4, and symmetric ones are int4 with 8 added. Its zero points are of four bits too, eight of a
 * column in a word. Its MX and NVFP4 have two values in a byte, the scales' codes as bytes, and for the scale
 * of a matrix what a scale is divided by. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MORE = 32, WORD = 8 };

int64_t model_groups(const struct model_tensor *tensor)
{
    return tensor->block > 0 ? model_columns(tensor->source) / tensor->block : 1;
}

int64_t model_rows(const struct safetensors_tensor *source)
{
    int64_t rows = 1;

    for (size_t d = 0; d + 1 < source->rank; d++)
        rows *= source->shape[d];
    return rows;
}

bool model_has_zero_points(const struct model_options *options)
{
    return options->to == MODEL_COMPRESSED_TENSORS && !options->symmetric;
}

bool model_has_offsets(const struct model_options *options)
{
    return options->to == MODEL_PLAIN && !options->symmetric;
}

DLDataType model_values_dtype(const struct model_options *options)
{
    DLDataType dtype = options->dtype;

    if (dtype.bits == 4 && options->to == MODEL_COMPRESSED_TENSORS && !options->rule)
        return options->symmetric ? CLQ_INT4_WORDS : CLQ_UINT4_WORDS;
    dtype.lanes = dtype.bits == 4 ? 2 : 1;
    return dtype;
}

static const char *values_type(const struct model_options *options)
{
    const DLDataType dtype = model_values_dtype(options);

    if (dtype.lanes > 1)
        return dtype.lanes == WORD ? "I32" : "U8";
    return safetensors_type_of(options->dtype_name)->name;
}

static const char *scales_type(const struct model_options *options, const struct safetensors_tensor *source)
{
    if (options->rule == CLQ_NVFP4)
        return "F8_E4M3";
    if (options->rule)
        return options->to == MODEL_PLAIN ? "F8_E8M0" : "U8";
    return model_has_zero_points(options) ? "F32" : source->type->name;
}

/* Another tensor of OUT, named by the first characters of a name and an end. NULL: no memory. */
static struct safetensors_tensor *add(struct model_shard *shard, const char *name, size_t kept,
                                      const char *end, const char *type)
{
    struct safetensors_tensor *tensor = &shard->out[shard->out_count];

    *tensor = (struct safetensors_tensor){.name = malloc(kept + NAME_BYTES_MORE),
                                          .type = safetensors_type_find(type)};
    if (!tensor->name)
        return NULL;
    sprintf(tensor->name, "%.*s%s", (int)kept, name, end);
    shard->out_count++;
    return tensor;
}

static bool add_matrix(struct model_shard *shard, const char *name, size_t kept, const char *end,
                       const char *type, const int64_t shape[2])
{
    struct safetensors_tensor *tensor = add(shard, name, kept, end, type);

    if (tensor) {
        tensor->rank = shape[1] == 0 ? 1 : 2;
        memcpy(tensor->shape, shape, 2 * sizeof *shape);
    }
    return tensor != NULL;
}

/* Of the source's shape, with rows of another length; 0: a row is an element. */
static bool add_rows(struct model_shard *shard, const struct safetensors_tensor *source, const char *end,
                     const char *type, int64_t length)
{
    struct safetensors_tensor *tensor = add(shard, source->name, strlen(source->name), end, type);

    if (tensor) {
        memcpy(tensor->shape, source->shape, sizeof tensor->shape);
        tensor->rank = length == 0 ? source->rank - 1 : source->rank;
        tensor->shape[source->rank - 1] = length;
    }
    return tensor != NULL;
}

static bool add_copy(struct model_shard *shard, struct model_tensor *tensor)
{
    const struct safetensors_tensor *source = tensor->source;
    struct safetensors_tensor *copy = NULL;

    tensor->parts[MODEL_VALUES] = shard->out_count;
    copy = add(shard, source->name, strlen(source->name), "", source->type->name);
    if (!copy)
        return false;
    copy->rank = source->rank;
    memcpy(copy->shape, source->shape, sizeof copy->shape);
    copy->further = source->further; /* the input's */
    return true;
}

static bool add_global_scale(const struct model_options *options, struct model_shard *shard,
                             struct model_tensor *tensor)
{
    const char *name = tensor->source->name;

    tensor->parts[MODEL_GLOBAL_SCALE] = options->rule == CLQ_NVFP4 ? shard->out_count : MODEL_NONE;
    return options->rule != CLQ_NVFP4 ||
           add_matrix(shard, name, strlen(name), "_global_scale", "F32", (int64_t[]){1, 0});
}

static bool add_packed(const struct model_options *options, struct model_shard *shard,
                       struct model_tensor *tensor)
{
    const struct safetensors_tensor *source = tensor->source;
    const int64_t rows = source->shape[0], columns = source->shape[1], groups = model_groups(tensor);
    const bool four = options->dtype.bits == 4;
    const size_t kept = strlen(source->name);
    const int64_t per_element = options->rule ? 2 : WORD;
    const char *const name = source->name;

    tensor->parts[MODEL_VALUES] = shard->out_count;
    if (!add_matrix(shard, name, kept, four ? "_packed" : "", values_type(options),
                    (int64_t[]){rows, four ? columns / per_element : columns}))
        return false;
    tensor->parts[MODEL_SCALES] = shard->out_count;
    if (!add_matrix(shard, name, kept, "_scale", scales_type(options, source), (int64_t[]){rows, groups}) ||
        !add_global_scale(options, shard, tensor))
        return false;
    tensor->parts[MODEL_ADDED] = model_has_zero_points(options) ? shard->out_count : MODEL_NONE;
    if (model_has_zero_points(options) &&
        !add_matrix(shard, name, kept, "_zero_point", four ? "I32" : "I8",
                    (int64_t[]){four ? (rows + WORD - 1) / WORD : rows, groups}))
        return false;
    tensor->parts[MODEL_SHAPE] = four && !options->rule ? shard->out_count : MODEL_NONE;
    return tensor->parts[MODEL_SHAPE] == MODEL_NONE ||
           add_matrix(shard, name, kept, "_shape", "I64", (int64_t[]){2, 0});
}

static bool add_plain(const struct model_options *options, struct model_shard *shard,
                      struct model_tensor *tensor)
{
    const struct safetensors_tensor *source = tensor->source;
    const int64_t columns = model_columns(source), found = tensor->block > 0 ? model_groups(tensor) : 0;

    tensor->parts[MODEL_SHAPE] = MODEL_NONE;
    tensor->parts[MODEL_VALUES] = shard->out_count;
    if (!add_rows(shard, source, "_q", values_type(options),
                  options->dtype.bits == 4 ? columns / 2 : columns))
        return false;
    tensor->parts[MODEL_SCALES] = shard->out_count;
    if (!add_rows(shard, source, "_scales", scales_type(options, source), found) ||
        !add_global_scale(options, shard, tensor))
        return false;
    tensor->parts[MODEL_ADDED] = model_has_offsets(options) ? shard->out_count : MODEL_NONE;
    return !model_has_offsets(options) || add_rows(shard, source, "_offsets", source->type->name, found);
}

bool model_plan_tensors(const struct model_options *options, struct model_shard *shard)
{
    bool ok = false;

    shard->out = calloc(shard->tensor_count * MODEL_PARTS + 1, sizeof *shard->out);
    ok = shard->out != NULL;
    for (size_t t = 0; ok && t < shard->tensor_count; t++) {
        struct model_tensor *tensor = &shard->tensors[t];

        if (!tensor->quantized)
            ok = add_copy(shard, tensor);
        else if (options->to == MODEL_PLAIN)
            ok = add_plain(options, shard, tensor);
        else
            ok = add_packed(options, shard, tensor);
    }
    return ok;
}

static bool plan_shard(struct model *model, struct model_shard *shard)
{
    const struct model_options *options = &model->options;

    shard->out_path = model_join(options->out_path, shard->name);
    if (!shard->out_path || !model_plan_tensors(options, shard))
        return fail(model->failure, STATUS_SYSTEM, "%s: no memory for what it becomes", shard->path);
    if (!model_make_header(options, shard, model->failure))
        return false;
    if (shard->header_bytes - SAFETENSORS_LENGTH_BYTES > SAFETENSORS_MAX_HEADER_BYTES)
        return fail(model->failure, STATUS_REFUSED,
                    "%s: its header in OUT would have %zu bytes: the format has room for %d", shard->path,
                    shard->header_bytes - SAFETENSORS_LENGTH_BYTES, SAFETENSORS_MAX_HEADER_BYTES);
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that is made may be there already. */
static bool check_names(struct model *model)
{
    size_t count = 0, at = 0;
    const char **names = NULL;
    bool ok = true;

    for (size_t i = 0; i < model->shard_count; i++)
        count += model->shards[i].out_count;
    names = malloc((count + 1) * sizeof *names);
    if (!names)
        return fail(model->failure, STATUS_SYSTEM, "no memory for the names of %zu tensors", count);
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].out_count; t++)
            names[at++] = model->shards[i].out[t].name;
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 1; ok && i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            ok = fail(
                model->failure, STATUS_REFUSED,
                "tensor '%.200s' would be twice in OUT: the input has a tensor of that name, and a matrix "
                "gets one; --skip leaves the matrix as it is",
                names[i]);
    free(names);
    return ok;
}

bool model_plan(struct model *model)
{
    for (size_t i = 0; i < model->shard_count; i++)
        if (!plan_shard(model, &model->shards[i]))
            return false;
    return check_names(model);
}
