/* SPDX-License-Identifier: Apache-2.0 */
#include "parameters.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t blocks_of(int64_t size, int64_t block)
{
    return (size + block - 1) / block;
}

uint32_t parameters_block(struct call *call, int64_t size)
{
    struct rng *rng = &call->rng;

    if (!rng_once_in(rng, 3))
        return 0;
    if (rng_once_in(rng, 3)) /* of NVFP4, and of MX and ggml: some kernels have code for these */
        return (uint32_t)16 << rng_below(rng, 2);
    return (uint32_t)(1 + rng_below(rng, rng_once_in(rng, 2) ? size + 2 : 9));
}

uint32_t parameters_before(struct call *call, const struct shape *x, int d, uint32_t block)
{
    return block > 0 && d > 0 ? parameters_block(call, x->size[d - 1]) : 0;
}

struct shape parameters_axis_shape(struct call *call, const struct shape *x, int d)
{
    const bool each = x->rank > 0 && !rng_once_in(&call->rng, 3);
    struct shape shape = {.rank = rng_once_in(&call->rng, 3) ? x->rank
                                  : each                     ? 1
                                                             : (int)rng_below(&call->rng, 2)};

    for (int i = 0; i < shape.rank; i++)
        shape.size[i] = 1;
    if (each)
        shape.size[shape.rank == 1 ? 0 : d] = x->size[d];
    return shape;
}

/* Of x's rank, each size its own or 1, but for the dimensions `ones`, a bit each. */
static struct shape by_shape(struct call *call, const struct shape *x, unsigned ones)
{
    struct shape shape = *x;

    for (int d = 0; d < x->rank; d++)
        if ((ones >> d & 1) || rng_once_in(&call->rng, 2))
            shape.size[d] = 1;
    return shape;
}

struct shape parameters_shape(struct call *call, const struct shape *x, int d, uint32_t block,
                              uint32_t before)
{
    struct shape shape;

    if (block == 0 && !rng_once_in(&call->rng, 4))
        return parameters_axis_shape(call, x, d);
    shape = by_shape(call, x, 0);
    if (block > 0)
        shape.size[d] = blocks_of(x->size[d], block);
    if (block > 0 && before > 0)
        shape.size[d - 1] = blocks_of(x->size[d - 1], before);
    return shape;
}

struct shape parameters_placed_shape(struct call *call, const struct shape *pieces, int at, uint32_t block)
{
    const int last = pieces->rank - 1;
    struct shape shape;

    if (block == 0 && !rng_once_in(&call->rng, 4)) {
        shape = call_flat_shape(call, pieces->size[last], true);
        if (shape.rank == pieces->rank && shape.size[0] != 1) /* which would be by shape */
            shape = (struct shape){.rank = 1, .size = {pieces->size[last]}};
        return shape;
    }
    shape = by_shape(call, pieces, 1u | 1u << at);
    if (block > 0)
        shape.size[last] = blocks_of(pieces->size[last], block);
    return shape;
}

struct shape parameters_rows_shape(const struct shape *rows, int d, uint32_t block, uint32_t before)
{
    struct shape shape = *rows;

    if (block > 0) {
        shape.size[d] = blocks_of(rows->size[d], block);
        if (before > 0)
            shape.size[d - 1] = blocks_of(rows->size[d - 1], before);
        return shape;
    }
    shape.rank = 0;
    for (int i = 0; i < rows->rank; i++)
        if (i != d)
            shape.size[shape.rank++] = rows->size[i];
    return shape;
}

/* Another axis that the numbers would fit is asked for, where it is the only one. */
static const char *hint(const struct facts *p, const struct facts *x, int axis, char text[64])
{
    int fitting = 0, meant = 0;

    text[0] = '\0';
    for (int d = 0; d < x->rank && !(p->rank == x->rank && p->rank > 1); d++)
        if (d != axis && x->size[d] == p->elements) {
            fitting++;
            meant = d;
        }
    if (fitting == 1)
        snprintf(text, 64, "; is axis %d meant%s?", meant, meant == 0 ? " (CLQ_AXIS_FIRST)" : "");
    return text;
}

static void rule_rank(struct judge *judge, int p, int of_x)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];

    RULE(judge, of->rank > 1 && of->rank != x->rank, CLQ_ERROR_RANK,
         "%s.ndim is %d: it must be 0, 1 or the rank of %s, %d", judge_name(judge, p), of->rank,
         judge_name(judge, of_x), x->rank);
}

/* A dimension off the axis. */
static void rule_dimension(struct judge *judge, int p, int of_x, int d)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];

    RULE(judge, of->size[d] != 1 && of->size[d] != x->size[d], CLQ_ERROR_SHAPE,
         "%s.shape[%d] is %" PRId64 ": it must be 1, or %s.shape[%d], %" PRId64, judge_name(judge, p), d,
         (int64_t)of->stored[d], judge_name(judge, of_x), d, (int64_t)x->size[d]);
}

static void rule_block(struct judge *judge, int p, int of_x, int axis, uint32_t block)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];
    const int64_t size = (int64_t)x->size[axis], blocks = size / block + (size % block != 0);

    RULE(judge, of->size[axis] != blocks, CLQ_ERROR_SHAPE,
         "%s.shape[%d] is %" PRId64 ": it must be %" PRId64 ", the blocks of %" PRIu32
         " in %s.shape[%d], %" PRId64,
         judge_name(judge, p), axis, (int64_t)of->stored[axis], blocks, block, judge_name(judge, of_x), axis,
         size);
}

/* How x is cut: along the axis, and along the dimension in front of it. */
struct cut {
    int axis;
    uint32_t block, before;
};

/* 0 where it is not cut. */
static uint32_t block_along(const struct cut *cut, int d)
{
    return d == cut->axis ? cut->block : d == cut->axis - 1 ? cut->before : 0;
}

static void rule_blocks(struct judge *judge, int p, int of_x, const struct cut *cut)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];

    RULE(judge, of->rank != x->rank, CLQ_ERROR_RANK,
         "%s.ndim is %d: with block it must be the rank of %s, %d", judge_name(judge, p), of->rank,
         judge_name(judge, of_x), x->rank);
    for (int d = 0; of->rank == x->rank && d < x->rank; d++)
        if (block_along(cut, d) > 0)
            rule_block(judge, p, of_x, d, block_along(cut, d));
        else
            rule_dimension(judge, p, of_x, d);
}

static bool has_blocks(const struct judge *judge, int p, int of_x, const struct cut *cut, bool is_scale)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];
    bool all = of->rank == x->rank && x->rank > 0;

    if (cut->block == 0 || is_scale)
        return cut->block > 0;
    for (int d = 0; all && d < x->rank; d++) {
        const uint32_t block = block_along(cut, d);

        all = block == 0 || of->size[d] == x->size[d] / block + (x->size[d] % block != 0);
    }
    return all;
}

/* The axis is known, where there are blocks of it. */
static bool rule_before(struct judge *judge, int of_x, const struct cut *cut)
{
    const int before = judge->count;

    RULE(judge, cut->before > 0 && cut->block == 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32
         ": it must be 0 where block is 0, for it cuts the blocks of axis along one more",
         cut->before);
    RULE(judge, cut->before > 0 && cut->block > 0 && cut->axis == 0, CLQ_ERROR_VALUE,
         "block_before is %" PRIu32
         ": it must be 0 where axis is the first dimension of %s, for it is of the "
         "one in front of axis",
         cut->before, judge_name(judge, of_x));
    return judge->count == before;
}

static bool is_broadcast(const struct judge *judge, int p, int of_x, int axis)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];

    for (int d = 0; of->rank == x->rank && of->elements != 1 && d < x->rank; d++)
        if (d != axis && of->size[d] != 1)
            return true;
    return false;
}

static void rule_broadcast(struct judge *judge, int p, int of_x)
{
    for (int d = 0; d < judge->facts[p].rank; d++)
        rule_dimension(judge, p, of_x, d);
}

static void rule_by_axis(struct judge *judge, int p, int of_x, int axis)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[of_x];
    char text[64];

    rule_rank(judge, p, of_x);
    if (of->elements != 1 && (of->rank <= 1 || of->rank == x->rank))
        RULE(judge, of->elements != x->size[axis], CLQ_ERROR_SHAPE,
             "%s has %" PRId64 " elements: axis is %d, so it must have 1, or %" PRId64 " as %s.shape[%d]%s",
             judge_name(judge, p), (int64_t)of->elements, axis, (int64_t)x->size[axis],
             judge_name(judge, of_x), axis, hint(of, x, axis, text));
}

static void rule_parameter(struct judge *judge, int p, int of_x, const struct cut *cut, bool is_scale)
{
    if (!judge->facts[p].given)
        return;
    if (has_blocks(judge, p, of_x, cut, is_scale))
        rule_blocks(judge, p, of_x, cut);
    else if (is_broadcast(judge, p, of_x, cut->axis))
        rule_broadcast(judge, p, of_x);
    else
        rule_by_axis(judge, p, of_x, cut->axis);
}

static bool rule_has_blocks(struct judge *judge, int of_x, uint32_t block)
{
    const bool none = judge->facts[of_x].rank == 0 && block > 0;

    RULE(judge, none, CLQ_ERROR_VALUE, "block is %" PRIu32 ": it must be 0 where %s.ndim is 0", block,
         judge_name(judge, of_x));
    return !none;
}

static bool rule_axis(struct judge *judge, int p, int of_x, int32_t axis, int *at)
{
    const struct facts *x = &judge->facts[of_x];
    const int before = judge->count;
    char text[64];

    *at = axis_meant(axis, -1, x->rank);
    RULE(judge, x->rank == 0, CLQ_ERROR_RANK, "%s.ndim is 0: %s must then have 1 element, not %" PRId64,
         judge_name(judge, of_x), judge_name(judge, p), (int64_t)judge->facts[p].elements);
    if (x->rank > 0)
        RULE(judge, *at < 0 || *at >= x->rank, CLQ_ERROR_AXIS,
             "%s: it must be from %d to %d, for %s has %d dimension%s", axis_text(axis, -1, text), -x->rank,
             x->rank - 1, judge_name(judge, of_x), x->rank, x->rank == 1 ? "" : "s");
    return judge->count == before;
}

/* Of x's rank, along the axis alone. */
static void rule_off_axis(struct judge *judge, int p, int of_x, int axis)
{
    const struct facts *of = &judge->facts[p];

    for (int d = 0; of->rank == judge->facts[of_x].rank && of->rank > 1 && d < of->rank; d++)
        RULE(judge, of->elements != 1 && d != axis && of->size[d] != 1, CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64 ": axis is %d, and every other dimension must be 1",
             judge_name(judge, p), d, (int64_t)of->stored[d], axis);
}

static void rule_as_many(struct judge *judge, int scales, int zero_points)
{
    const struct facts *scale = &judge->facts[scales], *zero_point = &judge->facts[zero_points];

    RULE(judge, zero_point->elements != scale->elements, CLQ_ERROR_SHAPE,
         "zero_points has %" PRId64 " elements: it must have as many as scales, %" PRId64,
         (int64_t)zero_point->elements, (int64_t)scale->elements);
}

void rule_found(struct judge *judge, int scales, int zero_points, int of_x, int32_t axis, uint32_t block,
                uint32_t before)
{
    const bool zero = judge->facts[zero_points].given;
    struct cut cut = {.block = block, .before = before};

    if (!rule_has_blocks(judge, of_x, block))
        return;
    if (judge->facts[scales].elements == 1 && block == 0) {
        rule_before(judge, of_x, &cut);
        rule_rank(judge, scales, of_x);
        if (zero) {
            rule_rank(judge, zero_points, of_x);
            rule_as_many(judge, scales, zero_points);
        }
        return;
    }
    if (!rule_axis(judge, scales, of_x, axis, &cut.axis) || !rule_before(judge, of_x, &cut))
        return;
    rule_parameter(judge, scales, of_x, &cut, true);
    if (!zero)
        return;
    if (block > 0 || is_broadcast(judge, scales, of_x, cut.axis)) {
        rule_same_shape(judge, zero_points, scales);
    } else {
        rule_as_many(judge, scales, zero_points);
        rule_off_axis(judge, zero_points, of_x, cut.axis);
        rule_by_axis(judge, zero_points, of_x, cut.axis);
    }
}

void rule_parameters(struct judge *judge, int scales, int zero_points, int of_x, int32_t axis, uint32_t block,
                     uint32_t before)
{
    const int longer = judge->facts[scales].elements != 1 ? scales : zero_points;
    struct cut cut = {.block = block, .before = before};

    if (!rule_has_blocks(judge, of_x, block))
        return;
    if (judge->facts[longer].elements == 1 && block == 0) {
        rule_before(judge, of_x, &cut);
        rule_rank(judge, scales, of_x);
        if (judge->facts[zero_points].given)
            rule_rank(judge, zero_points, of_x);
        return;
    }
    if (!rule_axis(judge, longer, of_x, axis, &cut.axis) || !rule_before(judge, of_x, &cut))
        return;
    rule_parameter(judge, scales, of_x, &cut, true);
    rule_parameter(judge, zero_points, of_x, &cut, false);
}

/* The shape of x's rank with which as many would fit one dimension that is neither the first, nor the last,
 * nor the entries'. */
static const char *fitting_shape(const struct facts *p, const struct facts *x, const char *name, int at,
                                 char text[160])
{
    char sizes[96] = "";
    int fitting = 0, meant = 0, length = 0;

    for (int d = 1; d < x->rank - 1; d++)
        if (d != at && x->size[d] == p->elements) {
            fitting++;
            meant = d;
        }
    for (int d = 0; d < x->rank; d++)
        length += snprintf(sizes + length, sizeof sizes - (size_t)length, "%s%" PRId64, d > 0 ? ", " : "",
                           d == meant ? (int64_t)p->elements : 1);
    text[0] = '\0';
    if (fitting == 1)
        snprintf(text, 160, "; with shape [%s] there is one for each index of %s.shape[%d]", sizes, name,
                 meant);
    return text;
}

static void rule_along_last(struct judge *judge, int p, int read, int at)
{
    const struct facts *of = &judge->facts[p], *x = &judge->facts[read];
    const int last = x->rank - 1;
    char text[160];

    RULE(judge, of->elements != 1 && of->elements != x->size[last], CLQ_ERROR_SHAPE,
         "%s has %" PRId64 " elements: with indices it must have 1, or %" PRId64
         " as %s.shape[%d], the last dimension%s",
         judge_name(judge, p), (int64_t)of->elements, (int64_t)x->size[last], judge_name(judge, read), last,
         fitting_shape(of, x, judge_name(judge, read), at, text));
}

static void rule_off_places(struct judge *judge, int p, int rank, int at)
{
    const struct facts *of = &judge->facts[p];
    const int dims[] = {0, at};

    for (int i = 0; of->rank == rank && i < 2; i++)
        RULE(judge, of->size[dims[i]] != 1, CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64
             ": with indices it must be 1, for scales belong to the other dimensions and not to places",
             judge_name(judge, p), dims[i], (int64_t)of->stored[dims[i]]);
}

static void rule_placed_one(struct judge *judge, int p, const struct placed_rules *rules, bool is_scale)
{
    const int rank = judge->facts[rules->read].rank, last = rank - 1;
    const struct cut cut = {.axis = last, .block = rules->block};

    if (!judge->facts[p].given)
        return;
    if (has_blocks(judge, p, rules->read, &cut, is_scale)) {
        rule_off_places(judge, p, rank, rules->at);
        rule_blocks(judge, p, rules->read, &cut);
    } else if (is_broadcast(judge, p, rules->read, last)) {
        rule_off_places(judge, p, rank, rules->at);
        rule_broadcast(judge, p, rules->read);
    } else {
        /* along the last axis an entry may be shorter than the cache,
         * and it is the entry's indices that have scales */
        rule_along_last(judge, p, rules->at == last ? rules->pieces : rules->read, rules->at);
    }
}

void rule_placed(struct judge *judge, int scales, int zero_points, const struct placed_rules *rules)
{
    RULE(judge, rules->block > 0 && rules->at == judge->facts[rules->read].rank - 1, CLQ_ERROR_VALUE,
         "block is %" PRIu32 ": with indices along the last dimension it must be 0", rules->block);
    rule_placed_one(judge, scales, rules, true);
    rule_placed_one(judge, zero_points, rules, false);
}

static void rule_all(struct judge *judge, int p, int rows)
{
    const struct facts *of = &judge->facts[p];

    if (!of->given)
        return;
    rule_rank(judge, p, rows);
    RULE(judge, of->elements != 1, CLQ_ERROR_SHAPE,
         "%s has %" PRId64 " elements: with block_all it must have 1", judge_name(judge, p),
         (int64_t)of->elements);
}

/* A number for each row along the axis, or for each block. */
static void rule_rows(struct judge *judge, int p, int rows, const struct cut *cut)
{
    const int axis = cut->axis;
    const uint32_t block = cut->block;
    const struct facts *of = &judge->facts[p], *of_rows = &judge->facts[rows];
    const char *name = judge_name(judge, p), *rows_name = judge_name(judge, rows);
    const int rank = of_rows->rank - (block == 0);

    if (!of->given)
        return;
    if (block > 0)
        RULE(judge, of->rank != rank, CLQ_ERROR_RANK,
             "%s.ndim is %d: with block it must be the rank of %s, %d", name, of->rank, rows_name, rank);
    else if (axis == of_rows->rank - 1)
        RULE(judge, of->rank != rank, CLQ_ERROR_RANK,
             "%s.ndim is %d: it must be %d, that of %s less its last dimension", name, of->rank, rank,
             rows_name);
    else
        RULE(judge, of->rank != rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be %d, that of %s less axis %d",
             name, of->rank, rank, rows_name, axis);
    for (int d = 0; of->rank == rank && d < of_rows->rank; d++) {
        const int own = d - (block == 0 && d > axis);

        if (block_along(cut, d) > 0)
            rule_block(judge, p, rows, d, block_along(cut, d));
        else if (d != axis)
            RULE(judge, of->size[own] != of_rows->size[d], CLQ_ERROR_SHAPE,
                 "%s.shape[%d] is %" PRId64 ": it must be %s.shape[%d], %" PRId64, name, own,
                 (int64_t)of->stored[own], rows_name, d, (int64_t)of_rows->size[d]);
    }
}

void rule_dynamic_parameters(struct judge *judge, int scales, int offsets, int rows,
                             const struct rows_rules *rules)
{
    const struct facts *y = &judge->facts[rows];
    const int before = judge->count, last = y->rank - 1;
    const char *name = judge_name(judge, rows);
    struct cut cut = {.axis = last, .block = rules->block, .before = rules->before};

    RULE(judge, rules->all > 0 && rules->block > 0, CLQ_ERROR_VALUE,
         "block is %" PRIu32 ": with block_all it must be 0", rules->block);
    RULE(judge, rules->all > 0 && rules->placed, CLQ_ERROR_VALUE,
         "block_all is 1: with indices it must be 0");
    RULE(judge, y->rank == 0, CLQ_ERROR_RANK, "%s.ndim is 0: it must have a dimension for its rows", name);
    if (judge->count > before)
        return;
    if (!rules->placed && !rules->all && !rule_axis(judge, scales, rows, rules->axis, &cut.axis))
        return;
    if (!rule_before(judge, rows, &cut))
        return;
    rule_words(judge, rows, cut.axis, rules);
    if (rules->all) {
        rule_all(judge, scales, rows);
        rule_all(judge, offsets, rows);
        return;
    }
    rule_rows(judge, scales, rows, &cut);
    rule_rows(judge, offsets, rows, &cut);
}
