/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dynamic_quantize by NVFP4's two scales: values halfway between two of float4, and up to two steps
 * beside them. Some of these have another code where they are multiplied by 1 / (g * u), which is not always
 * (1 / g) / u. */
#include "exact.h"

#include "rule.h"

#include <math.h>

enum { BLOCK = 16, BLOCKS = 4096, SMALL_BLOCKS = 64 };

static float x[BLOCKS * BLOCK];
static unsigned char y[BLOCKS * BLOCK / 2], scales[BLOCKS];

static int64_t num_blocks(void)
{
    return harness.small ? SMALL_BLOCKS : BLOCKS;
}

static uint64_t scale_code(float largest, float g)
{
    return reference_rule_code((struct reference_rule){.rule = REFERENCE_NVFP4}, REFERENCE_E2M1,
                               (struct reference_block_range){.magnitude = largest}, &g);
}

/* Of a scale that is between the ends of its type. */
static void draw_block(struct random *random, float g, float *block)
{
    static const float ties[] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f};
    const float largest = g * ldexpf((float)(1.0 + random_unit(random)), (int)random_from(random, -3, 10));
    const float u = reference_read(scale_code(largest, g), REFERENCE_E4M3);

    for (int i = 0; i < BLOCK; i++) {
        float tie = ties[random_below(random, COUNT(ties))] * u * g;

        for (int64_t step = random_from(random, -2, 2); step != 0; step -= step > 0 ? 1 : -1)
            tie = nextafterf(tie, step > 0 ? INFINITY : 0.0f);
        block[i] = random_below(random, 2) ? tie : -tie;
    }
    block[random_below(random, BLOCK)] = largest;
}

static void run(float g)
{
    int64_t shape[1] = {num_blocks() * BLOCK}, found[1] = {num_blocks()}, one[1] = {1};
    const size_t count = (size_t)shape[0];
    const DLTensor of_x = exact_tensor(exact_buffer(count * sizeof *x, x), REFERENCE_F32, 1, shape, NULL),
                   of_y = exact_tensor(exact_buffer(count / 2, NULL), REFERENCE_E2M1, 1, shape, NULL),
                   of_scales =
                       exact_tensor(exact_buffer(count / BLOCK, NULL), REFERENCE_E4M3, 1, found, NULL),
                   of_g = exact_tensor(exact_buffer(sizeof g, &g), REFERENCE_F32, 1, one, NULL);
    const struct clq_dynamic_quantize_desc desc = {.x = &of_x,
                                                   .y = &of_y,
                                                   .scales = &of_scales,
                                                   .symmetric = 1,
                                                   .scale_rule = CLQ_NVFP4,
                                                   .global_scale = &of_g};

    expect_status(clq_dynamic_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                  "clq_dynamic_quantize");
    expect_cl(clEnqueueReadBuffer(harness.queue, of_y.data, CL_TRUE, 0, count / 2, y, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    expect_cl(
        clEnqueueReadBuffer(harness.queue, of_scales.data, CL_TRUE, 0, count / BLOCK, scales, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    clReleaseMemObject(of_x.data);
    clReleaseMemObject(of_y.data);
    clReleaseMemObject(of_scales.data);
    clReleaseMemObject(of_g.data);
}

static void expect_block(float g, int64_t n)
{
    const float *block = &x[n * BLOCK];
    float largest = 0.0f;

    for (int i = 0; i < BLOCK; i++)
        largest = fmaxf(largest, fabsf(block[i]));
    assert_int_equal(scales[n], scale_code(largest, g));
    for (int64_t i = 0; i < BLOCK; i++) {
        const uint64_t code = reference_rule_value(REFERENCE_NVFP4, REFERENCE_E2M1, scales[n], &g, block[i]);
        const unsigned got = y[(n * BLOCK + i) / 2] >> (i % 2 * 4) & 15;

        if (got != code)
            fail_msg("x %a of a block of %a, with the second scale %a, gave the code %u, not %u",
                     (double)block[i], (double)largest, (double)g, got, (unsigned)code);
    }
}

TEST(ties_of_two_scales)
{
    struct random random = random_of(harness.seed);

    for (int b = 0; b < harness_cases(16, 2); b++) {
        const float g = ldexpf((float)(1.0 + random_unit(&random)), (int)random_from(&random, -60, 60));

        for (int64_t n = 0; n < num_blocks(); n++)
            draw_block(&random, g, &x[n * BLOCK]);
        run(g);
        for (int64_t n = 0; n < num_blocks(); n++)
            expect_block(g, n);
    }
}

HARNESS_MAIN("exact nvfp4")
