/* SPDX-License-Identifier: Apache-2.0 */
/* All of OpenCL that operators need: they make no call of it themselves. */
#ifndef CLQ_RUNTIME_LAUNCH_H
#define CLQ_RUNTIME_LAUNCH_H

#include "base/variant.h"
#include "runtime/device.h"

#include <clquant/context.h>
#include <stdbool.h>
#include <stddef.h>

#define CLQ__LAUNCH_BUFFERS    8
#define CLQ__LAUNCH_ARGS_BYTES 1024

/* The kernel of a launch that is enqueued again and again: nobody else uses it,
 * and its arguments stay set. */
struct clq__kept {
    struct clq__variant variant;
    struct clq__program *program;
    cl_kernel kernel;                    /* NULL: none yet */
    cl_mem buffers[CLQ__LAUNCH_BUFFERS]; /* that it was given, of those whose bit is set */
    unsigned given;
    bool is_set; /* all arguments are those of the launch */
};
void clq__kept_release(clq_context *context, struct clq__kept *kept);

struct clq__launch {
    struct clq__kept *kept; /* NULL: a kernel is taken for the call */
    struct clq__variant variant;
    cl_mem buffers[CLQ__LAUNCH_BUFFERS]; /* the first arguments, in order; NULL for one that is not touched */
    unsigned num_buffers;
    const void *args; /* the struct that follows them */
    size_t args_bytes;
    int64_t *x_offset;    /* in args, where the first buffer is x; else NULL */
    size_t groups, local; /* work-groups, and work-items in each */
    /* More than 1: it is enqueued as so many, one after the other. `slice` makes the arguments of one and
     * returns its groups; `most` is its limit (plan/shares/slice.h). */
    int64_t slices, most;
    size_t (*slice)(const struct clq__launch *whole, int64_t number, void *args);
};

/* One slice of a launch, and its arguments. */
struct clq__sliced {
    struct clq__launch launch;
    _Alignas(max_align_t) unsigned char args[CLQ__LAUNCH_ARGS_BYTES];
};
void clq__launch_slice(const struct clq__launch *whole, int64_t number, struct clq__sliced *sliced);

/* The choice of a form and of its sizes depends on these. */
struct clq__traits {
    bool group_form;
    size_t max_group_items;
    uint32_t compute_units;
    bool long_runs;  /* item form: a work-item is given as much as was measured to be best */
    bool subnormals; /* it computes with them: products are its own */
    bool fma;        /* it promises that */
    enum clq__division division;
    bool ends_loops;              /* after some rounds, whatever is left of them */
    int64_t most;                 /* rows and distances of a launch (plan/shares/slice.h) */
    struct clq__variant plugs[2]; /* by form: FORM and ARITHMETIC, of no kernel */
};
/* Mesa's llvmpipe ends a work-item's loops after 65535 rounds, counted over all of them, without a word.
 * Counts of rounds are estimates, so that a margin is left. */
enum { CLQ__MOST_ROUNDS = 49152 };
/* Kernels number in 32 bits, and divide in 31; work-items behind the last row have numbers too. */
#ifndef CLQ__MOST_ROWS
#define CLQ__MOST_ROWS (INT64_C(1) << 30)
#endif
struct clq__traits clq__traits(const clq_context *context);
/* Work-items in a group that the device and every kernel takes that was built: a kernel of many registers
 * may take fewer than its device. It only falls. A call that was cut for more is refused before its first
 * command, and is to be cut again. */
size_t clq__group_limit(const clq_context *context);
/* Whether that is why a call failed that was cut for the limit before. */
bool clq__is_to_cut_again(const clq_context *context, clq_status status, size_t limit);
/* Work-items in a group: so many, a power of two, halved until the device takes them. */
int64_t clq__group_items(const struct clq__traits *traits, int64_t most);
/* Refuses what such a device would end early, where it is not cut any shorter:
 * the argument `name` asks for so many rounds. */
clq_status clq__rounds_check(const clq_context *context, int64_t rounds, const char *name);

/* Exchanges the kernel for the one that the device has of its own; false where it has none. (engines.c) */
bool clq__variant_own(struct clq__variant *variant, const struct clq__traits *traits, bool group);
/* For a variant with the device's ARITHMETIC: what this kernel makes of it. A device that divides roughly may
 * still multiply as it should, and not every kernel has a quotient by fma. (engines.c) */
void clq__variant_choose_arithmetic(struct clq__variant *variant, const struct clq__traits *traits);
/* Adds what depends on the device, in the form that the call asks for: the kernel of a CPU's own where it has
 * one, else FORM and ARITHMETIC. Returns whether it is the CPU's own, which is cut in its way. (engines.c) */
bool clq__variant_end_form(struct clq__variant *variant, const struct clq__traits *traits, bool group);
/* The same in the device's own form. */
static inline bool clq__variant_end(struct clq__variant *variant, const struct clq__traits *traits)
{
    return clq__variant_end_form(variant, traits, traits->group_form);
}

/* For a kernel that has ARITHMETIC alone. (engines.c) */
void clq__variant_end_arithmetic(struct clq__variant *variant, const struct clq__traits *traits);

/* Builds its kernel, which then takes its groups: what may still fail is to enqueue it. */
clq_status clq__launch_ready(clq_context *context, const struct clq__launch *launch);
/* Builds what the launch needs, up to the driver's last step for its local size. For the launch it reads the
 * variant, num_buffers, args_bytes (at most CLQ__LAUNCH_ARGS_BYTES) and local. Kernels do nothing where the
 * struct of arguments is all zeros. */
clq_status clq__launch_build(clq_context *context, const struct clq__launch *launch);
/* The kernel that the launch keeps, with its arguments. */
clq_status clq__launch_set(clq_context *context, const struct clq__launch *launch, cl_kernel *kernel);
clq_status clq__launch(clq_context *context, cl_command_queue queue, const struct clq__launch *launch,
                       cl_uint num_wait, const cl_event *wait, cl_event *done);
/* Refuses a list without a length or a length without a list (PoCL 3.1 reads the list before it looks), and
 * what is no event of the queue's context. */
clq_status clq__wait_check(cl_context context, cl_uint num_wait, const cl_event *wait);
/* Every operator checks these first; a call that only builds needs no queue. */
clq_status clq__call_check(const clq_context *context, cl_command_queue queue, bool build_only,
                           cl_uint num_wait, const cl_event *wait);
/* Whether each command of the queue waits for the one before it. */
clq_status clq__queue_in_order(cl_command_queue queue, bool *in_order);
/* Nothing to do but to honour the wait list: for the event that was asked for,
 * and for what is enqueued next in order.
 */
clq_status clq__launch_nothing(cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                               cl_event *done);

/* Zeroes, and copies, bytes of buffers. */
clq_status clq__clear(cl_command_queue queue, cl_mem buffer, size_t offset_bytes, size_t size_bytes,
                      cl_uint num_wait, const cl_event *wait, cl_event *done);
clq_status clq__copy_bytes(cl_command_queue queue, cl_mem src, size_t src_offset_bytes, cl_mem dst,
                           size_t dst_offset_bytes, size_t size_bytes, cl_uint num_wait, const cl_event *wait,
                           cl_event *done);
/* A call that blocks begins with this: it waits for its wait list by itself, for behind an event that has
 * failed PoCL 3.1 would wait for ever. The transfer is given the list again,
 * for whoever looks at commands (OpenCL layers). */
clq_status clq__await(cl_uint num_wait, const cl_event *wait);
/* It ends with this: the transfer blocks and has an event, which is waited for, too, and goes to done or is
 * released. PoCL 3.1 and rusticl say of a transfer that failed that it succeeded, and Intel's CPU runtime
 * returned from a write of 168 bytes before they were in place,
 * so that what another queue did next was overwritten. */
clq_status clq__await_transfer(cl_event moved, cl_event *done);
/* Reads bytes of a buffer, and blocks until they are there. If there are none it only waits. */
clq_status clq__read(cl_command_queue queue, cl_mem buffer, size_t offset_bytes, void *host,
                     size_t size_bytes, cl_uint num_wait, const cl_event *wait);

/* Buffers that live until the commands that were enqueued with them are done. NULL is fine for release. */
clq_status clq__scratch_create(clq_context *context, size_t size_bytes, cl_mem *buffer);
void clq__scratch_release(cl_mem buffer);
void clq__event_release(cl_event event);
/* Waits for the last command of a queue that is released next, and gives its event back. Not by clFinish, nor
 * by a call that blocks: PoCL 6 may look at the queue behind these, and ends the process where it is gone. */
void clq__event_end(cl_event event);

#endif
