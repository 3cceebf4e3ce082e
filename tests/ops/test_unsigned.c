/* SPDX-License-Identifier: Apache-2.0 */
/* What is only said of unsigned types: uint4 is int4 moved by 8, rows have offsets from their highest value, and none of
 * them are symmetric. */
#include "dequantize_case.h"
#include "dynamic_case.h"
#include "quantize_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVES = 65536, NIBBLE_BYTES = HALVES / 2 };

/* Every float16 by a scale of 1. */
static void quantize_halves(enum reference_type y, double zero, unsigned char bytes[NIBBLE_BYTES])
{
    const struct quantize_types types = {.x = REFERENCE_F16, .y = y, .lanes = 2};
    const struct quantize_shape shape = {1, {HALVES}, 0, 1, zero != 0 ? 1 : 0};
    const struct quantize_case c = quantize_case_of("every half", &types, &shape);
    struct quantize_tensors t;

    quantize_tensors_init(&t, &c);
    for (int64_t i = 0; i < HALVES; i++)
        tensor_set(&t.x, i, (double)reference_widen_f16((uint16_t)i));
    tensor_set(&t.scales, 0, 1);
    if (zero != 0)
        tensor_set(&t.zero_points, 0, zero);
    assert_true(quantize_tensors_match(&t, &c, harness.context, harness.queue));
    memcpy(bytes, t.y.image + t.y.dl.byte_offset, NIBBLE_BYTES);
    quantize_tensors_clear(&t);
}

/* No float16 by 1 becomes a tie by adding 8. NaN is 0 in both. */
static void uint4_is_int4_moved_by_8(void **state)
{
    static unsigned char moved[NIBBLE_BYTES], plain[NIBBLE_BYTES];

    (void)state;
    quantize_halves(REFERENCE_I4, 0, plain);
    quantize_halves(REFERENCE_U4, 8, moved);
    for (int i = 0; i < NIBBLE_BYTES; i++) {
        const bool is_number = !isnan(reference_widen_f16((uint16_t)(2 * i))) &&
                               !isnan(reference_widen_f16((uint16_t)(2 * i + 1)));

        if (is_number && (plain[i] ^ moved[i]) != 0x88)
            fail_msg("halves 0x%04x and next: int4 0x%02x, uint4 0x%02x", 2 * i, plain[i], moved[i]);
    }
}

/* Few kernels, for each of these is compiled. */
static const struct dynamic_types rows[] = {{REFERENCE_F16, REFERENCE_I4, REFERENCE_U8, 1, false},
                                            {REFERENCE_F32, REFERENCE_F32, REFERENCE_U8, 1, false},
                                            {REFERENCE_F16, REFERENCE_I4, REFERENCE_U4, 1, false},
                                            {REFERENCE_F16, REFERENCE_I4, REFERENCE_U4, 2, false},
                                            {REFERENCE_F16, REFERENCE_I4, REFERENCE_U4, 8, false},
                                            {REFERENCE_F32, REFERENCE_F32, REFERENCE_U4, 1, false}};

static void every_kind_of_row(void **state)
{
    static const int64_t shapes[][2] = {{9, 40}, {131, 128}, {520, 64}, {37, 264}, {25, 1032}};

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int kind = 0; kind <= ROW_MIXED; kind++)
            for (size_t k = 0; k < (harness.small ? 1 : COUNT(shapes)); k++) {
                struct dynamic_case c = dynamic_case_of("unsigned rows", &rows[i], 2, shapes[k]);

                c.rows = (enum row_kind)kind;
                c.seed += i;
                expect_dynamic(&c);
            }
}

/* Whole, by axis, gathered, by rows and by groups. */
static void come_back(void **state)
{
    static const struct dequantize_shape shapes[] = {{.rank = 2, .q = {9, 136}, .axis = 1},
                                                     {.rank = 3, .q = {3, 5, 264}, .axis = 0}};
    static const int lanes[] = {1, 2, 8};

    (void)state;
    for (int mode = CLQ_DEQUANTIZE_DIVIDE; mode <= CLQ_DEQUANTIZE_DYNAMIC; mode += 2)
        for (size_t i = 0; i < COUNT(lanes) * COUNT(shapes) * RESULTS_COUNT; i++) {
            const struct dequantize_types types = {.q = REFERENCE_U4,
                                                   .lanes = lanes[i % 3],
                                                   .zero = i % 2 ? REFERENCE_I4 : REFERENCE_U8,
                                                   .y = REFERENCE_F16,
                                                   .mode = (enum clq_dequantize_mode)mode};
            struct dequantize_case c = dequantize_case_of("uint4", &types, &shapes[i / 3 % COUNT(shapes)]);

            c.results = (enum results)(i / 3 / COUNT(shapes));
            c.seed += i;
            expect_dequantize(&c);
        }
}

static void none_are_symmetric(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct dynamic_case c = dynamic_case_of("symmetric", &rows[i], 2, (int64_t[]){2, 8});
        struct clq_dynamic_quantize_desc desc;
        struct dynamic_tensors t;
        char sentence[128];

        dynamic_tensors_init(&t, &c);
        desc = dynamic_desc_of(&t, &c);
        desc.symmetric = 1;
        desc.offsets = NULL;
        snprintf(sentence, sizeof(sentence),
                 "symmetric is 1: it must be 0 where y.dtype is %s, whose range begins at 0",
                 reference_types[rows[i].y].name);
        assert_int_equal(clq_dynamic_quantize_check(&desc), CLQ_ERROR_VALUE);
        assert_string_equal(clq_error_detail(), sentence);
        dynamic_tensors_clear(&t, &c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uint4_is_int4_moved_by_8),
        cmocka_unit_test(every_kind_of_row),
        cmocka_unit_test(come_back),
        cmocka_unit_test(none_are_symmetric),
    };

    return HARNESS_RUN(argc, argv, "unsigned", tests);
}
