/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/belongs/checked_call.h"

#include "base/error.h"

#include <math.h>

static void init_parameter(struct clq__parameter *parameter)
{
    for (int d = 0; d < CLQ__MAX_RANK; d++) {
        parameter->stride[d] = 0;
        parameter->block[d] = 1;
    }
    parameter->row_stride = 0;
    parameter->flatten = false;
}

void clq__work_init(struct clq__work *work, const struct clq__names *names)
{
    work->names = names;
    init_parameter(&work->scale);
    init_parameter(&work->zero_point);
    clq__placement_init(&work->placement, "indices");
    clq__placement_init(&work->source, "src_indices");
    work->in_place = work->unique = false;
    work->axis = 0;
    work->block = work->block_before = 0;
    work->top = 0.0f;
    work->rotate = 0;
    work->rule = 0;
    work->scale_pair = 0;
    work->by_quotient = false;
    work->most_scale = INFINITY;
    work->divide = work->round_first = work->back = work->add = work->placed = work->found = false;
    work->by_both = false;
    work->apart = work->cuts_gaps = work->smooth_rows = false;
    clq__view_init_absent(&work->input, "input");
    clq__view_init_absent(&work->global_scale, "global_scale");
}

clq_status clq__work_check_input(struct clq__work *work, const DLTensor *tensor)
{
    clq_status status = CLQ_OK;
    struct clq__view *input = &work->input;

    if (tensor == NULL)
        goto end;
    CLQ_TRY(clq__view_init(input, input->name, tensor, CLQ__SET(work->y.type)));
    CLQ_TRY(clq__view_check_alike(input, &work->y));
    CLQ_REQUIRE(input->lanes == work->y.lanes, CLQ_ERROR_TYPE,
                "%s.dtype has %d lanes: it must have those of %s, %d", input->name, input->lanes,
                work->y.name, work->y.lanes);
end:
    return status;
}

clq_status clq__work_check_round_first(struct clq__work *work, uint32_t round_first)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(round_first == 0 || clq__type_is(work->y.type, CLQ__WHOLE), CLQ_ERROR_VALUE,
                "round_first is 1: it must be 0 where %s.dtype is %s, which is not whole", work->y.name,
                clq__type_name(work->y.type));
    work->round_first = round_first != 0;
end:
    return status;
}

float clq__work_top(const struct clq__work *work)
{
    const enum clq__type type = work->y.type;

    return work->top > 0.0f ? work->top : (float)(clq__type_middle(type) + (int)clq__type_steps(type));
}

/* The whole blocks of a dimension, or what is behind them; false where there is nothing. */
static bool share(int64_t size, int64_t block, bool rest, struct clq__range *range)
{
    const int64_t behind = size % block;

    *range =
        rest ? (struct clq__range){size - behind, behind, 1} : (struct clq__range){0, block, size / block};
    return !rest || behind > 0;
}

int clq__work_cut(const struct clq__work *work, bool axis, bool before,
                  struct clq__ranges ranges[CLQ__MOST_RANGES])
{
    const int64_t *shape = work->x.shape;
    int count = 0;

    for (int b = 0; b <= before; b++)
        for (int a = 0; a <= axis; a++) {
            struct clq__ranges *next = &ranges[count];

            *next = (struct clq__ranges){0};
            if ((!axis || share(shape[work->axis], work->block, a > 0, &next->axis)) &&
                (!before || share(shape[work->axis - 1], work->block_before, b > 0, &next->before)))
                count++;
        }
    return count;
}

bool clq__work_widens_smooth(const struct clq__work *work)
{
    const struct clq__view *smooth = &work->smooth;

    return smooth->tensor != NULL && (smooth->type != CLQ__F32 || !clq__view_is_dense(smooth));
}
