/* SPDX-License-Identifier: Apache-2.0 */
/* One piece on the device: it is quantized, and brought back once more as floats, for the error. Rows are
 * independent of each other. */
#include "stream.h"

static clq_status by_offsets(struct model *model, const struct model_piece *piece)
{
    const struct model_options *options = &model->options;
    const struct model_buffer *b = piece->buffers;
    const DLTensor *global_scale = options->rule == CLQ_NVFP4 ? &b[MODEL_GLOBAL].view : NULL;
    const DLTensor *offsets = model_has_offsets(options) ? &b[MODEL_A].view : NULL;
    const struct clq_dynamic_quantize_desc there = {.x = &b[MODEL_X].view,
                                                    .y = &b[MODEL_Q].view,
                                                    .scales = &b[MODEL_S].view,
                                                    .offsets = offsets,
                                                    .symmetric = offsets == NULL,
                                                    .scale_rule = options->rule,
                                                    .global_scale = global_scale,
                                                    .block = piece->tensor->block,
                                                    .rotate = options->rotate};
    const struct clq_dequantize_desc back = {.q = &b[MODEL_Q].view,
                                             .scales = &b[MODEL_S].view,
                                             .offsets = offsets,
                                             .y = &b[MODEL_BACK].view,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .global_scale = global_scale,
                                             .block = piece->tensor->block,
                                             .rotate = options->rotate};
    clq_status status = clq_dynamic_quantize(model->context, model->queue, &there, 0, NULL, NULL);

    return status == CLQ_OK ? clq_dequantize(model->context, model->queue, &back, 0, NULL, NULL) : status;
}

static clq_status by_zero_points(struct model *model, const struct model_piece *piece)
{
    const struct model_options *options = &model->options;
    const struct model_buffer *b = piece->buffers;
    const struct clq_find_scales_desc find = {.x = &b[MODEL_X].view,
                                              .scales = &b[MODEL_S].view,
                                              .zero_points = &b[MODEL_A].view,
                                              .dtype = options->dtype.bits == 4 ? CLQ_UINT4 : CLQ_INT8,
                                              .method = CLQ_MINMAX,
                                              .block = piece->tensor->block};
    const struct clq_quantize_desc there = {.x = &b[MODEL_X].view,
                                            .scales = &b[MODEL_S].view,
                                            .zero_points = &b[MODEL_A].view,
                                            .y = &b[MODEL_Q].view,
                                            .block = piece->tensor->block};
    const struct clq_dequantize_desc back = {.q = &b[MODEL_Q].view,
                                             .scales = &b[MODEL_S].view,
                                             .zero_points = &b[MODEL_A].view,
                                             .y = &b[MODEL_BACK].view,
                                             .block = piece->tensor->block};
    clq_context *context = model->context;
    clq_status status = clq_find_scales(context, model->queue, &find, 0, NULL, NULL);

    if (status == CLQ_OK)
        status = clq_quantize(context, model->queue, &there, 0, NULL, NULL);
    return status == CLQ_OK ? clq_dequantize(context, model->queue, &back, 0, NULL, NULL) : status;
}

/* Memory of the host is mapped, so that where it comes to lie is known. */
static clq_status map(struct model *model, struct model_buffer *buffer, cl_map_flags flags, size_t size_bytes)
{
    cl_int code = CL_SUCCESS;

    if (!buffer->mem || size_bytes == 0)
        return CLQ_OK;
    clEnqueueMapBuffer(model->queue, buffer->mem, CL_TRUE, flags, 0, size_bytes, 0, NULL, NULL, &code);
    buffer->mapped = code == CL_SUCCESS;
    return code;
}

static clq_status unmap(struct model *model, struct model_buffer *buffer)
{
    if (!buffer->mapped)
        return CLQ_OK;
    buffer->mapped = false;
    return clEnqueueUnmapMemObject(model->queue, buffer->mem, buffer->host, 0, NULL, NULL);
}

static bool not_moved(struct model *model, const struct model_shard *shard, clq_status status)
{
    return fail(model->failure, STATUS_SYSTEM, "%s: moving its tensors to the device and back: %s",
                shard->path, clq_status_text(status));
}

static clq_status put_global_scale(struct model *model, struct model_piece *piece)
{
    struct model_buffer *buffer = &piece->buffers[MODEL_GLOBAL];
    clq_status status = map(model, buffer, CL_MAP_WRITE_INVALIDATE_REGION, sizeof(float));

    if (status != CLQ_OK)
        return status;
    *(float *)buffer->host = piece->tensor->global_scale;
    return unmap(model, buffer);
}

bool model_piece_open(struct model *model, const struct model_shard *shard, struct model_piece *piece)
{
    struct model_buffer *x = &piece->buffers[MODEL_X];
    clq_status status = CLQ_OK;

    for (size_t b = MODEL_X + 1; b < MODEL_BUFFERS && status == CLQ_OK; b++)
        status = unmap(model, &piece->buffers[b]);
    if (status == CLQ_OK && !x->mapped)
        status = map(model, x, CL_MAP_WRITE_INVALIDATE_REGION, x->room_bytes);
    return status == CLQ_OK || not_moved(model, shard, status);
}

bool model_piece_compute(struct model *model, const struct model_shard *shard, struct model_piece *piece)
{
    clq_status status = CLQ_OK;

    if (!piece->tensor->quantized)
        return true;
    status = unmap(model, &piece->buffers[MODEL_X]);
    if (status == CLQ_OK && model->options.rule == CLQ_NVFP4)
        status = put_global_scale(model, piece);
    if (status != CLQ_OK)
        return not_moved(model, shard, status);
    status = model_has_zero_points(&model->options) ? by_zero_points(model, piece) : by_offsets(model, piece);
    if (status != CLQ_OK)
        return model_fail(model, shard->path, piece->tensor->source->name, status);
    for (size_t b = MODEL_Q; b <= MODEL_BACK && status == CLQ_OK; b++) {
        struct model_buffer *buffer = &piece->buffers[b];

        status = map(model, buffer, b == MODEL_Q ? CL_MAP_READ | CL_MAP_WRITE : CL_MAP_READ,
                     buffer->row_bytes * (size_t)piece->tile.rows);
    }
    return status == CLQ_OK || not_moved(model, shard, status);
}
