/* SPDX-License-Identifier: Apache-2.0 */
/* The traits that calls are cut for, and the limits of the device. */
#include "runtime/launch.h"

#include "base/error.h"
#include "runtime/context.h"

size_t clq__group_limit(const clq_context *context)
{
    return atomic_load_explicit(&context->group_items, memory_order_relaxed);
}

bool clq__is_to_cut_again(const clq_context *context, clq_status status, size_t limit)
{
    return status == CL_INVALID_WORK_GROUP_SIZE && clq__group_limit(context) < limit;
}

struct clq__traits clq__traits(const clq_context *context)
{
    return (struct clq__traits){.group_form = context->device.group_form,
                                .max_group_items = clq__group_limit(context),
                                .compute_units = context->device.compute_units,
                                .long_runs = context->device.prefetch && context->device.native_arithmetic,
                                .subnormals = context->device.subnormals,
                                .fma = context->device.fma,
                                .division = context->device.division,
                                .ends_loops = context->device.ends_loops,
                                .most = CLQ__MOST_ROWS,
                                .plugs = {context->device_plugs[0], context->device_plugs[1]}};
}

int64_t clq__group_items(const struct clq__traits *traits, int64_t most)
{
    while (most > (int64_t)traits->max_group_items)
        most /= 2;
    return most;
}

clq_status clq__rounds_check(const clq_context *context, int64_t rounds, const char *name)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(!context->device.ends_loops || rounds <= CLQ__MOST_ROUNDS, CLQ_ERROR_DEVICE,
                "%s asks a work-item for about %lld rounds of its loops: it must be at most %d, for device "
                "\"%s\" ends "
                "longer ones without a word",
                name, (long long)rounds, CLQ__MOST_ROUNDS, context->device.name);
end:
    return status;
}
