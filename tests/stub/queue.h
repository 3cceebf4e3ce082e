/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts, queues, events, and the commands between them.
 *
 * A command runs as late as OpenCL allows: when somebody flushes its queue or waits, and all that it waits
 * for is complete. In a queue without an order the last of those that may run goes first, or with
 * with a seed in CLQ_STUB one of them by chance: so a dependency that is missing shows. */
#ifndef CLQUANT_STUB_QUEUE_H
#define CLQUANT_STUB_QUEUE_H

#include "buffer.h"
#include "device.h"

struct _cl_context {
    struct stub_object object;
    cl_uint num_devices;
    unsigned num_programs; /* ever made */
    cl_device_id devices[STUB_MOST_DEVICES];
};

struct stub_command;

struct _cl_command_queue {
    struct stub_object object;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    struct stub_command *first, *last; /* of those that are not complete, as they were enqueued */
    struct stub_command *awake;        /* the first of those that no event holds up, or that are barriers */
    uint64_t enqueued;                 /* ever */
    cl_command_queue next;             /* of all queues */
};

struct _cl_event {
    struct stub_object object;
    cl_context context;
    cl_command_queue queue; /* NULL: the user's */
    cl_command_type type;
    cl_int status;
    struct stub_command *command; /* until it is complete */
    struct stub_command *asleep;  /* the first of those that wait for it */
};

struct stub_command {
    struct stub_command *next, *previous; /* in the queue */
    struct stub_command *next_beside;     /* awake in the queue, or asleep at the same event */
    uint64_t number;                      /* in the queue */
    cl_command_queue queue;
    cl_event event;
    cl_uint num_wait;
    cl_event *wait;
    bool submitted, running;
    bool behind_all; /* a marker without a wait list: all that came before must be complete */
    bool barrier;    /* nothing that comes behind may run before it */

    void (*run)(struct stub_command *command); /* NULL: there is nothing to do */
    cl_mem src, dst;
    size_t src_offset, dst_offset, size_bytes;
    const void *host_src;
    void *host_dst;
    unsigned char pattern[128];
    size_t pattern_bytes;
    struct stub_mapping *mapping;
    struct stub_launch_copy *launch;
};

extern cl_command_queue stub_queues; /* all that have not ended */

bool stub_has_device(cl_context context, cl_device_id device);

/* What every clEnqueue… call refuses. */
cl_int stub_enqueue_check(cl_command_queue queue, cl_uint num_wait, const cl_event *wait);
struct stub_command *stub_command_new(cl_command_queue queue, cl_command_type type, cl_uint num_wait,
                                      const cl_event *wait);
/* The command itself, where the call is right. */
cl_int stub_make_fill(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                      size_t offset, size_t size, cl_uint num_wait, const cl_event *wait,
                      struct stub_command **command);
cl_int stub_make_copy(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset,
                      size_t size, cl_uint num_wait, const cl_event *wait, struct stub_command **command);
cl_int stub_make_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                        const size_t *global, const size_t *local, cl_uint num_wait, const cl_event *wait,
                        struct stub_command **command);
/* Takes the command; `event` may be NULL. Returns when it is complete, if it blocks. */
cl_int stub_enqueue(struct stub_command *command, bool blocks, cl_event *event);
/* Gives back what the command holds. */
void stub_command_free(struct stub_command *command);

/* Says that it is complete or has failed, and wakes what waits for it. */
void stub_event_end(cl_event event, cl_int status);
/* Of one queue: its commands may run from now on. */
void stub_submit(cl_command_queue queue);
/* Runs a command that may; false where there is none. */
bool stub_run_one(void);
void stub_wait(cl_event event);
void stub_finish(cl_command_queue queue);

/* The function of cl_khr_command_buffer in the form of the platform's version; NULL where it has none. */
void *stub_find_of_commands(const char *name);

void stub_place_contexts(cl_icd_dispatch *table);
void stub_place_queues(cl_icd_dispatch *table);
void stub_place_events(cl_icd_dispatch *table);

#endif
