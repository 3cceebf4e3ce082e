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
    SCATTER,
    DYNAMIC_QUANTIZE,
    DYNAMIC_SCATTER,
    FIND_SCALES,
    DEQUANTIZE,
    MOVE_ROWS,
    OPERATIONS,
};

/* What a tensor is to the bench. Sources are the indices of rows that move within a cache. */
enum role { IN, OUT, SCALES, OFFSETS, INDICES, SOURCES, ROLES };

extern const struct operation_row {
    const char *name;
    bool finds;                 /* the scales are written */
    const char *tensors[ROLES]; /* as the descriptor calls them; NULL: it has none */
} operation_rows[OPERATIONS];

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
extern const char *const row_modes[MODES];

enum layout {
    PER_TENSOR, /* one scale */
    PER_LAST,   /* a scale for each index of the last axis */
    PER_FIRST,  /* of the first */
    PER_OTHER,  /* of axis 1 of three */
    STRIDED,    /* as PER_LAST, of every second row */
    PER_GROUP,  /* a row of scales for each of some groups of rows */
    PER_ROW,    /* a scale, and asymmetric an offset, for each row */
    IN_BLOCKS,  /* blocks that carry their scales */
    IN_SQUARES, /* a scale for each ROW_SQUARE rows and columns */
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
};

struct row {
    unsigned srcs, dsts, modes; /* that it is measured with: src, dst and mode are one of each */
    enum operation operation;
    enum layout layout;
    int64_t columns; /* the last dimension */
    const char *note;
    enum placement placement;
    int64_t heads;                  /* rows of a position; 0: one, and no dimension of its own */
    int64_t batches, length;        /* of the cache; 0: one that takes all of x */
    int64_t entries, update_length; /* of the updates, where the cache is given */
    int calls;                      /* of a run, enqueued together and waited for once; 0: 1 */
    bool unique;                    /* a promise that no two entries share a place */
    bool round_first;               /* before the zero point is added */
    uint32_t rotate;                /* so many neighbours of a row are turned; 0: none */
    uint32_t block;                 /* so many of a row have a scale of their own; 0: all */
    enum reference_type src, dst;
    enum mode mode;
};

/* The scales' type, and the bytes of those of a row. */
enum reference_type row_scale_type(const struct row *row);
size_t row_scales_bytes(const struct row *row);

/* An enum clq_scale_rule, as the reference has it. */
uint32_t row_rule(const struct row *row);

/* Words for --only and the progress. */
enum { ROW_LABEL = 256 };
void row_label(const struct row *row, char label[ROW_LABEL]);

/* Calls `each` with every row, in order, until it returns false. */
typedef bool row_visitor(void *user, const struct row *row);
bool rows_visit(row_visitor *each, void *user);

/* The library's type, and the bytes of so many elements. */
DLDataType row_type_dtype(enum reference_type type);
size_t row_type_bytes(enum reference_type type, int64_t elements);

#endif
