/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are recorded into a cl_command_buffer_khr, one after the other,
 * by the functions of cl_khr_command_buffer. */
#ifndef CLQ_RUNTIME_RECORDER_H
#define CLQ_RUNTIME_RECORDER_H

#include "runtime/launch.h"

typedef struct _cl_command_buffer_khr *clq__command_buffer;

/* Functions of cl_khr_command_buffer. Since version 0.9.5 those that fill, copy and wait have properties,
 * which stand behind the queue; _bare is the form without. Neither properties nor the handle of a command,
 * which is the last argument, are used here. */
typedef cl_int(CL_API_CALL *clq__record_ndrange)(clq__command_buffer, cl_command_queue, const void *,
                                                 cl_kernel, cl_uint, const size_t *, const size_t *,
                                                 const size_t *, cl_uint, const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_fill)(clq__command_buffer, cl_command_queue, const void *, cl_mem,
                                              const void *, size_t, size_t, size_t, cl_uint, const cl_uint *,
                                              cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_fill_bare)(clq__command_buffer, cl_command_queue, cl_mem,
                                                   const void *, size_t, size_t, size_t, cl_uint,
                                                   const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_move)(clq__command_buffer, cl_command_queue, const void *, cl_mem,
                                              cl_mem, size_t, size_t, size_t, cl_uint, const cl_uint *,
                                              cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_move_bare)(clq__command_buffer, cl_command_queue, cl_mem, cl_mem,
                                                   size_t, size_t, size_t, cl_uint, const cl_uint *,
                                                   cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_join)(clq__command_buffer, cl_command_queue, const void *, cl_uint,
                                              const cl_uint *, cl_uint *, void *);
typedef cl_int(CL_API_CALL *clq__record_join_bare)(clq__command_buffer, cl_command_queue, cl_uint,
                                                   const cl_uint *, cl_uint *, void *);

struct clq__recorder {
    clq_context *context; /* of what is recorded now */
    clq__record_ndrange ndrange;
    bool bare; /* the version of the extension is below 0.9.5, or not known */
    union {
        clq__record_fill full;
        clq__record_fill_bare bare;
    } fill;
    union {
        clq__record_move full;
        clq__record_move_bare bare;
    } copy;
    union {
        clq__record_join full;
        clq__record_join_bare bare;
    } barrier;
    clq__command_buffer buffer;
    cl_uint num_wait; /* sync points that the first command of each call waits for */
    const cl_uint *wait;
    cl_uint commands; /* of the call so far */
    cl_uint last;     /* the sync point of the last of them, which the next one waits for */
};

/* The extension's functions of the context's device; refuses a device that has none. */
clq_status clq__recorder_init(struct clq__recorder *recorder, clq_context *context,
                              clq__command_buffer buffer, cl_uint num_wait, const cl_uint *wait);

/* The next command belongs to another call. */
void clq__recorder_restart(struct clq__recorder *recorder, clq_context *context);

/* The launch's kernel is the one that it keeps, and is the command buffer's from then on. */
clq_status clq__record_launch(struct clq__recorder *recorder, const struct clq__launch *launch);
clq_status clq__record_clear(struct clq__recorder *recorder, cl_mem buffer, size_t offset_bytes,
                             size_t size_bytes);
clq_status clq__record_copy(struct clq__recorder *recorder, cl_mem src, size_t src_offset_bytes, cl_mem dst,
                            size_t dst_offset_bytes, size_t size_bytes);
/* A sync point behind all of these. */
clq_status clq__record_barrier(struct clq__recorder *recorder, cl_uint num, const cl_uint *points,
                               cl_uint *point);

#endif
