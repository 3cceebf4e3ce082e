/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales: the scales and zero points with which x fills the range of a type. */
#include "parameters.h"

#include <inttypes.h>

enum { X, SCALES, ZERO_POINTS };

static bool is_unsigned(enum reference_type type)
{
    return reference_types[type].lowest == 0;
}

/* Those that hold the zero points of a type. */
static unsigned zero_point_types(enum reference_type type)
{
    return TYPE_SET(F32) | TYPE_SET(I32) | (is_unsigned(type) ? TYPE_SET(U8) : TYPE_SET(I8));
}

/* Of the shape of scales, or as many in one dimension where they are by an axis alone. */
static struct shape zero_points_shape(struct call *call, const struct shape *scales, const struct shape *x,
                                      int d, uint32_t block)
{
    const struct shape shape = {.rank = 1, .size = {shape_elements(scales)}};
    bool by_axis = block == 0;

    for (int i = 0; i < scales->rank && scales->rank == x->rank && shape.size[0] != 1; i++)
        by_axis = by_axis && (i == d || scales->size[i] == 1);
    return by_axis && rng_once_in(&call->rng, 2) ? shape : *scales;
}

static struct shape draw_shape(struct call *call)
{
    struct rng *rng = &call->rng;
    struct shape shape = call_full_shape(call, 0, 4 * call->most_elements);

    if (rng_once_in(rng, call->wish.given ? 4 : 40)) /* many short rows, which are laid side by side */
        shape = (struct shape){.rank = 2, .size = {600 + rng_below(rng, 900), 4 + rng_below(rng, 3)}};
    if (shape.rank > 0 && rng_once_in(rng, 60))
        shape.size[rng_below(rng, shape.rank)] = 0;
    return shape;
}

static void draw(struct call *call)
{
    struct clq_find_scales_desc *desc = (void *)call->desc;
    struct rng *rng = &call->rng;
    const enum reference_type type = call_type(call, WISH_DST, TYPES_CACHE);
    const struct reference_type_row *row = &reference_types[type];
    const struct shape x = draw_shape(call);
    const int d = x.rank == 0 ? 0 : rng_once_in(rng, 2) ? x.rank - 1 : (int)rng_below(rng, x.rank);
    const uint32_t block = x.rank > 0 ? parameters_block(call, x.size[d]) : 0,
                   before = parameters_before(call, &x, d, block);
    const struct shape scales = parameters_shape(call, &x, d, block, before),
                       zero_points = zero_points_shape(call, &scales, &x, d, block);

    desc->method = row->minmax_steps > 0.0f && rng_once_in(rng, 2) ? CLQ_MINMAX : CLQ_ABSMAX;
    desc->mode = (uint32_t)rng_below(rng, 2);
    desc->axis = call_axis(call, d, x.rank);
    desc->block = block;
    desc->block_before = before;
    desc->dtype = (DLDataType){(uint8_t)row->dlpack_code, (uint8_t)row->bits, 1};
    if (type == REFERENCE_I8 && rng_once_in(rng, 4)) /* left out */
        desc->dtype = (DLDataType){0, 0, 0};
    call_tensor_of(call, X, call_type(call, WISH_SRC, TYPES_FLOAT), &x, TENSOR_INPUT);
    call_tensor(call, SCALES, &scales, TENSOR_OUTPUT);
    if (desc->method == CLQ_MINMAX || is_unsigned(type) || rng_once_in(rng, 2))
        call_tensor_of(call, ZERO_POINTS, call_type(call, WISH_NONE, zero_point_types(type)), &zero_points,
                       TENSOR_OUTPUT);
}

/* False where it is none. */
static bool find_type(DLDataType dtype, enum reference_type *type)
{
    *type = REFERENCE_I8;
    if (dtype.code == 0 && dtype.bits == 0 && dtype.lanes == 0)
        return true;
    for (int t = 0; t < REFERENCE_TYPES; t++)
        if ((TYPES_CACHE >> t & 1) && reference_types[t].dlpack_code == dtype.code &&
            reference_types[t].bits == dtype.bits) {
            *type = (enum reference_type)t;
            return reference_has_lanes(*type, dtype.lanes);
        }
    return false;
}

static unsigned types_of(const struct call *call, int t)
{
    const struct clq_find_scales_desc *desc = (const void *)call->desc;
    enum reference_type type;

    if (t != ZERO_POINTS || !find_type(desc->dtype, &type))
        return operator_find_scales.operands[t].types;
    return zero_point_types(type);
}

static void judge_choices(struct judge *judge, const struct clq_find_scales_desc *desc)
{
    const struct facts *zero_points = &judge->facts[ZERO_POINTS];
    const bool minmax = desc->method == CLQ_MINMAX;
    enum reference_type type;
    char is[64], types[JUDGE_TYPES_TEXT];

    RULE(judge, !find_type(desc->dtype, &type), CLQ_ERROR_TYPE, "dtype is %s: it must be %s",
         judge_dtype_text(desc->dtype, is), judge_types_text(TYPES_CACHE, types));
    if (!find_type(desc->dtype, &type))
        return;
    RULE(judge, minmax && (TYPES_SMALL >> type & 1), CLQ_ERROR_VALUE,
         "method is CLQ_MINMAX (1): it must be CLQ_ABSMAX (0) for %s", reference_types[type].name);
    RULE(judge, !zero_points->given && minmax, CLQ_ERROR_NULL,
         "zero_points is NULL: minmax has a zero point for each scale");
    RULE(judge, !zero_points->given && !minmax && is_unsigned(type), CLQ_ERROR_NULL,
         "zero_points is NULL: absmax has the zero point %d for %s",
         (int)reference_types[type].absmax_zero_point, reference_types[type].name);
}

static void judge(struct judge *judge)
{
    const struct clq_find_scales_desc *desc = judge->desc;

    judge_choices(judge, desc);
    if (!judge_has_shapes(judge))
        return;
    rule_found(judge, SCALES, ZERO_POINTS, X, desc->axis, desc->block, desc->block_before);
}

static struct reference_report reference(const struct call *call)
{
    const struct clq_find_scales_desc *desc = (const void *)call->desc;
    struct reference_tensor as[3];
    enum reference_type type;

    find_type(desc->dtype, &type);
    reference_find_scales(&(struct reference_find_scales_desc){
        .x = call_reference(call, X, &as[0]),
        .scales = call_reference(call, SCALES, &as[1]),
        .zero_points = call_reference(call, ZERO_POINTS, &as[2]),
        .type = type,
        .axis = call_dimension(call, X, desc->axis, -1),
        .block = desc->block,
        .block_before = desc->block_before,
        .minmax = desc->method == CLQ_MINMAX,
        .multiply = desc->mode == CLQ_MULTIPLY,
    });
    return (struct reference_report){0};
}

#define AT(field) offsetof(struct clq_find_scales_desc, field)
OPERATOR_ROW(find_scales, .src = TYPES_FLOAT, .dst = TYPES_CACHE,
             .operands = {{"x", TYPES_FLOAT, OPERAND_READ, false, AT(x)},
                          {"scales", TYPE_SET(F32), OPERAND_WRITTEN, false, AT(scales)},
                          {"zero_points", TYPE_SET(F32) | TYPES_INTEGER, OPERAND_WRITTEN, true,
                           AT(zero_points)}},
             .types = types_of, .judge = judge)
