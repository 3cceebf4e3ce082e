/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of clq_find_scales. */
#include "call.h"
#include "units.h"

#include "base/error.h"

/* One scale, or one for each index of dimension d. */
static struct shape scales_shape(struct call *call, const struct shape *x, int d)
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

/* The same number of them, along or in one dimension. */
static struct shape zero_points_shape(struct call *call, const struct shape *scales)
{
    struct shape shape = {.rank = 1, .size = {shape_elements(scales)}};

    return rng_once_in(&call->rng, 2) ? shape : *scales;
}

static void launches(struct call *call)
{
    if (call->as.of_scales.work.scales.elements == 0)
        return;
    clq__scales_launches(&call->as.of_scales.call, &call->as.of_scales.work, &call->traits);
    call->launches = &call->as.of_scales.call.launches;
}

clq_status call_find_scales(struct call *call)
{
    clq_status status = CLQ_OK;
    struct rng *rng = &call->rng;
    struct shape shape = shape_random(rng, 0, TENSOR_MOST_RANK, 4 * call->most_elements), scales_of, zeros_of;
    const enum clq__type type = call_type(call, CLQ__PLUGS, CLQ__CACHES);
    const unsigned zero_types =
        CLQ__SET(CLQ__F32) | CLQ__SET(CLQ__I32) | CLQ__SET(type == CLQ__U8 ? CLQ__U8 : CLQ__I8);
    const uint32_t method = rng_once_in(rng, 2) ? CLQ_MINMAX : CLQ_ABSMAX, mode = rng_once_in(rng, 2);
    static const DLDataType dtypes[CLQ__TYPES] = {
        [CLQ__I8] = {kDLInt, 8, 1}, [CLQ__U8] = {kDLUInt, 8, 1}, [CLQ__I4] = {kDLInt, 4, 1}};
    struct tensor *x, *scales, *zero_points, none = {0};
    int d = 0, axis;
    struct reference_tensor as[3];

    if (rng_once_in(rng, call->wish.bits != 0 ? 4 : 40)) /* many short rows, which are laid side by side */
        shape = (struct shape){.rank = 2, .size = {600 + rng_below(rng, 900), 4 + rng_below(rng, 3)}};
    if (shape.rank > 0)
        d = rng_once_in(rng, 2) ? shape.rank - 1 : (int)rng_below(rng, shape.rank);
    axis = call_axis(call, d, shape.rank);
    if (shape.rank > 0 && rng_once_in(rng, 60))
        shape.size[rng_below(rng, shape.rank)] = 0;
    x = call_tensor(call, "x", call_type(call, CLQ__SRC, CLQ__FLOATS), &shape, TENSOR_INPUT);
    scales_of = scales_shape(call, &shape, d);
    zeros_of = zero_points_shape(call, &scales_of);
    scales = call_tensor(call, "scales", CLQ__F32, &scales_of, TENSOR_OUTPUT);
    zero_points = method == CLQ_ABSMAX && type != CLQ__U8 && rng_once_in(rng, 2)
                      ? &none
                      : call_tensor(call, "zero_points", call_type(call, CLQ__PLUGS, zero_types), &zeros_of,
                                    TENSOR_OUTPUT);
    call_choices(call, "axis %d method %u mode %u dtype %s", axis, method, mode, clq__type_token(type));
    CLQ_TRY(clq__scales_check(&(struct clq_find_scales_desc){.x = tensor_dl(x),
                                                             .scales = tensor_dl(scales),
                                                             .zero_points = tensor_dl(zero_points),
                                                             .dtype = dtypes[type],
                                                             .axis = axis,
                                                             .method = method,
                                                             .mode = mode},
                              &call->as.of_scales.work));
    launches(call);
    reference_find_scales(
        &(struct reference_find_scales_desc){.x = tensor_reference(x, &as[0]),
                                             .scales = tensor_reference(scales, &as[1]),
                                             .zero_points = tensor_reference(zero_points, &as[2]),
                                             .type = units_type(type),
                                             .axis = d,
                                             .minmax = method == CLQ_MINMAX,
                                             .multiply = mode == CLQ_MULTIPLY});
end:
    return status;
}
