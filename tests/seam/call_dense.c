/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of static quantization without indices, and of its way back. */
#include "call.h"
#include "dequantize.h"
#include "ops/dense.h"
#include "ops/dequantize.h"

#include "base/error.h"

/* Now and then nothing is there. */
static struct shape any_shape(struct call *call, bool int4)
{
    struct shape shape = shape_random(&call->rng, int4 ? 1 : 0, TENSOR_MOST_RANK, call->most_elements);

    if (int4)
        shape_for_int4(&call->rng, &shape);
    if (shape.rank > 0 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank)] = 0;
    return shape;
}

/* With scales and zero points along dimension d; dense, it has a scale for each index there is. */
static clq_status quantize(struct call *call, enum clq__type y_type, const struct shape *shape, int d,
                           bool dense)
{
    clq_status status = CLQ_OK;
    const struct shape each = {.rank = 1, .size = {shape->size[d]}};
    const uint32_t mode = call_mode(call);
    struct tensor *x = call_tensor(call, "x", call_type(call, CLQ__SRC, CLQ__FLOATS), shape,
                                   dense ? TENSOR_DENSE : TENSOR_INPUT);
    struct tensor *y = call_tensor(call, "y", y_type, shape, dense ? TENSOR_DENSE : TENSOR_OUTPUT),
                  none = {0};
    struct tensor *scales = dense ? call_tensor(call, "scales", call_type(call, CLQ__PLUGS, CLQ__FLOATS),
                                                &each, TENSOR_DENSE)
                                  : call_parameter(call, "scales", CLQ__FLOATS, shape, d),
                  *zero_points =
                      rng_once_in(&call->rng, 3)
                          ? &none
                          : call_parameter(call, "zero_points", CLQ__FLOATS | CLQ__INTEGERS, shape, d);
    const int axis = call_axis(call, d, shape->rank);
    struct reference_tensor as[4];

    call_choices(call, "axis %d mode %u", axis, mode);
    CLQ_TRY(clq__dense_check(&(struct clq__dense){.x = tensor_dl(x),
                                                  .scales = tensor_dl(scales),
                                                  .zero_points = tensor_dl(zero_points),
                                                  .y = tensor_dl(y),
                                                  .x_name = "x",
                                                  .y_name = "y",
                                                  .axis = axis,
                                                  .mode = mode},
                             &call->as.of_static.work));
    call_static_launches(call);
    reference_quantize(&(struct reference_quantize_desc){.x = tensor_reference(x, &as[0]),
                                                         .scales = tensor_reference(scales, &as[1]),
                                                         .zero_points = tensor_reference(zero_points, &as[2]),
                                                         .y = tensor_reference(y, &as[3]),
                                                         .axis = d,
                                                         .multiply = mode == CLQ_MULTIPLY});
end:
    return status;
}

clq_status call_quantize(struct call *call)
{
    const enum clq__type y_type = call_type(call, CLQ__DST, CLQ__QUANTIZED);
    const struct shape shape = any_shape(call, y_type == CLQ__I4);
    const int d = shape.rank > 0 ? (int)rng_below(&call->rng, shape.rank) : 0;

    return quantize(call, y_type, &shape, d, false);
}

/* Short dense rows of a CPU that are many enough to have their scales repeated. */
clq_status call_quantize_long(struct call *call)
{
    static const int64_t columns[] = {80, 96, 112};
    const struct shape shape = {.rank = 2,
                                .size = {(INT64_C(1) << 22) / 80 + 1, columns[rng_below(&call->rng, 3)]}};

    call->traits.group_form = call->traits.ends_loops = false;
    call->traits.long_runs = true;
    call_plugs(&call->traits);
    return quantize(call, CLQ__I8, &shape, 1, true);
}

clq_status call_dequantize(struct call *call)
{
    static const enum reference_undo undo[] = {[CLQ_DEQUANTIZE_DIVIDE] = REFERENCE_UNDO_DIVIDE,
                                               [CLQ_DEQUANTIZE_MULTIPLY] = REFERENCE_UNDO_MULTIPLY,
                                               [CLQ_DEQUANTIZE_DYNAMIC] = REFERENCE_UNDO_DYNAMIC};
    clq_status status = CLQ_OK;
    const enum clq__type q_type = call_type(call, CLQ__SRC, CLQ__QUANTIZED);
    const struct shape shape = any_shape(call, q_type == CLQ__I4), rows = shape_rows(&shape);
    const int d = shape.rank > 0 ? (int)rng_below(&call->rng, shape.rank) : 0;
    const bool dynamic = shape.rank > 0 && rng_once_in(&call->rng, 3);
    const uint32_t mode = dynamic                         ? CLQ_DEQUANTIZE_DYNAMIC
                          : call_mode(call) == CLQ_DIVIDE ? CLQ_DEQUANTIZE_MULTIPLY
                                                          : CLQ_DEQUANTIZE_DIVIDE;
    const unsigned types = CLQ__FLOATS | CLQ__INTEGERS;
    struct tensor *q = call_tensor(call, "q", q_type, &shape, TENSOR_INPUT);
    struct tensor *y = call_tensor(call, "y", call_type(call, CLQ__DST, CLQ__FLOATS), &shape, TENSOR_OUTPUT);
    struct tensor none = {0}, *scales, *offsets = &none;
    const int axis = call_axis(call, d, shape.rank);
    struct reference_tensor as[4];

    scales = dynamic
                 ? call_tensor(call, "scales", call_type(call, CLQ__PLUGS, CLQ__FLOATS), &rows, TENSOR_INPUT)
                 : call_parameter(call, "scales", CLQ__FLOATS, &shape, d);
    if (!rng_once_in(&call->rng, 3))
        offsets = dynamic
                      ? call_tensor(call, "offsets", call_type(call, CLQ__PLUGS, types), &rows, TENSOR_INPUT)
                      : call_parameter(call, "zero_points", types, &shape, d);
    call_choices(call, "axis %d mode %u", axis, mode);
    CLQ_TRY(clq__dequantize_check(
        &(struct clq_dequantize_desc){.q = tensor_dl(q),
                                      .scales = tensor_dl(scales),
                                      .zero_points = dynamic ? NULL : tensor_dl(offsets),
                                      .offsets = dynamic ? tensor_dl(offsets) : NULL,
                                      .y = tensor_dl(y),
                                      .axis = axis,
                                      .mode = mode},
        &call->as.of_static.work));
    call_static_launches(call);
    reference_dequantize(&(struct reference_dequantize_desc){.q = tensor_reference(q, &as[0]),
                                                             .scale = tensor_reference(scales, &as[1]),
                                                             .zero_points = tensor_reference(offsets, &as[2]),
                                                             .y = tensor_reference(y, &as[3]),
                                                             .axis = d,
                                                             .mode = undo[mode]});
end:
    return status;
}
