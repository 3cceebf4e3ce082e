/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors are DLPack's DLTensor: data is the cl_mem, device.device_type is kDLOpenCL (device_id is not looked
 * at), byte_offset counts from the buffer's start, shape and strides are in elements (strides NULL: dense,
 * row-major).
 *
 * data is the cl_mem itself, nothing that points to one. DLPack leaves open what data is for kDLOpenCL, and a
 * tensor of another library may have to be unwrapped: in newer versions of TVM, data points to a
 * BufferDescriptor, whose `buffer` is the cl_mem. A pointer of shared virtual memory (clSVMAlloc) is no
 * cl_mem either: clCreateBuffer with CL_MEM_USE_HOST_PTR and that pointer makes one of the same bytes.
 *
 * Every buffer must be of the context that a call is given (for write, read and map: of the queue's), created
 * without CL_MEM_READ_ONLY where the call writes it, and without CL_MEM_WRITE_ONLY where it reads it; a
 * report and a workspace are read and written. For write, read and map the host must have access: no
 * CL_MEM_HOST_NO_ACCESS, nor CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY against the direction. A
 * sub-buffer has its parent's flags too. Anything else is CLQ_ERROR_VALUE.
 *
 *   type            code, bits       range                  is a type of
 *   float32         kDLFloat, 32                            x, scales, offsets, zero points
 *   float16         kDLFloat, 16                            the same
 *   bfloat16        kDLBfloat, 16                           the same
 *   int8            kDLInt, 8        [-128, 127]            y, cache, group, zero points
 *   uint8           kDLUInt, 8       [0, 255]               y, cache, zero points
 *   int32           kDLInt, 32       [-2^31, 2^31-1]        y, zero points, indices
 *   int64           kDLInt, 64                              indices
 *   int4            kDLInt, 4        [-8, 7]                y, cache, group
 *   uint4           kDLUInt, 4       [0, 15]                y, cache, group
 *   float8_e4m3fn   10, 8            [-448, 448]            y, cache, group
 *   float8_e5m2     12, 8            [-57344, 57344]        y, cache, group
 *   float4_e2m1fn   17, 4            [-6, 6]                y, cache, group
 *   float8_e8m0fnu  14, 8            2^-127 to 2^127, NaN   scales
 *   q8_0 to iq4_nl  from 0x80, 8     blocks of 32           blocks
 *
 *   y      the result of clq_quantize, and q of clq_dequantize
 *   cache  a cache, the result of dynamic quantization, and what clq_find_scales finds scales for
 *   group  the result of clq_group_quantize
 *   scales the scales of static quantization and of clq_dequantize, which may be float8_e4m3fn too. Code e of
 *          float8_e8m0fnu is 2^(e-127), and 255 is NaN
 *   blocks a cache of dynamic rows, the result of dynamic quantization, and q of clq_dequantize
 *
 * lanes is 1. Four bits are two in a byte, low nibble first: byte j of a row holds element 2j in bits 0-3 and
 * element 2j+1 in bits 4-7. They have three views of the same bytes, by lanes:
 *   1  packed: shape and strides in nibbles; the last dimension is even, its stride 1, the others even
 *   2  a byte of two: the last dimension is halved, strides in bytes
 *   8  a word of eight: an eighth of the last dimension, strides in words of four bytes
 * The floats of 8 and 4 bits are those of the OCP: docs/operators.md.
 *
 * q8_0, q4_0, q4_1, q5_0, q5_1 and iq4_nl are ggml's blocks: 32 neighbours along the last dimension, with
 * their scale in front. An element is a block of `lanes` bytes (34, 18, 20, 22, 24, 18): shape and strides
 * count blocks along the last dimension, a thirty-second of x's. DLPack has no codes for them, and these are
 * the library's own. docs/operators.md has the bytes.
 *
 * byte_offset is a multiple of the element's size (of one byte where four bits are packed, of two for
 * blocks). DLPack's own size formula is wrong for four bits: use clq_tensor_size_bytes. */
#ifndef CLQUANT_TENSOR_H
#define CLQUANT_TENSOR_H

#include <clquant/context.h>
#include <dlpack/dlpack.h>

#ifdef __cplusplus
#define CLQ_DTYPE(code, bits, lanes) (DLDataType{(code), (bits), (lanes)})
extern "C" {
#else
#define CLQ_DTYPE(code, bits, lanes) ((DLDataType){(code), (bits), (lanes)})
#endif

#define CLQ_FLOAT32     CLQ_DTYPE(kDLFloat, 32, 1)
#define CLQ_FLOAT16     CLQ_DTYPE(kDLFloat, 16, 1)
#define CLQ_BFLOAT16    CLQ_DTYPE(kDLBfloat, 16, 1)
#define CLQ_INT8        CLQ_DTYPE(kDLInt, 8, 1)
#define CLQ_UINT8       CLQ_DTYPE(kDLUInt, 8, 1)
#define CLQ_INT32       CLQ_DTYPE(kDLInt, 32, 1)
#define CLQ_INT64       CLQ_DTYPE(kDLInt, 64, 1)
#define CLQ_INT4        CLQ_DTYPE(kDLInt, 4, 1)
#define CLQ_INT4_BYTES  CLQ_DTYPE(kDLInt, 4, 2)
#define CLQ_INT4_WORDS  CLQ_DTYPE(kDLInt, 4, 8)
#define CLQ_UINT4       CLQ_DTYPE(kDLUInt, 4, 1)
#define CLQ_UINT4_BYTES CLQ_DTYPE(kDLUInt, 4, 2)
#define CLQ_UINT4_WORDS CLQ_DTYPE(kDLUInt, 4, 8)

/* DLPack 1.1's codes of these, kDLFloat8_e4m3fn and so on, which older headers do not have. */
#define CLQ_CODE_FLOAT8_E4M3FN  10
#define CLQ_CODE_FLOAT8_E5M2    12
#define CLQ_CODE_FLOAT8_E8M0FNU 14
#define CLQ_CODE_FLOAT4_E2M1FN  17
#define CLQ_FLOAT8_E4M3FN       CLQ_DTYPE(CLQ_CODE_FLOAT8_E4M3FN, 8, 1)
#define CLQ_FLOAT8_E5M2         CLQ_DTYPE(CLQ_CODE_FLOAT8_E5M2, 8, 1)
#define CLQ_FLOAT8_E8M0FNU      CLQ_DTYPE(CLQ_CODE_FLOAT8_E8M0FNU, 8, 1)
#define CLQ_FLOAT4_E2M1FN       CLQ_DTYPE(CLQ_CODE_FLOAT4_E2M1FN, 4, 1)
#define CLQ_FLOAT4_E2M1FN_BYTES CLQ_DTYPE(CLQ_CODE_FLOAT4_E2M1FN, 4, 2)
#define CLQ_FLOAT4_E2M1FN_WORDS CLQ_DTYPE(CLQ_CODE_FLOAT4_E2M1FN, 4, 8)

#define CLQ_CODE_BLOCKS 0x80 /* the first of these six */
#define CLQ_Q8_0        CLQ_DTYPE(CLQ_CODE_BLOCKS, 8, 34)
#define CLQ_Q4_0        CLQ_DTYPE(CLQ_CODE_BLOCKS + 1, 8, 18)
#define CLQ_Q4_1        CLQ_DTYPE(CLQ_CODE_BLOCKS + 2, 8, 20)
#define CLQ_Q5_0        CLQ_DTYPE(CLQ_CODE_BLOCKS + 3, 8, 22)
#define CLQ_Q5_1        CLQ_DTYPE(CLQ_CODE_BLOCKS + 4, 8, 24)
#define CLQ_IQ4_NL      CLQ_DTYPE(CLQ_CODE_BLOCKS + 5, 8, 18)

/* The type of a name: one of those above, "int8", or of a view of four bits "int4_bytes", "int4_words". For
 * any other text, and of NULL, it is CLQ_DTYPE(255, 255, 0), which every call refuses with a sentence that
 * lists what it takes. */
CLQ_API DLDataType clq_dtype_parse(const char *name);

/* And back: "int4_words". NULL of a type that is none of these. */
CLQ_API const char *clq_dtype_name(DLDataType dtype);

#define CLQ_MAX_RANK 8

/* The axis of a descriptor: from 1 on as it says, below 0 counted from the end, and 0, a field that was left
 * out, the operator's default: the last dimension, or with indices the second-to-last. The first is
 * CLQ_AXIS_FIRST, or minus the rank. With 1-D starts an axis that was left out is refused where entries are
 * as long as it: all of them but 0 would be out of range. */
#define CLQ_AXIS_FIRST INT32_MIN

/* Makes a dense tensor in a new read-write buffer of the context. An empty tensor has a buffer of one byte,
 * so data is never NULL. On failure *tensor is NULL. (A large cache on a CPU may be faster in a buffer of
 * your own, on large pages: docs/performance.md.) */
CLQ_API clq_status clq_tensor_create(clq_context *context, DLDataType dtype, int ndim, const int64_t *shape,
                                     DLManagedTensor **tensor);

/* Frees a tensor by its deleter, which every DLManagedTensor has. Commands in flight may still use it. NULL
 * is fine. */
CLQ_API void clq_tensor_destroy(DLManagedTensor *tensor);

/* A dense tensor in a buffer of the caller's, from its first byte; set strides and byte_offset of the result
 * for another. Nothing is checked, retained or freed: buffer and shape, an array of ndim sizes, must outlive
 * its use. */
static inline DLTensor clq_tensor_view(cl_mem buffer, DLDataType dtype, int ndim, int64_t *shape)
{
    DLTensor tensor;

    tensor.data = buffer;
    tensor.device.device_type = kDLOpenCL;
    tensor.device.device_id = 0;
    tensor.ndim = ndim;
    tensor.dtype = dtype;
    tensor.shape = shape;
    tensor.strides = NULL;
    tensor.byte_offset = 0;
    return tensor;
}

/* The bytes of the elements themselves, densely packed: what write and read move. */
CLQ_API clq_status clq_tensor_size_bytes(const DLTensor *tensor, size_t *size_bytes);

/* Copies host memory to the tensor, and back. The tensor must be dense and row-major; size_bytes must be
 * clq_tensor_size_bytes. As clEnqueueWriteBuffer and clEnqueueReadBuffer: unless blocking, host must live and
 * stay unchanged until *done completes. A call that blocks waits for its wait list and for its own event: the
 * bytes are in place for every queue, and where an awaited event fails it returns
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, having moved nothing. After another OpenCL code a transfer
 * may have begun: keep host until clFinish of the queue has returned. With a code of the library nothing was
 * enqueued. An empty tensor only honours the wait list. */
CLQ_API clq_status clq_tensor_write(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                                    const void *host, size_t size_bytes, cl_uint num_wait,
                                    const cl_event *wait, cl_event *done);
CLQ_API clq_status clq_tensor_read(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                                   void *host, size_t size_bytes, cl_uint num_wait, const cl_event *wait,
                                   cl_event *done);

/* Maps a dense, non-empty tensor's bytes into the host's memory, and gives them back. As clEnqueueMapBuffer:
 * unless blocking, *host may be used only once *done is complete. If the call fails, *host is NULL. */
CLQ_API clq_status clq_tensor_map(cl_command_queue queue, const DLTensor *tensor, cl_bool blocking,
                                  cl_map_flags flags, void **host, cl_uint num_wait, const cl_event *wait,
                                  cl_event *done);
CLQ_API clq_status clq_tensor_unmap(cl_command_queue queue, const DLTensor *tensor, void *host,
                                    cl_uint num_wait, const cl_event *wait, cl_event *done);

#ifdef __cplusplus
}
#endif
#endif
