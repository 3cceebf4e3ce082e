/* SPDX-License-Identifier: Apache-2.0 */
/* Values that have rules of their own, on the device; and what the scales are for: fed to clq_quantize of the
 * same mode they keep every finite value in the range of the type, half a step away at most. */
#include "scales_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum reference_type floats[] = {FLOAT_TYPES};
static const enum reference_type targets[] = {SCALED_TYPES};
enum { TARGETS = COUNT(targets) };

/* Each bit pattern of a list as a row of its own, and with a neighbour: as float32, and cut to the halves. */
static const uint32_t patterns[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x0d000000, 0x0cffffff, 0x0d7e0000, 0x107e0000, 0x107dffff, 0x107e0001, 0x107f0000, 0x10ff0000,
    0x33800000, 0x38800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x42fe0000, 0xc2fe0000, 0x437f0000,
    0x7effffff, 0xfeffffff, 0x7f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001,
    0xff800001, 0x7fc00000, 0xffffffff, 0x7fffffff,
};

static void set_bits(struct tensor *x, int64_t i, uint32_t bits)
{
    unsigned char *at = x->image + x->dl.byte_offset;
    const uint16_t high = (uint16_t)(bits >> 16);

    if (x->layout.type == REFERENCE_F32) {
        memcpy(at + 4 * i, &bits, 4);
    } else if (x->layout.type == REFERENCE_BF16) {
        memcpy(at + 2 * i, &high, 2);
    } else {
        /* the sign, and the ends of exponent and fraction, so that the same ideas come */
        const uint16_t half =
            (uint16_t)((high & 0x8000) | (bits >> 23 & 0xff) * 31 / 255 << 10 | (bits & 0x7fffff) >> 13);

        memcpy(at + 2 * i, &half, 2);
    }
}

static void pairs_of_patterns(void **state)
{
    const int64_t count = COUNT(patterns), shape[] = {count * count, 2};

    (void)state;
    for (size_t i = 0; i < 3 * TARGETS * 2 * 2; i += harness_step(1, 7)) {
        const struct scales_types types = {.x = floats[i % 3],
                                           .type = targets[i / 3 % TARGETS],
                                           .zero = REFERENCE_I32,
                                           .minmax = i / 3 / TARGETS % 2,
                                           .multiply = i / 6 / TARGETS};
        const struct scales_case c = scales_case_of("patterns", &types, 2, shape, 0);
        struct scales_tensors t;
        bool good;

        scales_tensors_init(&t, &c);
        for (int64_t k = 0; k < count * count; k++) {
            set_bits(&t.x, 2 * k, patterns[k / count]);
            set_bits(&t.x, 2 * k + 1, patterns[k % count]);
        }
        good = scales_tensors_match(&t, &c, harness.context, harness.queue);
        scales_tensors_clear(&t);
        if (!good)
            fail_msg("see above");
    }
}

/* Every float16 and bfloat16 alone. */
static void every_half(void **state)
{
    const int64_t shape[] = {65536, 1};

    (void)state;
    if (harness.small)
        skip();
    for (int i = 0; i < 2 * TARGETS * 2 * 2; i++) {
        const struct scales_types types = {.x = floats[1 + i % 2],
                                           .type = targets[i / 2 % TARGETS],
                                           .zero = REFERENCE_F32,
                                           .minmax = i / 2 / TARGETS % 2,
                                           .multiply = i / 4 / TARGETS};
        const struct scales_case c = scales_case_of("halves", &types, 2, shape, 0);
        struct scales_tensors t;
        bool good;

        scales_tensors_init(&t, &c);
        for (int64_t k = 0; k < shape[0]; k++)
            memcpy(t.x.image + t.x.dl.byte_offset + 2 * k, &(uint16_t){(uint16_t)k}, 2);
        good = scales_tensors_match(&t, &c, harness.context, harness.queue);
        scales_tensors_clear(&t);
        if (!good)
            fail_msg("see above");
    }
}

/* Finds scales, quantizes with them and reads all back: images of t and y. */
static void quantize(struct scales_tensors *t, const struct scales_case *c, struct tensor *y)
{
    const struct clq_find_scales_desc find = scales_desc_of(t, c);
    struct clq_quantize_desc desc = {.axis = described_axis(c->axis), .mode = find.mode};
    struct tensor *tensors[] = {&t->x, &t->scales, &t->zero_points, y};

    for (size_t i = 0; i < COUNT(tensors); i++)
        assert_true(tensor_upload(tensors[i], harness.queue));
    desc.x = &t->x.dl;
    desc.scales = &t->scales.dl;
    desc.zero_points = &t->zero_points.dl;
    desc.y = &y->dl;
    expect_status(clq_find_scales(harness.context, harness.queue, &find, 0, NULL, NULL), CLQ_OK, "scales");
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, "quantize");
    for (size_t i = 1; i < COUNT(tensors); i++)
        expect_cl(clEnqueueReadBuffer(harness.queue, tensors[i]->mem, CL_TRUE, 0, tensors[i]->size_bytes,
                                      tensors[i]->image, 0, NULL, NULL),
                  "clEnqueueReadBuffer");
}

/* With v = x / scale + zero_point as a real number: the operator's quotient is at most 255 * 2^-24 away from
 * x / scale, its sum, below 256 in size, is rounded by 2^-17 at most, and its rint by a half. Where it then
 * leaves the range it does by a half and 255 * 2^-24 at most, for scale is rounded itself. 2^-15 covers all. */
static void check_law(const struct scales_tensors *t, const struct scales_case *c, const struct tensor *y)
{
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image), q = tensor_reference(y, y->image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image),
                                  zeros = tensor_reference(&t->zero_points, t->zero_points.image);
    const double lowest = reference_types[c->type].lowest, highest = reference_types[c->type].highest;
    int64_t at[REFERENCE_MAX_RANK] = {0};

    do {
        const int64_t i = c->axis == NO_AXIS ? 0 : at[c->axis];
        const double value = reference_load(&x, at), scale = reference_load(&scales, &i);
        const double zero = reference_load(&zeros, &i), got = (double)reference_load_int(&q, at);

        assert_true(isfinite(scale) && scale > 0 && zero >= lowest && zero <= highest);
        if (isnan(value)) {
            assert_true(got == 0);
        } else if (isinf(value)) {
            assert_true(got == (value > 0 ? highest : lowest));
        } else {
            const double v = (c->multiply ? value * scale : value / scale) + zero;

            if (fabs(v - got) > 0.5 + 0x1p-15)
                fail_msg("\"%s\", values %d: %a with %a and %a gives %a", c->name, (int)c->values, value,
                         scale, zero, got);
            if (value == 0)
                assert_true(got == zero);
        }
    } while (reference_next(&x, at));
}

static void quantized_within_half_a_step(void **state)
{
    const int64_t shape[] = {6, 10, 32};

    (void)state;
    for (size_t i = 0; i < 3 * TARGETS * 2 * 2 * SCALES_KINDS; i += harness_step(1, 37)) {
        const struct scales_types types = {.x = floats[i % 3],
                                           .type = targets[i / 3 % TARGETS],
                                           .zero = REFERENCE_I32,
                                           .minmax = i / 3 / TARGETS % 2,
                                           .multiply = i / 6 / TARGETS % 2};
        struct scales_case c = scales_case_of("half a step", &types, 3, shape, i % 4 == 3 ? NO_AXIS : i % 4);
        const struct layout y_layout = layout_dense(types.type, 1, 3, shape);
        struct scales_tensors t;
        struct tensor y;

        if (!reference_types[types.type].integer) /* whose steps differ: test_round_trip has their bound */
            continue;
        c.values = (enum scales_values)(i / 12 / TARGETS);
        c.seed += (uint64_t)i;
        scales_tensors_init(&t, &c);
        scales_tensors_fill(&t, &c);
        tensor_init(&y, &y_layout);
        quantize(&t, &c, &y);
        check_law(&t, &c, &y);
        tensor_clear(&y);
        scales_tensors_clear(&t);
    }
}

/* The ends of the range reach the ends of the type. */
static void the_range_is_filled(void **state)
{
    static const double ends[][2] = {{-1, 1}, {-3, 5}, {0, 7.3}, {-0.1, 0}, {-1e-20, 1e-21}, {-3e38, 3e38}};
    const int64_t shape[] = {COUNT(ends), 2};

    (void)state;
    for (int i = 0; i < TARGETS * 2 * 2; i++) {
        const struct scales_types types = {.x = REFERENCE_F32,
                                           .type = targets[i % TARGETS],
                                           .zero = REFERENCE_I32,
                                           .minmax = i / TARGETS % 2,
                                           .multiply = i / 2 / TARGETS};
        const struct scales_case c = scales_case_of("ends", &types, 2, shape, 0);
        const struct layout y_layout = layout_dense(types.type, 1, 2, shape);
        struct scales_tensors t;
        struct tensor y;

        scales_tensors_init(&t, &c);
        tensor_init(&y, &y_layout);
        for (int64_t k = 0; k < 2 * shape[0]; k++)
            tensor_set(&t.x, k, ends[k / 2][k % 2]);
        quantize(&t, &c, &y);
        for (int64_t k = 0; k < shape[0]; k++) {
            const struct reference_tensor q = tensor_reference(&y, y.image);
            const double low = (double)reference_load(&q, (int64_t[]){k, 0}),
                         high = (double)reference_load(&q, (int64_t[]){k, 1});
            const struct reference_type_row *row = &reference_types[types.type];
            const double steps = (double)row->absmax_steps, middle = (double)row->absmax_zero_point;

            if (c.minmax) /* a zero point between two integers costs half a step at each end */
                assert_true(high - low >= 2 * steps && high - low <= 2 * steps + 1);
            else
                assert_true(fabs(high - middle) == steps || fabs(low - middle) == steps);
        }
        tensor_clear(&y);
        scales_tensors_clear(&t);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_patterns),
        cmocka_unit_test(every_half),
        cmocka_unit_test(quantized_within_half_a_step),
        cmocka_unit_test(the_range_is_filled),
    };

    return HARNESS_RUN(argc, argv, "find scales, values", tests);
}
