/* SPDX-License-Identifier: Apache-2.0 */
/* How large a call is, and the shapes of its tensors. */
#include "call.h"

#include <string.h>

enum {
    SETS = 16, /* of places, where a call takes a part of x; else few, for they are as many as x has rows */
    WHOLE_SETS = 3,
    BATCHES = 8,
    SPARE_LENGTH = 16, /* of a cache that starts alone fill: so that they differ */
    MOST_CHANNELS = 1024,
    MOST_GROUPED_ROWS = 65536,
    ALIGNMENT = 64,
    PAGE = 16, /* positions */
};

int64_t call_position_rows(const struct bench_call *c)
{
    return c->row.heads > 0 ? c->row.heads : 1;
}

/* q, scales and offsets of so many rows, where scales are written. */
static void lay_out(struct bench_call *c, int64_t rows)
{
    const size_t q_bytes = row_type_bytes(c->row.dst, rows * c->row.columns),
                 scales_bytes =
                     operation_rows[c->row.operation].finds ? (size_t)rows * row_scales_bytes(&c->row) : 0;

    c->scale_at = (q_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    c->offset_at = c->scale_at + scales_bytes;
}

/* Rows that x and y have room for. */
static int64_t fitting_rows(const struct bench *bench, struct bench_call *c)
{
    const size_t src = row_type_bytes(c->row.src, c->row.columns),
                 dst = row_type_bytes(c->row.dst, c->row.columns) +
                       (operation_rows[c->row.operation].finds ? 2 * row_scales_bytes(&c->row) : 0);

    return (int64_t)(bench->x_bytes / (src > dst ? src : dst));
}

/* As large as x and y allow; or as the row says, and smaller where they do not allow that. Of pages half are
 * in use, one in two of these where none is to be. */
static void fit_cache(const struct bench *bench, struct bench_call *c)
{
    struct places *places = &c->places;
    const int64_t positions = fitting_rows(bench, c) / call_position_rows(c);

    if (c->row.placement == PAGES) {
        places->length = places->update_length = PAGE;
        places->batches = positions / PAGE / 2 * 2;
        places->entries = places->batches > 4 ? places->batches / 4 : 1;
    } else if (c->row.entries > 0) {
        while (places->batches * places->length > positions && places->length > 1)
            places->length /= 2;
        while (places->entries * places->update_length > positions)
            places->entries /= 2;
    } else {
        places->batches = places->update_length > 0 ? positions / places->length : BATCHES;
        places->length = places->update_length > 0 ? places->length : positions / BATCHES;
        if (places->update_length == 0)
            places->update_length = places->pairs ? 1 : places->length - SPARE_LENGTH;
        places->entries = places->pairs ? places->batches * places->length : places->batches;
    }
}

static void shape_cached(const struct bench *bench, struct bench_call *c)
{
    const struct row *row = &c->row;
    const bool gathers = row->operation == DEQUANTIZE, in_place = row->placement == PAGES;
    struct places *places = &c->places;
    int64_t inner = row->heads > 0 ? row->heads : row->columns;

    *places = (struct places){.batches = row->batches,
                              .length = row->length,
                              .entries = row->entries,
                              .update_length = row->update_length,
                              .pairs = row->placement != STARTS,
                              .slots = row->placement == SLOTS,
                              .ordered = row->placement == ORDERED,
                              .paged = in_place ? 1 : 0,
                              .sets = gathers        ? 1
                                      : row->entries ? SETS
                                                     : WHOLE_SETS};
    fit_cache(bench, c);
    c->from = *places;
    c->from.paged = 2;
    c->rows = places->entries * places->update_length * call_position_rows(c);
    c->ndim = row->heads > 0 ? 4 : 3;
    const int64_t cache[] = {places->batches, places->length, inner, row->columns},
                  entries[] = {places->entries, places->update_length, inner, row->columns};

    memcpy(c->in_shape, gathers || in_place ? cache : entries, sizeof cache);
    memcpy(c->out_shape, gathers ? entries : cache, sizeof cache);
    c->index_shape[0] = places->entries;
    c->index_shape[1] = 2;
    lay_out(c, places->batches * places->length * call_position_rows(c));
}

static void shape_dense(const struct bench *bench, struct bench_call *c)
{
    const struct row *row = &c->row;
    int64_t rows = fitting_rows(bench, c);

    if (row->layout == PER_GROUP && rows > MOST_GROUPED_ROWS)
        rows = MOST_GROUPED_ROWS;
    if (row->layout == PER_OTHER) {
        c->ndim = 3;
        c->in_shape[1] = rows < MOST_CHANNELS ? rows : MOST_CHANNELS;
        c->in_shape[0] = rows / c->in_shape[1];
        c->in_shape[2] = row->columns;
        rows = c->in_shape[0] * c->in_shape[1];
    } else {
        rows = row->layout == STRIDED ? rows / 2 : rows;
        c->ndim = 2;
        c->in_shape[0] = rows;
        c->in_shape[1] = row->columns;
        /* Every second row is left out: a half of a fused pair of projections, for one. */
        c->in_strides[0] = 2 * row->columns;
        c->in_strides[1] = 1;
    }
    memcpy(c->out_shape, c->in_shape, sizeof c->out_shape);
    c->rows = rows;
    lay_out(c, rows);
}

void call_find_shape(const struct bench *bench, struct bench_call *c)
{
    if (c->row.placement == DENSE)
        shape_dense(bench, c);
    else
        shape_cached(bench, c);
}
