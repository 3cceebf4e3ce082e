/* SPDX-License-Identifier: Apache-2.0 */
/* Command buffers of cl_khr_command_buffer, by the addresses of its functions. */
#ifndef CLQUANT_BENCH_COMMANDS_H
#define CLQUANT_BENCH_COMMANDS_H

#include "bench.h"

struct _cl_command_buffer_khr;

/* Whether the bench's device has them. */
bool commands_exist(const struct bench *bench);
/* For the bench's queue. */
bool commands_create(struct bench *bench, struct _cl_command_buffer_khr **commands);
bool commands_finalize(struct bench *bench, struct _cl_command_buffer_khr *commands);
bool commands_enqueue(struct bench *bench, struct _cl_command_buffer_khr *commands);
void commands_release(const struct bench *bench, struct _cl_command_buffer_khr *commands);

#endif
