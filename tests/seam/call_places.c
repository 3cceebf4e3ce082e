/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of quantization into a cache, and of rows gathered out of one. */
#include "call.h"
#include "dequantize.h"
#include "ops/dequantize.h"
#include "ops/scatter.h"
#include "places.h"

#include "base/error.h"

/* Of the cache's lanes. */
static struct tensor *copied_from(struct call *call, const struct tensor *cache, const struct shape *shape)
{
    struct tensor *input = call_tensor(call, "input", cache->type, shape, TENSOR_INPUT);

    while (input->dl.dtype.lanes != cache->dl.dtype.lanes) {
        tensor_clear(input);
        call->num_tensors--;
        input = call_tensor(call, "input", cache->type, shape, TENSOR_INPUT);
    }
    return input;
}

clq_status call_quantize_scatter(struct call *call)
{
    static const struct clq__scatter_names names = {"input", "cache", "scales", "zero_points"};
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__DST, CLQ__CACHES);
    const struct places p = places_random(call, type == CLQ__I4, type == CLQ__I4, true);
    const uint32_t mode = call_mode(call);
    struct tensor *cache = call_tensor(call, "cache", type, &p.cache, TENSOR_OUTPUT), none = {0};
    struct tensor *updates =
        call_tensor(call, "updates", call_type(call, CLQ__SRC, CLQ__FLOATS), &p.pieces, TENSOR_INPUT);
    struct tensor *scales = places_parameter(call, &p, "scales", CLQ__FLOATS);
    struct tensor *zero_points = rng_once_in(&call->rng, 3)
                                     ? &none
                                     : places_parameter(call, &p, "zero_points", CLQ__FLOATS | CLQ__INTEGERS);
    struct tensor *input = rng_once_in(&call->rng, 4) ? copied_from(call, cache, &p.cache) : &none;
    const int axis = call_axis(call, p.d, p.cache.rank);
    struct reference_tensor as[6];

    call_report(call);
    call_choices(call, "axis %d mode %u out_of_range %u unique %u", axis, mode, p.range, p.unique);
    CLQ_TRY(clq__scatter_check(
        &(struct clq__scatter){.names = &names,
                               .input = tensor_dl(input),
                               .cache = tensor_dl(cache),
                               .indices = tensor_dl(p.indices),
                               .updates = tensor_dl(updates),
                               .scales = tensor_dl(scales),
                               .zero_points = tensor_dl(zero_points),
                               .report = call->report.name ? (cl_mem)(void *)&call->report.memory : NULL,
                               .report_offset_bytes = call->report.dl.byte_offset,
                               .axis = axis,
                               .mode = mode,
                               .range = p.range,
                               .unique = p.unique},
        &call->as.of_static.work, &call->copy_src));
    call->copies = call->copy_src.tensor != NULL && call->copy_src.elements > 0;
    call->copy_dst = call->as.of_static.work.y;
    if (call->copies)
        clq__copy_describe(&call->copy, &call->copy_dst, &call->copy_src);
    call_static_launches(call);
    if (call->copies)
        reference_copy(tensor_reference(input, &as[0]), tensor_reference(cache, &as[1]));
    call_expect_report(call, reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
                                 .cache = tensor_reference(cache, &as[1]),
                                 .indices = tensor_reference(p.indices, &as[2]),
                                 .updates = tensor_reference(updates, &as[3]),
                                 .scales = tensor_reference(scales, &as[4]),
                                 .zero_points = tensor_reference(zero_points, &as[5]),
                                 .axis = p.d,
                                 .multiply = mode == CLQ_MULTIPLY,
                                 .range = places_range(&p)}));
end:
    return status;
}

clq_status call_dequantize_gather(struct call *call)
{
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__SRC, CLQ__QUANTIZED);
    const bool dynamic = rng_once_in(&call->rng, 2);
    const struct places p = places_random(call, dynamic || type == CLQ__I4, type == CLQ__I4, false);
    const struct shape rows = shape_rows(&p.cache);
    const uint32_t mode = dynamic                         ? CLQ_DEQUANTIZE_DYNAMIC
                          : call_mode(call) == CLQ_DIVIDE ? CLQ_DEQUANTIZE_MULTIPLY
                                                          : CLQ_DEQUANTIZE_DIVIDE;
    const unsigned types = CLQ__FLOATS | CLQ__INTEGERS;
    struct tensor *q = call_tensor(call, "q", type, &p.cache, TENSOR_INPUT), none = {0}, *scales,
                  *offsets = &none;
    struct tensor *y =
        call_tensor(call, "y", call_type(call, CLQ__DST, CLQ__FLOATS), &p.pieces, TENSOR_OUTPUT);
    const int axis = call_axis(call, p.d, p.cache.rank);
    struct reference_tensor as[5];

    scales = dynamic
                 ? call_tensor(call, "scales", call_type(call, CLQ__PLUGS, CLQ__FLOATS), &rows, TENSOR_INPUT)
                 : places_parameter(call, &p, "scales", CLQ__FLOATS);
    if (!rng_once_in(&call->rng, 3))
        offsets = dynamic
                      ? call_tensor(call, "offsets", call_type(call, CLQ__PLUGS, types), &rows, TENSOR_INPUT)
                      : places_parameter(call, &p, "zero_points", types);
    call_report(call);
    call_choices(call, "axis %d mode %u out_of_range %u", axis, mode, p.range);
    CLQ_TRY(clq__dequantize_check(
        &(struct clq_dequantize_desc){.q = tensor_dl(q),
                                      .scales = tensor_dl(scales),
                                      .zero_points = dynamic ? NULL : tensor_dl(offsets),
                                      .offsets = dynamic ? tensor_dl(offsets) : NULL,
                                      .indices = tensor_dl(p.indices),
                                      .y = tensor_dl(y),
                                      .report =
                                          call->report.name ? (cl_mem)(void *)&call->report.memory : NULL,
                                      .report_offset_bytes = call->report.dl.byte_offset,
                                      .axis = axis,
                                      .mode = mode,
                                      .out_of_range = p.range},
        &call->as.of_static.work));
    call_static_launches(call);
    call_expect_report(call, reference_dequantize(&(struct reference_dequantize_desc){
                                 .q = tensor_reference(q, &as[0]),
                                 .scale = tensor_reference(scales, &as[1]),
                                 .zero_points = tensor_reference(offsets, &as[2]),
                                 .indices = tensor_reference(p.indices, &as[3]),
                                 .y = tensor_reference(y, &as[4]),
                                 .axis = p.d,
                                 .mode = dynamic                           ? REFERENCE_UNDO_DYNAMIC
                                         : mode == CLQ_DEQUANTIZE_MULTIPLY ? REFERENCE_UNDO_MULTIPLY
                                                                           : REFERENCE_UNDO_DIVIDE,
                                 .range = places_range(&p)}));
end:
    return status;
}
