/* SPDX-License-Identifier: Apache-2.0 */
/* Rounded, then added: what is only said of round_first. The tables of the other tests have it too. */
#include "quantize_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum reference_type outputs[] = {QUANTIZED_TYPES};
enum { OUTPUTS = COUNT(outputs), HALVES = 65536, NIBBLE_BYTES = HALVES / 2 };

/* Every float16 by a scale: what becomes of them, two in a byte. */
static void quantize_halves(enum reference_type y, float scale, bool multiply,
                            unsigned char bytes[NIBBLE_BYTES])
{
    const bool is_unsigned = y == REFERENCE_U4;
    const struct quantize_types types = {.x = REFERENCE_F16, .y = y, .lanes = 2, .multiply = multiply};
    const struct quantize_shape shape = {1, {HALVES}, 0, 1, is_unsigned};
    struct quantize_case c = quantize_case_of("every half", &types, &shape);
    struct quantize_tensors t;

    c.round_first = true;
    quantize_tensors_init(&t, &c);
    for (int64_t i = 0; i < HALVES; i++)
        tensor_set(&t.x, i, (double)reference_widen_f16((uint16_t)i));
    tensor_set(&t.scales, 0, (double)scale);
    if (is_unsigned)
        tensor_set(&t.zero_points, 0, 8);
    assert_true(quantize_tensors_match(&t, &c, harness.context, harness.queue));
    memcpy(bytes, t.y.image + t.y.dl.byte_offset, NIBBLE_BYTES);
    quantize_tensors_clear(&t);
}

/* Whatever the scale is. NaN is 0 in both, and so is 0 / 0. */
static void uint4_is_int4_moved_by_8(void **state)
{
    static const float scales[] = {1.0f, 0.1f, 3.0f, -0.37f, 0x1p-24f, 1.0f / 3.0f, 250.0f, 0.0f, -0x1p-20f};
    static unsigned char moved[NIBBLE_BYTES], plain[NIBBLE_BYTES];

    (void)state;
    for (size_t s = 0; s < 2 * COUNT(scales); s += harness_step(1, 7)) {
        const float scale = scales[s / 2];
        const bool multiply = s % 2;

        quantize_halves(REFERENCE_I4, scale, multiply, plain);
        quantize_halves(REFERENCE_U4, scale, multiply, moved);
        for (int i = 0; i < NIBBLE_BYTES; i++) {
            const float low = reference_widen_f16((uint16_t)(2 * i)),
                        high = reference_widen_f16((uint16_t)(2 * i + 1));
            const bool is_nan = multiply ? isnan(low * scale) || isnan(high * scale)
                                         : isnan(low / scale) || isnan(high / scale);

            if (!is_nan && (plain[i] ^ moved[i]) != 0x88)
                fail_msg("halves 0x%04x and next, scale %a: int4 0x%02x, uint4 0x%02x", 2 * i, (double)scale,
                         plain[i], moved[i]);
        }
    }
}

/* Values a quarter apart whose sum with the zero point lies about the range, as far as float32 has them. */
static void check_about(enum reference_type y, enum reference_type zero_type, double zero, bool each)
{
    enum { VALUES = 1200 };
    const struct quantize_types types = {.x = REFERENCE_F32, .zero = zero_type, .y = y};
    const struct quantize_shape shape = {1, {VALUES}, 0, each ? VALUES : 1, each ? VALUES : 1};
    struct quantize_case c = quantize_case_of("about the range", &types, &shape);
    struct quantize_tensors t;
    bool good;

    c.round_first = true;
    quantize_tensors_init(&t, &c);
    for (int64_t i = 0; i < VALUES; i++)
        tensor_set(&t.x, i, (double)(i - VALUES / 2) / 4 - zero);
    for (int64_t i = 0; i < shape.scale_count; i++) {
        tensor_set(&t.scales, i, 1);
        tensor_set(&t.zero_points, i, zero);
    }
    good = quantize_tensors_match(&t, &c, harness.context, harness.queue);
    quantize_tensors_clear(&t);
    if (!good)
        fail_msg("zero point %a", zero);
}

/* Whole ones odd and even, halves and others, and those beside which the value loses its half, or its last bits. */
static void beside_every_zero_point(void **state)
{
    static const double zeros[] = {
        0,        1,         -7,        8,         127,       255,        0.5,        -0.5,       0.25,
        2.75,     -3.5,      4194303.5, 4194304,   -4194305,  8388607.5,  8388608,    -8388607,   -8388609,
        16777215, -16777216, 16777218,  -33554436, 1000001.5, -2097151.5, 2147483520, -2147483648};

    (void)state;
    for (size_t i = 0; i < COUNT(zeros) * OUTPUTS * 2; i += harness_step(1, 11)) {
        const double zero = zeros[i / 2 / OUTPUTS];
        const bool is_int32 = zero == floor(zero) && i % 5 == 0;

        check_about(outputs[i / 2 % OUTPUTS], is_int32 ? REFERENCE_I32 : REFERENCE_F32, zero, i % 2);
    }
}

/* One value by hand, so that no mistake of the reference hides: 2.5 / 1 + 1 is 3 so, and 4 else. */
static void differs_at_a_tie(void **state)
{
    const struct quantize_types types = {.x = REFERENCE_F32, .zero = REFERENCE_I8, .y = REFERENCE_I8};
    const struct quantize_shape shape = {1, {1}, 0, 1, 1};
    struct quantize_case c = quantize_case_of("a tie", &types, &shape);

    (void)state;
    for (int first = 0; first < 2; first++) {
        struct quantize_tensors t;

        c.round_first = first;
        quantize_tensors_init(&t, &c);
        tensor_set(&t.x, 0, 2.5);
        tensor_set(&t.scales, 0, 1);
        tensor_set(&t.zero_points, 0, 1);
        assert_true(quantize_tensors_match(&t, &c, harness.context, harness.queue));
        assert_int_equal(t.y.image[t.y.dl.byte_offset], first ? 3 : 4);
        quantize_tensors_clear(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uint4_is_int4_moved_by_8),
        cmocka_unit_test(beside_every_zero_point),
        cmocka_unit_test(differs_at_a_tie),
    };

    return HARNESS_RUN(argc, argv, "round first", tests);
}
