/* SPDX-License-Identifier: Apache-2.0 */
/* A shard on its way from the input to OUT, in pieces: a tile of a matrix, or some bytes of a tensor that is
 * copied. One thread reads, the program's own calls the device, one writes (stream.c). Memory holds a few
 * pieces, whatever the tensors have. */
#ifndef CLQUANT_CLI_MODEL_STREAM_H
#define CLQUANT_CLI_MODEL_STREAM_H

#include "floats.h"
#include "model.h"

/* A row that is cut and has one scale has its least and its largest value as more columns in front of each
 * tile, so that the library finds the scale of the whole row. They fill words of values of four bits. */
enum { STREAM_PIECE_BYTES = 4 << 20, STREAM_WORD = 8, STREAM_EXTREMES = STREAM_WORD };
enum model_buffers { MODEL_X, MODEL_Q, MODEL_S, MODEL_A, MODEL_BACK, MODEL_GLOBAL, MODEL_BUFFERS };

/* Memory of the host that is the device's too, where it can be. */
struct model_buffer {
    void *host;
    size_t room_bytes;
    cl_mem mem;
    bool mapped;
    int64_t shape[2];
    DLTensor view;                    /* a piece's rows */
    size_t row_bytes, extremes_bytes; /* the latter are the first bytes of the former */
    uint64_t column_bytes;            /* where a row of the tile begins in OUT's row */
    uint64_t out_row_bytes;
};

struct model_piece {
    struct model_tensor *tensor;
    struct model_tile tile; /* no rows: bytes are copied */
    int64_t extremes;       /* columns in front of the tile's, STREAM_EXTREMES or none */
    uint64_t offset;        /* of the tensor's bytes so many are in the pieces before */
    size_t size_bytes;
    struct model_buffer buffers[MODEL_BUFFERS];
    uint32_t *words; /* of zero points of four bits */
};

/* A tile's bytes in the input. */
static inline uint64_t model_tile_bytes(const struct model_tensor *tensor, const struct model_tile *tile)
{
    return (uint64_t)(tile->rows * tile->columns) * tensor->source->type->bits / 8;
}
/* The largest tile of a tensor, its first; and the one that begins behind so many bytes of tiles. */
struct model_tile model_tile_most(const struct model_options *options, const struct model_tensor *tensor);
struct model_tile model_tile_at(const struct model_options *options, const struct model_tensor *tensor,
                                uint64_t offset);

/* Room for any piece of the shard. */
bool model_piece_create(struct model *model, const struct model_shard *shard, struct model_piece *piece);
void model_piece_destroy(struct model *model, struct model_piece *piece);
/* Finds the piece behind the place that tensor and offset say, and moves it on. False: there is none. */
bool model_piece_next(const struct model_options *options, struct model_shard *shard, size_t *tensor,
                      uint64_t *offset, struct model_piece *piece);

/* Reads it; before that all of the matrix, for a scale of the matrix, or all of its rows, for scales of rows
 * that are cut. */
bool model_piece_read(const struct model_options *options, const struct model_shard *shard,
                      struct model_piece *piece, struct failure *failure);

/* Makes x's memory the host's, to be read into. Nothing waits on an idle queue. */
bool model_piece_open(struct model *model, const struct model_shard *shard, struct model_piece *piece);
/* Quantizes what was read, and waits until the host can read what became of it. */
bool model_piece_compute(struct model *model, const struct model_shard *shard, struct model_piece *piece);

/* Adds the error of a piece that was computed. */
void model_piece_add_error(const struct model_piece *piece, struct float_error *error);
/* Writes what became of a piece, and sums up its error. */
bool model_piece_write(const struct model_options *options, const struct model_shard *shard,
                       struct model_piece *piece, struct float_error *error, struct output_file *out,
                       struct failure *failure);

/* Writes all tensors of a shard. */
bool model_stream(struct model *model, struct model_shard *shard, struct output_file *out);

#endif
