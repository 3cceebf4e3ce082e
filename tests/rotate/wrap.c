/* SPDX-License-Identifier: Apache-2.0 */
/* The calls into OpenCL and CLBlast that clquant_rotate makes itself, through the linker's --wrap: those that
 * CLBlast makes are its own to handle. A release is done before it fails, so that nothing is left by that. */
#include "inject.h"

#include <clblast_c.h>
#include <clquant/context.h>

#define FAILABLE(type, name, parameters, arguments)                                                          \
    type __real_##name parameters;                                                                           \
    type __wrap_##name parameters                                                                            \
    {                                                                                                        \
        int code;                                                                                            \
                                                                                                             \
        return inject_here(FAULT_OPENCL, #name, &code) ? (type)code : __real_##name arguments;               \
    }
FAILABLE(cl_int, clGetMemObjectInfo,
         (cl_mem mem, cl_mem_info what, size_t size, void *value, size_t *returned),
         (mem, what, size, value, returned))
FAILABLE(cl_int, clEnqueueBarrierWithWaitList,
         (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done),
         (queue, num_wait, wait, done))
FAILABLE(cl_int, clEnqueueMarkerWithWaitList,
         (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done),
         (queue, num_wait, wait, done))
FAILABLE(CLBlastStatusCode, CLBlastSgemmStridedBatched,
         (CLBlastLayout layout, CLBlastTranspose a_transpose, CLBlastTranspose b_transpose, size_t m,
          size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b,
          size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c, size_t c_offset, size_t c_ld,
          size_t c_stride, size_t batches, cl_command_queue *queue, cl_event *event),
         (layout, a_transpose, b_transpose, m, n, k, alpha, a, a_offset, a_ld, a_stride, b, b_offset, b_ld,
          b_stride, beta, c, c_offset, c_ld, c_stride, batches, queue, event))

#define RELEASE(name, type)                                                                                  \
    cl_int __real_##name(type object);                                                                       \
    cl_int __wrap_##name(type object)                                                                        \
    {                                                                                                        \
        const cl_int done = __real_##name(object);                                                           \
        int code;                                                                                            \
                                                                                                             \
        return inject_here(FAULT_OPENCL, #name, &code) ? code : done;                                        \
    }
RELEASE(clReleaseEvent, cl_event)
RELEASE(clReleaseMemObject, cl_mem)

cl_mem __real_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    int injected;

    if (!inject_here(FAULT_OPENCL, "clCreateBuffer", &injected))
        return __real_clCreateBuffer(context, flags, size, host, code);
    if (code != NULL)
        *code = injected;
    return NULL;
}
