/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and events for tests of who waits for whom. */
#ifndef CLQUANT_TEST_QUEUES_H
#define CLQUANT_TEST_QUEUES_H

#include "harness.h"

/* An event that the test completes. */
cl_event user_event(void);
void complete(cl_event event);
bool is_complete(cl_event event);
/* A wait list of such events; each is completed, and `done` waits for the last. All are released. */
enum { MOST_WAITS = 3 };
void user_events(cl_event *wait, cl_uint waits);
void complete_each(const cl_event *wait, cl_uint waits, cl_event done);
/* Waits, and releases. */
void wait_for(cl_event event);

/* Another queue of the same device, or NULL where it has none of this kind. */
cl_command_queue queue_of(cl_command_queue_properties properties);
/* Skips the test where the device has none. */
cl_command_queue out_of_order_queue(void);

#endif
