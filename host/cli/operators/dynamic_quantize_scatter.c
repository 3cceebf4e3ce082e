/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dynamic_quantize_scatter: rows, their scales and their offsets into a cache. */
#include "operator.h"

enum { CACHE, CACHE_SCALES, CACHE_OFFSETS, SMOOTH_SCALES };
enum { DTYPE, STRICT };

static bool is_symmetric(const struct operator_call *call)
{
    return operator_value(call, "symmetric") || operator_value(call, "scale-rule");
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

static void adjust(const struct operator_call *call, void *desc)
{
    ((struct clq_dynamic_quantize_scatter_desc *)desc)->symmetric = is_symmetric(call);
}

OPERATOR_CALLS(dynamic_quantize_scatter)
OPERATOR_CHECK_INDICES(dynamic_quantize_scatter)
static const struct operator_library library = {"dynamic_quantize_scatter", check, run, check_indices};

const struct operator_description dynamic_quantize_scatter_operator = {
    .name = "dynamic_quantize_scatter",
    .summary =
        "Quantizes rows of updates as dynamic_quantize does, and writes entry i where indices[i] says.",
    .formula = "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"
               "  cache[b, .., s : s+U on axis, .., :], cache_scales[b, .., s : s+U, ..],\n"
               "  cache_offsets[..] become y, scales and offsets of updates[i]; where entries\n"
               "  overlap the last wins",
    .outputs = "cache, [cache_scales], [cache_offsets]",
    .inputs = {[CACHE] = {"cache", false, "as --dtype says, rank 3 to 8"},
               [CACHE_SCALES] = {.name = "cache_scales"},
               [CACHE_OFFSETS] = {.name = "cache_offsets"},
               [SMOOTH_SCALES] = {.name = "smooth_scales"}},
    .aliases = {{CACHE_SCALES, "cache_scale"},
                {CACHE_OFFSETS, "cache_offset"},
                {SMOOTH_SCALES, "smooth_scale"}},
    .options = {[DTYPE] = {"dtype", operator_found_types, NULL, "what cache holds; needed where it is U8"},
                [STRICT] = OPERATOR_STRICT},
    .adjust = adjust,
    .library = &library,
    .plan = plan,
    .record = operator_record_dynamic,
    .recalls = true,
};
