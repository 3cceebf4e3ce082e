/* SPDX-License-Identifier: Apache-2.0 */
#include "move_rows.h"

#include "place.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 40 }; /* of a block */

/* Where an entry lies on one side. */
struct found {
    bool kept, skipped, clamped;
    struct reference_place place;
    int64_t index[REFERENCE_MAX_RANK]; /* of nd */
};

static struct found find_nd(const struct reference_move_side *side, int64_t entry)
{
    struct found found = {.kept = true};

    for (int64_t d = 0; d < reference_extent(side->indices, 1); d++) {
        const int64_t asked = reference_load_int(side->indices, (int64_t[]){entry, d}),
                      size = reference_extent(side->tensor, (int)d);
        int64_t at = asked;

        if (size > 0 && side->range == REFERENCE_CLAMP)
            at = asked < 0 ? 0 : asked >= size ? size - 1 : asked;
        if (size > 0 && side->range == REFERENCE_WRAP)
            at = (asked % size + size) % size;
        found.clamped |= side->range == REFERENCE_CLAMP && at != asked;
        found.kept &= at >= 0 && at < size;
        found.index[d] = at;
    }
    return found;
}

static struct found find(const struct reference_move_rows_desc *desc, const struct reference_move_side *side,
                         int64_t entry)
{
    const struct reference_places places = {.cache = side->tensor,
                                            .indices = side->indices,
                                            .axis = desc->axis,
                                            .length = desc->positions,
                                            .range = side->range,
                                            .slots = side->slots};
    struct reference_report report = {0};
    struct found found = {.kept = true};

    if (side->indices == NULL)
        return found;
    if (side->nd)
        return find_nd(side, entry);
    found.kept = reference_place_of(&places, entry, &found.place, &report);
    found.clamped = report.clamped > 0;
    found.skipped = !found.kept && report.dropped == 0;
    return found;
}

/* The index in the side's tensor of what stands at `from` of all entries. */
static void to_index(const struct reference_move_rows_desc *desc, const struct reference_move_side *side,
                     const struct found *found, int rank, const int64_t *from, int64_t *to)
{
    const struct reference_places places = {.cache = side->tensor, .axis = desc->axis};

    memcpy(to, from, sizeof(int64_t[REFERENCE_MAX_RANK]));
    if (side->indices == NULL)
        return;
    if (!side->nd) {
        reference_placed(&places, found->place, from, to);
        return;
    }
    const int k = (int)reference_extent(side->indices, 1);

    memcpy(to, found->index, sizeof(int64_t) * (size_t)k);
    for (int d = 1; d < rank; d++)
        to[k + d - 1] = from[d];
}

/* Entries and their rows, as a shape: of a side without indices, or of what they leave. */
static struct reference_tensor shape_of(const struct reference_move_rows_desc *desc)
{
    const struct reference_move_side *side = desc->src.indices != NULL ? &desc->src : &desc->dst;
    const struct reference_tensor *tensor = side->tensor;
    const int from = side->nd ? (int)reference_extent(side->indices, 1) : 1;
    struct reference_tensor shape = {.type = tensor->type, .rank = 1 + tensor->rank - from};

    shape.shape[0] = reference_extent(side->indices, 0);
    for (int d = from; d < tensor->rank; d++)
        shape.shape[1 + d - from] =
            !side->nd && d == desc->axis ? desc->positions : reference_extent(tensor, d);
    return shape;
}

static void load(const struct reference_move_rows_desc *desc, const int64_t *index, unsigned char *bytes)
{
    const struct reference_tensor *src = desc->src.tensor;
    uint64_t code;

    if (reference_is_block(src->type)) {
        memcpy(bytes, reference_block_at(src, index), (size_t)reference_types[src->type].block_bytes);
        return;
    }
    code = reference_load_code(src, index);
    memcpy(bytes, &code, sizeof code);
}

static void store(const struct reference_move_rows_desc *desc, const int64_t *index,
                  const unsigned char *bytes)
{
    const struct reference_tensor *dst = desc->dst.tensor;
    const struct reference_type_row *from = &reference_types[desc->src.tensor->type];
    uint64_t code;

    if (reference_is_block(dst->type)) {
        memcpy(reference_block_at(dst, index), bytes, (size_t)reference_types[dst->type].block_bytes);
        return;
    }
    memcpy(&code, bytes, sizeof code);
    if (dst->type == desc->src.tensor->type)
        reference_store_code(dst, index, code);
    else
        reference_store(dst, index, from->read(from, code));
}

/* Of an entry that moves, all that it has: read into what is in between, or written from there. */
static void walk(const struct reference_move_rows_desc *desc, const struct reference_tensor *shape,
                 const struct found *src, const struct found *dst, int64_t entry, unsigned char *between,
                 bool writes)
{
    const int last = shape->rank - 1;
    int64_t from[REFERENCE_MAX_RANK] = {entry}, to[REFERENCE_MAX_RANK], n = 0;

    do {
        unsigned char *bytes = between + n++ * MOST_BYTES;

        if (reference_is_block(shape->type) && from[last] % 32 != 0) /* all of it has moved */
            continue;
        to_index(desc, writes ? &desc->dst : &desc->src, writes ? dst : src, shape->rank, from, to);
        if (writes)
            store(desc, to, bytes);
        else
            load(desc, to, bytes);
    } while (reference_next(shape, from) && from[0] == entry);
}

struct reference_report reference_move_rows(const struct reference_move_rows_desc *desc)
{
    const struct reference_tensor shape = shape_of(desc);
    const int64_t entries = shape.shape[0], all = reference_count(&shape);
    struct reference_report report = {0};
    unsigned char *between;

    if (all == 0)
        return report;
    between = malloc((size_t)all * MOST_BYTES);
    for (int writes = 0; writes < 2 && between != NULL; writes++)
        for (int64_t i = 0; i < entries; i++) {
            const struct found src = find(desc, &desc->src, i), dst = find(desc, &desc->dst, i);

            if (src.kept && dst.kept)
                walk(desc, &shape, &src, &dst, i, between + i * (all / entries) * MOST_BYTES, writes);
            if (!writes || src.skipped || dst.skipped)
                continue;
            if (!src.kept || !dst.kept)
                reference_report_dropped(&report, i);
            else if (src.clamped || dst.clamped)
                reference_report_clamped(&report, i);
        }
    free(between);
    return report;
}
