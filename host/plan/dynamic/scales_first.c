/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/scales_first.h"

void clq__scales_first_describe(struct clq__scales_first *call, const struct clq__checked_call *checked)
{
    call->checked = *checked;
    call->checked.found = !checked->by_quotient;
    call->checked.divide = checked->by_quotient;
    call->checked.placed = false;
    clq__scales_describe(&call->scales, checked);
    clq__static_describe_checked(&call->quantized, &call->checked);
}

int64_t clq__scales_first_cut(struct clq__scales_first *call, const struct clq__checked_call *checked,
                              struct clq__launches *finds, struct clq__launches *quantizes,
                              const struct clq__traits *traits)
{
    clq__static_cut_launches(&call->quantized, quantizes, traits);
    return clq__scales_cut(&call->scales, checked, finds, traits);
}
