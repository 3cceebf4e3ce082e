/* SPDX-License-Identifier: Apache-2.0 */
/* A launch's arguments executed on host memory, as cl/args says what they mean: a second implementation of
 * the kernels' meaning, the slowest obvious one. Which work-item does what is followed, so that a wrong cut
 * shows as bytes that are missing, written twice or out of bounds; how a work-item does it is not. */
#ifndef CLQUANT_SEAM_RUN_ARGS_H
#define CLQUANT_SEAM_RUN_ARGS_H

#include "memory.h"

/* The launch's buffers are struct memory. False where an argument breaks a rule of cl/args, or an access is
 * outside of its buffer: run->failure says which. */
bool run_args(struct run *run, const struct clq__launch *launch);

/* The kernels, each by its own rules (quantize.cl, dequantize.cl, dynamic_quantize.cl and find_scales.cl,
 * also of cl/cpu, finish_scales.cl, values.cl, widen.cl, copy.cl,
 * move_rows.cl, convert_rows.cl, places.cl). */
void run_static(struct run *run);
void run_dynamic(struct run *run);
void run_dynamic_back(struct run *run);
void run_find_scales(struct run *run);
void run_finish_scales(struct run *run);
void run_values(struct run *run);
void run_widen(struct run *run);
void run_copy(struct run *run);
void run_move_rows(struct run *run);
void run_convert_rows(struct run *run);
void run_places(struct run *run);

/* How a launch's work-items share what is numbered from 0 to count: one item has so many that follow one
 * another, or in the form of a group `lanes` of them share one. Fails where that does not reach the last
 * number, or groups do not hold whole shares. */
struct share {
    int64_t workers, each; /* who come one after the other, and how many each has */
};
struct share run_share(struct run *run, int64_t count, int64_t each, uint32_t lanes);

#endif
