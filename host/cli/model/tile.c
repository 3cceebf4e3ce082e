/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix is cut into whole rows, as many as fit a piece, by eight, as words of zero points are.
 * Where eight do not fit, up to eight rows are cut into columns, whose count is a multiple of the
 * lengths of all blocks and rotations. */
#include "stream.h"

enum { COLUMNS = 1024 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct model_tile model_tile_most(const struct model_options *options, const struct model_tensor *tensor)
{
    const int64_t columns = model_columns(tensor->source), rows = model_rows(tensor->source);
    const int64_t size = (int64_t)tensor->source->type->bits / 8, fits = STREAM_PIECE_BYTES / size / columns;
    const int64_t eight = least(rows, MODEL_TILE_ROWS);

    if (fits < eight && !model_keeps_rows(options, tensor->block))
        return (struct model_tile){0, eight, 0, STREAM_PIECE_BYTES / size / eight / COLUMNS * COLUMNS};
    return (struct model_tile){
        0, least(rows, fits < MODEL_TILE_ROWS ? fits : fits / MODEL_TILE_ROWS * MODEL_TILE_ROWS), 0, columns};
}

struct model_tile model_tile_at(const struct model_options *options, const struct model_tensor *tensor,
                                uint64_t offset)
{
    const int64_t rows = model_rows(tensor->source), columns = model_columns(tensor->source);
    struct model_tile tile = model_tile_most(options, tensor);
    const int64_t at = (int64_t)(offset * 8 / tensor->source->type->bits), band = tile.rows * columns;

    tile.row = at / band * tile.rows;
    tile.rows = least(tile.rows, rows - tile.row);
    tile.column = at % band / tile.rows;
    tile.columns = least(tile.columns, columns - tile.column);
    return tile;
}
