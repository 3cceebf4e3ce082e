/* SPDX-License-Identifier: Apache-2.0 */
/* A dense sample of float32: any bits, significands against significands, ties and their neighbours, the ends
 * of the exponents. Scales differ from element to element. */
#include "exact.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 18 };

static float x[MOST], scales[MOST];

static int64_t batch_size(void)
{
    return harness.small ? 2000 : MOST;
}

/* All outputs of one sample. int32 shows the most: 24 bits of a quotient of 2^23 and above. */
static void check_sample(bool multiply)
{
    static const enum reference_type outputs[] = {QUANTIZED_TYPES};
    const float zero_point = 0.5f;
    struct batch batch = {.x_type = REFERENCE_F32,
                          .multiply = multiply,
                          .rows = 1,
                          .inner = batch_size(),
                          .scale_each = true,
                          .x = x,
                          .scales = scales};

    for (size_t i = 0; i < COUNT(outputs); i++) {
        batch.y_type = outputs[i];
        expect_exact(&batch);
    }
    batch.zero_point = &zero_point;
    expect_exact(&batch);
}

TEST(any_bits)
{
    struct random random = random_of(harness.seed);

    for (int b = 0; b < harness_cases(48, 1); b++) {
        for (int64_t i = 0; i < batch_size(); i++) {
            x[i] = float_of((uint32_t)random_bits(&random));
            scales[i] = float_of((uint32_t)random_bits(&random));
        }
        check_sample(false);
        check_sample(true);
    }
}

/* Any two significands, with exponents that put the result where int32 shows all of it, or near the small
 * ranges. */
TEST(any_significands)
{
    struct random random = random_of(harness.seed + 1);

    for (int b = 0; b < harness_cases(96, 1); b++) {
        const bool multiply = b % 2;

        for (int64_t i = 0; i < batch_size(); i++) {
            const uint64_t bits = random_bits(&random);
            const int scale_exponent = (int)random_from(&random, -120, 90);
            const int result_exponent = (int)random_from(&random, b % 3 ? 22 : -2, b % 3 ? 31 : 8);
            const int x_exponent =
                multiply ? result_exponent - scale_exponent : result_exponent + scale_exponent;
            const float sign = bits >> 63 ? -1.0f : 1.0f;

            x[i] = sign * ldexpf((float)((bits & 0x7fffff) | 0x800000), x_exponent - 23);
            scales[i] = ldexpf((float)((bits >> 24 & 0x7fffff) | 0x800000), scale_exponent - 23);
        }
        check_sample(multiply);
    }
}

/* Few or nearly all bits set: the significands at which an estimate is off the most, and quotients next to a
 * power of two. */
TEST(edge_significands)
{
    static const uint32_t edges[] = {0,        1,        2,        3,        0x7fffff, 0x7ffffe,
                                     0x7ffffd, 0x400000, 0x400001, 0x3fffff, 0x2aaaaa, 0x555555,
                                     0x555556, 0x000fff, 0x7ff000, 0x3504f3};
    struct random random = random_of(harness.seed + 2);

    for (int b = 0; b < harness_cases(12, 1); b++) {
        for (int64_t i = 0; i < batch_size(); i++) {
            const uint32_t a = edges[random_below(&random, COUNT(edges))];
            const uint32_t d = edges[random_below(&random, COUNT(edges))];
            const uint32_t exponent = (uint32_t)random_from(&random, 0, 255);
            const int64_t other = (int64_t)exponent + random_from(&random, -34, 10);

            x[i] = float_of((uint32_t)random_bits(&random) << 31 | exponent << 23 | a);
            scales[i] = float_of((uint32_t)(other < 0 ? 0 : other > 255 ? 255 : other) << 23 | d);
        }
        check_sample(false);
        check_sample(true);
    }
}

/* (k + 1/2) * scale as binary32 has it, and up to two steps beside it. */
TEST(ties)
{
    struct random random = random_of(harness.seed + 3);

    for (int b = 0; b < harness_cases(24, 1); b++) {
        const bool multiply = b % 2;

        for (int64_t i = 0; i < batch_size(); i++) {
            const float half = (float)random_from(&random, -300, 300) + 0.5f;
            const float scale =
                ldexpf((float)(1.0 + random_unit(&random)), (int)random_from(&random, -126, 100));
            float tie = multiply ? half / scale : half * scale;

            for (int64_t step = random_from(&random, -2, 2); step != 0; step -= step > 0 ? 1 : -1)
                tie = nextafterf(tie, step > 0 ? INFINITY : -INFINITY);
            x[i] = tie;
            scales[i] = random_below(&random, 4) ? scale : ldexpf(1.0f, (int)random_from(&random, -20, 20));
        }
        check_sample(multiply);
    }
}

/* Subnormal x, scales and quotients, on both sides of the smallest normal number. */
TEST(subnormals)
{
    struct random random = random_of(harness.seed + 4);

    for (int b = 0; b < harness_cases(12, 1); b++) {
        for (int64_t i = 0; i < batch_size(); i++) {
            const uint64_t bits = random_bits(&random);
            const int keep = (int)random_below(&random, 24);

            x[i] = float_of((uint32_t)(bits & 0x80ffffff) & ~((1u << keep) - 1));
            scales[i] =
                b % 2 ? float_of((uint32_t)(bits >> 32) & 0x80ffffff)
                      : ldexpf((float)(1.0 + random_unit(&random)), (int)random_from(&random, -149, 127));
        }
        check_sample(false);
        check_sample(true);
    }
}

HARNESS_MAIN("exact float")
