/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric Hadamard matrices, without OpenCL. */
#ifndef CLQ_ROTATE_HADAMARD_H
#define CLQ_ROTATE_HADAMARD_H

#include <stdbool.h>
#include <stdint.h>

#define CLQ__HADAMARD_MAX 4096

/* Whether a matrix of this size can be made: a power of two, or 12, 20 or 28 times one. */
bool clq__hadamard_has(int64_t size);

/* +1 or -1 at a place of it. */
int clq__hadamard_sign(int64_t size, int64_t row, int64_t column);

#endif
