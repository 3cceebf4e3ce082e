/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: calls that are checked once and enqueued many times.
 *
 * A plan is made of an operator's descriptor and does what the operator's call would. It is checked, its
 * layouts are folded and its kernels are built when it is made; to enqueue it is little more than the bare
 * OpenCL calls. Types, shapes, strides and options are the plan's for good. Buffers and byte offsets may
 * change with each enqueue.
 *
 *   clq_plan *plan;
 *   clq_dynamic_quantize_scatter_plan(context, &desc, &plan);
 *   for each step
 *       clq_plan_enqueue(plan, queue, 1, &CLQ_BIND(dynamic_quantize_scatter, updates, buffer, 0),
 *                        0, NULL, NULL);
 *   clq_plan_destroy(plan);
 *
 * Caches of many layers that lie in one buffer are one tensor with a dimension more, and so one plan:
 * docs/operators.md, at "Many layers". The ones that are buffers of their own are a plan each, and
 * clq_plan_enqueue_all enqueues them by one call.
 *
 * Ownership  The descriptor is copied, tensors, shapes and strides too. Buffers stay the caller's: each
 *            must live until another one is bound in its place, or the plan is destroyed, and what was
 *            enqueued with it is done. The context must outlive the plan.
 * Memory     A plan whose descriptor has a workspace allocates nothing on the device when it is enqueued or
 *            recorded, and without one only where clq_<operator>_workspace is not 0.
 * Threads    A plan is used by one thread at a time. Plans share no lock while they are enqueued: two threads
 *            with a plan each never wait for one another. */
#ifndef CLQUANT_PLAN_H
#define CLQUANT_PLAN_H

#include <clquant/context.h>
#include <clquant/dequantize.h>
#include <clquant/dynamic_quantize.h>
#include <clquant/dynamic_quantize_scatter.h>
#include <clquant/find_scales.h>
#include <clquant/group_quantize.h>
#include <clquant/move_rows.h>
#include <clquant/quantize.h>
#include <clquant/quantize_scatter.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clq_plan clq_plan;

/* Another buffer, or another place in it, for a tensor, the report or the workspace that the plan's
 * descriptor has. */
struct clq_binding {
    size_t field;  /* its offset in the operator's descriptor, as CLQ_BIND writes it */
    cl_mem buffer; /* not NULL */
    uint64_t offset_bytes;
};

/* The binding of a field of struct clq_<operator_name>_desc: in C a compound literal, whose address may be
 * taken, in C++ a value. */
#ifdef __cplusplus
#define CLQ_BIND(operator_name, field_name, its_buffer, its_offset_bytes)                                    \
    (clq_binding{offsetof(clq_##operator_name##_desc, field_name), (its_buffer), (its_offset_bytes)})
#else
#define CLQ_BIND(operator_name, field_name, its_buffer, its_offset_bytes)                                    \
    ((struct clq_binding){offsetof(struct clq_##operator_name##_desc, field_name), (its_buffer),             \
                          (its_offset_bytes)})
#endif

/* Makes a plan of a descriptor that the operator's call would take, buffers too, and builds what it needs.
 * *plan is to be given to clq_plan_destroy; it is NULL where the call fails. */
CLQ_API clq_status clq_quantize_plan(clq_context *context, const struct clq_quantize_desc *desc,
                                     clq_plan **plan);
CLQ_API clq_status clq_group_quantize_plan(clq_context *context, const struct clq_group_quantize_desc *desc,
                                           clq_plan **plan);
CLQ_API clq_status clq_move_rows_plan(clq_context *context, const struct clq_move_rows_desc *desc,
                                      clq_plan **plan);
CLQ_API clq_status clq_quantize_scatter_plan(clq_context *context,
                                             const struct clq_quantize_scatter_desc *desc, clq_plan **plan);
CLQ_API clq_status clq_dynamic_quantize_plan(clq_context *context,
                                             const struct clq_dynamic_quantize_desc *desc, clq_plan **plan);
CLQ_API clq_status clq_dynamic_quantize_scatter_plan(clq_context *context,
                                                     const struct clq_dynamic_quantize_scatter_desc *desc,
                                                     clq_plan **plan);
CLQ_API clq_status clq_dequantize_plan(clq_context *context, const struct clq_dequantize_desc *desc,
                                       clq_plan **plan);
CLQ_API clq_status clq_find_scales_plan(clq_context *context, const struct clq_find_scales_desc *desc,
                                        clq_plan **plan);

/* Enqueues what the operator's call would, with its wait list, event and errors. The bindings are first put
 * in the place of what was bound before, and stay for later calls. Their rules are those of the call: buffers
 * are looked at (their context, size and access, and what they share with one another) when one of them or
 * its offset changes, and at no other time. If that fails nothing is enqueued, and the plan is as it was
 * before. */
CLQ_API clq_status clq_plan_enqueue(clq_plan *plan, cl_command_queue queue, size_t num_bindings,
                                    const struct clq_binding *bindings, cl_uint num_wait,
                                    const cl_event *wait, cl_event *done);

/* A plan, as one of a list. */
struct clq_plan_call {
    clq_plan *plan; /* it stands in the list once */
    size_t num_bindings;
    const struct clq_binding *bindings; /* as of clq_plan_enqueue */
};

/* Enqueues all plans of a list, of one context, such as those of all layers of a step whose caches are
 * buffers of their own: with one wait list, and one event, which is complete when all of them are. They are
 * not ordered among each other: in a queue out of order they may run at the same time, so none may touch what
 * another one writes, its workspace too; a report may be that of many.
 *
 * First everything is bound, checked and made ready, and what fails is told of by a sentence that begins with
 * the number of the call, as in "calls[3]: cache.data has 96 bytes: ...". Nothing is enqueued then, and all
 * plans are as they were before. After that only the driver can fail, where it takes no more commands: what
 * it took of the calls before that one, and of it, goes on, there is no event, and the sentence says so.
 * Finish the queue before the buffers are used again. No host memory is allocated. */
CLQ_API clq_status clq_plan_enqueue_all(cl_command_queue queue, size_t num_calls,
                                        const struct clq_plan_call *calls, cl_uint num_wait,
                                        const cl_event *wait, cl_event *done);

/* cl_command_buffer_khr points to it; CL/cl_ext.h has that where it is recent enough */
struct _cl_command_buffer_khr;

/* Records the plan's commands into a command buffer of one queue of the context's device, which the caller
 * then finalizes and enqueues as often as is wanted; sync points instead of events. Each replay reads what is
 * in the buffers then, indices too, and counts into the report. The buffers are those that are bound now, and
 * must live as long as the command buffer; so must the plan, which may be enqueued, bound and recorded again
 * meanwhile: what is recorded has kernels of its own, and temporaries too where the plan has no workspace. A
 * workspace is for one replay or enqueue at a time.
 *
 * A device without the extension cl_khr_command_buffer, in any of its versions, is CLQ_ERROR_DEVICE. A plan
 * of no elements records nothing: done must be NULL then. If a command fails, those before it stay in the
 * command buffer. */
CLQ_API clq_status clq_plan_record(clq_plan *plan, struct _cl_command_buffer_khr *command_buffer,
                                   size_t num_bindings, const struct clq_binding *bindings, cl_uint num_wait,
                                   const cl_uint *wait, cl_uint *done);

/* Records all plans of a list, as clq_plan_enqueue_all enqueues them: one command buffer for all layers,
 * which is replayed by one call. With `done` a barrier is recorded behind them. */
CLQ_API clq_status clq_plan_record_all(struct _cl_command_buffer_khr *command_buffer, size_t num_calls,
                                       const struct clq_plan_call *calls, cl_uint num_wait,
                                       const cl_uint *wait, cl_uint *done);

/* Takes NULL too. Calls that were enqueued go on. */
CLQ_API void clq_plan_destroy(clq_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
