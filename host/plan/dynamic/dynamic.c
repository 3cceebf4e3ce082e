/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization from what was checked to what is launched: which way it goes. */
#include "plan/dynamic/dynamic.h"

#include "plan/dynamic/block_scale_rule.h"
#include "plan/plan.h"

/* For an x without elements there may be scales and offsets: those of a row of none. */
bool clq__dynamic_describe(struct clq__plan *plan)
{
    struct clq__dynamic *call = &plan->of_dynamic;

    call->checked = &plan->checked;
    if (plan->checked.x.elements == 0)
        return plan->checked.scales_first && clq__scales_describe(&call->scales_first.scales, call->checked);
    if (clq__values_needed(&plan->checked)) {
        clq__values_describe(&call->values, &plan->checked);
        call->checked = &call->values.checked;
    }
    if (call->checked->scales_first) {
        clq__scales_first_describe(&call->scales_first, call->checked);
        return true;
    }
    if (call->checked->rule.kind != 0 &&
        (call->checked->scale_pair != 0 || call->checked->axis != call->checked->x.rank - 1))
        clq__rule_describe(&call->rows, call->checked);
    else
        clq__rows_describe(&call->rows, call->checked);
    return true;
}

static struct clq__launches *add_ahead(struct clq__plan *plan)
{
    struct clq__launches *ahead = &plan->ahead[plan->num_ahead++];

    clq__launches_init(ahead, &plan->temporaries);
    return ahead;
}

static void more_rounds(struct clq__plan *plan, int64_t rounds)
{
    if (rounds > plan->rounds)
        plan->rounds = rounds;
}

void clq__dynamic_cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    struct clq__dynamic *call = &plan->of_dynamic;
    const bool values = call->checked != &plan->checked;

    if (plan->checked.x.elements == 0) {
        more_rounds(plan,
                    clq__scales_cut(&call->scales_first.scales, call->checked, &plan->launches, traits));
        return;
    }
    if (values)
        more_rounds(plan, clq__values_cut(&call->values, &plan->checked, add_ahead(plan), traits));
    if (call->checked->scales_first) {
        struct clq__launches *finds = add_ahead(plan);

        more_rounds(
            plan, clq__scales_first_cut(&call->scales_first, call->checked, finds, &plan->launches, traits));
        if (values)
            clq__values_read(&call->values, finds);
    } else {
        more_rounds(plan, clq__rows_cut(&call->rows, call->checked, &plan->launches, traits));
    }
    if (values)
        clq__values_read(&call->values, &plan->launches);
}
