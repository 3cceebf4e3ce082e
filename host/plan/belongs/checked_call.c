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

void clq__checked_init(struct clq__checked_call *checked, const struct clq__names *names)
{
    checked->names = names;
    init_parameter(&checked->scale);
    init_parameter(&checked->zero_point);
    clq__placement_init(&checked->placement, "indices");
    clq__placement_init(&checked->source, "src_indices");
    checked->in_place = checked->unique = false;
    checked->axis = 0;
    checked->block = checked->block_before = 0;
    checked->top = 0.0f;
    checked->rotate = 0;
    checked->rule.kind = 0;
    checked->scale_pair = 0;
    checked->by_quotient = false;
    checked->most_scale = INFINITY;
    checked->divide = checked->round_first = checked->back = checked->add = checked->placed = checked->found =
        false;
    checked->by_both = false;
    checked->scales_first = checked->cuts_gaps = checked->smooth_rows = false;
    clq__view_init_absent(&checked->input, "input");
    clq__view_init_absent(&checked->global_scale, "global_scale");
}

clq_status clq__check_input(struct clq__checked_call *checked, const DLTensor *tensor)
{
    clq_status status = CLQ_OK;
    struct clq__view *input = &checked->input;

    if (tensor == NULL)
        goto end;
    CLQ_TRY(clq__view_init(input, input->name, tensor, CLQ__SET(checked->y.type)));
    CLQ_TRY(clq__view_check_alike(input, &checked->y));
    CLQ_REQUIRE(input->lanes == checked->y.lanes, CLQ_ERROR_TYPE,
                "%s.dtype has %d lanes: it must have those of %s, %d", input->name, input->lanes,
                checked->y.name, checked->y.lanes);
end:
    return status;
}

clq_status clq__check_round_first(struct clq__checked_call *checked, uint32_t round_first)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(round_first == 0 || clq__type_is(checked->y.type, CLQ__WHOLE), CLQ_ERROR_VALUE,
                "round_first is 1: it must be 0 where %s.dtype is %s, which is not whole", checked->y.name,
                clq__type_name(checked->y.type));
    checked->round_first = round_first != 0;
end:
    return status;
}

float clq__checked_top(const struct clq__checked_call *checked)
{
    const enum clq__type type = checked->y.type;

    return checked->top > 0.0f ? checked->top : (float)(clq__type_middle(type) + (int)clq__type_steps(type));
}

/* The whole blocks of a dimension, or what is behind them; false where there is nothing. */
static bool share(int64_t size, int64_t block, bool rest, struct clq__range *range)
{
    const int64_t behind = size % block;

    *range =
        rest ? (struct clq__range){size - behind, behind, 1} : (struct clq__range){0, block, size / block};
    return !rest || behind > 0;
}

int clq__checked_cut(const struct clq__checked_call *checked, bool axis, bool before,
                     struct clq__ranges ranges[CLQ__MOST_RANGES])
{
    const int64_t *shape = checked->x.shape;
    int count = 0;

    for (int b = 0; b <= before; b++)
        for (int a = 0; a <= axis; a++) {
            struct clq__ranges *next = &ranges[count];

            *next = (struct clq__ranges){0};
            if ((!axis || share(shape[checked->axis], checked->block, a > 0, &next->axis)) &&
                (!before || share(shape[checked->axis - 1], checked->block_before, b > 0, &next->before)))
                count++;
        }
    return count;
}

bool clq__checked_widens_smooth(const struct clq__checked_call *checked)
{
    const struct clq__view *smooth = &checked->smooth;

    return smooth->tensor != NULL && (smooth->type != CLQ__F32 || !clq__view_is_dense(smooth));
}
