/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization from a described call to its launches, for a device of given traits. */
#include "plan/plan.h"
#include "plan/shares/divisor.h"
#include "plan/shares/slice.h"
#include "plan/shares/steps.h"
#include "plan/shares/tiles.h"
#include "plan/shares/tuning.h"

enum { NUM_BUFFERS = 7 }; /* x, scales, zero points, y, indices, owners, report */

static void choose_variant(struct clq__variant *variant, const struct clq__static *call)
{
    const struct clq__checked_call *checked = call->checked;
    const bool scales = call->scale.per_element, zero_points = call->zero_point.per_element;

    clq__variant_begin(variant, checked->back ? CLQ__DEQUANTIZE_CL : CLQ__QUANTIZE_CL);
    clq__variant_define(variant, CLQ__SRC, checked->back ? checked->y.type : checked->x.type);
    clq__variant_define(variant, CLQ__DST, checked->back ? checked->x.type : checked->y.type);
    clq__variant_define(variant, CLQ__MODE, checked->divide);
    clq__variant_define(variant, CLQ__PARAMS,
                        zero_points && !checked->back ? CLQ__PARAMS_BOTH
                        : scales                      ? CLQ__PARAMS_EACH
                                                      : CLQ__PARAMS_ONE);
}

/* The kernel's buffers, and what is written for it first. */
static void place_buffers(struct clq__launches *launches, struct clq__static *call,
                          const struct clq__traits *traits)
{
    const struct clq__checked_call *checked = call->checked;
    const struct clq__source *sources[2] = {&call->scale, &call->zero_point};
    const struct clq__placement *placement = &checked->placement;
    struct quantize_args *first = &call->parts[0].args;
    int64_t *const offsets[2] = {&first->scale_offset, &first->zero_point_offset};
    cl_mem *buffers = launches->kernels[0].buffers;

    buffers[0] = clq__view_buffer(&checked->x);
    for (unsigned i = 0; i < 2; i++) {
        const struct clq__view *view = &sources[i]->parameter->view;

        buffers[1 + i] = clq__view_buffer(view);
        if (!sources[i]->widen)
            continue;
        struct widen_args *args =
            clq__launches_widen(launches, view, &sources[i]->from, call->repeats, traits, 1 + i, offsets[i]);

        args->sign = sources[i]->negate ? UINT32_C(1) << 31 : 0;
        args->invert = i > 0 ? 0 : clq__checked_keeps_zeros(checked) ? 2 : checked->found;
    }
    buffers[3] = clq__view_buffer(&checked->y);
    buffers[4] = clq__view_buffer(&placement->indices);
    buffers[5] = NULL;
    buffers[6] = placement->report.buffer;
    if (first->entries.owner_words > 0)
        clq__launches_claim(launches, placement, &first->entries, traits, 5);
}

/* Whether scales and zero points, where they differ along a row, are those of every row. */
static bool rows_share(const struct quantize_args *args)
{
    for (uint32_t d = 0; d < args->outer; d++)
        if (args->dim[d].scale != 0 || args->dim[d].zero_point != 0)
            return false;
    return true;
}

/* Whether as many are written as a row has, so that those of the next row follow: out of blocks they go on to
 * the end of the last one. */
static bool is_a_row(const struct clq__static *call, const struct clq__source *source)
{
    const int64_t elements = call->parts[0].args.inner * clq__view_in_unit(&call->checked->y);

    return !source->widen || !source->per_element || clq__fold_count(&source->from, 0) == elements;
}

/* To repeat scales takes a kernel more. */
static bool may_repeat(const struct clq__static *call)
{
    const struct quantize_args *args = &call->parts[0].args;

    return call->scale.per_element && args->entries.kind != CLQ_ENTRY_GROUPS && rows_share(args) &&
           is_a_row(call, &call->scale) && is_a_row(call, &call->zero_point) &&
           args->inner * call->parts[0].rows >= CLQ__JOIN_LEAST;
}

static void repeat_scales(struct clq__static *call, int64_t repeats)
{
    struct quantize_args *args = &call->parts[0].args;

    call->repeats = repeats;
    call->scale.widen = true;
    args->scale_offset = 0;
    args->scale_type = CLQ_SCALAR_F32;
    if (!call->zero_point.per_element)
        return;
    call->zero_point.widen = true;
    args->zero_point_offset = 0;
    args->zero_point_type = CLQ_SCALAR_F32;
}

/* For the kernels that a CPU has of its own. */
static void cut_tiles(struct clq__launch *kernel, struct clq__static *call, struct clq__part *part,
                      const struct clq__traits *traits)
{
    struct quantize_args *args = &part->args;
    const int64_t inner = args->inner; /* before rows are joined */
    const struct clq__joined joined = call->checked->back
                                          ? (struct clq__joined){1, 1}
                                          : clq__static_join(args, call->num_parts == 1 && may_repeat(call));

    if (joined.repeats > 1)
        repeat_scales(call, joined.repeats);
    args->period = inner * joined.repeats;
    clq__tiles_cut(args, part->rows / joined.rows, traits, kernel);
}

/* For the portable ones: sixteen bytes of x at once. */
static void cut_steps(struct clq__launch *kernel, const struct clq__static *call, struct clq__part *part,
                      const struct clq__traits *traits)
{
    const struct clq__checked_call *checked = call->checked;
    const int64_t elements = clq__view_in_unit(&checked->y);
    const int64_t bytes = (int64_t)clq__storage_bytes(checked->x.tensor->dtype);

    part->args.steps.scale = call->scale.per_element ? elements : 0;
    part->args.steps.zero_point = call->zero_point.per_element ? elements : 0;
    clq__steps_cut(&part->args, part->rows, 16 / bytes / elements, traits, kernel);
}

static void cut(struct clq__launch *kernel, struct clq__static *call, struct clq__part *part, bool own,
                const struct clq__traits *traits)
{
    if (own)
        cut_tiles(kernel, call, part, traits);
    else
        cut_steps(kernel, call, part, traits);
    clq__divide_dims(part->args.dim, part->args.outer);
    clq__divide_entries(&part->args.entries);
    kernel->args = &part->args;
    kernel->x_offset = &part->args.x_offset;
    if (!own)
        clq__slice_steps(kernel, traits->most);
}

void clq__static_cut_launches(struct clq__static *call, struct clq__launches *launches,
                              const struct clq__traits *traits)
{
    struct clq__launch *kernel = &launches->kernels[0];
    bool own;

    choose_variant(&kernel->variant, call);
    own = clq__variant_end(&kernel->variant, traits);
    kernel->num_buffers = NUM_BUFFERS;
    kernel->args_bytes = sizeof call->parts[0].args;
    cut(kernel, call, &call->parts[0], own, traits);
    place_buffers(launches, call, traits);
    for (int i = 1; i < call->num_parts; i++)
        cut(clq__launches_repeat(launches, &call->parts[i].args), call, &call->parts[i], own, traits);
}

void clq__static_cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    clq__static_cut_launches(&plan->of_static, &plan->launches, traits);
}
