/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors are quantized, by name, type and shape. */
#include "stream.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define NO_ROTATE "its rows are no multiple of --rotate"

static bool meets(const struct texts *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->list[i], name, 0) == 0)
            return true;
    return false;
}

/* NULL: it is a matrix, or several of them where the format has a place for those. */
static const char *shape_hindrance(const struct model *model, const struct safetensors_tensor *tensor)
{
    const char *type = tensor->type->name;

    if (strcmp(type, "F32") != 0 && strcmp(type, "F16") != 0 && strcmp(type, "BF16") != 0)
        return "its type is not F32, F16 or BF16";
    if (tensor->rank < 2)
        return MODEL_NO_MATRIX;
    if (model_is_experts(tensor) && model->options.to == MODEL_PLAIN)
        return NULL;
    if (model_is_experts(tensor))
        return "all experts are in it, and compressed-tensors has a matrix for each; --to plain does "
               "quantize "
               "it";
    return tensor->rank == 2 ? NULL : "it has more than two dimensions";
}

/* NULL: it is asked for. */
static const char *not_asked(const struct model *model, const struct safetensors_tensor *tensor)
{
    const struct model_options *options = &model->options;

    if (meets(&options->skip, tensor->name))
        return "--skip";
    if (options->only.count > 0)
        return meets(&options->only, tensor->name) ? NULL : "--only";
    return model_class_of(model, tensor);
}

/* What keeps readers of compressed-tensors from a quantized matrix; NULL: nothing. */
static const char *reader_hindrance(const struct model *model, const struct safetensors *file,
                                    const struct safetensors_tensor *tensor)
{
    if (!model_has_end(tensor->name, ".weight"))
        return "its name does not end in .weight";
    if (model_is_tied(model, tensor))
        return "config.json ties the output head to the embedding (tie_word_embeddings)";
    if (model_is_conv1d(model, file, tensor))
        return "it is [in, out] of a Conv1D, and readers quantize Linear alone; --to plain does quantize it";
    return NULL;
}

/* NULL: nothing hinders. */
static const char *hindrance(const struct model_options *options, const struct safetensors_tensor *tensor,
                             uint32_t block)
{
    const bool packs = options->to == MODEL_COMPRESSED_TENSORS;
    const int64_t columns = model_columns(tensor), unit = packs ? 8 : 2;

    if (tensor->begin == tensor->end)
        return "it has no elements";
    if (options->block_auto && block == 0)
        return "its rows are no multiple of 32";
    if (block > 0 && columns % block != 0)
        return MODEL_NO_BLOCK;
    if (options->rotate > 0 && columns % options->rotate != 0)
        return NO_ROTATE;
    if (model_keeps_rows(options, block) && columns * tensor->type->bits / 8 > STREAM_PIECE_BYTES)
        return "its rows are longer than 4 MiB, and --rotate with one scale a row takes whole ones";
    if (options->dtype.bits == 4 && columns % unit != 0)
        return packs ? "its rows do not fill words of eight values"
                     : "its rows do not fill bytes of two values";
    return NULL;
}

/* Why a tensor stays as it is; NULL: it does not. */
static const char *why_left(const struct model *model, const struct safetensors *file,
                            const struct safetensors_tensor *tensor, uint32_t *block)
{
    const char *why = shape_hindrance(model, tensor);

    why = why ? why : not_asked(model, tensor);
    if (!why && model->options.to == MODEL_COMPRESSED_TENSORS)
        why = reader_hindrance(model, file, tensor);
    if (why)
        return why;
    *block = model->options.block_auto ? model_fitting_block(model_columns(tensor)) : model->options.block;
    return hindrance(&model->options, tensor, *block);
}

void model_say_left(const struct model *model, const struct model_tensor *tensor, char *text,
                    size_t size_bytes)
{
    const char *left = tensor->left;
    const bool by_block = strcmp(left, MODEL_NO_BLOCK) == 0;
    const uint32_t fits = by_block ? model_fitting_block(model_columns(tensor->source)) : 0;

    if (fits > 0)
        snprintf(text, size_bytes, "%s %u; --block %u fits", left, (unsigned)model->options.block,
                 (unsigned)fits);
    else if (by_block || strcmp(left, NO_ROTATE) == 0)
        snprintf(text, size_bytes, "%s %u", left,
                 (unsigned)(by_block ? model->options.block : model->options.rotate));
    else
        snprintf(text, size_bytes, "%s", left);
}

/* A glob that meets nothing is a mistake in its spelling. */
static bool check_globs(const struct model *model, const char *option, const struct texts *globs)
{
    for (size_t g = 0; g < globs->count; g++) {
        bool met = false;

        for (size_t i = 0; !met && i < model->shard_count; i++)
            for (size_t t = 0; !met && t < model->shards[i].tensor_count; t++)
                met = fnmatch(globs->list[g], model->shards[i].tensors[t].source->name, 0) == 0;
        if (!met)
            return fail(model->failure, STATUS_USAGE, "--%s '%.200s': no tensor has such a name%s", option,
                        globs->list[g],
                        strchr(globs->list[g], '[')
                            ? "; in a glob [..] is one character of several, and \\[ the bracket itself"
                            : "");
    }
    return true;
}

static uint64_t bytes_of(const struct model_tensor *tensor)
{
    return tensor->source->end - tensor->source->begin;
}

/* The matrix that users miss: the largest that was asked for, else the largest. */
static const struct model_tensor *largest_left(const struct model *model)
{
    const struct model_tensor *best = NULL;
    bool best_asked = false;

    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].tensor_count; t++) {
            const struct model_tensor *tensor = &model->shards[i].tensors[t];
            const bool asked = !not_asked(model, tensor->source);

            if (tensor->source->rank != 2 || (best && best_asked > asked) ||
                (best && best_asked == asked && bytes_of(tensor) <= bytes_of(best)))
                continue;
            best = tensor;
            best_asked = asked;
        }
    return best;
}

static bool fail_nothing(const struct model *model)
{
    const struct model_tensor *left = largest_left(model);
    char why[512] = "";

    if (left) {
        const int used =
            snprintf(why, sizeof why, ", and '%.200s', [%jd,%jd], stays as it is: ", left->source->name,
                     (intmax_t)left->source->shape[0], (intmax_t)left->source->shape[1]);

        model_say_left(model, left, why + used, sizeof why - (size_t)used);
    }
    return fail(model->failure, STATUS_REFUSED,
                "%s: nothing is left to quantize: a matrix of F32, F16 or BF16 is expected%s",
                model->options.in.list[0], why);
}

bool model_choose(struct model *model)
{
    const struct model_options *options = &model->options;
    size_t chosen = 0;

    if (!check_globs(model, "only", &options->only) || !check_globs(model, "skip", &options->skip))
        return false;
    model_find_conv1d(model);
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].tensor_count; t++) {
            struct model_tensor *tensor = &model->shards[i].tensors[t];

            tensor->left = why_left(model, &model->shards[i].file, tensor->source, &tensor->block);
            tensor->quantized = tensor->left == NULL;
            chosen += tensor->quantized;
        }
    return chosen > 0 || fail_nothing(model);
}
