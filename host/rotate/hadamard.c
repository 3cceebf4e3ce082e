/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices, each symmetric and of +1 and -1 with orthogonal rows: Sylvester's, of a power
 * of two, and a small one of Paley's. */
#include "rotate/hadamard.h"

/* The small factor of a size: 12, 20 or 28, or 1 where a power of two needs none. 0: there is no matrix. */
static int64_t small_order(int64_t size)
{
    static const int64_t orders[] = {1, 12, 20, 28};

    for (unsigned i = 0; i < sizeof orders / sizeof *orders; i++) {
        const int64_t power = size / orders[i];

        if (size % orders[i] == 0 && power > 0 && (power & (power - 1)) == 0)
            return orders[i];
    }
    return 0;
}

bool clq__hadamard_has(int64_t size)
{
    return size > 0 && size <= CLQ__HADAMARD_MAX && small_order(size) != 0;
}

/* +1 for the square of a number that is not 0 modulo the prime, -1 for what is none, 0 for 0. */
static int residue(int64_t value, int64_t prime)
{
    if (value % prime == 0)
        return 0;
    for (int64_t root = 1; root < prime; root++)
        if ((root * root - value) % prime == 0)
            return 1;
    return -1;
}

/* Paley's first matrix, of order prime + 1 where the prime is 3 modulo 4. Its rows are taken in the order
 * that makes it symmetric: the core depends on the sum of row and column. */
static int paley_first(int64_t order, int64_t row, int64_t column)
{
    const int64_t prime = order - 1, sum = row - 1 + column - 1;

    if (row == 0 || column == 0)
        return 1;
    return sum % prime == 0 ? -1 : residue(sum, prime);
}

/* His second, of order 2 (prime + 1) where the prime is 1 modulo 4: blocks of 2 x 2. */
static int paley_second(int64_t order, int64_t row, int64_t column)
{
    const int64_t prime = order / 2 - 1, a = row / 2, b = column / 2;
    const bool low = row % 2 == 1, right = column % 2 == 1;

    if (a == b)
        return low || right ? -1 : 1;
    return (a == 0 || b == 0 ? 1 : residue(a - b, prime)) * (low && right ? -1 : 1);
}

static int small_sign(int64_t order, int64_t row, int64_t column)
{
    if (order == 1)
        return 1;
    return order == 28 ? paley_second(order, row, column) : paley_first(order, row, column);
}

int clq__hadamard_sign(int64_t size, int64_t row, int64_t column)
{
    const int64_t order = small_order(size);
    int sign = small_sign(order, row % order, column % order);

    for (int64_t common = (row / order) & (column / order); common != 0; common &= common - 1)
        sign = -sign;
    return sign;
}
