/* SPDX-License-Identifier: Apache-2.0 */
/* clquant quantize_scatter: updates quantized and written into a cache. */
#include "operator.h"

enum { CACHE };
enum { DTYPE, STRICT };

static bool plan(struct operator_call *call)
{
    if (!operator_type_held(call, CACHE, DTYPE, true))
        return false;
    operator_add_output_in_place(call, CACHE);
    return true;
}

OPERATOR_CALLS(quantize_scatter)
OPERATOR_CHECK_INDICES(quantize_scatter)
static const struct operator_library library = {"quantize_scatter", check, run, check_indices};

const struct operator_description quantize_scatter_operator = {
    .name = "quantize_scatter",
    .summary = "Quantizes updates and writes entry i of them where indices[i] says, in cache.",
    .formula = "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"
               "  cache[b, .., s : s+U on axis, ..] =\n"
               "      sat(rint(updates[i] / scales + zero_points))\n"
               "  where entries overlap the last wins; with mode multiply updates[i] * scales",
    .outputs = "cache",
    .inputs = {[CACHE] = {"cache", false, "as --dtype says, rank 2 to 8"}},
    .options = {[DTYPE] = {"dtype", operator_cached_types, NULL, "what cache holds; needed where it is U8"},
                [STRICT] = OPERATOR_STRICT},
    .without = (const char *const[]){"input", NULL}, /* the command works in place */
    .library = &library,
    .plan = plan,
    .record = operator_record_static,
    .recalls = true,
};
