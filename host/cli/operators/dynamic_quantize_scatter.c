/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quantize_scatter: rows, their scales and their offsets into a cache. */
#include "operator.h"

enum { CACHE, CACHE_SCALES, CACHE_OFFSETS, INDICES, UPDATES, SMOOTH_SCALES, GLOBAL_SCALE };
enum { DTYPE, SYMMETRIC, AXIS, SLOTS, OUT_OF_RANGE, UNIQUE, STRICT, ROTATE, BLOCK, SCALE_RULE };

static bool is_symmetric(const struct operator_call *call)
{
    return call->values[SYMMETRIC] || call->values[SCALE_RULE];
}

static bool plan(struct operator_call *call)
{
    if (!operator_type_held(call, CACHE, DTYPE, true))
        return false;
    if (operator_is_block(call->dtypes[CACHE])) {
        operator_add_output_in_place(call, CACHE);
        return true;
    }
    if (!operator_needs_input(call, CACHE_SCALES))
        return false;
    /* Offsets of a cache that some rows do not heed any more would be lost without a word. */
    if (is_symmetric(call) && call->sources[CACHE_OFFSETS])
        return fail(call->failure, STATUS_REFUSED,
                    "%s: tensor '%.200s' is given as cache_offsets: --symmetric writes no offsets; --tensor "
                    "cache_offsets= leaves them out",
                    operator_path(call, CACHE_OFFSETS), call->sources[CACHE_OFFSETS]->name);
    if (!is_symmetric(call) && !call->sources[CACHE_OFFSETS])
        return fail(
            call->failure, STATUS_REFUSED,
            "%s: it has no cache_offsets, which are written too: a tensor of that name, one that --tensor "
            "cache_offsets=NAME names, or --symmetric is expected",
            call->in_text);
    operator_add_output_in_place(call, CACHE);
    operator_add_output_in_place(call, CACHE_SCALES);
    if (call->sources[CACHE_OFFSETS])
        operator_add_output_in_place(call, CACHE_OFFSETS);
    return true;
}

static struct clq_dynamic_quantize_scatter_desc desc_of(const struct operator_call *call)
{
    return (struct clq_dynamic_quantize_scatter_desc){
        .cache = operator_input(call, CACHE),
        .cache_scales = operator_input(call, CACHE_SCALES),
        .cache_offsets = operator_input(call, CACHE_OFFSETS),
        .indices = operator_input(call, INDICES),
        .updates = operator_input(call, UPDATES),
        .smooth_scales = operator_input(call, SMOOTH_SCALES),
        .axis = operator_axis(call, AXIS),
        .symmetric = is_symmetric(call),
        .scale_rule = (uint32_t)call->values[SCALE_RULE],
        .global_scale = operator_input(call, GLOBAL_SCALE),
        .out_of_range = (uint32_t)call->values[OUT_OF_RANGE],
        .unique = (uint32_t)call->values[UNIQUE],
        .index_kind = (uint32_t)call->values[SLOTS],
        .rotate = operator_rotate(call->values[ROTATE]),
        .block = (uint32_t)call->values[BLOCK],
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_dynamic_quantize_scatter_desc desc = desc_of(call);

    return clq_dynamic_quantize_scatter_check(&desc);
}

static clq_status check_indices(struct operator_call *call)
{
    const struct clq_dynamic_quantize_scatter_desc desc = desc_of(call);

    return clq_dynamic_quantize_scatter_check_indices(call->context, call->queue, &desc, 0, NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    struct clq_dynamic_quantize_scatter_desc desc = desc_of(call);
    clq_status status = CLQ_OK;

    if (call->values[STRICT])
        status = check_indices(call);
    if (status == CLQ_OK)
        status = operator_report(call, &desc.report);
    return status != CLQ_OK ? status
                            : clq_dynamic_quantize_scatter(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description dynamic_quantize_scatter_operator = {
    .name = "dynamic_quantize_scatter",
    .summary =
        "Quantizes rows of updates as dynamic_quantize does, and writes entry i where indices[i] says.",
    .formula = "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"
               "  cache[b, .., s : s+U on axis, .., :], cache_scales[b, .., s : s+U, ..],\n"
               "  cache_offsets[..] become y, scales and offsets of updates[i]; where entries\n"
               "  overlap the last wins",
    .outputs = "cache, [cache_scales], [cache_offsets]",
    .inputs =
        {
            [CACHE] = {"cache", false, "as --dtype says, rank 3 to 8"},
            [CACHE_SCALES] = {"cache_scales", true,
                              "F32, F16 or BF16, or as --scale-rule says; one per row of cache, or per block "
                              "of it; absent where "
                              "blocks carry them"},
            [CACHE_OFFSETS] = {"cache_offsets", true, "the same; absent where symmetric"},
            [INDICES] = {"indices", false, "I32 or I64, [N] or [N, 2]"},
            [UPDATES] = {"updates", false, "F32, F16 or BF16, cache's shape but N and U"},
            [SMOOTH_SCALES] = {"smooth_scales", true, "F32, F16 or BF16; one per element of a row"},
            [GLOBAL_SCALE] = OPERATOR_GLOBAL_SCALE,
        },
    .aliases = {{CACHE_SCALES, "cache_scale"},
                {CACHE_OFFSETS, "cache_offset"},
                {SMOOTH_SCALES, "smooth_scale"}},
    .options =
        {
            [DTYPE] = {"dtype", operator_found_types, NULL, "what cache holds; needed where it is U8"},
            [SYMMETRIC] = {"symmetric", operator_flag, "off", "scale by the largest magnitude, no offsets"},
            [AXIS] = {"axis", NULL, "-2", "the axis of cache that a start counts on"},
            [SLOTS] = OPERATOR_SLOTS,
            [OUT_OF_RANGE] = OPERATOR_OUT_OF_RANGE,
            [UNIQUE] = {"unique", operator_flag, "off", "promise that no two entries overlap"},
            [STRICT] = OPERATOR_STRICT,
            [ROTATE] = OPERATOR_ROTATE,
            [BLOCK] = OPERATOR_BLOCK("a row"),
            [SCALE_RULE] = OPERATOR_SCALE_RULE,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .record = operator_record_dynamic,
    .recalls = true,
};
