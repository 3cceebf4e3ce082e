/* SPDX-License-Identifier: Apache-2.0 */
#include "documented.h"

#include "documented_back.h"
#include "documented_blocks.h"
#include "documented_moves.h"
#include "rows.h"

#include <clquant/npu.h>

/* The call, or its check where there is no context. */
#define CALL(name, ...)                                                                                      \
    (context != NULL ? name(context, queue, __VA_ARGS__, num_wait, wait, done) : name##_check(__VA_ARGS__))

#define CHECK(name)                                                                                          \
    static clq_status check_##name(const void *general)                                                      \
    {                                                                                                        \
        return name(NULL, NULL, general, 0, NULL, NULL);                                                     \
    }

/* The tensors of the general operators, in the order of their rows. */
enum { QUANTIZE_X, QUANTIZE_SCALES, QUANTIZE_ZERO_POINTS, QUANTIZE_Y };
enum { GROUP_X, GROUP_SCALES, GROUP_INDEX, GROUP_ZERO_POINTS, GROUP_Y };
enum { SCATTER_INPUT, SCATTER_INDICES, SCATTER_UPDATES, SCATTER_SCALES, SCATTER_ZERO_POINTS, SCATTER_CACHE };
enum { ROWS_X, ROWS_SMOOTH_SCALES, ROWS_Y, ROWS_SCALES, ROWS_OFFSETS, ROWS_GROUP_INDEX };
enum {
    DYNAMIC_INDICES,
    DYNAMIC_UPDATES,
    DYNAMIC_SMOOTH_SCALES,
    DYNAMIC_CACHE,
    DYNAMIC_SCALES,
    DYNAMIC_OFFSETS
};

/* Types of y, but for int4 in words, that the documents of scatters and of dynamic rows have. */
#define TYPES_DOCUMENTED (TYPE_SET(I8) | TYPE_SET(E4M3) | TYPE_SET(E5M2))

static int64_t elements_of(const struct tensor *tensor)
{
    int64_t elements = 1;

    for (int d = 0; d < tensor->dl.ndim; d++)
        elements *= tensor->shape[d];
    return elements;
}

static bool is_given(const struct tensor *tensor)
{
    return tensor->name != NULL;
}

/* Of four bits int4 alone, in words; and no float8. */
static bool has_dtype(const struct tensor *tensor)
{
    return (!reference_shares_bytes(tensor->type, 1) && !(TYPES_SMALL >> tensor->type & 1)) ||
           (tensor->type == REFERENCE_I4 && tensor->dl.dtype.lanes == 8);
}

static enum clq_npu_dtype dtype_of(const DLTensor *tensor)
{
    return tensor->dtype.code == CLQ_CODE_FLOAT8_E5M2     ? CLQ_NPU_FLOAT8_E5M2
           : tensor->dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
           : tensor->dtype.bits == 32                     ? CLQ_NPU_INT32
           : tensor->dtype.bits == 4                      ? CLQ_NPU_QUINT4X2
           : tensor->dtype.code == kDLUInt                ? CLQ_NPU_QUINT8
                                                          : CLQ_NPU_QINT8;
}

/* Of so many dimensions, with a size off the axis that is not 1, which a documented call does not look at. */
static bool is_by_shape(const struct tensor *tensor, int rank, int axis)
{
    for (int d = 0; tensor->name != NULL && tensor->dl.ndim == rank && d < rank; d++)
        if (d != axis && tensor->shape[d] != 1)
            return true;
    return false;
}

/* Multiplied: int8, int4 or float8, and along one of the last two axes. */
static bool fit_quantize(struct call *call)
{
    struct clq_quantize_desc *desc = (void *)call->desc;
    const struct tensor *x = &call->tensors[QUANTIZE_X], *scales = &call->tensors[QUANTIZE_SCALES],
                        *zero_points = &call->tensors[QUANTIZE_ZERO_POINTS], *y = &call->tensors[QUANTIZE_Y];
    const bool divide = desc->mode == CLQ_DIVIDE;
    const int d = call_dimension(call, QUANTIZE_X, desc->axis, -1);
    bool good = divide
                    ? !reference_shares_bytes(y->type, 1) && scales->dl.ndim == 1
                    : (y->type == REFERENCE_I4 || (TYPES_DOCUMENTED >> y->type & 1)) && d >= x->dl.ndim - 2;

    desc->round_first = 0;
    good = good && desc->block == 0 && !is_by_shape(scales, x->dl.ndim, d);
    if (is_given(zero_points)) {
        good =
            good && zero_points->dl.ndim == scales->dl.ndim && (divide || zero_points->type == scales->type);
        for (int i = 0; i < scales->dl.ndim && good; i++)
            good = zero_points->shape[i] == scales->shape[i];
    }
    return good && (has_dtype(y) || (TYPES_DOCUMENTED >> y->type & 1));
}

static clq_status npu_quantize(clq_context *context, cl_command_queue queue, const void *general,
                               cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_quantize_desc *desc = general;
    const int rank = desc->x->ndim;
    const bool divide = desc->mode == CLQ_DIVIDE;
    int axis = desc->axis == CLQ_AXIS_FIRST ? 0 : desc->axis;

    /* the second-to-last axis is -2 alone, and anything from -1 up is the last */
    if (!divide)
        axis = rank > 1 && (axis == -2 || axis == rank - 2) ? -2 : axis < 0 || rank == 0 ? -1 : 0;
    return CALL(clq_npu_quantize, desc->x, desc->scales, desc->zero_points, dtype_of(desc->y), axis, divide,
                desc->y);
}

CHECK(npu_quantize)

static bool fit_group(struct call *call)
{
    struct clq_group_quantize_desc *desc = (void *)call->desc;
    const struct tensor *zero_points = &call->tensors[GROUP_ZERO_POINTS];

    desc->round_first = 0;
    return has_dtype(&call->tensors[GROUP_Y]) &&
           (!is_given(zero_points) || zero_points->type == call->tensors[GROUP_SCALES].type);
}

static clq_status npu_group_quant(clq_context *context, cl_command_queue queue, const void *general,
                                  cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_group_quantize_desc *desc = general;

    return CALL(clq_npu_group_quant, desc->x, desc->scales, desc->group_index, desc->zero_points,
                dtype_of(desc->y), desc->y);
}

CHECK(npu_group_quant)

/* int8 is also what is left out. */
static enum clq_npu_dtype scatter_dtype_of(const DLTensor *cache)
{
    return cache->dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
           : cache->dtype.code == CLQ_CODE_FLOAT8_E5M2 ? CLQ_NPU_FLOAT8_E5M2
                                                       : (enum clq_npu_dtype)0;
}

/* Divided, with a number for each index of the last axis, along which no entry is placed. */
static bool fit_scatter(struct call *call, bool copies)
{
    struct clq_quantize_scatter_desc *desc = (void *)call->desc;
    const struct tensor *updates = &call->tensors[SCATTER_UPDATES], *cache = &call->tensors[SCATTER_CACHE],
                        *zero_points = &call->tensors[SCATTER_ZERO_POINTS];
    const int last = cache->dl.ndim - 1;

    desc->mode = CLQ_DIVIDE;
    desc->out_of_range = CLQ_DROP;
    desc->unique = 0;
    desc->index_kind = CLQ_INDICES_BY_SHAPE;
    desc->round_first = 0;
    return desc->block == 0 && updates->dl.ndim == last + 1 &&
           is_given(&call->tensors[SCATTER_INPUT]) == copies &&
           !is_by_shape(&call->tensors[SCATTER_SCALES], last + 1, last) &&
           !is_by_shape(zero_points, last + 1, last) && (TYPES_DOCUMENTED >> cache->type & 1) &&
           call_dimension(call, SCATTER_UPDATES, desc->axis, -2) < last &&
           elements_of(&call->tensors[SCATTER_SCALES]) == updates->shape[last] &&
           (!is_given(zero_points) || elements_of(zero_points) == updates->shape[last]) &&
           updates->shape[0] <= cache->shape[0];
}

static bool fit_scatter_copy(struct call *call)
{
    return fit_scatter(call, true);
}

static bool fit_scatter_in_place(struct call *call)
{
    return fit_scatter(call, false);
}

static clq_status npu_quant_scatter(clq_context *context, cl_command_queue queue, const void *general,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_quantize_scatter_desc *desc = general;

    return CALL(clq_npu_quant_scatter, desc->input, desc->indices, desc->updates, desc->scales,
                desc->zero_points, desc->axis, -1, "update", scatter_dtype_of(desc->cache), "rint",
                desc->cache);
}

CHECK(npu_quant_scatter)

static clq_status npu_quant_scatter_(clq_context *context, cl_command_queue queue, const void *general,
                                     cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_quantize_scatter_desc *desc = general;

    return clq_npu_quant_scatter_(context, queue, desc->cache, desc->indices, desc->updates, desc->scales,
                                  desc->zero_points, desc->axis, desc->updates->ndim - 1, "update",
                                  scatter_dtype_of(desc->cache), NULL, num_wait, wait, done);
}

static clq_status check_npu_quant_scatter_(const void *general)
{
    const struct clq_quantize_scatter_desc *desc = general;

    return clq_npu_quant_scatter_check(desc->cache, desc->indices, desc->updates, desc->scales,
                                       desc->zero_points, desc->axis, desc->updates->ndim - 1, "update",
                                       scatter_dtype_of(desc->cache), NULL, NULL);
}

/* A cache [B, S, 1, H], and a row for each batch. */
static bool fit_dynamic(struct call *call)
{
    struct clq_dynamic_quantize_scatter_desc *desc = (void *)call->desc;
    const struct tensor *updates = &call->tensors[DYNAMIC_UPDATES], *cache = &call->tensors[DYNAMIC_CACHE];

    desc->out_of_range = CLQ_DROP;
    desc->unique = 0;
    desc->index_kind = CLQ_INDICES_BY_SHAPE;
    return !desc->symmetric && desc->block == 0 && call->tensors[DYNAMIC_SCALES].type == REFERENCE_F32 &&
           cache->dl.ndim == 4 && updates->dl.ndim == 4 && cache->shape[2] == 1 &&
           call_dimension(call, DYNAMIC_UPDATES, desc->axis, -2) == 1 && updates->shape[1] == 1 &&
           updates->shape[0] == cache->shape[0] && call->tensors[DYNAMIC_INDICES].dl.ndim == 1;
}

static clq_status dynamic_quant_update_scatter_v2(clq_context *context, cl_command_queue queue,
                                                  const void *general, cl_uint num_wait, const cl_event *wait,
                                                  cl_event *done)
{
    const struct clq_dynamic_quantize_scatter_desc *desc = general;
    const DLTensor *updates = desc->updates;
    DLTensor x = *updates, scales = *desc->cache_scales, offsets = *desc->cache_offsets;
    int64_t shape[] = {updates->shape[0], 1, updates->shape[3]}, strides[3];

    /* [B, 1, 1, H] as [B, 1, H], and one of [B, S, 1] as [B, S] */
    x.ndim = 3;
    x.shape = shape;
    for (int d = 0; d < 3 && updates->strides != NULL; d++)
        strides[d] = updates->strides[d + (d == 2)];
    if (updates->strides != NULL)
        x.strides = strides;
    if (scales.strides == NULL)
        scales.ndim = 2;
    if (desc->axis < 0)
        offsets.ndim = 2;
    return CALL(clq_dynamic_quant_update_scatter_v2, &x, desc->indices, desc->cache, &scales, &offsets);
}

CHECK(dynamic_quant_update_scatter_v2)

static const char *quant_mode_of(const struct clq_dynamic_quantize_desc *desc)
{
    const int last = desc->x->ndim - 1, axis = desc->axis == CLQ_AXIS_FIRST ? 0 : desc->axis;
    const bool is_last = desc->axis == 0 || axis == -1 || axis == last;

    return desc->block_all ? "pertensor" : is_last ? "pertoken" : "perchannel";
}

static bool is_by_channel(const struct call *call)
{
    const struct clq_dynamic_quantize_desc *desc = (const void *)call->desc;

    return !desc->block_all &&
           call_dimension(call, ROWS_X, desc->axis, -1) < call->tensors[ROWS_X].dl.ndim - 1;
}

/* By the last dimension or the one before it, or one for all. By channel smooth scales are others:
 * along the second-to-last dimension. */
static bool fit_rows(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    const struct tensor *y = &call->tensors[ROWS_Y];
    struct tensor *smooth = &call->tensors[ROWS_SMOOTH_SCALES];
    const int rank = y->dl.ndim, axis = call_dimension(call, ROWS_X, desc->axis, -1);

    const bool good =
        desc->symmetric && desc->rotate == 0 && desc->block == 0 && (desc->block_all || axis >= rank - 2) &&
        call->tensors[ROWS_SCALES].type == REFERENCE_F32 &&
        ((TYPES_DOCUMENTED >> y->type & 1) || (y->type == REFERENCE_I4 && y->dl.dtype.lanes == 8));

    if (good && is_given(smooth) && is_by_channel(call)) {
        const struct shape shape = call_flat_shape(call, call->tensors[ROWS_X].shape[axis], false);

        tensor_clear(smooth);
        call_tensor(call, ROWS_SMOOTH_SCALES, &shape, TENSOR_INPUT);
    }
    return good;
}

static bool fit_rows_asymmetric(struct call *call)
{
    struct clq_dynamic_quantize_desc *desc = (void *)call->desc;
    bool good = !desc->symmetric && !(TYPES_SMALL >> call->tensors[ROWS_Y].type & 1);

    desc->symmetric = 1;
    good = good && fit_rows(call);
    desc->symmetric = 0;
    return good;
}

static enum clq_npu_dtype rows_dtype_of(const DLTensor *y)
{
    return y->dtype.code == CLQ_CODE_FLOAT8_E5M2     ? CLQ_NPU_FLOAT8_E5M2
           : y->dtype.code == CLQ_CODE_FLOAT8_E4M3FN ? CLQ_NPU_FLOAT8_E4M3FN
           : y->dtype.bits == 4                      ? CLQ_NPU_QUINT4X2
                                                     : CLQ_NPU_QINT8;
}

static clq_status npu_dynamic_quant(clq_context *context, cl_command_queue queue, const void *general,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const struct clq_dynamic_quantize_desc *desc = general;

    return CALL(clq_npu_dynamic_quant, desc->x, desc->smooth_scales, desc->group_index,
                rows_dtype_of(desc->y), quant_mode_of(desc), desc->type_max, desc->y, desc->scales);
}

CHECK(npu_dynamic_quant)

static clq_status npu_dynamic_quant_asymmetric(clq_context *context, cl_command_queue queue,
                                               const void *general, cl_uint num_wait, const cl_event *wait,
                                               cl_event *done)
{
    const struct clq_dynamic_quantize_desc *desc = general;

    return CALL(clq_npu_dynamic_quant_asymmetric, desc->x, desc->smooth_scales, desc->group_index,
                rows_dtype_of(desc->y), quant_mode_of(desc), desc->y, desc->scales, desc->offsets);
}

CHECK(npu_dynamic_quant_asymmetric)
CHECK(npu_anti_quant)
CHECK(npu_dynamic_mx_quant)
CHECK(npu_dynamic_block_quant)
CHECK(npu_scatter_nd_update)
CHECK(npu_scatter_nd_update_)
CHECK(scatter_update)
CHECK(scatter_update_)
CHECK(npu_scatter_pa_kv_cache)

static struct reference_report reference_symmetric(const struct call *call)
{
    return dynamic_quantize_reference(call, false, is_by_channel(call));
}

/* Offsets have the other sign. */
static struct reference_report reference_asymmetric(const struct call *call)
{
    return dynamic_quantize_reference(call, true, is_by_channel(call));
}

#define ROW(name, general, dst, smooth, fit, reference)                                                      \
    {                                                                                                        \
#name, &general, dst, smooth, fit, name, check_##name, reference                                     \
    }

const struct documented_call documented_calls[DOCUMENTED_CALLS] = {
    ROW(npu_quantize, operator_quantize, -1, -1, fit_quantize, NULL),
    ROW(npu_group_quant, operator_group_quantize, -1, -1, fit_group, NULL),
    ROW(npu_quant_scatter, operator_quantize_scatter, -1, -1, fit_scatter_copy, NULL),
    ROW(npu_quant_scatter_, operator_quantize_scatter, -1, -1, fit_scatter_in_place, NULL),
    ROW(npu_dynamic_quant, operator_dynamic_quantize, -1, -1, fit_rows, reference_symmetric),
    ROW(npu_dynamic_quant_asymmetric, operator_dynamic_quantize, -1, -1, fit_rows_asymmetric,
        reference_asymmetric),
    ROW(dynamic_quant_update_scatter_v2, operator_dynamic_quantize_scatter, REFERENCE_I4, 0, fit_dynamic,
        NULL),
    ROW(npu_dynamic_mx_quant, operator_dynamic_quantize, -1, 0, fit_mx, NULL),
    ROW(npu_dynamic_block_quant, operator_dynamic_quantize, -1, 0, fit_block, reference_block),
    ROW(npu_anti_quant, operator_dequantize, -1, -1, fit_anti, reference_anti),
    ROW(npu_scatter_nd_update, operator_move_rows, -1, -1, fit_nd_copy, NULL),
    ROW(npu_scatter_nd_update_, operator_move_rows, -1, -1, fit_nd_in_place, NULL),
    ROW(scatter_update, operator_move_rows, -1, -1, fit_update_copy, NULL),
    ROW(scatter_update_, operator_move_rows, -1, -1, fit_update_in_place, NULL),
    ROW(npu_scatter_pa_kv_cache, operator_move_rows, -1, -1, fit_pages, NULL),
};

void documented_draw(struct call *call, const struct documented_call *documented, struct operator_row *row,
                     int64_t elements)
{
    struct wish wish = no_wish;

    wish.dst = documented->dst;
    wish.smooth = documented->smooth;
    wish.rotate = 0;
    wish.rule = documented->fit == fit_mx;
    *row = *documented->general;
    row->name = documented->name;
    row->options_of = documented->general->name;
    row->enqueue = documented->enqueue;
    row->check = documented->check;
    for (int t = 0; row->operands[t].name != NULL; t++)
        if (row->operands[t].types == TYPES_SCALE)
            row->operands[t].types = TYPES_FLOAT;
    if (documented->reference != NULL)
        row->reference = documented->reference;
    row->workspace_bytes = NULL;
    row->report = row->workspace = 0;
    call_draw(call, row, elements, &wish);
    while (!documented->fit(call)) {
        call_clear(call);
        call_draw(call, row, elements, &wish);
    }
    tensor_clear(&call->report);
}
