/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's reorder from float32 to int8 with scales: the library that does this on a CPU. It is loaded when
 * it is first asked for, so that the command neither needs it nor pays for it. */
#ifndef CLQUANT_BENCH_ONEDNN_H
#define CLQUANT_BENCH_ONEDNN_H

#include <stdbool.h>
#include <stddef.h>

struct onednn;

/* Multiplies a row-major [rows, columns] by one scale, or by one a column. NULL: oneDNN is not installed, or
 * was not when this was built. */
struct onednn *onednn_create(size_t rows, size_t columns, const float *scales, bool each);
bool onednn_run(struct onednn *reorder, const void *x, void *y);
void onednn_destroy(struct onednn *reorder);

#endif
