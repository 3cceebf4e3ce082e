/* SPDX-License-Identifier: Apache-2.0 */
/* The range of a row, found as the bits of its largest and smallest element. `bits` of an element and
 * `block`, the number of rows that are looked at together, are constants wherever these are used. */
#ifndef CLQUANT_BENCH_DYNAMIC_RANGE_H
#define CLQUANT_BENCH_DYNAMIC_RANGE_H

#include "simd_rows.h"

struct range {
    line signed_max, unsigned_max;
};

/* Those of a block. */
struct ranges {
    line signed_max[BLOCK_ROWS], unsigned_max[BLOCK_ROWS];
};

/* A short row's line is filled up with its first element. */
static line short_line(const uint8_t *x, size_t row_bytes, int bits)
{
    const size_t each = (size_t)bits / 8;
    uint8_t bytes[LINE_BYTES];

    for (size_t i = 0; i + each <= LINE_BYTES; i += each)
        memcpy(bytes + i, x + (i < row_bytes ? i : 0), each);
    return line_load(bytes);
}

SIMD_INLINE struct range range_begin(const uint8_t *x, size_t row_bytes, int bits)
{
    const line first = row_bytes < LINE_BYTES ? short_line(x, row_bytes, bits) : line_load(x);
    return (struct range){first, first};
}

SIMD_INLINE void range_add(struct range *range, const uint8_t *x, int bits)
{
    const line v = line_load(x);

    range->signed_max = keys_pick(range->signed_max, v, bits, KEYS_SIGNED_MAX);
    range->unsigned_max = keys_pick(range->unsigned_max, v, bits, KEYS_UNSIGNED_MAX);
}

/* From byte `at` on. The last line of a row may overlap the one before. */
SIMD_INLINE void range_end(struct range *range, const uint8_t *x, size_t at, size_t row_bytes, int bits)
{
    for (; at + LINE_BYTES <= row_bytes; at += LINE_BYTES)
        range_add(range, x + at, bits);
    if (at < row_bytes && row_bytes > LINE_BYTES)
        range_add(range, x + row_bytes - LINE_BYTES, bits);
}

SIMD_INLINE struct range range_of(const uint8_t *x, size_t row_bytes, int bits)
{
    struct range range = range_begin(x, row_bytes, bits);

    range_end(&range, x, 0, row_bytes, bits);
    return range;
}

SIMD_INLINE void ranges_set(struct ranges *ranges, int k, struct range range)
{
    ranges->signed_max[k] = range.signed_max;
    ranges->unsigned_max[k] = range.unsigned_max;
}

/* What a row of one sign lacks. */
static uint32_t unsigned_min_of(const uint8_t *x, size_t row_bytes, int bits)
{
    line least = range_begin(x, row_bytes, bits).unsigned_max;

    for (size_t at = 0; at + LINE_BYTES <= row_bytes; at += LINE_BYTES)
        least = keys_pick(least, line_load(x + at), bits, KEYS_UNSIGNED_MIN);
    if (row_bytes > LINE_BYTES)
        least = keys_pick(least, line_load(x + row_bytes - LINE_BYTES), bits, KEYS_UNSIGNED_MIN);
    return keys_reduce(least, bits, KEYS_UNSIGNED_MIN);
}

/* The bits of the highest and the lowest element of each row; symmetric: of the largest in size, twice. */
SIMD_INLINE void find_keys(const struct ranges *ranges, const uint8_t *x, size_t row_bytes, int count,
                           int bits, int symmetric, int block, uint32_t high[BLOCK_ROWS],
                           uint32_t low[BLOCK_ROWS])
{
    const uint32_t sign = bits == 16 ? 0x8000 : 0x80000000;
    uint32_t one_sign = 0;

    if (block == 1) {
        high[0] = keys_reduce(ranges->signed_max[0], bits, KEYS_SIGNED_MAX);
        low[0] = keys_reduce(ranges->unsigned_max[0], bits, KEYS_UNSIGNED_MAX);
    } else {
        keys_reduce_block(ranges->signed_max, bits, KEYS_SIGNED_MAX, high);
        keys_reduce_block(ranges->unsigned_max, bits, KEYS_UNSIGNED_MAX, low);
    }
    for (int k = 0; k < block && symmetric; k++) {
        const uint32_t above = high[k] & sign ? 0 : high[k], below = low[k] & (sign - 1);
        high[k] = low[k] = above > below ? above : below;
    }
    for (int k = 0; k < block && !symmetric; k++)
        one_sign |= (high[k] | ~low[k]) & sign;
    if (!one_sign)
        return;
    for (int k = 0; k < count; k++) {
        if (high[k] & sign)
            high[k] = unsigned_min_of(x + (size_t)k * row_bytes, row_bytes, bits);
        else if (!(low[k] & sign))
            low[k] = unsigned_min_of(x + (size_t)k * row_bytes, row_bytes, bits);
    }
}

#endif
