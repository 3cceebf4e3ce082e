/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, and the sentence that says what was wrong.
 *
 * Every call returns a clq_status: CLQ_OK, one of the library's own codes below, or an OpenCL error code
 * unchanged (CL_OUT_OF_RESOURCES is -5 here too). The library's codes stand in a range that no OpenCL error
 * uses. A call that was refused wrote nothing and enqueued nothing. */
#ifndef CLQUANT_STATUS_H
#define CLQUANT_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Define CLQ_STATIC where the static library is linked: on Windows the calls fail to link without it,
 * elsewhere it is not needed. The CMake target clquant::clquant_static and `pkg-config --static --cflags
 * clquant` define it. CLQ_BUILD_SHARED is for the library's own build. */
#if defined(CLQ_STATIC)
#define CLQ_API
#elif !defined(_WIN32)
#define CLQ_API __attribute__((visibility("default")))
#elif defined(CLQ_BUILD_SHARED)
#define CLQ_API __declspec(dllexport)
#else
#define CLQ_API __declspec(dllimport)
#endif

#if defined(_WIN32)
#define CLQ_PRINTF(text, values)
#else
#define CLQ_PRINTF(text, values) __attribute__((format(printf, text, values)))
#endif

typedef int32_t clq_status;

/* X(name, code, sentence) */
#define CLQ_STATUS_LIST(X)                                                                                   \
    X(CLQ_OK, 0, "success")                                                                                  \
    X(CLQ_ERROR_NULL, -20001, "a required argument is missing")                                              \
    X(CLQ_ERROR_VALUE, -20002, "an argument has a value that is not allowed")                                \
    X(CLQ_ERROR_TYPE, -20003, "a tensor has an element type that is not allowed")                            \
    X(CLQ_ERROR_RANK, -20004, "a tensor has a rank that is not allowed")                                     \
    X(CLQ_ERROR_SHAPE, -20005, "the shapes of two tensors do not fit")                                       \
    X(CLQ_ERROR_AXIS, -20006, "an axis is out of range")                                                     \
    X(CLQ_ERROR_LAYOUT, -20007, "the strides or the byte offset of a tensor are not allowed")                \
    X(CLQ_ERROR_SIZE, -20008, "a buffer is smaller than its tensor asks")                                    \
    X(CLQ_ERROR_OVERFLOW, -20009, "a size does not fit into 63 bits")                                        \
    X(CLQ_ERROR_OVERLAP, -20010, "an output overlaps itself or another argument")                            \
    X(CLQ_ERROR_DEVICE, -20011, "no OpenCL device fits")                                                     \
    X(CLQ_ERROR_BUILD, -20012, "a kernel did not build")                                                     \
    X(CLQ_ERROR_MEMORY, -20013, "the host is out of memory")                                                 \
    X(CLQ_ERROR_SYSTEM, -20014, "a system call failed")                                                      \
    X(CLQ_ERROR_INDEX, -20015, "an index is out of range")

enum clq_status_code {
#define CLQ_STATUS_ENUM(name, code, sentence) name = (code),
    CLQ_STATUS_LIST(CLQ_STATUS_ENUM)
#undef CLQ_STATUS_ENUM
};

/* The name of a status ("CLQ_ERROR_SHAPE", "CL_OUT_OF_RESOURCES"), and what it means in general. Never NULL;
 * an unknown code gives "unknown status". The strings are constant and live as long as the library. */
CLQ_API const char *clq_status_name(clq_status status);
CLQ_API const char *clq_status_text(clq_status status);

/* The sentence for the last call of this thread that failed: the argument, its value and the rule that it
 * broke, or the OpenCL function and its code. Empty when the thread has seen no failure; a call that
 * succeeded may leave the sentence of a failure that it went around, such as a platform's. It stands in a
 * fixed buffer of the thread (512 bytes, a longer sentence is cut), so it is never freed and is overwritten
 * by the thread's next failure. */
CLQ_API const char *clq_error_detail(void);

/* Writes that sentence, as printf would, and returns status: for libraries and programs that stand on this
 * one and refuse in its manner. */
CLQ_API clq_status clq_error_set(clq_status status, const char *format, ...) CLQ_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
