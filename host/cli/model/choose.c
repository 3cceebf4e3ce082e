/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors are quantized, by name, type and shape. */
#include "model.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* As models call embeddings, output heads, norms, biases, and the routers of experts; without regard to upper
 * and lower case. */
static const char *const left_alone[] = {"*lm_head*", "*norm*", "*bias*", "*.gate.weight", "*router*"};
static const char *const embeddings[] = {"*embed*", "*wte*", "*wpe*"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool glob(const char *const *globs, size_t count, const char *name, int flags)
{
    for (size_t i = 0; i < count; i++)
        if (fnmatch(globs[i], name, flags) == 0)
            return true;
    return false;
}

bool model_has_end(const char *name, const char *end)
{
    const size_t length = strlen(name), more = strlen(end);

    return length > more && strcmp(name + length - more, end) == 0;
}

bool model_is_embedding(const char *name)
{
    return glob(embeddings, COUNT(embeddings), name, FNM_CASEFOLD);
}

static bool is_matrix(const struct safetensors_tensor *tensor)
{
    const char *type = tensor->type->name;

    return tensor->rank == 2 &&
           (strcmp(type, "F32") == 0 || strcmp(type, "F16") == 0 || strcmp(type, "BF16") == 0);
}

static bool is_asked(const struct model_options *options, const char *name)
{
    const bool wanted =
        options->only.count > 0
            ? glob(options->only.list, options->only.count, name, 0)
            : !model_is_embedding(name) && !glob(left_alone, COUNT(left_alone), name, FNM_CASEFOLD);

    return wanted && !glob(options->skip.list, options->skip.count, name, 0);
}

/* NULL: nothing hinders. */
static const char *hindrance(const struct model_options *options, const struct safetensors_tensor *tensor)
{
    const bool packs = options->to == MODEL_COMPRESSED_TENSORS;
    const int64_t columns = tensor->shape[1], unit = packs ? 8 : 2;

    if (tensor->shape[0] == 0 || columns == 0)
        return "it has no elements";
    if (packs && !model_has_end(tensor->name, ".weight"))
        return "its name does not end in .weight";
    if (options->block > 0 && columns % options->block != 0)
        return "its rows are no multiple of --block";
    if (options->rotate > 0 && columns % options->rotate != 0)
        return "its rows are no multiple of --rotate";
    if (options->dtype.bits == 4 && columns % unit != 0)
        return packs ? "its rows do not fill words of eight values"
                     : "its rows do not fill bytes of two values";
    return NULL;
}

void model_say_left(const struct model *model, const struct model_tensor *tensor, char *text,
                    size_t size_bytes)
{
    const bool by_block = strstr(tensor->left, "--block"), by_rotate = strstr(tensor->left, "--rotate");

    snprintf(text, size_bytes, by_block || by_rotate ? "%s %u" : "%s", tensor->left,
             (unsigned)(by_block ? model->options.block : model->options.rotate));
}

/* A glob that meets nothing is a mistake in its spelling. */
static bool check_globs(const struct model *model, const char *option, const struct model_globs *globs)
{
    for (size_t g = 0; g < globs->count; g++) {
        bool met = false;

        for (size_t i = 0; !met && i < model->shard_count; i++)
            for (size_t t = 0; !met && t < model->shards[i].file.count; t++)
                met = fnmatch(globs->list[g], model->shards[i].file.tensors[t].name, 0) == 0;
        if (!met)
            return fail(model->failure, STATUS_USAGE, "--%s '%.200s': no tensor has such a name%s", option,
                        globs->list[g],
                        strchr(globs->list[g], '[')
                            ? "; in a glob [..] is one character of several, and \\[ the bracket itself"
                            : "");
    }
    return true;
}

bool model_choose(struct model *model)
{
    const struct model_options *options = &model->options;
    const struct model_tensor *left = NULL;
    char why[512] = "";
    size_t chosen = 0;

    if (!check_globs(model, "only", &options->only) || !check_globs(model, "skip", &options->skip))
        return false;
    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; t < model->shards[i].file.count; t++) {
            struct model_tensor *tensor = &model->shards[i].tensors[t];

            if (!is_matrix(tensor->source) || !is_asked(options, tensor->source->name))
                continue;
            tensor->left = hindrance(options, tensor->source);
            tensor->quantized = tensor->left == NULL;
            tensor->block = options->block;
            chosen += tensor->quantized;
            left = tensor->left ? tensor : left;
        }
    if (left) {
        const int used =
            snprintf(why, sizeof why, ", and '%.200s', [%jd,%jd], stays as it is: ", left->source->name,
                     (intmax_t)left->source->shape[0], (intmax_t)left->source->shape[1]);

        model_say_left(model, left, why + used, sizeof why - (size_t)used);
    }
    return chosen > 0 || fail(model->failure, STATUS_REFUSED,
                              "%s: nothing is left to quantize: a matrix of F32, F16 or BF16 is expected%s%s",
                              options->in_paths[0], why,
                              options->only.count + options->skip.count > 0 ? ", by --only and --skip" : "");
}
