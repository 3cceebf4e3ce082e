/* SPDX-License-Identifier: Apache-2.0 */
/* clq_dequantize: every code of int8 and of float8 with scales and zero points of any bits, and such as leave
 * results next to 0 or next to the ends. */
#include "exact.h"

#include "dequantize.h"

#include <math.h>
#include <stdlib.h>

enum { CODES = 256, ROWS = 4096, SMALL_ROWS = 64 };

static unsigned char q[ROWS * CODES];
static float scales[ROWS * CODES], zero_points[ROWS * CODES], y[ROWS * CODES];

static int64_t num_rows(void)
{
    return harness.small ? SMALL_ROWS : ROWS;
}

static float any_between(struct random *random, int least, int most)
{
    const float size = ldexpf((float)(1.0 + random_unit(random)), (int)random_from(random, least, most));

    return random_below(random, 2) ? size : -size;
}

/* Any bits; or a scale that is none of the wild ones beside a zero point that leaves next to nothing of a
 * code, of 0 or of another. */
static void draw(struct random *random, float *scale, float *zero_point)
{
    static const float zeros[] = {0.0f, -0.0f, 1.0f, -3.0f};

    switch (random_below(random, 4)) {
    case 0:
        *scale = float_of((uint32_t)random_bits(random));
        *zero_point = float_of((uint32_t)random_bits(random));
        return;
    case 1:
        *scale = any_between(random, -39, 63);
        *zero_point = any_between(random, -149, -60);
        return;
    case 2:
        *scale = any_between(random, -39, 63);
        *zero_point = zeros[random_below(random, COUNT(zeros))];
        return;
    default:
        *scale = any_between(random, -149, 127);
        *zero_point = (float)random_from(random, -130, 130) * (float)(1.0 + random_unit(random) * 0x1p-20);
    }
}

/* One scale and zero point a row, or for each element of one row. */
static void run(enum reference_type type, bool each, uint32_t mode)
{
    const int64_t count = num_rows() * CODES;
    int64_t shape[2] = {each ? 1 : num_rows(), each ? count : CODES}, found[1] = {each ? count : num_rows()};
    const size_t found_bytes = (size_t)found[0] * sizeof(float);
    const DLTensor of_q = exact_tensor(exact_buffer((size_t)count, q), type, 2, shape, NULL),
                   of_scales = exact_tensor(exact_buffer(found_bytes, scales), REFERENCE_F32, 1, found, NULL),
                   of_zero_points =
                       exact_tensor(exact_buffer(found_bytes, zero_points), REFERENCE_F32, 1, found, NULL),
                   of_y = exact_tensor(exact_buffer((size_t)count * sizeof(float), NULL), REFERENCE_F32, 2,
                                       shape, NULL);
    const struct clq_dequantize_desc desc = {.q = &of_q,
                                             .scales = &of_scales,
                                             .zero_points = &of_zero_points,
                                             .y = &of_y,
                                             .axis = each ? 1 : CLQ_AXIS_FIRST,
                                             .mode = mode};

    expect_status(clq_dequantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                  "clq_dequantize");
    expect_cl(clEnqueueReadBuffer(harness.queue, of_y.data, CL_TRUE, 0, (size_t)count * sizeof(float), y, 0,
                                  NULL, NULL),
              "clEnqueueReadBuffer");
    clReleaseMemObject(of_q.data);
    clReleaseMemObject(of_scales.data);
    clReleaseMemObject(of_zero_points.data);
    clReleaseMemObject(of_y.data);
}

static void expect_back(enum reference_type type, bool each, uint32_t mode)
{
    const enum reference_undo undo =
        mode == CLQ_DEQUANTIZE_DIVIDE ? REFERENCE_UNDO_DIVIDE : REFERENCE_UNDO_MULTIPLY;

    run(type, each, mode);
    for (int64_t i = 0; i < num_rows() * CODES; i++) {
        const int64_t of = each ? i : i / CODES;
        const float code = reference_read(q[i], type),
                    value = reference_dequantize_one(code, scales[of], &zero_points[of], undo);

        if (bits_of(y[i]) != (isnan(value) ? 0x7fc00000 : bits_of(value)))
            fail_msg("(%a - %a) %s %a of %s gave %a, not %a", (double)code, (double)zero_points[of],
                     undo == REFERENCE_UNDO_DIVIDE ? "*" : "/", (double)scales[of], type_name(type),
                     (double)y[i], (double)value);
    }
}

TEST(all_codes_come_back)
{
    static const enum reference_type types[] = {REFERENCE_I8, REFERENCE_E4M3, REFERENCE_E5M2};
    static const uint32_t modes[] = {CLQ_DEQUANTIZE_DIVIDE, CLQ_DEQUANTIZE_MULTIPLY};
    struct random random = random_of(harness.seed);

    for (int64_t i = 0; i < num_rows() * CODES; i++)
        q[i] = (unsigned char)i;
    for (int b = 0; b < harness_cases(4, 1); b++) {
        for (int64_t i = 0; i < num_rows() * CODES; i++)
            draw(&random, &scales[i], &zero_points[i]);
        for (size_t t = 0; t < COUNT(types); t++)
            for (size_t m = 0; m < COUNT(modes); m++)
                for (int each = 0; each < 2; each++)
                    expect_back(types[t], each, modes[m]);
    }
}

HARNESS_MAIN("exact back")
