/* SPDX-License-Identifier: Apache-2.0 */
/* One way to call an operator on the bench's data: a row of the bench, with its tensors. x is read; y is
 * written: of dynamic rows q, scales and offsets one after the other,
 * so that what is written is a stream of so many bytes. */
#ifndef CLQUANT_BENCH_CALL_H
#define CLQUANT_BENCH_CALL_H

#include "bench.h"
#include "places.h"
#include "report.h"

enum { CALL_GROUPS = 64 };

struct call {
    struct row row;
    const struct library *library;
    int64_t rows;                /* of `columns` elements, in a call */
    size_t src_bytes, dst_bytes; /* that a call reads of x, and writes: what is written of scales counts */
    size_t other_bytes;          /* scales that a call reads, one a row */
    size_t scale_at, offset_at;  /* of dynamic rows, in y */
    struct places places, from;  /* from: of rows that move within the cache */
    size_t next;                 /* call: it takes its set of places */

    uint32_t block, block_before; /* of the descriptor */
    int ndim, scales_ndim;
    int64_t x_shape[4], x_strides[4], y_shape[4], scales_shape[4], index_shape[2];
    cl_mem extra; /* ends of groups, or scales of rows */
    int32_t group_ends[CALL_GROUPS];
    DLTensor x, y, scales, offsets, indices, from_indices;
    union {
        struct clq_quantize_desc quantize;
        struct clq_group_quantize_desc group_quantize;
        struct clq_quantize_scatter_desc quantize_scatter;
        struct clq_dynamic_quantize_desc dynamic_quantize;
        struct clq_dynamic_quantize_scatter_desc dynamic_quantize_scatter;
        struct clq_find_scales_desc find_scales;
        struct clq_dequantize_desc dequantize;
        struct clq_move_rows_desc move_rows;
    } desc;
};

/* The data that a row needs: x and scales. */
bool call_fill(struct bench *bench, const struct row *row);

/* As large as the bench's buffers allow: shapes shrink where these are smaller. The descriptor points into
 * the call, so a call stays where it is. Clear accepts what init left, also where it failed. */
bool call_begin(struct bench *bench, struct call *call, const struct row *row, const struct library *library);
void call_end(struct call *call);

/* Rows of a position of the cache; and the part of init that needs no device. */
int64_t call_position_rows(const struct call *call);
bool call_find_shape(struct bench *bench, struct call *call);

/* The operator's descriptor, of tensors that are there. */
void call_fill_desc(struct call *call);

/* Of all rows of a dequantize that have scales of their own: which one is read does
 * not matter to the time. */
extern const float call_row_scale;
extern const uint8_t call_row_scale_code; /* where scales are of a byte */

/* Enqueues one, with the next piece of x and the next set of places; done may be NULL. */
bool call_enqueue(struct bench *bench, struct call *call, cl_event *done);

/* A plan of the call, as it would be enqueued next; to be given to clq_plan_destroy. */
bool call_plan(struct bench *bench, struct call *call, clq_plan **plan);
/* The same as a binding of x with its next piece. */
struct clq_binding call_bind_next(struct bench *bench, struct call *call);

/* Runs the row's calls and waits: self is a struct call. */
bool call_run(struct bench *bench, void *self);

/* One into a y that holds no result, compared. */
bool call_once_checked(struct bench *bench, struct call *call);

/* Refuses what the last call left where a sample of rows has not the plain reference's bytes, or a place of
 * no entry was written since y was spoiled: a wrong answer has no speed. */
bool call_check(struct bench *bench, const struct call *call);

/* Where row number `row` of a call is in the tensor that has places, counted in rows. */
int64_t call_place(const struct call *call, size_t of_call, int64_t row);

/* All of the row but its figures. */
void call_describe(const struct call *call, struct report_row *row);

#endif
