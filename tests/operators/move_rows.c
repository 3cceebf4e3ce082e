/* SPDX-License-Identifier: Apache-2.0 */
/* clq_move_rows: rows into a cache, out of one, and between two, which most of the time are one buffer. */
#include "move_rows.h"

#include "move_rows_rules.h"

#include "places.h"

#include <string.h>

enum { SRC, SRC_INDICES, DST_INDICES, INPUT, DST };
enum { SCATTER, GATHER, BETWEEN, FORMS };

/* A call on its way: the type of src and dst, and whether they share bytes. */
struct draft {
    struct call *call;
    struct clq_move_rows_desc *desc;
    enum reference_type src, dst;
    int form;
    bool whole, shares;
};

static size_t bytes_of(enum reference_type type)
{
    return (size_t)reference_unit_bytes(type, 1);
}

/* As it is, or of another float. */
static void draw_types(struct draft *draft)
{
    struct call *call = draft->call;
    const bool wished = call->wish.src >= 0 || call->wish.dst >= 0;

    draft->src = call_type(call, WISH_SRC, wished ? TYPES_FLOAT : TYPES_ANY);
    draft->dst = draft->src;
    if ((TYPES_FLOAT >> draft->src & 1) && (wished || rng_once_in(&call->rng, 2)))
        draft->dst = call_type(call, WISH_DST, TYPES_FLOAT);
    if (wished && draft->src == draft->dst) /* what is in between has one type, on its way to another */
        draft->dst = draft->src == REFERENCE_F32 ? REFERENCE_F16 : REFERENCE_F32;
    draft->whole = reference_shares_bytes(draft->src, 1) || reference_is_block(draft->src);
}

/* A tensor of its own, or of the lanes that the other side has. */
static struct tensor *make(struct draft *draft, int t, const struct shape *shape, enum tensor_use use)
{
    const struct tensor *other = &draft->call->tensors[t == SRC ? DST : SRC];
    struct tensor *tensor;

    do {
        tensor_clear(&draft->call->tensors[t]);
        tensor = call_tensor_of(draft->call, t, t == SRC ? draft->src : draft->dst, shape, use);
    } while (other->name != NULL && other->dl.dtype.lanes != tensor->dl.dtype.lanes);
    return tensor;
}

/* Tensor t as a view of another's bytes, from its dimension `from` on. */
static struct tensor *view(struct draft *draft, int t, int of, int from)
{
    const struct tensor *whole = &draft->call->tensors[of];
    struct tensor *tensor = &draft->call->tensors[t];
    int64_t stride = 1;

    *tensor = (struct tensor){.name = draft->call->op->operands[t].name,
                              .dl = whole->dl,
                              .type = t == SRC ? draft->src : draft->dst};
    tensor->dl.shape = tensor->shape;
    tensor->dl.strides = tensor->strides;
    tensor->dl.ndim = whole->dl.ndim - from;
    if (tensor->type != whole->type) {
        tensor->dl.dtype.code = (uint8_t)reference_types[tensor->type].dlpack_code;
        tensor->dl.dtype.bits = (uint8_t)reference_types[tensor->type].bits;
    }
    for (int d = whole->dl.ndim - 1; d >= from; d--) {
        tensor->shape[d - from] = whole->shape[d];
        tensor->strides[d - from] = whole->dl.strides != NULL ? whole->strides[d] : stride;
        stride *= whole->shape[d];
    }
    return tensor;
}

/* Whether side t may be a view of the other, of so large a size that its entries find room. */
static bool may_share(const struct draft *draft, int t, int64_t entries, int64_t room)
{
    const enum reference_type type = t == SRC ? draft->src : draft->dst,
                              other = t == SRC ? draft->dst : draft->src;

    return draft->shares && entries <= room && (type == other || bytes_of(type) <= bytes_of(other));
}

/* Cache c of this shape, and the rows of its entries: out of the same bytes where that can be. */
static void make_entries(struct draft *draft, const struct places *p, int cache, int rows)
{
    struct tensor *tensor;

    if (!may_share(draft, rows, p->pieces.size[0], p->cache.size[0])) {
        make(draft, cache, &p->cache, cache == DST ? TENSOR_OUTPUT : TENSOR_INPUT);
        make(draft, rows, &p->pieces, rows == DST ? TENSOR_OUTPUT : TENSOR_INPUT);
    } else {
        make(draft, cache, &p->cache, TENSOR_OUTPUT);
        tensor = view(draft, rows, cache, 0);
        tensor->shape[0] = p->pieces.size[0];
        tensor->shape[p->d] = p->pieces.size[p->d];
    }
    places_leave_out(draft->call, rows, p);
}

static void make_between(struct draft *draft, struct places *p)
{
    struct clq_move_rows_desc *desc = draft->desc;
    struct places other;
    int64_t *length = &p->pieces.size[p->d];

    if (*length == 0 || p->cache.size[p->d] == 0) /* entries of one position, which are not apart then */
        desc->unique = 0;
    if (*length == 0)
        *length = 1;
    if (p->cache.size[p->d] == 0)
        p->cache.size[p->d] = 1;
    other = places_other(draft->call, SRC_INDICES, p);
    desc->src_out_of_range = other.range;
    desc->src_index_kind = other.index_kind;
    desc->positions = *length == 1 && rng_once_in(&draft->call->rng, 2) ? 0 : (uint32_t)*length;
    if (may_share(draft, SRC, p->pieces.size[0], p->cache.size[0])) {
        make(draft, DST, &p->cache, TENSOR_OUTPUT);
        view(draft, SRC, DST, 0);
    } else if (may_share(draft, DST, p->pieces.size[0], p->cache.size[0])) {
        make(draft, SRC, &p->cache, TENSOR_OUTPUT);
        view(draft, DST, SRC, 0);
    } else {
        make(draft, DST, &p->cache, TENSOR_OUTPUT);
        make(draft, SRC, &other.cache, TENSOR_INPUT);
    }
}

static void draw_placed(struct draft *draft)
{
    struct clq_move_rows_desc *desc = draft->desc;
    const bool gathers = draft->form == GATHER;
    struct places p =
        places_random(draft->call, gathers ? SRC_INDICES : DST_INDICES, draft->whole, draft->src, !gathers);

    if (reference_is_block(draft->src)) {
        shape_for_blocks(&p.cache);
        shape_for_blocks(&p.pieces);
    }
    draft->shares &= !p.unique;
    desc->axis = call_axis(draft->call, p.d, p.cache.rank);
    desc->unique = p.unique;
    *(gathers ? &desc->src_out_of_range : &desc->dst_out_of_range) = p.range;
    *(gathers ? &desc->src_index_kind : &desc->dst_index_kind) = p.index_kind;
    if (draft->form == BETWEEN)
        make_between(draft, &p);
    else
        make_entries(draft, &p, gathers ? SRC : DST, gathers ? DST : SRC);
}

/* The rows of entries, which have all dimensions from number k on. */
static struct shape rows_of(const struct shape *shape, int k, int64_t count)
{
    struct shape rows = {.rank = 1 + shape->rank - k, .size = {count}};

    for (int d = k; d < shape->rank; d++)
        rows.size[1 + d - k] = shape->size[d];
    return rows;
}

/* Another shape with the same rows. */
static struct shape other_shape(struct draft *draft, const struct shape *shape, int k, int *other_k)
{
    struct rng *rng = &draft->call->rng;
    const int rest = shape->rank - k;
    struct shape other = {.rank = rest};

    *other_k = 1 + (int)rng_below(rng, TENSOR_MOST_RANK - rest < 3 ? TENSOR_MOST_RANK - rest : 3);
    other.rank += *other_k;
    for (int d = 0; d < *other_k; d++)
        other.size[d] = 1 + rng_below(rng, 4);
    for (int d = 0; d < rest; d++)
        other.size[*other_k + d] = shape->size[k + d];
    return other;
}

static void make_nd(struct draft *draft, const struct shape *shape, int k, int64_t count)
{
    const int cache = draft->form == GATHER ? SRC : DST, rows = cache == SRC ? DST : SRC;
    const struct shape entries = rows_of(shape, k, count);
    struct shape other = *shape;
    int other_k = k;

    if (draft->form != BETWEEN &&
        may_share(draft, rows, count, shape_elements(shape) > 0 ? shape->size[k - 1] : 0)) {
        make(draft, cache, shape, TENSOR_OUTPUT);
        view(draft, rows, cache, k - 1)->shape[0] = count;
    } else if (draft->form != BETWEEN) {
        make(draft, cache, shape, cache == DST ? TENSOR_OUTPUT : TENSOR_INPUT);
        make(draft, rows, &entries, rows == DST ? TENSOR_OUTPUT : TENSOR_INPUT);
    } else {
        const bool shares = may_share(draft, SRC, 0, 0);

        if (!shares)
            other = other_shape(draft, shape, k, &other_k);
        places_nd(draft->call, SRC_INDICES, &other, other_k, &count, false);
        make(draft, DST, shape, TENSOR_OUTPUT);
        if (shares)
            view(draft, SRC, DST, 0);
        else
            make(draft, SRC, &other, TENSOR_INPUT);
    }
}

static void draw_nd(struct draft *draft)
{
    struct call *call = draft->call;
    struct rng *rng = &call->rng;
    struct clq_move_rows_desc *desc = draft->desc;
    struct shape shape = call_full_shape(call, 1 + draft->whole, call->most_elements);
    const int k = 1 + (int)rng_below(rng, shape.rank - draft->whole);
    int64_t count = call->wish.claims || rng_once_in(rng, 12) ? 130 + rng_below(rng, 60) : rng_below(rng, 8);

    shape_for_bytes(rng, draft->src, &shape);
    if (reference_is_block(draft->src))
        shape_for_blocks(&shape);
    if (rng_once_in(rng, 40))
        shape.size[rng_below(rng, shape.rank - draft->whole)] = 0;
    desc->unique = draft->form != GATHER && rng_once_in(rng, 4);
    draft->shares &= !desc->unique;
    if (draft->form != GATHER) {
        desc->dst_index_kind = CLQ_ND;
        desc->dst_out_of_range = (uint32_t)rng_below(rng, 3);
        places_nd(call, DST_INDICES, &shape, k, &count, desc->unique);
    }
    if (draft->form != SCATTER) {
        desc->src_index_kind = CLQ_ND;
        desc->src_out_of_range = (uint32_t)rng_below(rng, 3);
    }
    if (draft->form == GATHER)
        places_nd(call, SRC_INDICES, &shape, k, &count, false);
    make_nd(draft, &shape, k, count);
}

/* Of dst's lanes, and as many of its elements as there are. */
static void make_input(struct draft *draft)
{
    const struct tensor *dst = &draft->call->tensors[DST];
    struct shape shape = {.rank = dst->dl.ndim};
    struct tensor *input;

    for (int d = 0; d < shape.rank; d++)
        shape.size[d] =
            dst->shape[d] * (d < shape.rank - 1 ? 1 : reference_lanes(draft->dst, dst->dl.dtype.lanes));
    do {
        tensor_clear(&draft->call->tensors[INPUT]);
        input = call_tensor_of(draft->call, INPUT, draft->dst, &shape, TENSOR_INPUT);
    } while (input->dl.dtype.lanes != dst->dl.dtype.lanes);
}

static void draw(struct call *call)
{
    struct draft draft = {.call = call,
                          .desc = (void *)call->desc,
                          .form = call->wish.claims ? (rng_once_in(&call->rng, 2) ? SCATTER : BETWEEN)
                                                    : (int)rng_below(&call->rng, FORMS)};

    draw_types(&draft);
    draft.shares = !rng_once_in(&call->rng, 4);
    if (rng_once_in(&call->rng, 3))
        draw_nd(&draft);
    else
        draw_placed(&draft);
    if (draft.form != GATHER && rng_once_in(&call->rng, 4))
        make_input(&draft);
    call_report(call);
}

/* The input is of dst's type. */
static unsigned types_of(const struct call *call, int t)
{
    const DLDataType dtype = call->tensors[DST].dl.dtype;

    for (int type = 0; type < REFERENCE_TYPES && t == INPUT && call->tensors[DST].name != NULL; type++)
        if (reference_types[type].dlpack_code == dtype.code && reference_types[type].bits == dtype.bits)
            return 1u << type;
    return operator_move_rows.operands[t].types;
}

static bool copy(const struct call *call)
{
    struct reference_tensor as[2];
    const struct reference_tensor *input = call_reference(call, INPUT, &as[0]);

    if (input != NULL)
        reference_copy(input, call_reference(call, DST, &as[1]));
    return input != NULL;
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_move_rows_desc *desc = (const void *)call->desc;
    const int cache = call->tensors[SRC_INDICES].name != NULL ? SRC : DST;
    const bool between = cache == SRC && call->tensors[DST_INDICES].name != NULL,
               nd = desc->src_index_kind == CLQ_ND || desc->dst_index_kind == CLQ_ND;
    const int axis = call_dimension(call, cache, desc->axis, -2);
    struct reference_tensor as[4];
    struct reference_move_rows_desc of = {
        .src = {.tensor = nd || between ? call_reference(call, SRC, &as[0])
                                        : places_reference(call, SRC, cache, axis, &as[0]),
                .indices = call_reference(call, SRC_INDICES, &as[1]),
                .range = places_range(desc->src_out_of_range),
                .slots = desc->src_index_kind == CLQ_SLOTS,
                .nd = desc->src_index_kind == CLQ_ND},
        .dst = {.tensor = nd || between ? call_reference(call, DST, &as[2])
                                        : places_reference(call, DST, cache, axis, &as[2]),
                .indices = call_reference(call, DST_INDICES, &as[3]),
                .range = places_range(desc->dst_out_of_range),
                .slots = desc->dst_index_kind == CLQ_SLOTS,
                .nd = desc->dst_index_kind == CLQ_ND},
        .axis = axis,
        .positions = desc->positions > 0 ? desc->positions : 1,
    };

    copy(call);
    if (!nd && !between)
        of.positions = reference_extent(cache == SRC ? of.dst.tensor : of.src.tensor, axis);
    return reference_move_rows(&of);
}

#define AT(field) offsetof(struct clq_move_rows_desc, field)
OPERATOR_CHECK_INDICES(move_rows)
OPERATOR_ROW(move_rows, .src = TYPES_FLOAT, .dst = TYPES_FLOAT,
             .operands = {{"src", TYPES_ANY, OPERAND_READ, false, AT(src)},
                          {"src_indices", TYPES_INDEX, OPERAND_READ, true, AT(src_indices)},
                          {"dst_indices", TYPES_INDEX, OPERAND_READ, true, AT(dst_indices)},
                          {"input", TYPES_ANY, OPERAND_READ, true, AT(input)},
                          {"dst", TYPES_ANY, OPERAND_WRITTEN, false, AT(dst)}},
             .in_place = true, .types = types_of, .judge = move_rows_judge,
             OPERATOR_INDICES(move_rows_judge_indices), .copy = copy)
