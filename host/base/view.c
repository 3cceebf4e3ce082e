/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a tensor, alone. Every product and sum of sizes is checked here, so that nobody below has to. */
#include "base/view.h"

#include "base/error.h"

static clq_status check_type(struct clq__view *view, unsigned types)
{
    clq_status status = CLQ_OK;
    const DLDataType dtype = view->tensor->dtype;
    char names[CLQ__NAMES_TEXT], is[CLQ__DTYPE_TEXT];

    view->type = clq__type_of(dtype);
    CLQ_REQUIRE(view->type != CLQ__NONE && (types & CLQ__SET(view->type)), CLQ_ERROR_TYPE,
                "%s.dtype is %s: it must be %s", view->name, clq__dtype_text(dtype, is, sizeof is),
                clq__type_names(types, names, sizeof names));
    view->lanes = clq__view_has_blocks(view) ? CLQ_BLOCK_VALUES : dtype.lanes;
    view->share_bits = clq__type_share_bits(view->type);
end:
    return status;
}

static clq_status check_shape(struct clq__view *view)
{
    clq_status status = CLQ_OK;
    const DLTensor *tensor = view->tensor;
    int64_t elements = 1;
    bool empty = false, overflows = false;

    CLQ_REQUIRE(tensor->ndim >= 0 && tensor->ndim <= CLQ__MAX_RANK, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be from 0 to %d", view->name, tensor->ndim, CLQ__MAX_RANK);
    CLQ_REQUIRE(tensor->ndim == 0 || tensor->shape != NULL, CLQ_ERROR_NULL,
                "%s.shape is NULL: it must have %d values", view->name, tensor->ndim);
    CLQ_REQUIRE(!(clq__view_shares_bytes(view) || clq__view_has_blocks(view)) || tensor->ndim > 0,
                CLQ_ERROR_RANK, "%s.ndim is 0: a tensor of %s has at least one dimension", view->name,
                clq__type_name(view->type));
    view->rank = tensor->ndim;
    for (int d = 0; d < view->rank; d++) {
        const int64_t size = tensor->shape[d];

        CLQ_REQUIRE(size >= 0, CLQ_ERROR_SHAPE, "%s.shape[%d] is %lld: it must not be negative", view->name,
                    d, (long long)size);
        view->shape[d] = size;
        empty |= size == 0;
        overflows |= __builtin_mul_overflow(elements, size, &elements);
    }
    if (view->lanes > 1) {
        CLQ_REQUIRE(
            !__builtin_mul_overflow(view->shape[view->rank - 1], view->lanes, &view->shape[view->rank - 1]),
            CLQ_ERROR_OVERFLOW, "%s.shape[%d] is %lld of %d elements each: the product must fit into 63 bits",
            view->name, view->rank - 1, (long long)tensor->shape[view->rank - 1], view->lanes);
        overflows |= __builtin_mul_overflow(elements, view->lanes, &elements);
    }
    CLQ_REQUIRE(empty || !overflows, CLQ_ERROR_OVERFLOW,
                "%s has more than 2^63 elements: the product of its shape must fit into 63 bits", view->name);
    view->elements = elements; /* what follows a size of 0 is 0, whatever was too large before */
    CLQ_REQUIRE(!clq__view_is_packed(view) || view->shape[view->rank - 1] % clq__view_in_unit(view) == 0,
                CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: the last dimension of packed %s must be a multiple of %lld",
                view->name, view->rank - 1, (long long)view->shape[view->rank - 1],
                clq__type_name(view->type), (long long)clq__view_in_unit(view));
end:
    return status;
}

static int64_t storage_size(const struct clq__view *view, int d)
{
    return view->lanes > 1 && d == view->rank - 1 ? view->shape[d] / view->lanes : view->shape[d];
}

/* For a tensor without strides; those of an empty one are not used, and their products were not checked. */
static void set_dense_strides(struct clq__view *view)
{
    uint64_t stride = 1;

    for (int d = view->rank - 1; d >= 0; d--) {
        view->stride[d] = (int64_t)stride;
        stride *= (uint64_t)storage_size(view, d);
    }
}

static clq_status check_packed_strides(const struct clq__view *view)
{
    clq_status status = CLQ_OK;

    for (int d = 0; d < view->rank; d++) {
        const bool last = d == view->rank - 1;

        CLQ_REQUIRE(last ? view->stride[d] == 1 : view->stride[d] % clq__view_in_unit(view) == 0,
                    CLQ_ERROR_LAYOUT,
                    "%s.strides[%d] is %lld: packed %s has a last stride of 1, and the others are multiples "
                    "of %lld",
                    view->name, d, (long long)view->stride[d], clq__type_name(view->type),
                    (long long)clq__view_in_unit(view));
    }
end:
    return status;
}

/* The place of the last storage element, (size - 1) * stride summed up, with every step checked. */
static clq_status check_last(const struct clq__view *view, int64_t *last)
{
    clq_status status = CLQ_OK;
    int64_t step;

    *last = 0;
    for (int d = 0; d < view->rank; d++)
        CLQ_REQUIRE(!__builtin_mul_overflow(storage_size(view, d) - 1, view->stride[d], &step) &&
                        !__builtin_add_overflow(*last, step, last),
                    CLQ_ERROR_OVERFLOW, "%s.strides[%d] is %lld: shape x strides must fit into 63 bits",
                    view->name, d, (long long)view->stride[d]);
end:
    return status;
}

static clq_status check_strides(struct clq__view *view)
{
    clq_status status = CLQ_OK;
    const DLTensor *tensor = view->tensor;

    if (tensor->strides == NULL) {
        set_dense_strides(view);
        goto end;
    }
    for (int d = 0; d < view->rank; d++) {
        view->stride[d] = tensor->strides[d];
        CLQ_REQUIRE(view->stride[d] >= 0, CLQ_ERROR_LAYOUT, "%s.strides[%d] is %lld: it must not be negative",
                    view->name, d, (long long)view->stride[d]);
    }
end:
    return status;
}

/* Bytes, a power of two, that a view's first byte is at a multiple of. */
static uint64_t begins_at(const struct clq__view *view)
{
    return clq__view_has_blocks(view) ? 2 : clq__storage_bytes(view->tensor->dtype);
}

static clq_status check_extent(struct clq__view *view)
{
    clq_status status = CLQ_OK;
    const DLTensor *tensor = view->tensor;
    const uint64_t bytes = clq__storage_bytes(tensor->dtype), unit = begins_at(view);
    const bool packed = clq__view_is_packed(view);
    int64_t last = (view->lanes > 1 ? view->elements / view->lanes : view->elements) - 1;
    uint64_t end_bytes;

    CLQ_REQUIRE((tensor->byte_offset & (unit - 1)) == 0, CLQ_ERROR_LAYOUT,
                "%s.byte_offset is %llu: it must be a multiple of %s %lld bytes", view->name,
                (unsigned long long)tensor->byte_offset,
                clq__view_has_blocks(view) ? "a block's words of" : "the element's", (long long)unit);
    if (view->elements == 0)
        goto end;
    if (tensor->strides != NULL) {
        if (packed)
            CLQ_TRY(check_packed_strides(view));
        CLQ_TRY(check_last(view, &last));
    }
    CLQ_REQUIRE(
        !__builtin_add_overflow(last, 1, &last) &&
            !__builtin_mul_overflow(packed ? last >> view->share_bits : last, bytes, &view->extent_bytes) &&
            !__builtin_add_overflow(tensor->byte_offset, (uint64_t)view->extent_bytes, &end_bytes) &&
            end_bytes <= INT64_MAX,
        CLQ_ERROR_OVERFLOW, "%s ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits",
        view->name);
end:
    return status;
}

clq_status clq__view_init(struct clq__view *view, const char *name, const DLTensor *tensor, unsigned types)
{
    clq_status status = CLQ_OK;

    /* shape and stride are set up to the rank and not read beyond: clearing them would cost every call */
    view->name = name;
    view->tensor = tensor;
    view->extent_bytes = 0;
    CLQ_REQUIRE(tensor != NULL, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor", name);
    CLQ_TRY(check_type(view, types));
    CLQ_REQUIRE(tensor->device.device_type == kDLOpenCL, CLQ_ERROR_VALUE,
                "%s.device.device_type is %d: it must be kDLOpenCL (%d), whose data is a cl_mem", name,
                (int)tensor->device.device_type, (int)kDLOpenCL);
    CLQ_TRY(check_shape(view));
    CLQ_TRY(check_strides(view));
    CLQ_TRY(check_extent(view));
end:
    return status;
}

void clq__view_init_absent(struct clq__view *view, const char *name)
{
    /* as above: not what lies beyond the rank */
    view->name = name;
    view->tensor = NULL;
    view->type = CLQ__NONE;
    view->lanes = 1;
    view->share_bits = 0;
    view->rank = 0;
    view->elements = 1;
    view->extent_bytes = 0;
}

clq_status clq__view_init_optional(struct clq__view *view, const char *name, const DLTensor *tensor,
                                   unsigned types)
{
    if (tensor != NULL)
        return clq__view_init(view, name, tensor, types);
    clq__view_init_absent(view, name);
    return CLQ_OK;
}

clq_status clq__view_check_output(const struct clq__view *view)
{
    clq_status status = CLQ_OK;
    int order[CLQ__MAX_RANK], rank = 0;
    int64_t span = 1; /* storage elements that the dimensions so far reach over */

    if (view->tensor == NULL || view->tensor->strides == NULL) /* which is dense */
        goto end;
    for (int d = 0; d < view->rank && view->elements > 0; d++) {
        int at = rank;

        if (storage_size(view, d) <= 1)
            continue;
        for (; at > 0 && view->stride[order[at - 1]] > view->stride[d]; at--)
            order[at] = order[at - 1];
        order[at] = d;
        rank++;
    }
    for (int i = 0; i < rank; i++) {
        const int d = order[i];

        CLQ_REQUIRE(view->stride[d] >= span, CLQ_ERROR_OVERLAP,
                    "%s.strides[%d] is %lld: an output must not overlap itself, so it must be at least %lld, "
                    "the span "
                    "of the dimensions with smaller strides",
                    view->name, d, (long long)view->stride[d], (long long)span);
        span += (storage_size(view, d) - 1) * view->stride[d]; /* checked: the extent in bytes fits */
    }
end:
    return status;
}

int64_t clq__view_reach(const struct clq__view *view, int d, int64_t indices)
{
    if (view->elements == 0) /* its strides may be anything */
        return 0;
    if (d != view->rank - 1)
        return clq__view_units(view, indices * view->stride[d]);
    if (clq__view_has_blocks(view) || clq__view_has_gaps(view))
        return indices / view->lanes * clq__view_units(view, view->stride[d]);
    return (indices >> view->share_bits) * clq__view_unit_step(view);
}

bool clq__view_is_dense(const struct clq__view *view)
{
    int64_t stride = 1;

    for (int d = view->rank - 1; d >= 0 && view->elements > 0; d--) {
        const int64_t size = storage_size(view, d);

        if (size > 1 && view->stride[d] != stride)
            return false;
        stride *= size;
    }
    return true;
}
