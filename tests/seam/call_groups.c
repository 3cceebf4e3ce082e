/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls with a row of scales for each group of rows, both ways. */
#include "call.h"
#include "dequantize.h"
#include "ops/dequantize.h"
#include "ops/group.h"

#include "base/error.h"

struct groups {
    struct shape rows; /* [S, H] */
    struct tensor *scales, *ends, *zero_points, none;
};

/* Ends in order, or in any: what a search by halves finds counts. */
static void make_groups(struct call *call, struct groups *g, bool even, unsigned types)
{
    struct rng *rng = &call->rng;
    const int64_t count = 1 + rng_below(rng, rng_once_in(rng, 4) ? 20 : 4);
    const bool sorted = !rng_once_in(rng, 3), tame = rng_once_in(rng, 2);
    const struct shape ends = {.rank = 1, .size = {count}},
                       one = {.rank = (int)rng_below(rng, 3), .size = {1, 1}};
    struct shape scales = {.rank = 2, .size = {count}};
    int64_t end = 0;

    g->none = (struct tensor){0};
    g->zero_points = &g->none;
    g->rows = shape_random(rng, 2, 2, call->most_elements);
    if (even)
        shape_for_int4(rng, &g->rows);
    scales.size[1] = g->rows.size[1];
    g->scales = call_tensor(call, "scales", call_type(call, CLQ__PLUGS, CLQ__FLOATS), &scales, TENSOR_INPUT);
    g->ends =
        call_tensor(call, "group_index", rng_once_in(rng, 2) ? CLQ__I64 : CLQ__I32, &ends, TENSOR_INPUT);
    for (int64_t i = 0; i < count; i++) {
        end = sorted ? end + rng_below(rng, 1 + 2 * g->rows.size[0] / count)
                     : rng_below(rng, g->rows.size[0] + 4) - 2;
        tensor_set(g->ends, &i, tame && i == count - 1 ? g->rows.size[0] : end);
    }
    if (!rng_once_in(rng, 3))
        g->zero_points =
            call_tensor(call, "zero_points", call_type(call, CLQ__PLUGS, types), &one, TENSOR_INPUT);
}

clq_status call_group_quantize(struct call *call)
{
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__DST, CLQ__SET(CLQ__I8) | CLQ__SET(CLQ__I4));
    struct groups g;
    struct tensor *x, *y;
    struct reference_tensor as[5];

    make_groups(call, &g, type == CLQ__I4, CLQ__FLOATS);
    x = call_tensor(call, "x", call_type(call, CLQ__SRC, CLQ__FLOATS), &g.rows, TENSOR_INPUT);
    y = call_tensor(call, "y", type, &g.rows, TENSOR_OUTPUT);
    call_report(call);
    CLQ_TRY(clq__group_check(
        &(struct clq__group){.scales_name = "scales",
                             .zero_points_name = "zero_points",
                             .x = tensor_dl(x),
                             .scales = tensor_dl(g.scales),
                             .group_index = tensor_dl(g.ends),
                             .zero_points = tensor_dl(g.zero_points),
                             .y = tensor_dl(y),
                             .report = call->report.name ? (cl_mem)(void *)&call->report.memory : NULL,
                             .report_offset_bytes = call->report.dl.byte_offset},
        &call->as.of_static.work));
    call_static_launches(call);
    call_expect_report(call, reference_group_quantize(&(struct reference_group_quantize_desc){
                                 .x = tensor_reference(x, &as[0]),
                                 .scale = tensor_reference(g.scales, &as[1]),
                                 .group_index = tensor_reference(g.ends, &as[2]),
                                 .offset = tensor_reference(g.zero_points, &as[3]),
                                 .y = tensor_reference(y, &as[4])}));
end:
    return status;
}

clq_status call_dequantize_groups(struct call *call)
{
    clq_status status = CLQ_OK;
    const enum clq__type type = call_type(call, CLQ__SRC, CLQ__QUANTIZED);
    struct groups g;
    struct tensor *q, *y;
    struct reference_tensor as[5];

    make_groups(call, &g, type == CLQ__I4, CLQ__FLOATS | CLQ__INTEGERS);
    q = call_tensor(call, "q", type, &g.rows, TENSOR_INPUT);
    y = call_tensor(call, "y", call_type(call, CLQ__DST, CLQ__FLOATS), &g.rows, TENSOR_OUTPUT);
    call_report(call);
    CLQ_TRY(clq__dequantize_check(
        &(struct clq_dequantize_desc){.q = tensor_dl(q),
                                      .scales = tensor_dl(g.scales),
                                      .zero_points = tensor_dl(g.zero_points),
                                      .group_index = tensor_dl(g.ends),
                                      .y = tensor_dl(y),
                                      .report =
                                          call->report.name ? (cl_mem)(void *)&call->report.memory : NULL,
                                      .report_offset_bytes = call->report.dl.byte_offset,
                                      .mode = CLQ_DEQUANTIZE_MULTIPLY},
        &call->as.of_static.work));
    call_static_launches(call);
    call_expect_report(call, reference_dequantize(&(struct reference_dequantize_desc){
                                 .q = tensor_reference(q, &as[0]),
                                 .scale = tensor_reference(g.scales, &as[1]),
                                 .zero_points = tensor_reference(g.zero_points, &as[2]),
                                 .group_index = tensor_reference(g.ends, &as[3]),
                                 .y = tensor_reference(y, &as[4]),
                                 .mode = REFERENCE_UNDO_MULTIPLY}));
end:
    return status;
}
