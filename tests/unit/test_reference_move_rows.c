/* SPDX-License-Identifier: Apache-2.0 */
/* Pins the reference of rows that move by bytes that were worked out by hand. */
#include <stdint.h>
#include <string.h>

#include "move_rows.h"
#include "tests.h"

/* A side over int8 pages [3, 2] or rows [N], and its indices. */
static struct reference_tensor bytes(int rank, int64_t first, int64_t second, void *data)
{
    return reference_dense(REFERENCE_I8, 1, rank, (const int64_t[]){first, second}, data);
}

static struct reference_tensor words(int rank, int64_t first, int64_t second, void *data)
{
    return reference_dense(REFERENCE_I32, 1, rank, (const int64_t[]){first, second}, data);
}

/* Places 0, 1, 2, 3 to 1, 2, 3, 0 of one buffer: what is read is what was there before. */
TEST(a_ring_of_places_turns_by_one)
{
    int8_t cache[4] = {10, 11, 12, 13};
    int32_t from[4] = {0, 1, 2, 3}, to[4] = {1, 2, 3, 0};
    const struct reference_tensor places = bytes(2, 1, 4, cache), src = words(1, 4, 1, from),
                                  dst = words(1, 4, 1, to);
    const struct reference_report report =
        reference_move_rows(&(struct reference_move_rows_desc){.src = {&places, &src, .slots = true},
                                                               .dst = {&places, &dst, .slots = true},
                                                               .axis = 1,
                                                               .positions = 1});

    assert_memory_equal(cache, ((int8_t[]){13, 10, 11, 12}), 4);
    assert_int_equal(report.dropped, 0);
}

/* Entries 0, 1 and 3 go to one place; 3 has no source, so that 1 wins, and 2 is skipped without a word. */
TEST(the_last_entry_that_moves_wins)
{
    int8_t cache[4] = {10, 11, 12, 13}, pages[4] = {0};
    int32_t from[4] = {0, 1, -1, 7}, to[4] = {2, 2, 1, 2};
    const struct reference_tensor src = bytes(2, 2, 2, cache), dst = bytes(2, 2, 2, pages),
                                  src_slots = words(1, 4, 1, from), dst_slots = words(1, 4, 1, to);
    const struct reference_report report =
        reference_move_rows(&(struct reference_move_rows_desc){.src = {&src, &src_slots, .slots = true},
                                                               .dst = {&dst, &dst_slots, .slots = true},
                                                               .axis = 1,
                                                               .positions = 1});

    assert_memory_equal(pages, ((int8_t[]){0, 0, 11, 0}), 4);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.first, 4);
}

/* [N, 2] of [3, 2, 2]: the row is the last dimension; each number is clamped, or taken around, by itself. */
TEST(coordinates_are_clamped_and_taken_around)
{
    int8_t cube[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, rows[6] = {0};
    int32_t at[6] = {2, 1, -1, 5, 4, 0};
    const struct reference_tensor src = reference_dense(REFERENCE_I8, 1, 3, (const int64_t[]){3, 2, 2}, cube),
                                  dst = bytes(2, 3, 2, rows), indices = words(2, 3, 2, at);
    struct reference_move_rows_desc desc = {.src = {&src, &indices, REFERENCE_CLAMP, .nd = true},
                                            .dst = {.tensor = &dst}};
    struct reference_report report = reference_move_rows(&desc);

    assert_memory_equal(rows, ((int8_t[]){10, 11, 2, 3, 8, 9}), 6);
    assert_int_equal(report.clamped, 2);
    assert_int_equal(report.first, 2);
    desc.src.range = REFERENCE_WRAP;
    report = reference_move_rows(&desc);
    assert_memory_equal(rows, ((int8_t[]){10, 11, 10, 11, 4, 5}), 6);
    assert_int_equal(report.clamped, 0);
    desc.src.range = REFERENCE_DROP;
    memset(rows, 99, sizeof rows);
    report = reference_move_rows(&desc);
    assert_memory_equal(rows, ((int8_t[]){10, 11, 99, 99, 99, 99}), 6);
    assert_int_equal(report.dropped, 2);
}

/* One that src clamps and dst drops was dropped, once. */
TEST(an_entry_is_counted_once)
{
    int8_t cache[4] = {10, 11, 12, 13}, pages[4] = {0};
    int32_t from[4] = {0, 5, 0, 5}, to[4] = {0, 1, 0, 9};
    const struct reference_tensor src = bytes(2, 2, 2, cache), dst = bytes(2, 2, 2, pages),
                                  src_pairs = words(2, 2, 2, from), dst_pairs = words(2, 2, 2, to);
    const struct reference_report report = reference_move_rows(&(struct reference_move_rows_desc){
        .src = {.tensor = &src, .indices = &src_pairs, .range = REFERENCE_CLAMP},
        .dst = {.tensor = &dst, .indices = &dst_pairs, .range = REFERENCE_DROP},
        .axis = 1,
        .positions = 1});

    assert_memory_equal(pages, ((int8_t[]){0, 11, 0, 0}), 4);
    assert_int_equal(report.clamped, 1);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.first, 1);
}

/* 1 + 2^-11 is halfway between two float16; a NaN becomes the canonical one. */
TEST(floats_are_rounded_once)
{
    float rows[4] = {1.0f + 0x1p-11f, 1.0f + 0x1.8p-10f, 0, -70000.0f};
    uint16_t cache[4] = {0};
    int32_t slots[4] = {3, 2, 1, 0};
    const uint32_t nan = 0xff812345;
    const struct reference_tensor src = reference_dense(REFERENCE_F32, 1, 2, (const int64_t[]){4, 1}, rows),
                                  dst = reference_dense(REFERENCE_F16, 1, 2, (const int64_t[]){1, 4}, cache),
                                  indices = words(1, 4, 1, slots);

    memcpy(&rows[2], &nan, sizeof nan);
    reference_move_rows(&(struct reference_move_rows_desc){
        .src = {.tensor = &src}, .dst = {&dst, &indices, .slots = true}, .axis = 1, .positions = 1});
    assert_memory_equal(cache, ((uint16_t[]){0xfc00, 0x7e00, 0x3c02, 0x3c00}), sizeof cache);
}

TESTS_MAIN("unit.reference_move_rows")
