/* SPDX-License-Identifier: Apache-2.0 */
/* A case as a call of its operator, and as one of the reference. */
#include "dynamic.h"
#include "scatter_case.h"

struct clq_quantize_scatter_desc scatter_desc_of(const struct scatter_tensors *t,
                                                 const struct scatter_case *c)
{
    return (struct clq_quantize_scatter_desc){
        .input = c->copies ? &t->input.dl : NULL,
        .cache = &t->cache.dl,
        .indices = &t->indices.dl,
        .updates = &t->updates.dl,
        .scales = &t->scales.dl,
        .zero_points = c->has_zero_points ? &t->zero_points.dl : NULL,
        .report = t->report,
        .report_offset_bytes = t->report_offset,
        .workspace = t->workspace,
        .workspace_offset_bytes = t->workspace_offset,
        .axis = described_axis(c->axis),
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
        .round_first = c->round_first && reference_is_whole(c->cache.type),
        .out_of_range = c->range,
        .unique = c->unique,
        .index_kind = c->slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE,
    };
}

struct clq_dynamic_quantize_scatter_desc dynamic_scatter_desc_of(const struct scatter_tensors *t,
                                                                 const struct scatter_case *c)
{
    return (struct clq_dynamic_quantize_scatter_desc){
        .cache = &t->cache.dl,
        .cache_scales = &t->cache_scale.dl,
        .cache_offsets = c->symmetric ? NULL : &t->cache_offset.dl,
        .indices = &t->indices.dl,
        .updates = &t->updates.dl,
        .smooth_scales = c->has_scales ? &t->scales.dl : NULL,
        .report = t->report,
        .report_offset_bytes = t->report_offset,
        .workspace = t->workspace,
        .workspace_offset_bytes = t->workspace_offset,
        .axis = described_axis(c->axis),
        .symmetric = c->symmetric,
        .out_of_range = c->range,
        .unique = c->unique,
        .index_kind = c->slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE,
        .rotate = c->rotate,
    };
}

clq_status scatter_call(const struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                        cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    if (c->dynamic) {
        const struct clq_dynamic_quantize_scatter_desc desc = dynamic_scatter_desc_of(t, c);

        return clq_dynamic_quantize_scatter(context, queue, &desc, num_wait, wait, done);
    } else {
        const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

        return clq_quantize_scatter(context, queue, &desc, num_wait, wait, done);
    }
}

clq_status scatter_build(const struct scatter_tensors *t, const struct scatter_case *c, clq_context *context)
{
    if (c->dynamic) {
        const struct clq_dynamic_quantize_scatter_desc desc = dynamic_scatter_desc_of(t, c);

        return clq_dynamic_quantize_scatter_build(context, &desc);
    } else {
        const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

        return clq_quantize_scatter_build(context, &desc);
    }
}

clq_status scatter_workspace(const struct scatter_tensors *t, const struct scatter_case *c,
                             clq_context *context, size_t *size_bytes)
{
    if (c->dynamic) {
        const struct clq_dynamic_quantize_scatter_desc desc = dynamic_scatter_desc_of(t, c);

        return clq_dynamic_quantize_scatter_workspace(context, &desc, size_bytes);
    } else {
        const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

        return clq_quantize_scatter_workspace(context, &desc, size_bytes);
    }
}

clq_status scatter_check_indices(const struct scatter_tensors *t, const struct scatter_case *c,
                                 clq_context *context, cl_command_queue queue, cl_uint num_wait,
                                 const cl_event *wait)
{
    if (c->dynamic) {
        const struct clq_dynamic_quantize_scatter_desc desc = dynamic_scatter_desc_of(t, c);

        return clq_dynamic_quantize_scatter_check_indices(context, queue, &desc, num_wait, wait);
    } else {
        const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

        return clq_quantize_scatter_check_indices(context, queue, &desc, num_wait, wait);
    }
}

static struct reference_report apply_dynamic(const struct scatter_tensors *t, const struct scatter_case *c,
                                             const struct reference_tensor *cache,
                                             const struct reference_tensor *indices,
                                             const struct reference_tensor *updates)
{
    const struct reference_tensor scale = tensor_reference(&t->cache_scale, t->cache_scale.image);
    const struct reference_tensor offset = tensor_reference(&t->cache_offset, t->cache_offset.image);
    const struct reference_tensor smooth = tensor_reference(&t->scales, t->scales.image);

    return reference_dynamic_quantize_scatter(
        &(struct reference_dynamic_quantize_scatter_desc){.cache = cache,
                                                          .cache_scale = &scale,
                                                          .cache_offset = c->symmetric ? NULL : &offset,
                                                          .indices = indices,
                                                          .updates = updates,
                                                          .smooth_scale = c->has_scales ? &smooth : NULL,
                                                          .axis = c->axis,
                                                          .symmetric = c->symmetric,
                                                          .range = (enum reference_range)c->range,
                                                          .slots = c->slots,
                                                          .rotate = c->rotate});
}

struct reference_report scatter_tensors_apply(const struct scatter_tensors *t, const struct scatter_case *c)
{
    const struct reference_tensor cache = tensor_reference(&t->cache, t->cache.image);
    const struct reference_tensor indices = tensor_reference(&t->indices, t->indices.image);
    const struct reference_tensor updates = tensor_reference(&t->updates, t->updates.image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image);
    const struct reference_tensor zero_points = tensor_reference(&t->zero_points, t->zero_points.image);
    const struct reference_tensor input = tensor_reference(&t->input, t->input.image);

    if (c->dynamic)
        return apply_dynamic(t, c, &cache, &indices, &updates);
    if (c->copies)
        reference_copy(&input, &cache);
    return reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = &cache,
        .indices = &indices,
        .updates = &updates,
        .scales = &scales,
        .zero_points = c->has_zero_points ? &zero_points : NULL,
        .axis = c->axis,
        .multiply = c->multiply,
        .round_first = c->round_first && reference_is_whole(c->cache.type),
        .range = (enum reference_range)c->range,
        .slots = c->slots,
    });
}

struct reference_report scatter_tensors_expect(struct scatter_tensors *t, const struct scatter_case *c,
                                               int filling)
{
    const struct parts parts = scatter_parts(t, c);

    parts_fill_images(&parts, filling);
    return scatter_tensors_apply(t, c);
}
