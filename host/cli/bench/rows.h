/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the bench: which calls are measured. */
#ifndef CLQUANT_BENCH_ROWS_H
#define CLQUANT_BENCH_ROWS_H

#include <dlpack/dlpack.h>
#include <reference.h>
#include <rule.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation {
    QUANTIZE,
    GROUP_QUANTIZE,
    QUANTIZE_SCATTER,
    DYNAMIC_QUANTIZE,
    DYNAMIC_QUANTIZE_SCATTER,
    FIND_SCALES,
    DEQUANTIZE,
    MOVE_ROWS,
    OPERATIONS,
};

/* The types that rows have. */
#define F32  REFERENCE_F32
#define F16  REFERENCE_F16
#define BF16 REFERENCE_BF16
#define I8   REFERENCE_I8
#define U8   REFERENCE_U8
#define I32  REFERENCE_I32
#define I4   REFERENCE_I4
#define E4M3 REFERENCE_E4M3
#define E2M1 REFERENCE_E2M1

enum mode { MULTIPLY, DIVIDE, ASYMMETRIC, SYMMETRIC, DYNAMIC, MX_RCEIL, NVFP4, COPY, MODES };

enum layout {
    PER_TENSOR,     /* one scale */
    PER_LAST_AXIS,  /* a scale for each index of the last axis */
    PER_FIRST_AXIS, /* of the first */
    PER_OTHER_AXIS, /* of axis 1 of three */
    STRIDED,        /* as PER_LAST_AXIS, of every second row */
    PER_GROUP,      /* a row of scales for each of some groups of rows */
    PER_ROW,        /* a scale, and asymmetric an offset, for each row */
    IN_BLOCKS,      /* blocks that carry their scales */
    IN_SQUARES,     /* a scale for each ROW_SQUARE rows and columns */
};

enum { ROW_SQUARE = 128 };

/* Where entries go to in a cache, or come from: each is `update_length` positions of `heads` rows. */
enum placement {
    DENSE,   /* there is no cache */
    STARTS,  /* a start in a batch of its own */
    PAIRS,   /* one position at a random (batch, start) that no other has */
    ORDERED, /* pairs, each behind the one before */
    SLOTS,   /* as PAIRS, each told by one number */
    PAGES,   /* whole pages of one cache: of its second half, to random ones of its first */
    FORKS,   /* as PAGES, and each page goes to several places */
};

/* What stands beside ours in a row. */
enum { LIMITS = 1, BESIDE_DENSE = 2, BESIDE_UNIQUE = 4, BESIDE_PAIRS = 8, BESIDE_UNROTATED = 16 };

struct row {
    enum operation operation;
    enum reference_type src, dst;
    enum mode mode;
    enum layout layout;
    int64_t columns; /* the last dimension */
    uint32_t rotate; /* so many neighbours of it are turned; 0: none */
    uint32_t block;  /* so many of it have a scale of their own; 0: all */
    int64_t rows;    /* where there is no cache: at most so many; 0: as many as x has */
    enum placement placement;
    int64_t heads;                  /* rows of a position; 0: one, and no dimension of its own */
    int64_t batches, length;        /* of the cache; 0: one that takes all of x */
    int64_t entries, update_length; /* of the updates, where the cache is given */
    bool unique;                    /* a promise that no two entries share a place */
    bool round_first;               /* before the zero point is added */
    int calls;                      /* of a run, enqueued together and waited for once; 0: 1 */
    unsigned beside;
    const char *note;
};

/* Its source is the cache itself. */
static inline bool row_in_place(const struct row *row)
{
    return row->placement == PAGES || row->placement == FORKS;
}

/* Blocks along a row that are of several rows. */
static inline int64_t row_squares(const struct row *row)
{
    return (row->columns + ROW_SQUARE - 1) / ROW_SQUARE;
}

/* Scales of a row, and the bytes of all of them. */
static inline int64_t row_scales(const struct row *row)
{
    if (row->layout == IN_BLOCKS)
        return 0;
    return row->block > 0 ? (row->columns + row->block - 1) / row->block : 1;
}
static inline enum reference_type row_scale_type(const struct row *row)
{
    return row->mode == MX_RCEIL ? REFERENCE_E8M0
           : row->mode == NVFP4  ? REFERENCE_E4M3
           : row->block > 0      ? REFERENCE_F16
                                 : REFERENCE_F32;
}
/* An enum clq_scale_rule, as the reference has it. */
static inline uint32_t row_rule(const struct row *row)
{
    return row->mode == MX_RCEIL ? REFERENCE_MX_RCEIL : row->mode == NVFP4 ? REFERENCE_NVFP4 : 0;
}
static inline size_t row_scales_bytes(const struct row *row)
{
    return (size_t)row_scales(row) * (size_t)reference_types[row_scale_type(row)].bits / 8;
}

const char *row_operation(const struct row *row);
const char *row_mode(const struct row *row);

/* Words for --only and the progress. */
void row_label(const struct row *row, char *label, size_t size_bytes);

/* Calls `each` with every row, in order, until it returns false. */
bool rows_visit(bool (*each)(void *user, const struct row *row), void *user);

/* The library's type, the elements of the last dimension in one of its, and the bytes of so many elements. */
DLDataType row_type_dtype(enum reference_type type);
int64_t row_type_values(enum reference_type type);
size_t row_type_bytes(enum reference_type type, int64_t elements);

#endif
