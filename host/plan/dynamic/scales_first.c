/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/scales_first.h"

void clq__apart_describe(struct clq__apart *call, const struct clq__work *work)
{
    call->work = *work;
    call->work.found = !work->by_quotient;
    call->work.divide = work->by_quotient;
    call->work.placed = false;
    clq__scales_describe(&call->scales, work);
    clq__static_describe_work(&call->quantized, &call->work);
}

int64_t clq__apart_cut(struct clq__apart *call, const struct clq__work *work, struct clq__launches *finds,
                       struct clq__launches *quantizes, const struct clq__traits *traits)
{
    clq__static_cut_launches(&call->quantized, quantizes, traits);
    return clq__scales_cut(&call->scales, work, finds, traits);
}
