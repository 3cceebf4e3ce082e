/* SPDX-License-Identifier: Apache-2.0 */
/* Building variants by their names. */
#include "plan/ahead.h"

#include "args/claim.h"
#include "args/copy.h"
#include "args/dynamic_quantize.h"
#include "args/find_scales.h"
#include "args/finish_scales.h"
#include "args/move_rows.h"
#include "args/places.h"
#include "args/quantize.h"
#include "args/values.h"
#include "args/widen.h"
#include "base/error.h"
#include "runtime/variants.h"

/* The launch for which a driver may compile: the cuts say the same of a call (tests/seam compares them). */
static const struct shape {
    unsigned num_buffers, items; /* work-items in a group, at most; of a CPU's own kernels one */
    size_t args_bytes;
} shapes[CLQ__KERNELS] = {
    [CLQ__CLAIM_CL] = {3, 64, sizeof(struct claim_args)},
    [CLQ__CONVERT_ROWS_CL] = {6, 128, sizeof(struct move_rows_args)},
    [CLQ__COPY_CL] = {2, 128, sizeof(struct copy_args)},
    [CLQ__CPU_CLAIM_CL] = {3, 1, sizeof(struct claim_args)},
    [CLQ__CPU_DEQUANTIZE_CL] = {7, 1, sizeof(struct quantize_args)},
    [CLQ__CPU_DEQUANTIZE_BLOCKS_CL] = {7, 1, sizeof(struct dynamic_quantize_args)},
    [CLQ__CPU_DEQUANTIZE_ROTATED_CL] = {7, 1, sizeof(struct dynamic_quantize_args)},
    [CLQ__CPU_DYNAMIC_QUANTIZE_CL] = {8, 1, sizeof(struct dynamic_quantize_args)},
    [CLQ__CPU_FIND_SCALES_CL] = {4, 1, sizeof(struct find_scales_args)},
    [CLQ__CPU_QUANTIZE_BLOCKS_CL] = {8, 1, sizeof(struct dynamic_quantize_args)},
    [CLQ__CPU_QUANTIZE_CL] = {7, 1, sizeof(struct quantize_args)},
    [CLQ__CPU_QUANTIZE_RULE_CL] = {8, 1, sizeof(struct dynamic_quantize_args)},
    [CLQ__DEQUANTIZE_CL] = {7, 128, sizeof(struct quantize_args)},
    [CLQ__DEQUANTIZE_BLOCKS_CL] = {7, 128, sizeof(struct dynamic_quantize_args)},
    [CLQ__DEQUANTIZE_ROTATED_CL] = {7, 128, sizeof(struct dynamic_quantize_args)},
    [CLQ__DYNAMIC_QUANTIZE_CL] = {8, 128, sizeof(struct dynamic_quantize_args)},
    [CLQ__FIND_SCALES_CL] = {4, CLQ_FIND_LANES, sizeof(struct find_scales_args)},
    [CLQ__FINISH_SCALES_CL] = {3, CLQ_FINISH_LANES, sizeof(struct finish_scales_args)},
    [CLQ__MOVE_ROWS_CL] = {6, 128, sizeof(struct move_rows_args)},
    [CLQ__PLACES_CL] = {5, 64, sizeof(struct places_args)},
    [CLQ__QUANTIZE_BLOCKS_CL] = {8, 128, sizeof(struct dynamic_quantize_args)},
    [CLQ__QUANTIZE_RULE_CL] = {8, 128, sizeof(struct dynamic_quantize_args)},
    [CLQ__QUANTIZE_CL] = {7, 128, sizeof(struct quantize_args)},
    [CLQ__VALUES_CL] = {3, 128, sizeof(struct values_args)},
    [CLQ__WIDEN_CL] = {2, 64, sizeof(struct widen_args)},
};

/* Claims and places are many small things on any device; widen.cl has no FORM, and that of the device. */
static bool takes_groups(const struct clq__variant *variant, const struct clq__traits *traits)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__CLAIM_CL || kernel == CLQ__PLACES_CL ||
           (kernel == CLQ__WIDEN_CL && traits->group_form) || clq__variant_value(variant, CLQ__FORM) == 1;
}

struct clq__launch clq__launch_ahead(const struct clq__variant *variant, const struct clq__traits *traits)
{
    const struct shape *shape = &shapes[variant->bits & 255];

    return (struct clq__launch){
        .variant = *variant,
        .num_buffers = shape->num_buffers,
        .args_bytes = shape->args_bytes,
        .local = takes_groups(variant, traits) ? (size_t)clq__group_items(traits, shape->items) : 1};
}

/* In groups that the kernel takes, which may be known once it is built. */
static clq_status build(void *user, const struct clq__variant *variant)
{
    clq_context *context = user;
    clq_status status;
    size_t limit;

    do {
        const struct clq__traits traits = clq__traits(context);
        const struct clq__launch launch = clq__launch_ahead(variant, &traits);

        limit = clq__group_limit(context);
        status = clq__launch_build(context, &launch);
    } while (clq__is_to_cut_again(context, status, limit));
    return status;
}

clq_status clq_context_build(clq_context *context, size_t num_variants, const char *const *variants)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(num_variants == 0 || variants != NULL, CLQ_ERROR_NULL,
                "variants is NULL: it must have %zu texts", num_variants);
    for (size_t i = 0; i < num_variants; i++) {
        CLQ_REQUIRE(variants[i] != NULL, CLQ_ERROR_NULL, "variants[%zu] is NULL: it must be a text", i);
        CLQ_TRY(clq__variants_of(context, variants[i], build, context));
    }
end:
    return status;
}
