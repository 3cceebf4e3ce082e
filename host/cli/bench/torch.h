/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch in a process of its own, where python3 has it: work that is described in a line of text, and the
 * time that it takes there. The lines are those of torch_peer.py. */
#ifndef CLQUANT_BENCH_TORCH_H
#define CLQUANT_BENCH_TORCH_H

#include "race.h"

struct torch;

/* NULL: it is not installed. Takes seconds. */
struct torch *torch_start(void);

/* False: this PyTorch cannot do the work, or has ended. */
bool torch_prepare(struct torch *torch, const char *work);

/* Runs the work that was prepared last. False: the process has ended. */
bool torch_run(struct torch *torch, double *seconds);

/* Accepts NULL. */
void torch_stop(struct torch *torch);

/* A contestant: its time, made longer by `times` where it works on that many times less than ours. */
struct torch_peer {
    double times, seconds;
};

/* Adds the work, `calls` times a run, where the device is a CPU and PyTorch is there and can do it. peer
 * lives as long as the race. */
void torch_add(struct bench *bench, struct race *race, struct torch_peer *peer, const char *name, int calls,
               const char *work);

/* The most of x that it gets: what takes a second here, takes it minutes. */
enum { TORCH_BYTES = 256 << 20 };

#endif
