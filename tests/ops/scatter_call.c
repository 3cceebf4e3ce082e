/* A case as a call of its operator, and as one of the reference. */
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
        .axis = c->axis,
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
        .out_of_range = c->range,
        .unique = c->unique,
    };
}

clq_status scatter_call(const struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                        cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

    return clq_quantize_scatter(context, queue, &desc, num_wait, wait, done);
}

clq_status scatter_workspace(const struct scatter_tensors *t, const struct scatter_case *c,
                             clq_context *context, size_t *size_bytes)
{
    const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

    return clq_quantize_scatter_workspace(context, &desc, size_bytes);
}

struct reference_report scatter_tensors_apply(const struct scatter_tensors *t, const struct scatter_case *c)
{
    const struct reference_tensor cache = tensor_reference(&t->cache, t->cache.image);
    const struct reference_tensor indices = tensor_reference(&t->indices, t->indices.image);
    const struct reference_tensor updates = tensor_reference(&t->updates, t->updates.image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image);
    const struct reference_tensor zero_points = tensor_reference(&t->zero_points, t->zero_points.image);
    const struct reference_tensor input = tensor_reference(&t->input, t->input.image);

    if (c->copies)
        reference_copy_int(&input, &cache);
    return reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = &cache,
        .indices = &indices,
        .updates = &updates,
        .scales = &scales,
        .zero_points = c->has_zero_points ? &zero_points : NULL,
        .axis = c->axis,
        .multiply = c->multiply,
        .range = (enum reference_range)c->range,
    });
}

struct reference_report scatter_tensors_expect(struct scatter_tensors *t, const struct scatter_case *c,
                                               int filling)
{
    const struct parts parts = scatter_parts(t, c);

    parts_fill_images(&parts, filling);
    return scatter_tensors_apply(t, c);
}
