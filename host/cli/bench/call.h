/* SPDX-License-Identifier: Apache-2.0 */
/* One way to call an operator on the bench's data: a row of the bench, with its tensors. x is read; y is
 * written: of dynamic rows q, scales and offsets one after the other, so that what is written is a stream of
 * so many bytes. */
#ifndef CLQUANT_BENCH_CALL_H
#define CLQUANT_BENCH_CALL_H

#include "bench.h"
#include "report.h"

#include <operator.h>

/* Indices of a scatter: sets of places, at random or in order, a set for each call, so that calls differ in
 * where they write. */
struct places {
    int64_t batches, length;        /* of the cache: its first dimension and its axis */
    int64_t entries, update_length; /* of the updates */
    bool pairs;    /* (batch, start) for each entry of one position, no two of a set the same; else a start */
    bool slots;    /* pairs: as one number, batch * length + start */
    bool ordered;  /* pairs: each behind the one before, round the cache */
    int64_t paged; /* pairs: whole batches of this half of the cache, 1 or 2, at random; 0: positions */
    int sets;

    cl_mem buffer;
};

/* Fills what follows `sets`, with the same places each time; clear accepts what init left, or zeros. */
bool places_init(struct bench *bench, struct places *places);
void places_clear(struct places *places);

/* Numbers of an entry. */
int places_columns(const struct places *places);

/* Of the set of this call. */
size_t places_offset_bytes(const struct places *places, size_t call);

struct bench_call {
    struct row row;
    const struct library *library;
    int64_t rows;                /* of `columns` elements, in a call */
    size_t src_bytes, dst_bytes; /* that a call reads of x, and writes: what is written of scales counts */
    size_t other_bytes;          /* scales that a call reads, one a row */
    size_t scale_at, offset_at;  /* of dynamic rows, in y */
    struct places places, from;  /* from: of rows that move within the cache */
    size_t next;                 /* call: it takes its set of places */

    int ndim, scales_ndim;
    int64_t in_shape[4], in_strides[4], out_shape[4], scales_shape[4], index_shape[2];
    cl_mem extra; /* scales of rows, ends of groups, or a workspace */
    DLTensor tensors[ROLES];
    union {
        unsigned char bytes[OPERATOR_DESC_BYTES];
        max_align_t aligned;
    } desc;
};

/* The data that a row needs: x and scales. */
bool call_fill(struct bench *bench, const struct row *row);

/* As large as the bench's buffers allow: shapes shrink where these are smaller. The descriptor points into
 * the call, so a call stays where it is. End accepts what begin left, also where it failed. */
bool call_begin(struct bench *bench, struct bench_call *call, const struct row *row,
                const struct library *library);
void call_end(struct bench_call *call);

/* The part of begin that needs no device. (shape.c) */
void call_find_shape(const struct bench *bench, struct bench_call *call);
int64_t call_position_rows(const struct bench_call *call);

/* Enqueues one, with the next piece of x and the next set of places; done may be NULL. */
bool call_enqueue(struct bench *bench, struct bench_call *call, cl_event *done);
/* The next piece and set alone, in the tensors. */
void call_next(struct bench *bench, struct bench_call *call);

/* Where in the descriptor this field is; SIZE_MAX: it has none. */
size_t call_field_at(const struct bench_call *call, const char *name);

/* Runs the row's calls and waits: self is a struct bench_call. */
bool call_run(struct bench *bench, void *self);

/* All of the row but its figures. */
void call_describe(const struct bench_call *call, struct report_row *row);

#endif
