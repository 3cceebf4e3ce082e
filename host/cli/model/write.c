/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a piece goes into OUT: packed as the format has it; and how far it is from what it was. */
#include "stream.h"

struct place {
    const struct model_shard *shard;
    const struct model_piece *piece;
    struct output_file *out;
    struct failure *failure;
};

/* What the library has as int4 counts from -8. */
static void count_from_zero(uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] ^= UINT32_C(0x88888888);
}

/* Of each eight rows one: the first is lowest. */
static void pack_zero_points(struct model_piece *piece)
{
    const size_t groups = piece->buffers[MODEL_A].row_bytes;
    const uint8_t *points = piece->buffers[MODEL_A].host;
    const int64_t rows = piece->tile.rows;

    for (int64_t row = 0; row < rows; row += STREAM_WORD)
        for (size_t g = 0; g < groups; g++) {
            uint32_t word = 0;

            for (int64_t r = 0; r < STREAM_WORD && row + r < rows; r++)
                word |= (uint32_t)points[(size_t)(row + r) * groups + g] << (4 * r);
            piece->words[(size_t)(row / STREAM_WORD) * groups + g] = word;
        }
}

static bool put(const struct place *place, enum model_part part, uint64_t offset, const void *bytes,
                size_t size_bytes)
{
    const size_t at = place->piece->tensor->parts[part];

    return at == MODEL_NONE ||
           output_file_write_at(place->out, place->shard->header_bytes + place->shard->out[at].begin + offset,
                                bytes, size_bytes, place->failure);
}

static bool put_rows(const struct place *place, enum model_part part, enum model_buffers which)
{
    const struct model_buffer *buffer = &place->piece->buffers[which];
    const struct model_tile *tile = &place->piece->tile;
    const size_t bytes = buffer->row_bytes - buffer->extremes_bytes;
    const bool whole = bytes == buffer->out_row_bytes;
    bool ok = true;

    for (int64_t r = 0; ok && r < (whole ? 1 : tile->rows); r++)
        ok = put(place, part, (uint64_t)(tile->row + r) * buffer->out_row_bytes + buffer->column_bytes,
                 (const char *)buffer->host + (size_t)r * buffer->row_bytes + buffer->extremes_bytes,
                 whole ? bytes * (size_t)tile->rows : bytes);
    return ok;
}

/* One line where rows are cut. */
static bool put_words(const struct place *place)
{
    const struct model_buffer *points = &place->piece->buffers[MODEL_A];
    const size_t size = sizeof *place->piece->words;
    const int64_t lines = (place->piece->tile.rows + STREAM_WORD - 1) / STREAM_WORD;

    return put(
        place, MODEL_ADDED,
        ((uint64_t)(place->piece->tile.row / STREAM_WORD) * points->out_row_bytes + points->column_bytes) *
            size,
        place->piece->words, points->row_bytes * size * (size_t)lines);
}

/* What comes once in a matrix. */
static bool put_whole(const struct place *place, enum model_format to)
{
    const struct model_tensor *tensor = place->piece->tensor;
    const float global_scale = to == MODEL_PLAIN ? tensor->global_scale : 1 / tensor->global_scale;

    return put(place, MODEL_SHAPE, 0, tensor->source->shape, 2 * sizeof *tensor->source->shape) &&
           put(place, MODEL_GLOBAL_SCALE, 0, &global_scale, sizeof global_scale);
}

void model_piece_add_error(const struct model_piece *piece, struct float_error *error)
{
    const struct model_buffer *x = &piece->buffers[MODEL_X], *back = &piece->buffers[MODEL_BACK];
    const struct model_tile *tile = &piece->tile;
    const bool one = piece->extremes == 0; /* rows follow one another */

    for (int64_t r = 0; r < (one ? 1 : tile->rows); r++)
        float_error_add(error, piece->tensor->source->type->name,
                        (const char *)x->host + (size_t)r * x->row_bytes + x->extremes_bytes,
                        (const float *)back->host + r * back->shape[1] + piece->extremes,
                        (size_t)(one ? tile->rows * tile->columns : tile->columns));
}

bool model_piece_write(const struct model_options *options, const struct model_shard *shard,
                       struct model_piece *piece, struct float_error *error, struct output_file *out,
                       struct failure *failure)
{
    const struct place place = {shard, piece, out, failure};
    const struct model_buffer *x = &piece->buffers[MODEL_X], *q = &piece->buffers[MODEL_Q];
    const bool words = model_has_zero_points(options) && options->dtype.bits == 4;

    if (piece->tile.rows == 0)
        return put(&place, MODEL_VALUES, piece->offset, x->host, piece->size_bytes);
    if (!piece->tensor->quantized)
        return put_rows(&place, MODEL_VALUES, MODEL_X);
    if (piece->offset == 0)
        *error = (struct float_error){0};
    model_piece_add_error(piece, error);
    piece->tensor->error = (double)(float)float_error_relative(error);
    piece->tensor->not_finite = error->not_finite;
    piece->tensor->lost = error->lost;
    if (q->view.dtype.lanes == STREAM_WORD && q->view.dtype.code == kDLInt)
        count_from_zero(q->host, q->row_bytes * (size_t)piece->tile.rows / sizeof(uint32_t));
    if (words)
        pack_zero_points(piece);
    return (piece->offset > 0 || put_whole(&place, options->to)) && put_rows(&place, MODEL_VALUES, MODEL_Q) &&
           put_rows(&place, MODEL_SCALES, MODEL_S) &&
           (words ? put_words(&place) : put_rows(&place, MODEL_ADDED, MODEL_A));
}
