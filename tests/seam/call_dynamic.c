/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls of dynamic quantization, in place and into a cache. */
#include "dynamic.h"

#include "call.h"
#include "ops/dynamic_scatter.h"
#include "places.h"

#include "base/error.h"

/* The smooth scale of rows of so many elements, in any shape; NULL where there is none. */
static struct tensor *smooth_scales(struct call *call, int64_t elements, struct tensor *none)
{
    struct rng *rng = &call->rng;
    const int wished = call->wish.bits != 0 ? clq__variant_value(&call->wish, CLQ__SMOOTH) : -1;
    const int64_t inner = 1 + rng_below(rng, 4);
    struct shape shape = {.rank = 1, .size = {elements, inner}};

    *none = (struct tensor){0};
    if (wished == 0 || (wished < 0 && rng_once_in(rng, 2)))
        return none;
    if (elements % inner == 0 && rng_once_in(rng, 2)) {
        shape.rank = 2;
        shape.size[0] = elements / inner;
    }
    return call_tensor(call, "smooth_scales", call_type(call, CLQ__PLUGS, CLQ__FLOATS), &shape, TENSOR_INPUT);
}

clq_status call_dynamic_quantize(struct call *call)
{
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__DST, CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4));
    const uint32_t symmetric = rng_once_in(&call->rng, 2);
    struct shape shape = shape_random(&call->rng, 1, TENSOR_MOST_RANK, call->most_elements), rows;
    struct tensor *x, *y, *scales, *smooth, none, no_smooth, *offsets = &none;
    struct reference_tensor as[5];

    none = (struct tensor){0};
    if (type == CLQ__I4)
        shape_for_int4(&call->rng, &shape);
    if (shape.rank > 1 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank - 1)] = 0;
    rows = shape_rows(&shape);
    x = call_tensor(call, "x", call_type(call, CLQ__SRC, CLQ__FLOATS), &shape, TENSOR_INPUT);
    y = call_tensor(call, "y", type, &shape, TENSOR_OUTPUT);
    scales = call_tensor(call, "scales", CLQ__F32, &rows, TENSOR_OUTPUT);
    if (!symmetric)
        offsets = call_tensor(call, "offsets", CLQ__F32, &rows, TENSOR_OUTPUT);
    smooth = smooth_scales(call, shape.size[shape.rank - 1], &no_smooth);
    call_choices(call, "symmetric %u", symmetric);
    CLQ_TRY(
        clq__dynamic_quantize_check(&(struct clq_dynamic_quantize_desc){.x = tensor_dl(x),
                                                                        .smooth_scales = tensor_dl(smooth),
                                                                        .y = tensor_dl(y),
                                                                        .scales = tensor_dl(scales),
                                                                        .offsets = tensor_dl(offsets),
                                                                        .symmetric = symmetric},
                                    &call->as.of_dynamic.work));
    call_dynamic_launches(call);
    reference_dynamic_quantize(
        &(struct reference_dynamic_quantize_desc){.x = tensor_reference(x, &as[0]),
                                                  .smooth_scale = tensor_reference(smooth, &as[1]),
                                                  .y = tensor_reference(y, &as[2]),
                                                  .scale = tensor_reference(scales, &as[3]),
                                                  .offset = tensor_reference(offsets, &as[4]),
                                                  .symmetric = symmetric != 0});
end:
    return status;
}

clq_status call_dynamic_quantize_scatter(struct call *call)
{
    static const struct clq__dynamic_names names = {"updates", "cache", "cache_scales", "cache_offsets"};
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__DST, CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4));
    const uint32_t symmetric = rng_once_in(&call->rng, 2);
    const struct places p = places_random(call, true, type == CLQ__I4, true);
    const struct shape rows = shape_rows(&p.cache);
    struct tensor *updates =
        call_tensor(call, "updates", call_type(call, CLQ__SRC, CLQ__FLOATS), &p.pieces, TENSOR_INPUT);
    struct tensor *cache = call_tensor(call, "cache", type, &p.cache, TENSOR_OUTPUT), none = {0}, no_smooth;
    struct tensor *scales = call_tensor(call, "cache_scales", CLQ__F32, &rows, TENSOR_OUTPUT);
    struct tensor *offsets =
        symmetric ? &none : call_tensor(call, "cache_offsets", CLQ__F32, &rows, TENSOR_OUTPUT);
    struct tensor *smooth = smooth_scales(call, p.pieces.size[p.pieces.rank - 1], &no_smooth);
    const int axis = call_axis(call, p.d, p.cache.rank);
    struct reference_tensor as[6];

    call_report(call);
    call_choices(call, "axis %d symmetric %u out_of_range %u unique %u", axis, symmetric, p.range, p.unique);
    CLQ_TRY(clq__dynamic_scatter_check(
        &(struct clq__dynamic_scatter){.names = &names,
                                       .tensors = {.x = tensor_dl(updates),
                                                   .y = tensor_dl(cache),
                                                   .scale = tensor_dl(scales),
                                                   .offset = tensor_dl(offsets),
                                                   .smooth = tensor_dl(smooth),
                                                   .symmetric = symmetric},
                                       .indices = tensor_dl(p.indices),
                                       .report =
                                           call->report.name ? (cl_mem)(void *)&call->report.memory : NULL,
                                       .report_offset_bytes = call->report.dl.byte_offset,
                                       .axis = axis,
                                       .range = p.range,
                                       .unique = p.unique},
        &call->as.of_dynamic.work));
    call_dynamic_launches(call);
    call_expect_report(call,
                       reference_dynamic_quantize_scatter(&(struct reference_dynamic_quantize_scatter_desc){
                           .cache = tensor_reference(cache, &as[0]),
                           .cache_scale = tensor_reference(scales, &as[1]),
                           .cache_offset = tensor_reference(offsets, &as[2]),
                           .indices = tensor_reference(p.indices, &as[3]),
                           .updates = tensor_reference(updates, &as[4]),
                           .smooth_scale = tensor_reference(smooth, &as[5]),
                           .axis = p.d,
                           .symmetric = symmetric != 0,
                           .range = places_range(&p)}));
end:
    return status;
}
