/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that carry their scales, of every float16 and bfloat16 as the extreme: the device's bytes are the
 * reference's, and so are the values of every float16 as scale, and codes of floats next to each half. */
#include "blocks.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 32, PATTERNS = 65536, BLOCK_BYTES = 34 };

static const enum reference_type block_types[] = {REFERENCE_BLOCKS(REFERENCE_NAMED)};

/* How many patterns, and from one to the next. */
static size_t count(void)
{
    return (size_t)harness_cases(PATTERNS, 64);
}

static uint16_t pattern(size_t n)
{
    return (uint16_t)(n * (PATTERNS / count()));
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(bytes, 1);

    assert_non_null(memory);
    return memory;
}

/* What is beside an extreme: parts of it in steps of an eighth, so that there are ties; twice with both
 * signs, or alone. */
static uint16_t beside(uint16_t extreme, int i, enum reference_type type, struct random *random)
{
    const float parts[] = {0, 0.5f, 0.25f, 0.125f, 0.0625f, 0.375f, 0.9375f, 0.03125f};
    const float value = type == REFERENCE_F16 ? reference_widen_f16(extreme) : reference_widen_bf16(extreme);
    const int64_t choice = random_below(random, 24);
    const float sign = choice % 2 ? -1.0f : 1.0f;

    if (choice == 0 && i % 5 == 0)
        return extreme ^ 0x8000;
    if (choice < 8)
        return (uint16_t)reference_round(sign * parts[choice] * value, type);
    return (uint16_t)reference_round((float)(random_unit(random) * 2 - 1) * value, type);
}

/* Block n has pattern n at place n mod 32. */
static uint16_t *values_of(enum reference_type type)
{
    uint16_t *values = allocate(count() * VALUES * sizeof *values);
    struct random random = random_of(harness.seed + type);

    for (size_t n = 0; n < count(); n++)
        for (int i = 0; i < VALUES; i++)
            values[n * VALUES + (size_t)i] =
                i == (int)(n % VALUES) ? pattern(n) : beside(pattern(n), i, type, &random);
    return values;
}

static DLDataType dtype_of(enum reference_type type)
{
    return (DLDataType){(uint8_t)reference_types[type].dlpack_code, (uint8_t)reference_types[type].bits,
                        (uint16_t)reference_dlpack_lanes(type)};
}

static DLManagedTensor *tensor_of(enum reference_type type, size_t blocks, const void *bytes)
{
    int64_t shape[] = {(int64_t)blocks, reference_is_block(type) ? 1 : VALUES};
    DLManagedTensor *tensor = NULL;
    size_t size = 0;

    expect_status(clq_tensor_create(harness.context, dtype_of(type), 2, shape, &tensor), CLQ_OK, "create");
    expect_status(clq_tensor_size_bytes(&tensor->dl_tensor, &size), CLQ_OK, "size");
    if (bytes != NULL)
        expect_status(
            clq_tensor_write(harness.queue, &tensor->dl_tensor, CL_TRUE, bytes, size, 0, NULL, NULL), CLQ_OK,
            "write");
    return tensor;
}

static void read_back(const DLManagedTensor *tensor, void *bytes, size_t size)
{
    expect_status(clq_tensor_read(harness.queue, &tensor->dl_tensor, CL_TRUE, bytes, size, 0, NULL, NULL),
                  CLQ_OK, "read");
}

static void quantize(enum reference_type type, const DLManagedTensor *x, const uint16_t *values,
                     enum reference_type src)
{
    const size_t bytes = (size_t)reference_types[type].block_bytes;
    unsigned char *found = allocate(count() * bytes), expected[BLOCK_BYTES];
    DLManagedTensor *y = tensor_of(type, count(), NULL);

    expect_status(
        clq_dynamic_quantize(harness.context, harness.queue,
                             &(struct clq_dynamic_quantize_desc){.x = &x->dl_tensor, .y = &y->dl_tensor}, 0,
                             NULL, NULL),
        CLQ_OK, reference_types[type].name);
    read_back(y, found, count() * bytes);
    for (size_t n = 0; n < count(); n++) {
        float block[VALUES];

        for (size_t i = 0; i < VALUES; i++)
            block[i] = reference_read(values[n * VALUES + i], src);
        reference_block_quantize(type, block, expected);
        if (memcmp(found + n * bytes, expected, bytes) != 0)
            fail_msg("%s of %s: the block of %04x at place %zu is another", reference_types[type].name,
                     reference_types[src].name, pattern(n), n % VALUES);
    }
    clq_tensor_destroy(y);
    free(found);
}

static void every_extreme(enum reference_type src)
{
    uint16_t *values = values_of(src);
    DLManagedTensor *x = tensor_of(src, count(), values);

    for (size_t t = 0; t < COUNT(block_types); t++)
        quantize(block_types[t], x, values, src);
    clq_tensor_destroy(x);
    free(values);
}

TEST(every_float16_is_the_extreme)
{
    every_extreme(REFERENCE_F16);
}

TEST(every_bfloat16_is_the_extreme)
{
    every_extreme(REFERENCE_BF16);
}

/* The half above a whole number, or the float below or above it. */
static float near_a_half(int64_t whole, int64_t choice, bool negative)
{
    const float half = (float)whole + 0.5f,
                value = choice == 0 ? half : nextafterf(half, choice == 1 ? 0.0f : INFINITY);

    return negative ? -value : value;
}

/* Extremes by which d is a power of two, so that values near a half stay there. */
TEST(floats_near_halves_go_to_the_right_side)
{
    enum { BLOCKS = 600 };
    static const float extremes[] = {127.0f, -127.0f, -8.0f, -16.0f, 15.0f, 31.0f};
    static float values[BLOCKS][VALUES];
    static unsigned char found[BLOCKS * BLOCK_BYTES];
    struct random random = random_of(harness.seed);
    DLManagedTensor *x;

    for (size_t n = 0; n < BLOCKS; n++) {
        const float extreme = extremes[n % COUNT(extremes)], power = ldexpf(1.0f, (int)(n % 41) - 20);

        for (size_t i = 0; i < VALUES; i++)
            values[n][i] = power * near_a_half(random_below(&random, (int64_t)fabsf(extreme)),
                                               random_below(&random, 3), random_below(&random, 2));
        values[n][n % VALUES] = extreme * power;
        values[n][(n + 1) % VALUES] = power * near_a_half(0, 1, n % 2 != 0);
    }
    x = tensor_of(REFERENCE_F32, BLOCKS, values);
    for (size_t t = 0; t < COUNT(block_types); t++) {
        const size_t bytes = (size_t)reference_types[block_types[t]].block_bytes;
        DLManagedTensor *y = tensor_of(block_types[t], BLOCKS, NULL);

        expect_status(
            clq_dynamic_quantize(harness.context, harness.queue,
                                 &(struct clq_dynamic_quantize_desc){.x = &x->dl_tensor, .y = &y->dl_tensor},
                                 0, NULL, NULL),
            CLQ_OK, reference_types[block_types[t]].name);
        read_back(y, found, BLOCKS * bytes);
        for (size_t n = 0; n < BLOCKS; n++) {
            unsigned char expected[BLOCK_BYTES];

            reference_block_quantize(block_types[t], values[n], expected);
            if (memcmp(found + n * bytes, expected, bytes) != 0)
                fail_msg("%s: block %zu is another", reference_types[block_types[t]].name, n);
        }
        clq_tensor_destroy(y);
    }
    clq_tensor_destroy(x);
}

static void dequantize(enum reference_type type, enum reference_type dst)
{
    const size_t bytes = (size_t)reference_types[type].block_bytes,
                 size = (size_t)reference_types[dst].bits / 8;
    struct random random = random_of(harness.seed + type);
    unsigned char *blocks = allocate(count() * bytes), *found = allocate(count() * VALUES * size);
    DLManagedTensor *q, *y = tensor_of(dst, count(), NULL);

    for (size_t n = 0; n < count(); n++) {
        const uint16_t d = pattern(n);

        for (size_t i = 0; i < bytes; i++)
            blocks[n * bytes + i] = (unsigned char)random_below(&random, 256);
        memcpy(blocks + n * bytes, &d, sizeof d);
    }
    q = tensor_of(type, count(), blocks);
    expect_status(clq_dequantize(harness.context, harness.queue,
                                 &(struct clq_dequantize_desc){
                                     .q = &q->dl_tensor, .y = &y->dl_tensor, .mode = CLQ_DEQUANTIZE_DYNAMIC},
                                 0, NULL, NULL),
                  CLQ_OK, reference_types[type].name);
    read_back(y, found, count() * VALUES * size);
    for (size_t n = 0; n < count(); n++)
        for (int i = 0; i < VALUES; i++) {
            unsigned char expected[4];

            reference_put_code(reference_round(reference_block_value(type, blocks + n * bytes, i), dst), dst,
                               expected);
            if (memcmp(found + (n * VALUES + (size_t)i) * size, expected, size) != 0)
                fail_msg("%s to %s: value %d by d %04x is another", reference_types[type].name,
                         reference_types[dst].name, i, pattern(n));
        }
    clq_tensor_destroy(q);
    clq_tensor_destroy(y);
    free(blocks);
    free(found);
}

TEST(every_float16_is_the_scale)
{
    for (size_t t = 0; t < COUNT(block_types); t++) {
        dequantize(block_types[t], REFERENCE_F32);
        dequantize(block_types[t], REFERENCE_F16);
    }
}

HARNESS_MAIN("blocks")
