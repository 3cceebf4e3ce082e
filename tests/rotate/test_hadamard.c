/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices: symmetric, of +1 and -1, with orthogonal rows; so each, over sqrt(n), is its own inverse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rotate/hadamard.h"

enum { SMALL = 448 }; /* all sizes up to it are tried: every small order with a power of two, and none */

static signed char signs[SMALL][SMALL];

static void is_hadamard(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const int sign = clq__hadamard_sign(n, i, j);

            assert_true(sign == 1 || sign == -1);
            signs[i][j] = (signed char)sign;
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            int product = 0;

            assert_int_equal(signs[i][j], signs[j][i]);
            for (int64_t k = 0; k < n; k++)
                product += signs[i][k] * signs[j][k];
            assert_int_equal(product, i == j ? n : 0);
        }
}

static void matrices_are_hadamard(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= SMALL; n++)
        if (clq__hadamard_has(n))
            is_hadamard(n);
}

static void sizes_are_those_promised(void **state)
{
    static const int64_t has[] = {1,  2,  4,  8,   12,  16,  20,  24,  28,  32,   40,   48,   56,
                                  64, 80, 96, 112, 128, 160, 192, 224, 256, 1024, 3072, 4096, 2560};
    static const int64_t has_not[] = {-1, 0, 3, 6, 10, 14, 36, 100, 120, 144, 576, 6144, 8192, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        assert_true(clq__hadamard_has(has[i]));
    for (size_t i = 0; i < sizeof has_not / sizeof *has_not; i++)
        assert_false(clq__hadamard_has(has_not[i]));
}

/* By hand: Sylvester's of order 4, and the first rows of Paley's of order 12 (the squares modulo 11 are 1, 3,
 * 4, 5 and 9). */
static void known_rows(void **state)
{
    static const signed char four[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, 1, -1, -1}, {1, -1, -1, 1}};
    static const signed char second_of_12[12] = {1, -1, 1, -1, 1, 1, 1, -1, -1, -1, 1, -1};

    (void)state;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            assert_int_equal(clq__hadamard_sign(4, i, j), four[i][j]);
    for (int j = 0; j < 12; j++) {
        assert_int_equal(clq__hadamard_sign(12, 0, j), 1);
        assert_int_equal(clq__hadamard_sign(12, 1, j), second_of_12[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_hadamard),
        cmocka_unit_test(sizes_are_those_promised),
        cmocka_unit_test(known_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
