/* SPDX-License-Identifier: Apache-2.0 */
/* A piece's values from the file. A first reading finds the largest magnitude of a matrix, for its scale, and
 * the extremes of rows that are cut. */
#include "stream.h"

#include <math.h>

/* The least power of two with which no block's scale is above 448. Multiplied with or divided by, it rounds
 * nothing. */
static float global_scale_of(float largest)
{
    int exponent = 0;

    if (largest == 0)
        return 1;
    if (frexp((double)largest / (448 * 6), &exponent) == 0.5)
        exponent--;
    return (float)ldexp(1, exponent > -126 ? exponent : -126);
}

static bool find_global_scale(const struct model_options *options, const struct model_shard *shard,
                              struct model_piece *piece, struct failure *failure)
{
    const struct safetensors_tensor *source = piece->tensor->source;
    char *x = piece->buffers[MODEL_X].host;
    struct model_tile tile;
    float largest = 0;

    for (uint64_t at = 0; at < source->end - source->begin; at += model_tile_bytes(piece->tensor, &tile)) {
        tile = model_tile_at(options, piece->tensor, at);
        if (!model_read(shard, piece->tensor, &tile, x, (size_t)tile.columns * source->type->bits / 8,
                        failure))
            return false;
        largest = fmaxf(largest, float_largest(source->type->name, x, (size_t)(tile.rows * tile.columns)));
    }
    piece->tensor->global_scale = global_scale_of(largest);
    return true;
}

/* Static scales are of finite values. */
static bool find_extremes(const struct model_options *options, const struct model_shard *shard,
                          struct model_piece *piece, struct failure *failure)
{
    const struct safetensors_tensor *source = piece->tensor->source;
    const bool finite = model_has_zero_points(options);
    struct float_extremes *extremes = piece->tensor->extremes;
    char *x = piece->buffers[MODEL_X].host;
    struct model_tile tile = piece->tile;

    for (int64_t r = 0; r < tile.rows; r++)
        extremes[r] = float_extremes_of_none(source->type->name);
    for (uint64_t at = piece->offset; tile.column + tile.columns < model_columns(source);) {
        size_t row_bytes = 0;

        tile = model_tile_at(options, piece->tensor, at);
        row_bytes = (size_t)tile.columns * source->type->bits / 8;
        if (!model_read(shard, piece->tensor, &tile, x, row_bytes, failure))
            return false;
        for (int64_t r = 0; r < tile.rows; r++)
            float_extremes_add(&extremes[r], source->type->name, finite, x + (size_t)r * row_bytes,
                               (size_t)tile.columns);
        at += model_tile_bytes(piece->tensor, &tile);
    }
    return true;
}

bool model_piece_read(const struct model_options *options, const struct model_shard *shard,
                      struct model_piece *piece, struct failure *failure)
{
    const struct safetensors_tensor *source = piece->tensor->source;
    const struct model_buffer *x = &piece->buffers[MODEL_X];
    char *bytes = x->host;

    if (piece->tile.rows == 0)
        return safetensors_read(&shard->file, source, piece->offset, bytes, piece->size_bytes, failure);
    if (piece->tensor->quantized && piece->offset == 0 && options->rule == CLQ_NVFP4 &&
        !find_global_scale(options, shard, piece, failure))
        return false;
    if (piece->extremes > 0 && piece->tile.column == 0 && !find_extremes(options, shard, piece, failure))
        return false;
    for (int64_t r = 0; piece->extremes > 0 && r < piece->tile.rows; r++)
        float_extremes_put(&piece->tensor->extremes[r], source->type->name, bytes + (size_t)r * x->row_bytes,
                           (size_t)piece->extremes);
    return model_read(shard, piece->tensor, &piece->tile, bytes + x->extremes_bytes, x->row_bytes, failure);
}
