/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize_scatter: updates quantized and written into a cache. */
#include "operator.h"

enum { CACHE, INDICES, UPDATES, SCALES, ZERO_POINTS };
enum { DTYPE, AXIS, BLOCK, MODE, ROUND_FIRST, SLOTS, OUT_OF_RANGE, UNIQUE, STRICT };

static bool plan(struct operator_call *call)
{
    if (!operator_type_held(call, CACHE, DTYPE, true))
        return false;
    operator_add_output_in_place(call, CACHE);
    return true;
}

static struct clq_quantize_scatter_desc desc_of(const struct operator_call *call)
{
    return (struct clq_quantize_scatter_desc){
        .cache = operator_output(call, 0),
        .indices = operator_input(call, INDICES),
        .updates = operator_input(call, UPDATES),
        .scales = operator_input(call, SCALES),
        .zero_points = operator_input(call, ZERO_POINTS),
        .axis = operator_axis(call, AXIS),
        .mode = (uint32_t)call->values[MODE],
        .round_first = (uint32_t)call->values[ROUND_FIRST],
        .out_of_range = (uint32_t)call->values[OUT_OF_RANGE],
        .unique = (uint32_t)call->values[UNIQUE],
        .index_kind = (uint32_t)call->values[SLOTS],
        .block = (uint32_t)call->values[BLOCK],
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_quantize_scatter_desc desc = desc_of(call);

    return clq_quantize_scatter_check(&desc);
}

static clq_status check_indices(struct operator_call *call)
{
    const struct clq_quantize_scatter_desc desc = desc_of(call);

    return clq_quantize_scatter_check_indices(call->context, call->queue, &desc, 0, NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    struct clq_quantize_scatter_desc desc = desc_of(call);
    clq_status status = CLQ_OK;

    if (call->values[STRICT])
        status = check_indices(call);
    if (status == CLQ_OK)
        status = operator_report(call, &desc.report);
    return status != CLQ_OK ? status : clq_quantize_scatter(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description quantize_scatter_operator = {
    .name = "quantize_scatter",
    .summary = "Quantizes updates and writes entry i of them where indices[i] says, in cache.",
    .formula = "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"
               "  cache[b, .., s : s+U on axis, ..] =\n"
               "      sat(rint(updates[i] / scales + zero_points))\n"
               "  where entries overlap the last wins; with mode multiply updates[i] * scales",
    .outputs = "cache",
    .inputs =
        {
            [CACHE] = {"cache", false, "as --dtype says, rank 2 to 8"},
            [INDICES] = {"indices", false, "I32 or I64, [N] or [N, 2]"},
            [UPDATES] = {"updates", false, "F32, F16 or BF16, cache's shape but N and U"},
            [SCALES] = {"scales", false,
                        "F32, F16, BF16, F8_E8M0, F8_E4M3; one, one per index of the last axis, or by shape"},
            [ZERO_POINTS] = {"zero_points", true, "those, or I8, U8, I32; as scales, independently"},
        },
    .options =
        {
            [DTYPE] = {"dtype", operator_cached_types, NULL, "what cache holds; needed where it is U8"},
            [AXIS] = {"axis", NULL, "-2", "the axis of cache that a start counts on"},
            [BLOCK] = OPERATOR_BLOCK("the last axis"),
            [MODE] = {"mode", (const char *const[]){"divide", "multiply", NULL}, "divide",
                      "what is done with scales"},
            [ROUND_FIRST] = OPERATOR_ROUND_FIRST,
            [SLOTS] = OPERATOR_SLOTS,
            [OUT_OF_RANGE] = OPERATOR_OUT_OF_RANGE,
            [UNIQUE] = {"unique", operator_flag, "off", "promise that no two entries overlap"},
            [STRICT] = OPERATOR_STRICT,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .record = operator_record_static,
    .recalls = true,
};
