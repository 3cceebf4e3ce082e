/* SPDX-License-Identifier: Apache-2.0 */
/* The 16-bit floats of the examples are those of the reference: every float16 and bfloat16 widened, and
 * float32 of every size narrowed. */
#include "../../examples/common/values.h"
#include "tests.h"

#include <reference.h>

TEST(widens)
{
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        const float half = reference_widen_f16((uint16_t)bits), found = float_of_float16((uint16_t)bits);
        const float brain = reference_widen_bf16((uint16_t)bits);

        if (isnan(half))
            assert_true(isnan(found));
        else
            assert_int_equal(bits_of_float(found), bits_of_float(half));
        assert_int_equal(bits_of_float(float_of_bfloat16((uint16_t)bits)), bits_of_float(brain));
    }
}

/* The last bits that float16 drops, around each tie, for every exponent and sign. */
TEST(narrows)
{
    for (uint32_t high = 0; high <= 0xffff; high++)
        for (uint32_t low = 0; low < 64; low++) {
            const float value = float_of_bits(high << 16 | low * 1024 | (low % 3 == 0));

            if (isnan(value))
                assert_true(isnan(float_of_float16(float16_of_float(value))));
            else
                assert_int_equal(float16_of_float(value), reference_narrow_f16(value));
        }
}

TEST(middle)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

    assert_true(median(odd, 3) > 1.99 && median(odd, 3) < 2.01);
    assert_true(median(even, 4) > 2.49 && median(even, 4) < 2.51);
}

TESTS_MAIN("values")
