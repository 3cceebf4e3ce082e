/* SPDX-License-Identifier: Apache-2.0 */
/* Every float16 and every bfloat16, against a spread of scales: normal, subnormal, huge, negative, zero,
 * infinite, NaN. */
#include "exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { VALUES = 65536, FIXED = 45, RANDOM = 10, SCALES = FIXED + RANDOM };

static float scales[SCALES];

static void make_scales(void)
{
    static const float fixed[FIXED] = {
        1.0f,
        -1.0f,
        0.5f,
        2.0f,
        3.0f,
        7.0f,
        10.0f,
        0.1f,
        -0.1f,
        1.0f / 3.0f,
        1.0f / 127.0f,
        6.0f / 255.0f,
        0x1.fffffep-1f,
        0x1.000002p+0f,
        0x1.fffffep+0f,
        -0x1.fffffep-3f,
        0x1p-24f,
        0x1p-14f,
        0x1p-133f,
        0x1p15f,
        0x1p-30f,
        1e-30f,
        1e30f,
        -1e20f,
        FLT_MIN,
        -FLT_MIN,
        FLT_MAX,
        -FLT_MAX,
        0x1p-149f,
        -0x1p-149f,
        1e-40f,
        0x1.fffffcp-127f,
        /* about the ends of where a quotient is found by the scale's inverse */
        0x1p40f,
        -0x1.000002p+40f,
        0x1.fffffep-41f,
        -0x1p-40f,
        0x1.000002p-40f,
        0x1.fffffep39f,
        0x1.de0002p-1f, /* a bfloat16's quotient is the largest, its product with the inverse infinite */
        0.0f,
        -0.0f,
        INFINITY,
        -INFINITY,
        NAN,
        -NAN,
    };
    struct random random = random_of(harness.seed);

    for (int i = 0; i < FIXED; i++)
        scales[i] = fixed[i];
    for (int i = FIXED; i < SCALES; i++)
        scales[i] = ldexpf((float)(random_unit(&random) + 1.0), (int)random_from(&random, -12, 8));
}

/* The bits in order; on a device that interprets, every 101st, in which each exponent comes about ten times.
 */
static int64_t make_values(uint16_t *x)
{
    const int step = harness.small ? 101 : 1;
    int64_t count = 0;

    for (int bits = 0; bits < VALUES; bits += step)
        x[count++] = (uint16_t)bits;
    return count - count % 2;
}

/* To divide and to multiply; the options that tell a kernel of another processor
 * change how it divides alone. */
static int count_modes(void)
{
    return harness.told ? 1 : 2;
}

static const enum reference_type outputs[] = {QUANTIZED_TYPES};
enum { OUTPUTS = COUNT(outputs) };

/* Float8 has a sign where quotient and zero point cancel or are nearly 0: those beside which quotients are
 * found by inverses are 0 or not so small. */
/* Of so many combinations of types and modes, whose kernels are what costs. */
static bool is_left_out(int i)
{
    return ((uint64_t)i + harness.seed) % harness.share != 0;
}

static void check_near_zero(struct batch *batch)
{
    static const float small[] = {0.0f,     -0.0f,     -0x1p-149f, 0x1p-100f, -0x1.fffffep-51f,
                                  0x1p-50f, -0x1p-10f, 1.0625f};

    for (int i = 0; i < (int)COUNT(small); i += harness.small ? 3 : 1) {
        batch->y_type = i % 2 ? REFERENCE_E4M3 : REFERENCE_E5M2;
        batch->zero_point = &small[i];
        expect_exact(batch);
    }
}

static void check_type(enum reference_type type)
{
    static uint16_t x[VALUES];
    const float zero_point = -0.4f;
    /* The largest zero point beside which quotients are found by inverses, and beyond:
     * there overflow would show. */
    static const float large[] = {-0x1p100f, 0x1.000002p100f, -FLT_MAX, FLT_MAX, -INFINITY, NAN};
    struct batch batch = {.x_type = type, .repeat_x = true, .x = x, .scales = scales};

    make_scales();
    batch.inner = make_values(x);
    batch.rows = harness.small ? FIXED / 2 : SCALES;
    for (int i = 0; i < OUTPUTS * count_modes(); i++) {
        if (is_left_out(i))
            continue;
        batch.multiply = i / OUTPUTS;
        batch.y_type = outputs[i % OUTPUTS];
        batch.zero_point = NULL;
        batch.round_first = false;
        expect_exact(&batch);
        batch.zero_point = &zero_point;
        batch.round_first = i % 2 && reference_is_whole(batch.y_type); /* of a type in one of the modes */
        expect_exact(&batch);
    }
    batch.multiply = batch.round_first = false;
    batch.y_type = REFERENCE_I8;
    for (int i = 0; i < (int)COUNT(large); i += harness.small ? 5 : 1) {
        batch.zero_point = &large[i];
        expect_exact(&batch);
    }
    check_near_zero(&batch);
}

/* The same with the scale in an array, which the kernel reads in its inner loop. */
static void check_type_each(enum reference_type type)
{
    static uint16_t x[VALUES];
    static float each[VALUES];
    struct batch batch = {.x_type = type, .rows = 1, .scale_each = true, .x = x, .scales = each};

    make_scales();
    batch.inner = make_values(x);
    for (int s = 0; s < SCALES; s += harness.small ? 7 : 1) {
        for (int64_t i = 0; i < batch.inner; i++)
            each[i] = scales[s];
        for (int i = 0; i < OUTPUTS * count_modes(); i++) {
            if (is_left_out(i))
                continue;
            batch.multiply = i / OUTPUTS;
            batch.y_type = outputs[i % OUTPUTS];
            expect_exact(&batch);
        }
    }
}

TEST(every_float16)
{
    check_type(REFERENCE_F16);
}

TEST(every_bfloat16)
{
    check_type(REFERENCE_BF16);
}

TEST(every_float16_scale_each)
{
    check_type_each(REFERENCE_F16);
}

TEST(every_bfloat16_scale_each)
{
    check_type_each(REFERENCE_BF16);
}

/* Zero points that are tiny quotients, negated: the sum is 0 or a last bit, whose sign float8 keeps. */
TEST(quotients_cancel)
{
    enum { PAIRS = 300, INNER = 64 };
    struct random random = random_of(harness.seed);

    for (int i = 0; i < (harness.small ? 10 : PAIRS); i++) {
        const float value =
            ldexpf((float)random_from(&random, 128, 255), (int)random_from(&random, -137, -125));
        const float scale = ldexpf(1.0f + (float)random_unit(&random), (int)random_from(&random, -30, 5));
        const float zero_point = -(value / scale);
        uint16_t x[INNER];

        for (int k = 0; k < INNER; k++)
            x[k] = (uint16_t)(bits_of(value) >> 16);
        expect_exact(&(struct batch){.x_type = REFERENCE_BF16,
                                     .y_type = i % 2 ? REFERENCE_E4M3 : REFERENCE_E5M2,
                                     .rows = 1,
                                     .inner = INNER,
                                     .x = x,
                                     .scales = &scale,
                                     .zero_point = &zero_point});
    }
}

HARNESS_MAIN("exact half")
