/* SPDX-License-Identifier: Apache-2.0 */
/* Device tensors: made, written, read and mapped. */
#include <clquant/tensor.h>

#include "base/error.h"
#include "base/view.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/memory.h"

#include <inttypes.h>
#include <string.h>

/* One allocation: the tensor, and the shape that it points to. */
struct owned {
    DLManagedTensor managed;
    int64_t shape[CLQ_MAX_RANK];
};

static void delete_tensor(DLManagedTensor *self)
{
    if (self == NULL)
        return;
    if (self->dl_tensor.data != NULL)
        clReleaseMemObject(self->dl_tensor.data);
    free(self); /* managed is the first member */
}

void clq_tensor_destroy(DLManagedTensor *tensor)
{
    if (tensor != NULL && tensor->deleter != NULL)
        tensor->deleter(tensor);
}

DLDataType clq_dtype_parse(const char *name)
{
    return clq__dtype_parse(name);
}

const char *clq_dtype_name(DLDataType dtype)
{
    return clq__dtype_name(dtype);
}

static clq_status check(struct clq__view *view, const char *name, const DLTensor *tensor)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(view, name, tensor, CLQ__ANY));
    CLQ_REQUIRE(clq__view_is_dense(view), CLQ_ERROR_LAYOUT,
                "%s.strides are not those of a dense, row-major tensor: only such a tensor moves as a whole",
                name);
end:
    return status;
}

static clq_status check_queue(cl_command_queue queue)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(queue != NULL, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue");
end:
    return status;
}

static clq_status check_wait(cl_command_queue queue, cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    cl_context context = NULL;

    if (num_wait > 0)
        CLQ_TRY_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CLQ_TRY(clq__wait_check(context, num_wait, wait));
end:
    return status;
}

/* Drivers do not all refuse a buffer of another context or one that is closed to the host, and their checks
 * of sizes miss one that wraps around. */
static clq_status check_buffer(cl_command_queue queue, const struct clq__view *view, cl_mem_flags forbidden)
{
    clq_status status = CLQ_OK;
    struct clq__memory memory;
    cl_context context = NULL;

    CLQ_REQUIRE(view->tensor->data != NULL, CLQ_ERROR_NULL, "%s.data is NULL: it must be a cl_mem",
                view->name);
    CLQ_TRY_CL(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CLQ_TRY(clq__memory_of(view->name, view->tensor->data, &memory));
    CLQ_TRY(clq__memory_check_use(view->name, view->tensor->data, context, forbidden));
    CLQ_TRY(clq__memory_check(view, &memory));
end:
    return status;
}

clq_status clq_tensor_size_bytes(const DLTensor *tensor, size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    struct clq__view view;
    DLTensor dense;

    CLQ_REQUIRE(size_bytes != NULL, CLQ_ERROR_NULL, "size_bytes is NULL: it must point to a size_t");
    *size_bytes = 0;
    CLQ_REQUIRE(tensor != NULL, CLQ_ERROR_NULL, "tensor is NULL: it must be a tensor");
    dense = *tensor; /* a host tensor or one without data has a size too */
    dense.strides = NULL;
    dense.byte_offset = 0;
    dense.device.device_type = kDLOpenCL;
    CLQ_TRY(clq__view_init(&view, "tensor", &dense, CLQ__ANY));
    CLQ_REQUIRE((int64_t)(size_t)view.extent_bytes == view.extent_bytes, CLQ_ERROR_OVERFLOW,
                "tensor takes %" PRId64 " bytes: they must fit size_t", view.extent_bytes);
    *size_bytes = (size_t)view.extent_bytes;
end:
    return status;
}

static struct owned *new_tensor(DLDataType dtype, int ndim, const int64_t *shape)
{
    struct owned *owned = calloc(1, sizeof *owned);

    if (owned == NULL)
        return NULL;
    if (ndim > 0)
        memcpy(owned->shape, shape, (size_t)ndim * sizeof *shape);
    owned->managed.deleter = delete_tensor;
    owned->managed.dl_tensor = (DLTensor){.dtype = dtype, .ndim = ndim, .shape = owned->shape};
    owned->managed.dl_tensor.device.device_type = kDLOpenCL;
    return owned;
}

clq_status clq_tensor_create(clq_context *context, DLDataType dtype, int ndim, const int64_t *shape,
                             DLManagedTensor **tensor)
{
    clq_status status = CLQ_OK;
    struct owned *owned = NULL;
    cl_mem buffer;
    size_t size = 0;

    CLQ_REQUIRE(tensor != NULL, CLQ_ERROR_NULL, "tensor is NULL: it must point to a DLManagedTensor *");
    *tensor = NULL;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_TRY(
        clq_tensor_size_bytes(&(DLTensor){.dtype = dtype, .ndim = ndim, .shape = (int64_t *)shape}, &size));
    owned = new_tensor(dtype, ndim, shape);
    CLQ_REQUIRE(owned != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for a tensor failed", sizeof *owned);
    buffer = clCreateBuffer(context->cl, clq__device_buffer_flags(&context->device, size),
                            size > 0 ? size : 1, NULL, &status);
    CLQ_REQUIRE(buffer != NULL, status, "clCreateBuffer of %zu bytes for a tensor failed with %s (%d)", size,
                clq_status_name(status), (int)status);
    owned->managed.dl_tensor.data = buffer;
    *tensor = &owned->managed;
    owned = NULL;
    status = CLQ_OK;
end:
    free(owned);
    return status;
}

static clq_status check_move(cl_command_queue queue, const DLTensor *tensor, const void *host,
                             size_t size_bytes, cl_mem_flags forbidden)
{
    clq_status status = CLQ_OK;
    struct clq__view view;

    CLQ_TRY(check(&view, "tensor", tensor));
    CLQ_REQUIRE(size_bytes == (size_t)view.extent_bytes, CLQ_ERROR_SIZE,
                "size_bytes is %zu: it must be the tensor's %lld bytes", size_bytes,
                (long long)view.extent_bytes);
    CLQ_REQUIRE(host != NULL || size_bytes == 0, CLQ_ERROR_NULL, "host is NULL: it must have %zu bytes",
                size_bytes);
    if (size_bytes > 0)
        CLQ_TRY(check_buffer(queue, &view, forbidden));
end:
    return status;
}

/* Write and read have all but the command in common. An empty tensor has nothing to move, but whoever
 * blocks is told that what was awaited is over. */
static clq_status begin_move(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                             const void *host, size_t size_bytes, cl_mem_flags forbidden, cl_uint num_wait,
                             const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(check_queue(queue));
    CLQ_TRY(check_move(queue, tensor, host, size_bytes, forbidden));
    CLQ_TRY(check_wait(queue, num_wait, wait));
    if (blocking)
        CLQ_TRY(clq__await(num_wait, wait));
    if (size_bytes == 0)
        CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
end:
    return status;
}

clq_status clq_tensor_write(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                            const void *host, size_t size_bytes, cl_uint num_wait, const cl_event *wait,
                            cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event moved = NULL;

    CLQ_TRY(begin_move(queue, tensor, blocking, host, size_bytes,
                       CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY, num_wait, wait, done));
    if (size_bytes == 0)
        goto end;
    CLQ_TRY_CL(clEnqueueWriteBuffer(queue, tensor->data, blocking, tensor->byte_offset, size_bytes, host,
                                    num_wait, wait, blocking ? &moved : done));
    if (blocking)
        CLQ_TRY(clq__await_transfer(moved, done));
end:
    return status;
}

clq_status clq_tensor_read(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking, void *host,
                           size_t size_bytes, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event moved = NULL;

    CLQ_TRY(begin_move(queue, tensor, blocking, host, size_bytes,
                       CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY, num_wait, wait, done));
    if (size_bytes == 0)
        goto end;
    CLQ_TRY_CL(clEnqueueReadBuffer(queue, tensor->data, blocking, tensor->byte_offset, size_bytes, host,
                                   num_wait, wait, blocking ? &moved : done));
    if (blocking)
        CLQ_TRY(clq__await_transfer(moved, done));
end:
    return status;
}

clq_status clq_tensor_map(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                          cl_map_flags flags, void **host, cl_uint num_wait, const cl_event *wait,
                          cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__view view;
    const cl_map_flags writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const cl_mem_flags forbidden = CL_MEM_HOST_NO_ACCESS |
                                   (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
                                   (flags & writes ? CL_MEM_HOST_READ_ONLY : 0);

    CLQ_REQUIRE(host != NULL, CLQ_ERROR_NULL, "host is NULL: it must point to a pointer");
    *host = NULL;
    CLQ_REQUIRE((flags & ~(CL_MAP_READ | writes)) == 0, CLQ_ERROR_VALUE,
                "flags is 0x%llx: it must be made of CL_MAP_READ (1), CL_MAP_WRITE (2) and "
                "CL_MAP_WRITE_INVALIDATE_REGION (4)",
                (unsigned long long)flags);
    CLQ_TRY(check_queue(queue));
    CLQ_TRY(check(&view, "tensor", tensor));
    CLQ_REQUIRE(view.elements > 0, CLQ_ERROR_SHAPE, "tensor is empty: there is nothing to map");
    CLQ_TRY(check_buffer(queue, &view, forbidden));
    CLQ_TRY(check_wait(queue, num_wait, wait));
    if (blocking)
        CLQ_TRY(clq__await(num_wait, wait));
    *host = clEnqueueMapBuffer(queue, tensor->data, blocking, flags, tensor->byte_offset,
                               (size_t)view.extent_bytes, num_wait, wait, done, &status);
    CLQ_REQUIRE(status == CL_SUCCESS, status, "clEnqueueMapBuffer failed with %s (%d)",
                clq_status_name(status), (int)status);
end:
    return status;
}

clq_status clq_tensor_unmap(cl_command_queue queue, const DLTensor *tensor, void *host, cl_uint num_wait,
                            const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(check_queue(queue));
    CLQ_REQUIRE(tensor != NULL && tensor->data != NULL, CLQ_ERROR_NULL,
                "%s is NULL: it must be the mapped tensor", tensor == NULL ? "tensor" : "tensor.data");
    CLQ_TRY(check_wait(queue, num_wait, wait));
    status = clEnqueueUnmapMemObject(queue, tensor->data, host, num_wait, wait, done);
    CLQ_REQUIRE(
        status == CL_SUCCESS, status,
        "clEnqueueUnmapMemObject failed with %s (%d): host is %p, and must be what clq_tensor_map gave",
        clq_status_name(status), (int)status, host);
end:
    return status;
}
