/* SPDX-License-Identifier: Apache-2.0 */
/* Which call fails. Allocations, file operations, mutexes and OpenCL calls are counted in one row, in the
 * order in which the library makes them while the injection is armed. */
#ifndef CLQUANT_FAULTS_INJECT_H
#define CLQUANT_FAULTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>

enum fault_kind { FAULT_NONE, FAULT_OPENCL, FAULT_MEMORY, FAULT_FILE, FAULT_MUTEX };
enum fault_mode { FAULT_ONCE, FAULT_FROM, FAULT_EVERY, FAULT_MODES };

/* What was injected first. */
struct fault {
    enum fault_kind kind;
    const char *name;
    int code;       /* of an OpenCL call */
    bool rehearsal; /* in a queue of the library's own: what it does without */
};

/* Fails call number `at` (ONCE), it and all that follow (FROM), or each `at`-th (EVERY, for many threads). */
void inject_arm(enum fault_mode mode, size_t at);
/* The first injected fault; its kind is FAULT_NONE when the calls ended before their number came. */
struct fault inject_disarm(void);
size_t inject_total(void);

/* Begins or ends calls of this thread that are not the library's: they are not counted and do not fail. */
void inject_pause(bool pause);

/* Asked by the wrappers of allocation and files, and by the OpenCL layer. */
bool inject_here(enum fault_kind kind, const char *name, int *code);

/* Blocks and descriptors that the program's own objects hold. */
long inject_live_blocks(void);
long inject_live_files(void);

#endif
