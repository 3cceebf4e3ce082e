/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of cl/base by itself, bit for bit with the host's: quotients from the device's own estimate,
 * and from deliberately poor ones; products. No quantization hides a bit here. */
#include "arithmetic_kernels.h"
#include "exact.h"
#include "kernel_text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 19 };

static uint32_t x[MOST], scales[MOST], y[MOST];
static cl_mem buffers[3];
static cl_program program;

static size_t sample_size(void)
{
    return harness.small ? 3000 : MOST;
}

static bool divides_right(void)
{
    cl_device_fp_config config = 0;

    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(config), &config, NULL),
              "clGetDeviceInfo");
    return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

static int build(void **state)
{
    static const char *const names[] = {"base/arithmetic.clh", "base/sum.clh", "base/narrow.clh",
                                        "static/cpu/quantize_inverse.clh"};
    enum { NAMES = sizeof names / sizeof *names, BEFORE = 3 };
    const char *source[BEFORE + NAMES + 1] = {poor_inverse, flushing_sum, other_nan};
    const char *const options = divides_right() ? PLUGS " -cl-fp32-correctly-rounded-divide-sqrt" : PLUGS;
    char log[4096] = "";
    cl_int status;

    (void)state;
    for (int i = 0; i < NAMES; i++)
        source[BEFORE + i] = kernel_text_of(names[i]);
    source[BEFORE + NAMES] = kernels;
    program = clCreateProgramWithSource(harness.cl, COUNT(source), source, NULL, &status);
    expect_cl(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &harness.device, options, NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(program, harness.device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
        fail_msg("the kernels did not build: %s", log);
    }
    for (int i = 0; i < 3; i++) {
        buffers[i] =
            clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, sample_size() * sizeof(uint32_t), NULL, &status);
        expect_cl(status, "clCreateBuffer");
    }
    for (int i = 0; i < NAMES; i++)
        free((char *)(uintptr_t)source[BEFORE + i]);
    return 0;
}

static int release(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
    clReleaseProgram(program);
    return 0;
}

static void compute(const char *name, cl_uint poor)
{
    const size_t count = sample_size(), size_bytes = count * sizeof(uint32_t);
    cl_int status;
    const cl_kernel kernel = clCreateKernel(program, name, &status);

    expect_cl(status, "clCreateKernel");
    for (cl_uint i = 0; i < 3; i++)
        expect_cl(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    expect_cl(clSetKernelArg(kernel, 3, sizeof(poor), &poor), "clSetKernelArg");
    expect_cl(harness_write(harness.queue, buffers[0], 0, size_bytes, x), "write");
    expect_cl(harness_write(harness.queue, buffers[1], 0, size_bytes, scales), "write");
    expect_cl(clEnqueueNDRangeKernel(harness.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL), "enqueue");
    expect_cl(clEnqueueReadBuffer(harness.queue, buffers[2], CL_TRUE, 0, size_bytes, y, 0, NULL, NULL),
              "read");
    clReleaseKernel(kernel);
}

/* Bit for bit; any NaN is a NaN. A result whose exact value is below the smallest normal number is a zero of
 * its sign: no q can tell (docs/numerics.md). The host rounds some of these up to that number. */
static bool same(uint32_t got, float expected)
{
    const uint32_t bits = bits_of(expected), zero = bits & 0x80000000;

    if (isnan(expected))
        return isnan(float_of(got));
    if (fabsf(expected) < FLT_MIN)
        return got == zero;
    return got == bits || (fabsf(expected) == FLT_MIN && got == zero);
}

/* Bit for bit, subnormal results too. */
static bool same_gradual(uint32_t got, float expected)
{
    return isnan(expected) ? isnan(float_of(got)) : got == bits_of(expected);
}

static void check(bool multiply, bool poor, bool gradual)
{
    static const char *const names[] = {"quotients", "products", "gradual_quotients", "gradual_products"};

    compute(names[2 * gradual + multiply], poor);
    for (size_t i = 0; i < sample_size(); i++) {
        const volatile float a = float_of(x[i]), b = float_of(scales[i]);
        const float expected = multiply ? a * b : a / b;

        if (!(gradual ? same_gradual(y[i], expected) : same(y[i], expected)))
            fail_msg("0x%08x %s 0x%08x%s gave 0x%08x, not 0x%08x", x[i], multiply ? "*" : "/", scales[i],
                     poor ? " from a poor estimate" : "", y[i], bits_of(expected));
    }
}

/* A fraction whose ones stand all at its end, or all at its beginning. */
static uint32_t run_of_ones(struct random *random)
{
    const uint32_t ones = 0x7fffffu >> random_below(random, 24);

    return random_below(random, 2) ? ones : 0x7fffffu & ~ones;
}

/* Any bits, then significands with exponents in the middle, then few bits set: one sample in three. */
static void make_sample(struct random *random, int kind)
{
    for (size_t i = 0; i < sample_size(); i++) {
        const uint64_t bits = random_bits(random);

        x[i] = (uint32_t)bits;
        scales[i] = (uint32_t)(bits >> 32);
        if (kind == 0)
            continue;
        x[i] = (x[i] & 0x80ffffff) | (uint32_t)random_from(random, 60, 190) << 23;
        scales[i] = (scales[i] & 0x80ffffff) | (uint32_t)random_from(random, 60, 190) << 23;
        if (kind == 2) {
            x[i] = (x[i] & 0xff800000) | run_of_ones(random);
            scales[i] = (scales[i] & 0xff800000) | run_of_ones(random);
        }
    }
}

static void check_samples(bool multiply, bool poor)
{
    struct random random = random_of(harness.seed);

    for (int i = 0; i < (harness.small ? 3 : 12); i++) {
        make_sample(&random, i % 3);
        check(multiply, poor, false);
    }
}

/* Results about the subnormal ones: of any significands, of few bits, and ties. */
static void check_gradual(bool multiply)
{
    struct random random = random_of(harness.seed + 2);

    for (int n = 0; n < (harness.small ? 4 : 24); n++) {
        make_sample(&random, n % 3);
        for (size_t i = 0; i < sample_size() && n % 4 > 0; i++) {
            const int exponent = (int)random_from(&random, -26, 3);
            const int x_exponent = (int)random_from(&random, 1, multiply ? 126 : 120);
            const int other = multiply ? 128 + exponent - x_exponent : x_exponent + 126 - exponent;

            x[i] = (x[i] & 0x807fffff) | (uint32_t)x_exponent << 23;
            scales[i] = (scales[i] & 0x807fffff) | (uint32_t)(other < 0     ? 0
                                                              : other > 254 ? 254
                                                                            : other)
                                                       << 23;
            if (n % 4 == 2) /* a power of two: the bits that are cut off are x's, and often just a half */
                scales[i] &= 0xff800000;
            if (n % 4 == 2 && random_below(&random, 2))
                x[i] &= 0xffffffff << random_below(&random, 23);
        }
        check(multiply, n % 2, true);
    }
}

TEST_BETWEEN(gradual_quotients, build, release)
{
    check_gradual(false);
}

TEST_BETWEEN(gradual_products, build, release)
{
    check_gradual(true);
}

/* Integers less zero points of any bits, near to them, and subnormal. */
TEST_BETWEEN(differences, build, release)
{
    struct random random = random_of(harness.seed + 3);

    for (int n = 0; n < (harness.small ? 3 : 9); n++) {
        for (size_t i = 0; i < sample_size(); i++) {
            const int32_t q = (int32_t)random_bits(&random) >> random_below(&random, 33) % 32;
            const uint32_t bits = (uint32_t)random_bits(&random);

            x[i] = n % 3 == 0 && random_below(&random, 4) == 0 ? 0 : (uint32_t)q;
            scales[i] = n % 3 == 0   ? bits
                        : n % 3 == 1 ? bits_of((float)q) + (uint32_t)random_from(&random, -2, 2)
                                     : (bits & 0x80000000) | (bits & 0x7fffff) >> random_below(&random, 23);
        }
        compute("differences", 0);
        for (size_t i = 0; i < sample_size(); i++) {
            const volatile float a = (float)(int32_t)x[i], b = float_of(scales[i]);

            if (!same_gradual(y[i], a - b))
                fail_msg("%d - 0x%08x gave 0x%08x, not 0x%08x", (int32_t)x[i], scales[i], y[i],
                         bits_of(a - b));
        }
    }
}

/* Of any bits, of exponents about those where sums are made larger, of subnormals,
 * and of what nearly cancels. */
TEST_BETWEEN(sums, build, release)
{
    struct random random = random_of(harness.seed + 6);

    for (int n = 0; n < (harness.small ? 4 : 16); n++) {
        make_sample(&random, n % 3);
        for (size_t i = 0; i < sample_size() && n % 4 > 0; i++) {
            const int most = n % 4 == 1 ? 60 : n % 4 == 2 ? 30 : 2;

            x[i] = (x[i] & 0x807fffff) | (uint32_t)random_below(&random, most) << 23;
            scales[i] = (scales[i] & 0x807fffff) | (uint32_t)random_below(&random, most) << 23;
            if (i % 4 == 0)
                scales[i] = (x[i] ^ 0x80000000) + (uint32_t)random_from(&random, -2, 2);
        }
        compute("sums", (cl_uint)n / 4 % 2);
        for (size_t i = 0; i < sample_size(); i++) {
            const volatile float a = float_of(x[i]), b = float_of(scales[i]);
            const float expected = n / 4 % 2 ? a - b : a + b;

            if (!same_gradual(y[i], expected))
                fail_msg("0x%08x %s 0x%08x gave 0x%08x, not 0x%08x", x[i], n / 4 % 2 ? "-" : "+", scales[i],
                         y[i], bits_of(expected));
        }
    }
}

/* All floats that are near a float16, a bfloat16 or the middle of two, and any others. */
TEST_BETWEEN(halves, build, release)
{
    struct random random = random_of(harness.seed + 4);

    for (int n = 0; n < (harness.small ? 4 : 16); n++) {
        for (size_t i = 0; i < sample_size(); i++) {
            const uint32_t bits = (uint32_t)random_bits(&random);
            const uint16_t half = (uint16_t)(n % 4 == 0 ? i + (size_t)n * 16384 : bits);
            const float next = reference_widen_f16(half), other = reference_widen_f16((uint16_t)(half + 1));

            x[i] = n % 4 == 3   ? bits
                   : n % 4 == 2 ? (bits & 0xffff8000) + (uint32_t)random_from(&random, -1, 1)
                                : bits_of(n % 4 == 0 ? next : (next + other) / 2) +
                                      (uint32_t)random_from(&random, -1, 1);
        }
        compute("halves", 0);
        for (size_t i = 0; i < sample_size(); i++) {
            const uint32_t expected =
                reference_narrow_f16(float_of(x[i])) | (uint32_t)reference_narrow_bf16(float_of(x[i])) << 16;

            if (y[i] != expected)
                fail_msg("0x%08x gave 0x%08x, not 0x%08x", x[i], y[i], expected);
        }
        compute("own_halves", 0);
        for (size_t i = 0; i < sample_size(); i++)
            if (y[i] != reference_narrow_f16(float_of(x[i])) && isnan(float_of(x[i])))
                fail_msg("on a device with a NaN of its own 0x%08x gave 0x%04x", x[i], y[i]);
    }
}

/* Every x of 11 bits and every s of 24: that the remainder corrects all of these quotients is nothing but
 * tried. A device that interprets has no inverses. */
TEST_BETWEEN(quotients_by_inverses, build, release)
{
    const size_t significands = harness.small ? 1 : 1 << 23;
    cl_uint found[2] = {0, 0};
    cl_int status;
    const cl_kernel kernel = clCreateKernel(program, "inverses", &status);

    expect_cl(status, "clCreateKernel");
    expect_cl(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), "clSetKernelArg");
    expect_cl(harness_write(harness.queue, buffers[0], 0, sizeof(found), found), "write");
    expect_cl(clEnqueueNDRangeKernel(harness.queue, kernel, 1, NULL, &significands, NULL, 0, NULL, NULL),
              "enqueue");
    expect_cl(clEnqueueReadBuffer(harness.queue, buffers[0], CL_TRUE, 0, sizeof(found), found, 0, NULL, NULL),
              "read");
    clReleaseKernel(kernel);
    if (!divides_right() || !found[1]) {
        print_message("no kernel multiplies by inverses on this device\n");
        skip();
    }
    assert_int_equal(found[0], 0);
}

TEST_BETWEEN(quotients, build, release)
{
    check_samples(false, false);
}

TEST_BETWEEN(quotients_from_poor_estimates, build, release)
{
    check_samples(false, true);
}

TEST_BETWEEN(products, build, release)
{
    check_samples(true, false);
}

/* Quotients next to a multiple of a power of two: x is the float at, below or above q * s for a q of 24 bits.
 */
TEST_BETWEEN(quotients_at_the_edge, build, release)
{
    struct random random = random_of(harness.seed + 1);

    for (int n = 0; n < (harness.small ? 1 : 8); n++) {
        for (size_t i = 0; i < sample_size(); i++) {
            const uint32_t q = (uint32_t)random_bits(&random) & 0x7fffff;
            const float s = float_of(0x3f800000 | ((uint32_t)random_bits(&random) & 0x7fffff));
            const float product = float_of(0x3f800000 | q) * s;

            x[i] = bits_of(product) + (uint32_t)random_from(&random, -2, 2);
            scales[i] = bits_of(s);
        }
        check(false, n % 2, false);
    }
}

/* What is added to a number is right, or tiny where x or the quotient is (arithmetic.clh). */
static bool same_to_add(uint32_t got, float a, float expected)
{
    const bool tiny = fabsf(a) < 0x1p-70f || fabsf(expected) < 0x1p-70f;

    return same(got, expected) || (tiny && fabsf(float_of(got)) < 0x1p-28f);
}

/* Within, about and beyond the ends of where bounds are asked for, and of where they mean something. */
static void make_bounded_sample(struct random *random, int kind)
{
    const bool beyond = kind % 4 == 1;

    make_sample(random, kind % 3);
    for (size_t i = 0; i < sample_size() && kind % 4 > 0; i++) {
        x[i] = (x[i] & 0x807fffff) | (uint32_t)random_from(random, beyond ? 0 : 54, 255) << 23;
        scales[i] = (scales[i] & 0x807fffff) |
                    (uint32_t)random_from(random, beyond ? 0 : 86, beyond ? 255 : 192) << 23;
        if (i % 64 == 0)
            x[i] &= 0x80000000;
    }
}

static void check_to_add(const char *kernel, cl_uint poor)
{
    struct random random = random_of(harness.seed + 5);

    for (int n = 0; n < (harness.small ? 4 : 24); n++) {
        make_bounded_sample(&random, n);
        compute(kernel, poor);
        for (size_t i = 0; i < sample_size(); i++) {
            const volatile float a = float_of(x[i]), b = float_of(scales[i]);

            if (!same_to_add(y[i], a, a / b))
                fail_msg("%s: 0x%08x / 0x%08x gave 0x%08x, not 0x%08x", kernel, x[i], scales[i], y[i],
                         bits_of(a / b));
        }
    }
}

/* Of ordinary elements few take the slow way, even from a poor estimate. */
static void check_doubts(const char *kernel)
{
    struct random random = random_of(harness.seed + 6);
    size_t doubts = 0;

    make_sample(&random, 1);
    for (size_t i = 0; i < sample_size(); i++) {
        x[i] = (x[i] & 0x807fffff) | (uint32_t)random_from(&random, 100, 150) << 23;
        scales[i] = (scales[i] & 0x807fffff) | (uint32_t)random_from(&random, 100, 150) << 23;
    }
    compute(kernel, 1);
    for (size_t i = 0; i < sample_size(); i++)
        doubts += y[i];
    if (doubts > sample_size() / 500)
        fail_msg("%s: of %zu quotients %zu are in doubt", kernel, sample_size(), doubts);
}

TEST_BETWEEN(quotients_to_add, build, release)
{
    cl_device_fp_config single = 0;

    check_to_add("soon", 0);
    check_to_add("soon", 1);
    check_to_add("quick_by_halves", 0);
    check_doubts("quick_by_halves");
    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(single), &single, NULL),
              "clGetDeviceInfo");
    if (single & CL_FP_FMA) {
        check_to_add("quick_by_fma", 0);
        check_doubts("quick_by_fma");
    }
}

HARNESS_MAIN("exact arithmetic")
