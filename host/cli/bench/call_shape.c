/* SPDX-License-Identifier: Apache-2.0 */
/* How large a call is, and the shapes of its tensors. */
#include "call.h"

#include <string.h>

enum {
    SETS = 16, /* of places, where a call takes a part of x; else few, for they are as many as x has rows */
    WHOLE_SETS = 3,
    BATCHES = 8,
    SPARE_LENGTH = 16, /* of a cache that starts alone fill: so that they differ */
    GATHERED_LENGTH = 256,
    MOST_CHANNELS = 1024,
    MOST_GROUPED_ROWS = 65536,
    ALIGNMENT = 64,
    PAGE = 16, /* positions */
    FORKS_EACH = 4,
};

int64_t call_position_rows(const struct call *c)
{
    return c->row.heads > 0 ? c->row.heads : 1;
}

static size_t updates_bytes(const struct call *c)
{
    return row_type_bytes(c->row.src, c->places.entries * c->places.update_length * call_position_rows(c) *
                                          c->row.columns);
}

/* q, scales and offsets of so many rows, where scales are written. */
static size_t lay_out(struct call *c, int64_t rows)
{
    const bool dynamic = c->row.operation == DYNAMIC_QUANTIZE || c->row.operation == DYNAMIC_QUANTIZE_SCATTER;
    const size_t q_bytes = row_type_bytes(c->row.dst, rows * c->row.columns);

    c->scale_at = dynamic ? (q_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : q_bytes;
    c->offset_at = c->scale_at + (dynamic ? (size_t)rows * row_scales_bytes(&c->row) : 0);
    return c->offset_at +
           (dynamic && c->row.mode == ASYMMETRIC ? (size_t)rows * row_scales_bytes(&c->row) : 0);
}

/* A cache that all of x fills. */
static void fill_whole(const struct bench *bench, struct call *c)
{
    struct places *places = &c->places;
    const size_t position_bytes = row_type_bytes(c->row.src, call_position_rows(c) * c->row.columns);
    const int64_t positions = (int64_t)(bench->x_bytes / position_bytes);
    const int64_t length = positions > BATCHES ? positions / BATCHES : 1;

    places->batches = BATCHES;
    places->update_length = places->pairs ? 1 : length;
    places->length = places->pairs ? length : length + SPARE_LENGTH;
    places->entries = places->pairs ? BATCHES * length : BATCHES;
}

/* A cache of pages as large as x, half of which are in use, one in two of these where none is to be. */
static void fill_pages(const struct bench *bench, struct call *c)
{
    struct places *places = &c->places;
    const size_t page_bytes = row_type_bytes(c->row.src, PAGE * call_position_rows(c) * c->row.columns);

    places->length = places->update_length = PAGE;
    places->batches = (int64_t)(bench->x_bytes / page_bytes) / 2 * 2;
    places->entries = places->batches > 4 ? places->batches / 4 : 1;
}

static bool fit_scatter(struct bench *bench, struct call *c)
{
    struct places *places = &c->places;
    const int64_t rows = call_position_rows(c);

    if (row_in_place(&c->row))
        fill_pages(bench, c);
    else if (c->row.entries == 0)
        fill_whole(bench, c);
    while (lay_out(c, places->batches * places->length * rows) > bench->x_bytes && places->length > 1)
        places->length /= 2;
    if (places->update_length > places->length)
        places->update_length = places->length;
    while (updates_bytes(c) > bench->x_bytes && places->update_length > 1)
        places->update_length /= 2;
    while (places->pairs && places->entries > 1 &&
           (places->entries > places->batches * places->length || updates_bytes(c) > bench->x_bytes))
        places->entries /= 2;
    c->rows = places->entries * places->update_length * rows;
    return lay_out(c, places->batches * places->length * rows) <= bench->x_bytes ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s: the cache does not fit into %zu bytes",
                c->row.note, bench->x_bytes);
}

/* y as large as the bench's, of a cache as large or twice that: of a whole number of MiB every shape comes
 * out even. Or as many entries as the row says. */
static void fit_gather(const struct bench *bench, struct call *c)
{
    struct places *places = &c->places;
    const int64_t position = c->row.columns * call_position_rows(c);
    const int64_t positions = (int64_t)(bench->x_bytes / sizeof(uint16_t)) / position;

    if (c->row.entries == 0) {
        places->batches = places->pairs ? BATCHES : positions / GATHERED_LENGTH;
        places->length = places->pairs ? positions / BATCHES : 2 * GATHERED_LENGTH;
        places->update_length = places->pairs ? 1 : GATHERED_LENGTH;
        places->entries = positions / places->update_length;
    }
    while (row_type_bytes(c->row.src, places->batches * places->length * position) > bench->x_bytes &&
           places->length > places->update_length)
        places->length /= 2;
    c->rows = places->entries * places->update_length * call_position_rows(c);
}

static void set_shape(int64_t *shape, int64_t a, int64_t b, int64_t heads, int64_t columns)
{
    shape[0] = a;
    shape[1] = b;
    shape[2] = heads > 0 ? heads : columns;
    shape[3] = columns;
}

/* The tensor that has places, and the one that has the entries one behind the other. */
static void shape_with_places(struct call *c, int64_t *cache, int64_t *entries)
{
    const struct places *places = &c->places;

    c->ndim = c->row.heads > 0 ? 4 : 3;
    set_shape(cache, places->batches, places->length, c->row.heads, c->row.columns);
    set_shape(entries, places->entries, places->update_length, c->row.heads, c->row.columns);
    c->index_shape[0] = places->entries;
    c->index_shape[1] = 2;
}

static void shape_dense(const struct bench *bench, struct call *c)
{
    const int64_t columns = c->row.columns;
    const enum reference_type larger = c->row.operation == DEQUANTIZE ? c->row.dst : c->row.src;
    int64_t rows = (int64_t)(bench->x_bytes / row_type_bytes(larger, columns));

    c->ndim = 2;
    if (c->row.rows > 0 && rows > c->row.rows)
        rows = c->row.rows;
    if (c->row.layout == PER_GROUP && rows > MOST_GROUPED_ROWS)
        rows = MOST_GROUPED_ROWS;
    if (c->row.layout == PER_OTHER_AXIS) {
        c->ndim = 3;
        c->x_shape[1] = rows < MOST_CHANNELS ? rows : MOST_CHANNELS;
        c->x_shape[0] = rows / c->x_shape[1];
        c->x_shape[2] = columns;
        rows = c->x_shape[0] * c->x_shape[1];
    } else {
        rows = c->row.layout == STRIDED ? rows / 2 : rows;
        c->x_shape[0] = rows;
        c->x_shape[1] = columns;
        /* Every second row is left out: a half of a fused pair of projections, for one. */
        c->x_strides[0] = c->row.layout == STRIDED ? 2 * columns : columns;
        c->x_strides[1] = 1;
    }
    memcpy(c->y_shape, c->x_shape, sizeof c->y_shape);
    c->rows = rows;
    lay_out(c, rows);
}

bool call_find_shape(struct bench *bench, struct call *c)
{
    const struct row *row = &c->row;

    if (row->placement == DENSE) {
        shape_dense(bench, c);
        return true;
    }
    c->places = (struct places){.batches = row->batches,
                                .length = row->length,
                                .entries = row->entries,
                                .update_length = row->update_length,
                                .pairs = row->placement != STARTS,
                                .slots = row->placement == SLOTS,
                                .ordered = row->placement == ORDERED,
                                .sets = row->operation == DEQUANTIZE ? 1
                                        : row->entries               ? SETS
                                                                     : WHOLE_SETS};
    if (row->operation == DEQUANTIZE) {
        fit_gather(bench, c);
        shape_with_places(c, c->x_shape, c->y_shape);
        return true;
    }
    if (!fit_scatter(bench, c))
        return false;
    shape_with_places(c, c->y_shape, c->x_shape);
    if (!row_in_place(row))
        return true;
    c->places.paged = 1;
    c->from = c->places;
    c->from.paged = 2;
    c->from.repeated = row->placement == FORKS ? FORKS_EACH : 0;
    memcpy(c->x_shape, c->y_shape, sizeof c->x_shape);
    return true;
}
