/* SPDX-License-Identifier: Apache-2.0 */
/* Checking what stands on either side of a rotation. */
#include "rotate/rows.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

static bool is_dense(const DLTensor *tensor)
{
    int64_t stride = 1;

    for (int d = tensor->ndim - 1; d >= 0 && tensor->strides != NULL; d--) {
        if (tensor->shape[d] != 1 && tensor->strides[d] != stride)
            return false;
        stride *= tensor->shape[d];
    }
    return true;
}

/* The size that all other checks of the library's own agree on. */
static clq_status size_of(const char *name, const DLTensor *tensor, size_t *size_bytes)
{
    char detail[256];
    const clq_status status = clq_tensor_size_bytes(tensor, size_bytes);

    if (status == CLQ_OK)
        return CLQ_OK;
    snprintf(detail, sizeof detail, "%s", clq_error_detail());
    return clq_error_set(status, "%s: %s", name, detail);
}

static clq_status check_buffer(struct clq__rows *rows, const DLTensor *tensor)
{
    clq_status status = CLQ_OK;
    const uint64_t offset = tensor->byte_offset, bytes = (uint64_t)rows->elements * sizeof(float);
    cl_mem parent = NULL;
    size_t size = 0, origin = 0;

    CLQ_REQUIRE(offset % sizeof(float) == 0, CLQ_ERROR_LAYOUT,
                "%s.byte_offset is %llu: it must be a multiple of the element's 4 bytes", rows->name,
                (unsigned long long)offset);
    CLQ_REQUIRE(rows->elements <= INT32_MAX && offset / sizeof(float) <= INT32_MAX - rows->elements,
                CLQ_ERROR_OVERFLOW, "%s ends past element 2^31-1 of its buffer: CLBlast counts in 32 bits",
                rows->name);
    CLQ_TRY_CL(clGetMemObjectInfo(rows->buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    CLQ_REQUIRE(offset + bytes <= size, CLQ_ERROR_SIZE, "%s ends at byte %llu of a buffer of %zu", rows->name,
                (unsigned long long)(offset + bytes), size);
    CLQ_TRY_CL(
        clGetMemObjectInfo(rows->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), (void *)&parent, NULL));
    CLQ_TRY_CL(clGetMemObjectInfo(rows->buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL));
    rows->root = parent != NULL ? parent : rows->buffer;
    rows->first = (size_t)offset / sizeof(float);
    rows->begin_bytes = origin + (size_t)offset;
end:
    return status;
}

clq_status clq__rows_init(struct clq__rows *rows, const char *name, const DLTensor *tensor, int64_t n)
{
    clq_status status = CLQ_OK;
    size_t size_bytes = 0;

    *rows = (struct clq__rows){.name = name};
    CLQ_REQUIRE(tensor != NULL, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor", name);
    CLQ_REQUIRE(tensor->device.device_type == kDLOpenCL, CLQ_ERROR_VALUE,
                "%s.device.device_type is %d: it must be kDLOpenCL", name, (int)tensor->device.device_type);
    CLQ_REQUIRE(tensor->dtype.code == kDLFloat && tensor->dtype.bits == 32 && tensor->dtype.lanes == 1,
                CLQ_ERROR_TYPE, "%s is no float32 tensor: CLBlast's products are of float32", name);
    CLQ_REQUIRE(tensor->ndim >= 1, CLQ_ERROR_RANK, "%s.ndim is %d: it must be from 1 to %d", name,
                (int)tensor->ndim, CLQ_MAX_RANK);
    CLQ_TRY(size_of(name, tensor, &size_bytes));
    CLQ_REQUIRE(tensor->shape[tensor->ndim - 1] % n == 0, CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be a multiple of the rotation's %lld", name,
                (int)tensor->ndim - 1, (long long)tensor->shape[tensor->ndim - 1], (long long)n);
    rows->elements = size_bytes / sizeof(float);
    if (rows->elements == 0)
        goto end;
    CLQ_REQUIRE(is_dense(tensor), CLQ_ERROR_LAYOUT,
                "%s.strides are not those of a dense, row-major tensor: only such rows are rotated", name);
    CLQ_REQUIRE(tensor->data != NULL, CLQ_ERROR_NULL, "%s.data is NULL: it must be a cl_mem", name);
    rows->buffer = tensor->data;
    CLQ_TRY(check_buffer(rows, tensor));
end:
    return status;
}

clq_status clq__rows_check_apart(const struct clq__rows *x, const struct clq__rows *y)
{
    clq_status status = CLQ_OK;
    const size_t bytes = x->elements * sizeof(float);

    CLQ_REQUIRE(x->root != y->root || x->begin_bytes + bytes <= y->begin_bytes ||
                    y->begin_bytes + bytes <= x->begin_bytes,
                CLQ_ERROR_OVERLAP, "y overlaps x: a rotation cannot be done in place");
end:
    return status;
}
