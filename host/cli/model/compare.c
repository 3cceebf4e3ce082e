/* SPDX-License-Identifier: Apache-2.0 */
/* quantize_model --compare: each piece of the input is read once, and goes through all ways. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

static uint64_t bytes_of(const struct safetensors_tensor *tensor)
{
    uint64_t bits = tensor->type->bits;

    for (size_t d = 0; d < tensor->rank; d++)
        bits *= (uint64_t)safetensors_extent(tensor, d);
    return bits / 8;
}

/* The bytes that a way would write, and those of its matrices. */
static bool count_bytes(struct compare_way *way, struct model_shard *shard)
{
    uint64_t copied = 0, all = 0;

    if (!model_plan_tensors(&way->model.options, shard))
        return fail(way->model.failure, STATUS_SYSTEM, "%s: no memory for what it becomes", shard->path);
    for (size_t i = 0; i < shard->out_count; i++)
        all += bytes_of(&shard->out[i]);
    for (size_t t = 0; t < shard->tensor_count; t++) {
        const struct model_tensor *tensor = &shard->tensors[t];

        if (tensor->quantized)
            way->elements += bytes_of(tensor->source) * 8 / tensor->source->type->bits;
        else
            copied += bytes_of(tensor->source);
    }
    way->bytes += all;
    way->quantized_bytes += all - copied;
    return true;
}

/* The piece that the reader has, or where a way cuts otherwise its own. */
static bool load(struct compare_way *way, const struct model_shard *shard, const struct model_piece *read)
{
    if (read && memcmp(&read->tile, &way->piece.tile, sizeof read->tile) == 0 && way->piece.extremes == 0 &&
        read->extremes == 0 && (way->model.options.rule != CLQ_NVFP4 || way->piece.offset > 0)) {
        memcpy(way->piece.buffers[MODEL_X].host, read->buffers[MODEL_X].host, read->size_bytes);
        return true;
    }
    return model_piece_read(&way->model.options, shard, &way->piece, way->model.failure);
}

static bool take_piece(struct compare_way *way, const struct model_shard *shard,
                       const struct model_piece *read, size_t kind)
{
    struct model_piece *piece = &way->piece;
    struct float_error error = {0};

    if (!model_piece_open(&way->model, shard, piece) || !load(way, shard, read) ||
        !model_piece_compute(&way->model, shard, piece))
        return false;
    model_piece_add_error(piece, &error);
    way->errors[kind].squares += error.squares;
    way->errors[kind].difference_squares += error.difference_squares;
    way->all.squares += error.squares;
    way->all.difference_squares += error.difference_squares;
    way->counts[kind] += error.count;
    return true;
}

/* All pieces of one tensor, side by side. */
static bool take_tensor(struct comparison *comparison, size_t s, size_t t)
{
    struct model_shard *shard = &comparison->model->shards[s];
    const uint64_t end = shard->tensors[t].source->end - shard->tensors[t].source->begin;
    uint64_t offsets[COMPARE_MOST_WAYS] = {0};
    size_t kind = COMPARE_MOST_KINDS;

    for (bool more = true; more;) {
        const struct model_piece *read = NULL;

        more = false;
        for (size_t w = 0; w < comparison->way_count; w++) {
            struct compare_way *way = &comparison->ways[w];
            size_t at = t;

            if (!way->model.shards[s].tensors[t].quantized || offsets[w] >= end ||
                !model_piece_next(&way->model.options, &way->model.shards[s], &at, &offsets[w], &way->piece))
                continue;
            if (kind == COMPARE_MOST_KINDS)
                kind = compare_kind_of(comparison, shard->tensors[t].source->name);
            if (!take_piece(way, &way->model.shards[s], read, kind))
                return false;
            if (!read) {
                read = &way->piece;
                model_show(comparison->model, shard, way->piece.size_bytes);
            }
            more = true;
        }
    }
    if (kind == COMPARE_MOST_KINDS)
        model_show(comparison->model, shard, end);
    return true;
}

static bool take_shard(struct comparison *comparison, size_t s)
{
    struct model_shard *shard = &comparison->model->shards[s];
    size_t made = 0;
    bool ok = true;

    for (; ok && made < comparison->way_count; made++) {
        struct compare_way *way = &comparison->ways[made];

        ok = count_bytes(way, &way->model.shards[s]) &&
             model_piece_create(&way->model, &way->model.shards[s], &way->piece);
    }
    for (size_t t = 0; ok && t < shard->tensor_count; t++)
        ok = take_tensor(comparison, s, t);
    for (size_t w = 0; w < made; w++)
        model_piece_destroy(&comparison->ways[w].model, &comparison->ways[w].piece);
    return ok;
}

static bool open_device(struct comparison *comparison)
{
    if (!model_open_device(comparison->model))
        return false;
    for (size_t w = 0; w < comparison->way_count; w++) {
        comparison->ways[w].model.context = comparison->model->context;
        comparison->ways[w].model.queue = comparison->model->queue;
    }
    return true;
}

static void release(struct comparison *comparison)
{
    for (size_t w = 0; w < comparison->way_count; w++) {
        struct model *model = &comparison->ways[w].model;

        for (size_t s = 0; model->shards && s < model->shard_count; s++) {
            for (size_t i = 0; i < model->shards[s].out_count; i++)
                free(model->shards[s].out[i].name);
            free(model->shards[s].out);
            free(model->shards[s].tensors);
        }
        free(model->shards);
    }
    free(comparison->ways);
}

bool model_compare(struct model *model)
{
    struct comparison comparison = {.model = model};
    bool ok = compare_parse(&comparison) &&
              (!model->options.json_path ||
               output_file_possible("--json", model->options.json_path, model->failure)) &&
              open_device(&comparison);

    for (size_t s = 0; ok && s < model->shard_count; s++)
        ok = take_shard(&comparison, s);
    progress_end(&model->progress);
    ok = ok && compare_write_json(&comparison);
    if (ok)
        compare_print(&comparison);
    release(&comparison);
    return ok;
}
