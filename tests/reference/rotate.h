/* SPDX-License-Identifier: Apache-2.0 */
/* Rows turned by the orthonormal Walsh-Hadamard matrix. */
#ifndef CLQUANT_REFERENCE_ROTATE_H
#define CLQUANT_REFERENCE_ROTATE_H

#include <stdint.h>

/* Each r neighbours of the values, of which there are a multiple of r, a power of two; 0: nothing is done.
 *
 *     for h = 1, 2, 4, .. r/2:   for each i with (i / h) even:   (v[i], v[i+h]) = (v[i] + v[i+h], v[i] -
 *                                v[i+h])
 *     v[i] = v[i] * c            c = 1 / sqrt(r) rounded to binary32 */
void reference_rotate(float *values, int64_t length, int64_t r);

#endif
