/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/block_scale_rule.h"

#include "base/error.h"
#include "base/float_bits.h"
#include "base/fold.h"
#include "plan/shares/divisor.h"

#include <clquant/dynamic_quantize.h>

_Static_assert((int)CLQ_MX_FLOOR == CLQ_RULE_MX_FLOOR && (int)CLQ_MX_EVEN == CLQ_RULE_MX_EVEN &&
                   (int)CLQ_MX_CEIL == CLQ_RULE_MX_CEIL && (int)CLQ_MX_RCEIL == CLQ_RULE_MX_RCEIL &&
                   (int)CLQ_NVFP4 == CLQ_RULE_NVFP4,
               "args/rules.h has the numbers of the header");

enum { MX_BLOCK = 32, NVFP4_BLOCK = 16 };
enum { X, Y, SCALE }; /* the tensors of the fold */

static unsigned types_of(uint32_t rule)
{
    const unsigned four_bits = CLQ__SET(CLQ__E2M1);

    return rule == CLQ_RULE_NVFP4 ? four_bits : four_bits | CLQ__SET(CLQ__E4M3) | CLQ__SET(CLQ__E5M2);
}

static clq_status check_global_scale(struct clq__view *view, const DLTensor *global_scale)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init_optional(view, "global_scale", global_scale, CLQ__SET(CLQ__F32)));
    CLQ_REQUIRE(view->tensor == NULL || view->elements == 1, CLQ_ERROR_SHAPE,
                "global_scale has %lld elements: it must have 1", (long long)view->elements);
end:
    return status;
}

clq_status clq__rule_check(struct clq__checked_call *checked, const struct clq__dynamic_tensors *tensors)
{
    clq_status status = CLQ_OK;
    const uint32_t rule = tensors->rule.kind;
    char names[CLQ__NAMES_TEXT];

    checked->rule.kind = 0;
    CLQ_REQUIRE(tensors->global_scale == NULL || rule == CLQ_RULE_NVFP4, CLQ_ERROR_VALUE,
                "global_scale is given: it must be NULL but with scale_rule CLQ_NVFP4 (%d)", CLQ_RULE_NVFP4);
    CLQ_REQUIRE(tensors->rule.least == 0.0f || rule != 0, CLQ_ERROR_VALUE,
                "least is %g: it must be 0 but with scale_rule", (double)tensors->rule.least);
    if (rule == 0)
        goto end;
    CLQ_REQUIRE(clq__type_is(checked->y.type, types_of(rule)), CLQ_ERROR_TYPE,
                "%s.dtype is %s: with scale_rule %u it must be %s", checked->y.name,
                clq__type_name(checked->y.type), rule, clq__type_names(types_of(rule), names, sizeof names));
    CLQ_REQUIRE(tensors->blocks.all == 0, CLQ_ERROR_VALUE,
                "block_all is %u: with scale_rule it must be 0, for its scales are of blocks",
                tensors->blocks.all);
    CLQ_REQUIRE(tensors->blocks.before == 0, CLQ_ERROR_VALUE,
                "block_before is %u: with scale_rule it must be 0", tensors->blocks.before);
    CLQ_REQUIRE(tensors->group_index == NULL, CLQ_ERROR_VALUE,
                "group_index is given: with scale_rule it must be NULL");
    CLQ_REQUIRE(tensors->top == 0.0f, CLQ_ERROR_VALUE,
                "type_max is %g: with scale_rule it must be 0, for the rule says the scale",
                (double)tensors->top);
    CLQ_TRY(check_global_scale(&checked->global_scale, tensors->global_scale));
    checked->rule = tensors->rule;
end:
    return status;
}

clq_status clq__global_scale_check(struct clq__checked_call *checked, const DLTensor *global_scale)
{
    clq_status status = CLQ_OK;
    const struct clq__view *scales = &checked->scale.view;

    if (global_scale == NULL)
        goto end;
    CLQ_REQUIRE(checked->y.type == CLQ__E2M1, CLQ_ERROR_TYPE,
                "%s.dtype is %s: with global_scale it must be %s", checked->y.name,
                clq__type_name(checked->y.type), clq__type_name(CLQ__E2M1));
    CLQ_REQUIRE(scales->type == CLQ__E4M3, CLQ_ERROR_TYPE, "%s.dtype is %s: with global_scale it must be %s",
                scales->name, clq__type_name(scales->type), clq__type_name(CLQ__E4M3));
    CLQ_REQUIRE(checked->zero_point.view.tensor == NULL, CLQ_ERROR_VALUE,
                "%s is given: with global_scale it must be NULL", checked->zero_point.view.name);
    CLQ_TRY(check_global_scale(&checked->global_scale, global_scale));
end:
    return status;
}

void clq__global_scale_take(struct clq__checked_call *checked)
{
    if (checked->global_scale.tensor == NULL)
        return;
    checked->zero_point = checked->scale;
    checked->scale = (struct clq__parameter){.view = checked->global_scale};
    for (int d = 0; d < CLQ__MAX_RANK; d++)
        checked->scale.block[d] = 1;
    checked->by_both = true;
    checked->add = false;
}

unsigned clq__rule_scale_types(const struct clq__checked_call *checked)
{
    return CLQ__SET(checked->rule.kind == CLQ_RULE_NVFP4 ? CLQ__E4M3 : CLQ__E8M0);
}

struct clq__blocks clq__rule_blocks(const struct clq__checked_call *checked, const struct clq__blocks *given)
{
    struct clq__blocks blocks = *given;

    if (checked->rule.kind != 0 && blocks.block == 0)
        blocks.block = checked->rule.kind == CLQ_RULE_NVFP4 ? NVFP4_BLOCK : MX_BLOCK;
    return blocks;
}

clq_status clq__rule_check_layout(struct clq__checked_call *checked)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(
        !checked->cuts_gaps, CLQ_ERROR_VALUE,
        "block is %lld: along the last dimension of %s it must be a multiple of %d, for its words do not "
        "follow one another",
        (long long)checked->block, clq__type_name(checked->y.type), checked->y.lanes);
    checked->scales_first = checked->cuts_gaps = false;
end:
    return status;
}

void clq__rule_fill(struct dynamic_quantize_args *args, const struct clq__scale_rule *rule)
{
    args->rule = rule->kind;
    args->least = rule->kind != 0 ? clq__float_bits(rule->least) : 0;
}

/* Dimension d, its size in units of y. Elements that share a byte are rows together. */
static void add(struct clq__fold *fold, const struct clq__checked_call *checked, int d)
{
    const struct clq__view *y = &checked->y;
    const bool last = d == y->rank - 1;
    const int64_t elements = last ? clq__view_in_unit(y) : 1, size = checked->x.shape[d] / elements,
                  step = last ? clq__view_unit_step(y) : clq__view_step_units(y, size, y->stride[d]);

    clq__fold_add(fold, false, size,
                  (int64_t[CLQ__FOLD_TENSORS]){elements * checked->x.stride[d], step,
                                               elements * checked->scale.stride[d]});
}

/* From the scale of the first block to that of another one. */
static int64_t scale_at(const struct clq__checked_call *checked, int64_t block)
{
    const int64_t step = checked->scale.stride[checked->axis];

    return checked->scale_pair == 0 ? block * step : block / 2 * step + block % 2 * checked->scale_pair;
}

/* Blocks of a range; where scales lie in pairs an even number of them, or one. */
static void add_blocks(struct clq__fold *fold, const struct clq__checked_call *checked,
                       const struct clq__range *range, int64_t x_step, int64_t y_step)
{
    const bool pairs = checked->scale_pair != 0 && range->blocks > 1;
    const int64_t step = checked->scale.stride[checked->axis], in_pair = pairs ? 2 : 1;

    if (pairs)
        clq__fold_add(
            fold, false, 2,
            (int64_t[CLQ__FOLD_TENSORS]){range->size * x_step, range->size * y_step, checked->scale_pair});
    clq__fold_add(
        fold, false, range->blocks / in_pair,
        (int64_t[CLQ__FOLD_TENSORS]){in_pair * range->size * x_step, in_pair * range->size * y_step, step});
}

/* A range of blocks, of which the first one has a number. */
static void describe_part(struct dynamic_quantize_args *args, const struct clq__checked_call *checked,
                          const struct clq__range *range, int64_t number)
{
    const struct clq__view *x = &checked->x, *y = &checked->y;
    const int axis = checked->axis, last = x->rank - 1;
    const bool shares = clq__view_shares_bytes(y), along = axis == last, across = shares && !along;
    /* units of y, and the elements in them */
    const int64_t elements = along ? clq__view_in_unit(y) : 1, size = range->size / elements;
    const int64_t x_step = elements * x->stride[axis],
                  y_step = along ? clq__view_unit_step(y) : clq__view_units(y, y->stride[axis]);
    const struct clq__range units = {range->first / elements, size, range->blocks};
    struct clq__fold fold = {.dims = 0};

    for (int d = last; d >= 0; d--)
        if (d != axis && x->shape[d] != 1)
            add(&fold, checked, d);
    add_blocks(&fold, checked, &units, x_step, y_step);
    clq__fold_sort(&fold, 0, Y);
    clq__fold_merge(&fold);
    *args = (struct dynamic_quantize_args){.x_offset = clq__view_offset_units(x) + units.first * x_step,
                                           .y_offset = clq__view_offset_units(y) + units.first * y_step,
                                           .scale_offset = clq__view_offset_units(&checked->scale.view) +
                                                           scale_at(checked, number),
                                           .x_stride = x_step,
                                           .x_pair = shares ? x->stride[last] : 0,
                                           .y_stride = y_step,
                                           .inner = size,
                                           .y_segment = size,
                                           .by_y_segment = clq__divisor(size > 0 ? size : 1),
                                           .rows = clq__fold_count(&fold, 0),
                                           .outer = (uint32_t)fold.dims,
                                           .symmetric = 1,
                                           .per_scale = across,
                                           .next_scale = across ? checked->scale.stride[last] : 0,
                                           .by_per_scale = clq__divisor(1),
                                           .scale_type = (uint32_t)checked->scale.view.type,
                                           .offset_type = (uint32_t)checked->global_scale.type,
                                           .offset_offset = clq__view_offset_units(&checked->global_scale)};
    clq__rule_fill(args, &checked->rule);
    for (int d = 0; d < fold.dims; d++)
        args->dim[d] = (struct clq_dim){.size = fold.dim[d].size,
                                        .x = fold.dim[d].stride[X],
                                        .y = fold.dim[d].stride[Y],
                                        .scale = fold.dim[d].stride[SCALE]};
    clq__divide_dims(args->dim, args->outer);
}

void clq__rule_describe(struct clq__rows *call, const struct clq__checked_call *checked)
{
    const int64_t size = checked->x.shape[checked->axis], block = checked->block, whole = size / block,
                  rest = size % block, blocks = clq__blocks_of(size, block),
                  together = checked->scale_pair != 0 ? whole / 2 * 2 : whole;
    /* a rest of no element is the scale that fills the last pair */
    const struct {
        struct clq__range range;
        int64_t number;
    } parts[] = {{{0, block, together}, 0},
                 {{together * block, block, whole - together}, together},
                 {{size - rest, rest, rest > 0}, whole},
                 {{0, 0, checked->scale_pair != 0 && blocks % 2 != 0}, blocks}};

    call->num_parts = 0;
    for (size_t i = 0; i < CLQ_COUNT(parts); i++)
        if (parts[i].range.blocks > 0)
            describe_part(&call->parts[call->num_parts++], checked, &parts[i].range, parts[i].number);
}
