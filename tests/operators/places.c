/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

/* So many entries that they do not look at each other, but at a table of last ones. */
enum { MANY = 130 };
/* A tensor's, before they are made long: each may be a slice, and a command of the driver's. */
enum { MOST_ROWS = 10000 };

static void many_shapes(struct call *call, struct places *p, bool last_is_whole, enum reference_type type)
{
    struct rng *rng = &call->rng;
    const bool wide = rng_once_in(rng, 2); /* with many places for each entry */

    p->d = 1;
    p->cache = (struct shape){.rank = last_is_whole || rng_once_in(rng, 2) ? 3 : 2};
    p->cache.size[0] = 1 + rng_below(rng, wide ? 60 : 8);
    p->cache.size[1] = (wide ? 60 : 1) + rng_below(rng, 40);
    p->cache.size[2] = reference_in_byte(type) > 2 ? reference_in_byte(type) : 2;
    p->pieces = p->cache;
    p->pieces.size[0] = MANY + rng_below(rng, call->most_elements > 10000 ? 30 * MANY : MANY);
    p->pieces.size[1] =
        rng_once_in(rng, 2) ? 1 : 1 + rng_below(rng, p->cache.size[1] < 6 ? p->cache.size[1] : 6);
}

/* Halves what is longest of the rows' dimensions, in both shapes where both have it. */
static void bound_rows(struct places *p)
{
    const int last = p->cache.rank - 1;
    struct shape *larger = shape_elements(&p->cache) > shape_elements(&p->pieces) ? &p->cache : &p->pieces;

    while (shape_elements(larger) / larger->size[last] > MOST_ROWS) {
        int longest = 0;

        for (int d = 1; d < last; d++)
            longest = larger->size[d] > larger->size[longest] ? d : longest;
        larger->size[longest] /= 2;
        if (longest > 0 && longest != p->d)
            p->cache.size[longest] = p->pieces.size[longest] = larger->size[longest];
        if (p->pieces.size[p->d] > p->cache.size[p->d])
            p->pieces.size[p->d] = p->cache.size[p->d];
        larger = shape_elements(&p->cache) > shape_elements(&p->pieces) ? &p->cache : &p->pieces;
    }
}

static void few_shapes(struct call *call, struct places *p, bool last_is_whole, enum reference_type type)
{
    struct rng *rng = &call->rng;
    const int least = last_is_whole ? 3 : 2;

    p->cache = call_full_shape(call, least, call->most_elements);
    shape_for_bytes(rng, type, &p->cache);
    p->d = 1 + (int)rng_below(rng, p->cache.rank - (last_is_whole ? 2 : 1));
    if (rng_once_in(rng, 2)) /* a sequence of tokens */
        p->cache.size[p->d] = 1 + rng_below(rng, 9);
    p->pieces = p->cache;
    p->pieces.size[0] = rng_once_in(rng, 40) ? 0 : 1 + rng_below(rng, call->wish.lines ? 60 : 6);
    p->pieces.size[p->d] = rng_once_in(rng, 2) ? 1 : 1 + rng_below(rng, p->cache.size[p->d]);
    while (p->pieces.size[0] > 6 && shape_elements(&p->pieces) > 4 * call->most_elements)
        p->pieces.size[0] /= 2;
    bound_rows(p);
}

/* A number up to `most` mostly, which is in range; else a wild one, or one beside it. */
static int64_t stray_index(struct rng *rng, int64_t most, int64_t last, bool wide, bool may_stray)
{
    const int64_t values[] = {-1,
                              last + 1,
                              -last - 1,
                              2 * last + 3,
                              INT32_MIN,
                              INT32_MAX,
                              wide ? INT64_MIN : -2,
                              wide ? INT64_MAX : last + 2,
                              rng_below(rng, 1000) - 500};

    if (may_stray && rng_once_in(rng, 5))
        return values[rng_below(rng, sizeof values / sizeof *values)];
    return most > 0 ? rng_below(rng, most + 1) : 0;
}

/* Entry i's place, apart from all others'. */
static void unique_place(const struct places *p, int64_t first, int64_t i, int64_t *batch, int64_t *start)
{
    const int64_t slots = p->cache.size[p->d] / p->pieces.size[p->d],
                  slot = (first + i) % (slots * p->cache.size[0]);

    *batch = slot / slots;
    *start = slot % slots * p->pieces.size[p->d];
}

static void fill_indices(struct call *call, const struct places *p, struct tensor *indices, bool pairs)
{
    struct rng *rng = &call->rng;
    const bool wide = indices->type == REFERENCE_I64, tame = rng_once_in(rng, 3);
    const bool crowded = rng_once_in(rng, 2); /* many at few places */
    const int64_t last_start = p->cache.size[p->d] - p->pieces.size[p->d], first = rng_below(rng, 100);
    const int64_t last_of_some = crowded && last_start > 2 ? 2 : last_start;
    const int64_t last_batch = crowded && p->cache.size[0] > 1 ? 0 : p->cache.size[0] - 1;
    struct rng contents = rng_apart(rng);

    for (int64_t i = 0; i < p->pieces.size[0]; i++) {
        const bool strays = !tame && (!p->unique || p->range != CLQ_CLAMP);
        int64_t batch = stray_index(&contents, last_batch, p->cache.size[0] - 1, wide, strays),
                start = stray_index(&contents, last_of_some, last_start, wide, strays);

        if (p->unique) {
            unique_place(p, first, i, &batch, &start);
            if (strays && rng_once_in(&contents, 6))
                batch = -1 - rng_below(&contents, 9);
        }
        if (pairs)
            tensor_set(indices, (int64_t[]){i, 0}, batch);
        tensor_set(indices, pairs ? (int64_t[]){i, 1} : (int64_t[]){i}, start);
    }
}

/* Positions of all batches, of which the first few have many entries, or all have; -1 skips one. */
static void fill_slots(struct call *call, const struct places *p, struct tensor *indices)
{
    struct rng *rng = &call->rng;
    const bool wide = indices->type == REFERENCE_I64, strays = !rng_once_in(rng, 3);
    const int64_t last = p->cache.size[0] * p->cache.size[p->d] - 1, first = rng_below(rng, 100);
    const int64_t last_of_some = rng_once_in(rng, 2) && last > 2 ? 2 : last;
    struct rng contents = rng_apart(rng);

    for (int64_t i = 0; i < p->pieces.size[0]; i++) {
        int64_t slot = stray_index(&contents, last_of_some, last, wide, strays);

        if (p->unique)
            slot = (first + i) % (last + 1);
        if (rng_once_in(&contents, 8))
            slot = strays ? -1 - rng_below(&contents, 3) : -1;
        tensor_set(indices, &i, slot);
    }
}

/* Entries of nothing, in a cache that may have nothing either, or a cache without batches, which pairs and
 * slots miss. Rows whose last dimension has to be whole have elements. */
static void make_empty(struct rng *rng, struct places *p, bool last_is_whole, bool miss)
{
    const int d = rng_once_in(rng, 3) ? p->d : (int)rng_below(rng, p->cache.rank - last_is_whole);

    if (d == p->d && p->index_kind == CLQ_SLOTS) /* which is one position */
        return;
    if (d > 0)
        p->pieces.size[d] = 0;
    if (d == 0 ? miss : d != p->d || rng_once_in(rng, 2))
        p->cache.size[d] = 0;
}

struct places places_random(struct call *call, int t, bool last_is_whole, enum reference_type type,
                            bool writes)
{
    struct rng *rng = &call->rng;
    struct places p = {.range = (uint32_t)rng_below(rng, 3)};
    const bool starts = !call->wish.claims && rng_once_in(rng, 2), slots = !starts && rng_once_in(rng, 3);
    const bool pairs = !starts && !slots;
    struct shape indices = {.rank = pairs ? 2 : 1};
    struct tensor *tensor;

    if (!starts && (rng_once_in(rng, 16) || call->wish.claims))
        many_shapes(call, &p, last_is_whole, type);
    else
        few_shapes(call, &p, last_is_whole, type);
    if (slots) {
        p.index_kind = CLQ_SLOTS;
        p.range = CLQ_DROP;
        p.pieces.size[p.d] = 1;
    }
    if (!starts && writes && rng_once_in(rng, 4)) {
        const int64_t most = p.cache.size[p.d] / p.pieces.size[p.d] * p.cache.size[0];

        p.unique = 1;
        if (p.pieces.size[0] > most)
            p.pieces.size[0] = most;
    }
    if (starts && p.pieces.size[0] > p.cache.size[0])
        p.pieces.size[0] = p.cache.size[0];
    indices.size[0] = p.pieces.size[0];
    indices.size[1] = 2;
    /* what repeats would not be unique */
    tensor = call_tensor(call, t, &indices, p.unique || rng_once_in(rng, 2) ? TENSOR_OUTPUT : TENSOR_INPUT);
    if (slots)
        fill_slots(call, &p, tensor);
    else
        fill_indices(call, &p, tensor, pairs);
    if (!call->wish.claims && rng_once_in(rng, 40))
        make_empty(rng, &p, last_is_whole, !starts);
    return p;
}

struct places places_other(struct call *call, int t, const struct places *p)
{
    struct rng *rng = &call->rng;
    struct places other = *p;
    const int64_t length = p->pieces.size[p->d], count = p->pieces.size[0];
    const bool starts = rng_once_in(rng, 3), slots = !starts && length == 1 && rng_once_in(rng, 2);
    const bool pairs = !starts && !slots;
    struct shape indices = {.rank = pairs ? 2 : 1, .size = {count, 2}};

    other.unique = 0;
    other.index_kind = slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE;
    other.range = slots ? CLQ_DROP : (uint32_t)rng_below(rng, 3);
    if (!rng_once_in(rng, 3)) {
        other.cache.size[0] = 1 + rng_below(rng, 6);
        other.cache.size[p->d] = length + rng_below(rng, 5);
    }
    if (other.cache.size[p->d] == 0) /* where no entry has a place */
        other.cache.size[p->d] = length;
    if (starts && other.cache.size[0] < count)
        other.cache.size[0] = count;
    if (slots)
        fill_slots(call, &other, call_tensor(call, t, &indices, TENSOR_INPUT));
    else
        fill_indices(call, &other, call_tensor(call, t, &indices, TENSOR_INPUT), pairs);
    return other;
}

void places_nd(struct call *call, int t, const struct shape *shape, int k, int64_t *count, bool unique)
{
    struct rng *rng = &call->rng;
    struct shape indices = {.rank = 2, .size = {*count, k}};
    const bool tame = rng_once_in(rng, 3), crowded = rng_once_in(rng, 2);
    int64_t places = 1;
    struct tensor *tensor;
    struct rng contents;

    for (int d = 0; d < k; d++)
        places *= shape->size[d];
    if (unique && *count > places)
        *count = indices.size[0] = places;
    tensor = call_tensor(call, t, &indices, unique || rng_once_in(rng, 2) ? TENSOR_OUTPUT : TENSOR_INPUT);
    contents = rng_apart(rng);
    for (int64_t i = 0; i < *count; i++) {
        int64_t place = i;

        for (int d = 0; d < k; d++) {
            const int64_t size = shape->size[d], last = crowded && size > 2 ? 1 : size - 1;
            int64_t at =
                stray_index(&contents, last, size - 1, tensor->type == REFERENCE_I64, !tame && !unique);

            if (unique) {
                at = size > 0 ? place % size : 0;
                place = size > 0 ? place / size : 0;
            }
            tensor_set(tensor, (int64_t[]){i, d}, at);
        }
    }
}

uint32_t places_draw_rotate(struct call *call, struct places *p, enum reference_type type)
{
    struct shape *larger = shape_elements(&p->cache) > shape_elements(&p->pieces) ? &p->cache : &p->pieces;
    const int last = p->cache.rank - 1;
    const uint32_t rotate = call_rotate(call, larger, type);

    p->cache.size[last] = p->pieces.size[last] = larger->size[last];
    return rotate;
}

/* Ends in order, or in any: what a search by halves finds counts. */
static void fill_ends(struct rng *rng, struct tensor *ends, int64_t count, int64_t rows)
{
    const bool sorted = !rng_once_in(rng, 3), tame = rng_once_in(rng, 2);
    struct rng contents = rng_apart(rng);
    int64_t end = 0;

    for (int64_t i = 0; i < count; i++) {
        end = sorted ? end + rng_below(&contents, 1 + 2 * rows / count) : rng_below(&contents, rows + 4) - 2;
        tensor_set(ends, &i, tame && i == count - 1 ? rows : end);
    }
}

void places_ends(struct call *call, int t, int64_t count, int64_t rows)
{
    const struct shape each = {.rank = 1, .size = {count}};

    fill_ends(&call->rng, call_tensor(call, t, &each, TENSOR_INPUT), count, rows);
}

struct shape places_groups(struct call *call, int scales, int ends, int zero_points, enum reference_type type)
{
    struct rng *rng = &call->rng;
    const int64_t count = 1 + rng_below(rng, rng_once_in(rng, 4) ? 20 : 4);
    const struct shape one = {.rank = (int)rng_below(rng, 3), .size = {1, 1}};
    struct shape rows = call->wish.lines ? shape_of_lines(rng, 2, 2, call->most_elements)
                                         : shape_random(rng, 2, 2, call->most_elements),
                 row_each = {.rank = 2, .size = {count}};

    shape_for_bytes(rng, type, &rows);
    row_each.size[1] = rows.size[1];
    call_tensor(call, scales, &row_each, TENSOR_INPUT);
    places_ends(call, ends, count, rows.size[0]);
    if (!rng_once_in(rng, 3))
        call_tensor(call, zero_points, &one, TENSOR_INPUT);
    return rows;
}

void places_leave_out(struct call *call, int t, const struct places *p)
{
    struct tensor *tensor = &call->tensors[t];

    if (p->index_kind != CLQ_SLOTS || !rng_once_in(&call->rng, 2))
        return;
    tensor->dl.ndim--;
    for (int d = p->d; d < tensor->dl.ndim; d++) {
        tensor->shape[d] = tensor->shape[d + 1];
        tensor->strides[d] = tensor->strides[d + 1];
    }
}

const struct reference_tensor *places_reference(const struct call *call, int t, int cache, int axis,
                                                struct reference_tensor *as)
{
    call_reference(call, t, as);
    if (as->rank == call->tensors[cache].dl.ndim)
        return as;
    for (int d = as->rank++; d > axis; d--) {
        as->shape[d] = as->shape[d - 1];
        as->strides[d] = as->strides[d - 1];
    }
    as->shape[axis] = 1;
    as->strides[axis] = 0;
    return as;
}

enum reference_range places_range(uint32_t out_of_range)
{
    return out_of_range == CLQ_CLAMP  ? REFERENCE_CLAMP
           : out_of_range == CLQ_WRAP ? REFERENCE_WRAP
                                      : REFERENCE_DROP;
}
