/* SPDX-License-Identifier: Apache-2.0 */
/* clq_find_scales from described kernels to its launches. */
#include "plan/find_scales.h"

enum { FOUND_RANGES = 1, FINISHED_RANGES = 0 }; /* the arguments of find and finish */

static void place_buffers(struct clq__scales_call *call, const struct clq__scales_work *work)
{
    cl_mem *found = call->find.buffers, *finished = call->finish.buffers;

    found[0] = call->find.groups > 0 ? work->x.tensor->data : NULL;
    found[2] = finished[1] = work->scales.tensor->data;
    found[3] = finished[2] = work->zero_points.tensor != NULL ? work->zero_points.tensor->data : NULL;
    found[FOUND_RANGES] = finished[FINISHED_RANGES] = NULL;
}

/* Where no range is needed, find is the only kernel; where x is empty, finish. */
void clq__scales_launches(struct clq__scales_call *call, const struct clq__scales_work *work,
                          const struct clq__traits *traits)
{
    struct clq__launches *launches = &call->launches;

    clq__scales_describe(call, work, *traits);
    clq__variant_end(&call->find.variant, traits);
    clq__variant_end_form(&call->finish.variant, traits, call->finish_group);
    place_buffers(call, work);
    clq__launches_init(launches);
    launches->kernel = call->finish.groups > 0 ? call->finish : call->find;
    if (call->find.groups == 0 || call->finish.groups == 0)
        return;
    *clq__launches_add(launches) = call->find;
    clq__launches_scratch(launches, call->ranges, 2 * sizeof(uint32_t), FOUND_RANGES, FINISHED_RANGES);
}
