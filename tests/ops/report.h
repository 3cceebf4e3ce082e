/* SPDX-License-Identifier: Apache-2.0 */
/* A report inside of a buffer whose every byte is watched. */
#ifndef CLQUANT_TEST_REPORT_H
#define CLQUANT_TEST_REPORT_H

#include "harness.h"

enum { REPORT_OFFSET = 20 };

/* NULL where there is no memory. */
cl_mem report_create(cl_command_queue queue);
/* What is there before a call: calls add to it, and keep the least `first` but 0. */
bool report_begin(cl_mem report, cl_command_queue queue, uint32_t first);
/* Whether a call has added what the reference counted, and nothing else; says on stderr what there is. */
bool report_holds(cl_mem report, cl_command_queue queue, const struct reference_report *added,
                  uint32_t first);

#endif
