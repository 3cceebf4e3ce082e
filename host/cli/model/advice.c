/* SPDX-License-Identifier: Apache-2.0 */
/* The report's first lines: whether too little was quantized, and which length of blocks would take more. */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint32_t lengths[] = {128, 64, 32, 0};

uint32_t model_fitting_block(int64_t columns)
{
    size_t i = 0;

    while (lengths[i] > 0 && columns % lengths[i] != 0)
        i++;
    return lengths[i];
}

struct tally {
    uint64_t bytes, quantized_bytes;
    uint64_t left_bytes; /* for the length of blocks, where another fits */
    size_t left;
    uint32_t least, most; /* lengths of blocks; 0: none yet */
    int64_t common;       /* a divisor of all rows that are quantized, or would be */
};

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void add(struct tally *tally, const struct model_tensor *tensor)
{
    const uint64_t bytes = tensor->source->end - tensor->source->begin;
    const bool left = tensor->left && strcmp(tensor->left, MODEL_NO_BLOCK) == 0 &&
                      model_fitting_block(model_columns(tensor->source)) > 0;

    tally->bytes += bytes;
    tally->quantized_bytes += tensor->quantized ? bytes : 0;
    tally->left += left;
    tally->left_bytes += left ? bytes : 0;
    if (tensor->quantized && tensor->block > tally->most)
        tally->most = tensor->block;
    if (tensor->quantized && (tally->least == 0 || tensor->block < tally->least))
        tally->least = tensor->block;
    if (left || tensor->quantized)
        tally->common = divisor(tally->common, model_columns(tensor->source));
}

static void print_blocks(const struct tally *tally, uint32_t block)
{
    const uint32_t fits = model_fitting_block(tally->common);

    printf("%zu matrices of %ju bytes stay, for their rows are no multiple of --block %u: ", tally->left,
           (uintmax_t)tally->left_bytes, (unsigned)block);
    if (fits > 0)
        printf("--block %u takes all, and ", (unsigned)fits);
    printf("--block auto takes 128, 64 or 32 for each\n");
}

/* The readers' faults, not those of what was written. */
static void print_readers(const struct model *model, bool one_length)
{
    static const char by[] = "transformers 5 opens it by CompressedTensorsConfig(dequantize=True) alone";
    const struct model_options *options = &model->options;

    if (options->to == MODEL_PLAIN)
        return;
    if (!one_length)
        printf("note: blocks of several lengths: transformers 5 does not open them by dequantize=True\n");
    if (options->dtype.bits != 4)
        return;
    if (options->asymmetric)
        printf("note: zero points are packed: %s\n", by);
    else if (model->facts.initialized)
        printf("note: %s, packed: %s\n", model->facts.initialized, by);
}

void model_print_advice(const struct model *model)
{
    struct tally tally = {0};
    bool little = false;

    for (size_t i = 0; i < model->shard_count; i++)
        for (size_t t = 0; !model->shards[i].left_out && t < model->shards[i].tensor_count; t++)
            add(&tally, &model->shards[i].tensors[t]);
    little = tally.quantized_bytes < tally.bytes - tally.quantized_bytes;
    if (little)
        printf("warning: %ju %% of the input's bytes are quantized%s",
               (uintmax_t)(100 * (double)tally.quantized_bytes / (double)tally.bytes),
               tally.left > 0 ? ": " : "; what stays is listed below\n");
    if (tally.left > 0)
        print_blocks(&tally, model->options.block);
    print_readers(model, tally.least == tally.most);
}
