/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor's shape as a setup, and its elements in the order of the caches. */
#include "keys_file.h"

#include <reference.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH, TOKENS, HEADS, CHANNELS };

static const char letters[] = "bthc";
static const int64_t standard_head_size = 128, standard_context = 1024;

static bool find_tensor(struct keys_file *keys, const char *name, struct failure *failure)
{
    const char *path = keys->file.path;

    if (name != NULL) {
        keys->tensor = safetensors_find(&keys->file, name);
        if (keys->tensor == NULL)
            return fail(failure, STATUS_REFUSED, "%s: it has no tensor '%s'", path, name);
    }
    for (size_t i = 0; i < keys->file.count && name == NULL; i++) {
        if (!safetensors_type_is_float(keys->file.tensors[i].type))
            continue;
        if (keys->tensor != NULL)
            return fail(failure, STATUS_USAGE,
                        "%s: it has '%s', '%s' and perhaps more: say which with --tensor", path,
                        keys->tensor->name, keys->file.tensors[i].name);
        keys->tensor = &keys->file.tensors[i];
    }
    if (keys->tensor == NULL)
        return fail(failure, STATUS_REFUSED, "%s: it has no tensor of type F32, F16 or BF16", path);
    if (!safetensors_type_is_float(keys->tensor->type))
        return fail(failure, STATUS_REFUSED, "%s: %s has type %s: it must be F32, F16 or BF16", path,
                    keys->tensor->name, keys->tensor->type->name);
    return true;
}

/* Which dimension is what. */
static bool read_order(struct keys_file *keys, const char *order, struct failure *failure)
{
    static const char *const by_rank[] = {NULL, NULL, "tc", "thc", "bhtc"};
    const struct safetensors_tensor *tensor = keys->tensor;
    const char *given = order != NULL                            ? order
                        : tensor->rank >= 2 && tensor->rank <= 4 ? by_rank[tensor->rank]
                                                                 : "";
    int64_t stride = 1;

    for (int i = 0; i < 4; i++)
        keys->extents[i] = keys->strides[i] = 0;
    if (strlen(given) != tensor->rank)
        return fail(failure, STATUS_USAGE, "%s: %s has %zu dimensions: --order must name each, and at most 4",
                    keys->file.path, tensor->name, tensor->rank);
    for (size_t d = tensor->rank; d-- > 0;) {
        const char *letter = strchr(letters, given[d]);

        if (letter == NULL || keys->strides[letter - letters] != 0)
            return fail(failure, STATUS_USAGE, "--order is '%s': it must be of b, t, h and c, each once",
                        given);
        keys->extents[letter - letters] = tensor->shape[d];
        keys->strides[letter - letters] = stride;
        stride *= tensor->shape[d];
    }
    if (keys->strides[TOKENS] == 0 || keys->strides[CHANNELS] == 0)
        return fail(failure, STATUS_USAGE, "--order is '%s': it must have t and c", given);
    if (stride == 0)
        return fail(failure, STATUS_REFUSED, "%s: %s is empty", keys->file.path, tensor->name);
    return true;
}

/* Channels of all heads become heads of channels. */
static bool split_heads(struct keys_file *keys, const struct setup *setup, struct failure *failure)
{
    const int64_t all = keys->extents[CHANNELS],
                  size = setup->head_size ? setup->head_size : standard_head_size;

    if (keys->strides[HEADS] != 0) {
        if (setup->head_size != 0 && setup->head_size != all)
            return fail(failure, STATUS_USAGE,
                        "--head-size is %lld: it must be the %lld of the heads of %s, or not be given",
                        (long long)setup->head_size, (long long)all, keys->tensor->name);
        return true;
    }
    if (all % size != 0)
        return fail(failure, STATUS_USAGE,
                    "%s: %s has %lld channels, no multiple of the heads' %lld (--head-size)", keys->file.path,
                    keys->tensor->name, (long long)all, (long long)size);
    keys->extents[HEADS] = all / size;
    keys->strides[HEADS] = size * keys->strides[CHANNELS];
    keys->extents[CHANNELS] = size;
    return true;
}

static bool complete(const struct keys_file *keys, struct setup *setup, struct failure *failure)
{
    const int64_t tokens = keys->extents[TOKENS], most = tokens - setup->steps;

    setup->batch = keys->strides[BATCH] != 0 ? keys->extents[BATCH] : 1;
    setup->heads = keys->extents[HEADS];
    setup->head_size = keys->extents[CHANNELS];
    if (setup->head_size % 2 != 0)
        return fail(failure, STATUS_REFUSED, "%s: %s has heads of %lld: packed int4 needs an even number",
                    keys->file.path, keys->tensor->name, (long long)setup->head_size);
    if (most < 1 || setup->context > most)
        return fail(failure, STATUS_REFUSED,
                    "%s: %s has %lld tokens: --context %lld and --steps %lld need %lld", keys->file.path,
                    keys->tensor->name, (long long)tokens, (long long)(setup->context ? setup->context : 1),
                    (long long)setup->steps,
                    (long long)((setup->context ? setup->context : 1) + setup->steps));
    if (setup->context == 0)
        setup->context = most < standard_context ? most : standard_context;
    return options_check_size(setup, failure);
}

bool keys_file_open(struct keys_file *keys, struct options *options, struct failure *failure)
{
    *keys = (struct keys_file){0};
    if (!safetensors_open(&keys->file, options->keys, failure))
        return false;
    if (find_tensor(keys, options->tensor, failure) && read_order(keys, options->order, failure) &&
        split_heads(keys, &options->setup, failure) && complete(keys, &options->setup, failure))
        return true;
    keys_file_close(keys);
    return false;
}

void keys_file_close(struct keys_file *keys)
{
    safetensors_close(&keys->file);
}

static uint16_t half_at(const struct safetensors_tensor *tensor, const unsigned char *bytes, size_t element)
{
    uint16_t half;
    float value;

    if (tensor->type->bits == 32) {
        memcpy(&value, bytes + 4 * element, sizeof value);
        return reference_narrow_f16(value);
    }
    memcpy(&half, bytes + 2 * element, sizeof half);
    return tensor->type->name[0] == 'B' ? reference_narrow_f16(reference_widen_bf16(half)) : half;
}

static bool convert(const struct keys_file *keys, const struct setup *setup, const unsigned char *bytes,
                    uint16_t *values, struct failure *failure)
{
    const int64_t *strides = keys->strides;

    for (int64_t b = 0; b < setup->batch; b++)
        for (int64_t t = 0; t < setup_tokens(setup); t++)
            for (int64_t h = 0; h < setup->heads; h++)
                for (int64_t c = 0; c < setup->head_size; c++) {
                    const int64_t element =
                        b * strides[BATCH] + t * strides[TOKENS] + h * strides[HEADS] + c * strides[CHANNELS];

                    *values = half_at(keys->tensor, bytes, (size_t)element);
                    if ((*values & 0x7c00) == 0x7c00)
                        return fail(failure, STATUS_REFUSED,
                                    "%s: element %lld of %s is not finite, or too large for a float16 cache",
                                    keys->file.path, (long long)element, keys->tensor->name);
                    values++;
                }
    return true;
}

bool keys_file_read(const struct keys_file *keys, const struct setup *setup, uint16_t *values,
                    struct failure *failure)
{
    const size_t size_bytes = (size_t)(keys->tensor->end - keys->tensor->begin);
    unsigned char *bytes = malloc(size_bytes);
    const bool ok = (bytes != NULL || fail(failure, STATUS_SYSTEM, "%s: no memory for %zu bytes",
                                           keys->file.path, size_bytes)) &&
                    safetensors_read(&keys->file, keys->tensor, 0, bytes, size_bytes, failure) &&
                    convert(keys, setup, bytes, values, failure);

    free(bytes);
    return ok;
}
