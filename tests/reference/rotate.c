/* SPDX-License-Identifier: Apache-2.0 */
#include "rotate.h"

#include <math.h>

static void rotate_block(float *v, int64_t r)
{
    const float c = (float)(1.0 / sqrt((double)r));

    for (int64_t h = 1; h < r; h *= 2)
        for (int64_t i = 0; i < r; i++)
            if (i / h % 2 == 0) {
                const float sum = v[i] + v[i + h];
                const float difference = v[i] - v[i + h];

                v[i] = sum;
                v[i + h] = difference;
            }
    for (int64_t i = 0; i < r; i++)
        v[i] = v[i] * c;
}

void reference_rotate(float *values, int64_t length, int64_t r)
{
    for (int64_t block = 0; r > 0 && block < length; block += r)
        rotate_block(values + block, r);
}
