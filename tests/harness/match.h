/* SPDX-License-Identifier: Apache-2.0 */
/* A call on a device: what it leaves in its buffers is what the reference leaves. */
#ifndef CLQUANT_HARNESS_MATCH_H
#define CLQUANT_HARNESS_MATCH_H

#include "device.h"
#include "judge.h"

struct match {
    const struct device *device;
    cl_command_queue queue; /* of the call; its own, or the device's */
    bool waits;             /* the call waits for events that are completed once nothing has been written */
    bool no_event;          /* NULL is given for `done` */
    bool plans;             /* the call is a plan's, which was made for other buffers */
    bool records;           /* and it is a command buffer's, into which the plan was recorded */
};

/* Runs the call, which is as drawn or has been changed to another right one, and compares. False,
 * with a sentence. */
bool match(const struct match *match, struct call *call, char *failure, size_t failure_bytes);
/* A call that is wrong: every function of the operator refuses it, leaves no event and writes nothing.
 * `said`: with one of the findings; by_workspace: its size is all that is wrong,
 * which is asked without one. */
bool match_refused(const struct match *match, struct call *call, const struct judge *judge, bool said,
                   bool by_workspace, char *failure, size_t failure_bytes);

#endif
