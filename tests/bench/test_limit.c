/* SPDX-License-Identifier: Apache-2.0 */
/* The stream kernel of devices that are no CPU, on whatever device is there: it reads all of its input and
 * writes all of its output, and not a byte more. So does the one at places. */
#include "limit.h"
#include "opened.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SPOILED = 0xa5, WORD = 16 };

static struct limit limit;
static uint8_t *x, *y;

/* The exclusive or of all words, which does not depend on how a kernel orders them. */
static void sum_words(const uint8_t *bytes, size_t size_bytes, uint8_t sum[WORD])
{
    memset(sum, 0, WORD);
    for (size_t i = 0; i < size_bytes; i++)
        sum[i % WORD] ^= bytes[i];
}

static void streams(size_t src_bytes, size_t dst_bytes)
{
    struct race race = {0};
    uint8_t of_x[WORD], of_y[WORD];

    assert_true(data_fill(&bench, F32));
    assert_true(data_read(&bench, bench.x, 0, x, bench.x_bytes));
    assert_true(limit_add(&bench, &limit, &race, src_bytes, dst_bytes));
    assert_int_equal(race.count, 1);
    assert_true(data_spoil(&bench, SPOILED));
    assert_true(race.list[0].run(&bench, race.list[0].self));
    assert_true(data_read(&bench, bench.y, 0, y, bench.x_bytes));

    sum_words(x, src_bytes, of_x);
    if (src_bytes >= dst_bytes) { /* every word that is written is the sum of words of its own */
        sum_words(y, dst_bytes, of_y);
        assert_memory_equal(of_x, of_y, WORD);
    }
    for (size_t i = 0; i + WORD <= dst_bytes; i += WORD)
        if (y[i] == SPOILED && memcmp(y + i, y + i + 1, WORD - 1) == 0)
            fail_msg("%zu to %zu bytes: nothing is written at %zu", src_bytes, dst_bytes, i);
    for (size_t i = dst_bytes; i < bench.x_bytes; i++)
        if (y[i] != SPOILED)
            fail_msg("%zu to %zu bytes: byte %zu is written", src_bytes, dst_bytes, i);
}

static void every_mix(void **state)
{
    const size_t whole = bench.x_bytes;

    (void)state;
    streams(whole, whole / 8);
    streams(whole, whole / 4);
    streams(whole, whole / 2);
    streams(whole, whole);
    streams(whole / 2, whole);
    streams(whole / 4, whole);
    streams(4 * 16 * 1000, 16 * 1000); /* no whole group at the end */
}

/* Whether all was read nobody can see; that nothing was written, anybody. */
static void reads_alone(void **state)
{
    struct race race = {0};

    (void)state;
    assert_true(data_fill(&bench, F32));
    assert_true(limit_add(&bench, &limit, &race, bench.x_bytes, 0));
    assert_true(data_spoil(&bench, SPOILED));
    assert_true(race.list[0].run(&bench, race.list[0].self));
    assert_true(race.list[0].bytes > 0);
    assert_true(data_read(&bench, bench.y, 0, y, bench.x_bytes));
    for (size_t i = 0; i < bench.x_bytes; i++)
        assert_int_equal(y[i], SPOILED);
}

/* Word w of an entry's place is the exclusive or of every words-th word of the entry, from w on; other places
 * keep what they had. */
static void check_places(const struct places *places, size_t call, size_t reads, size_t writes)
{
    uint8_t *right = malloc(bench.x_bytes);
    cl_int2 at;

    assert_non_null(right);
    memset(right, SPOILED, bench.x_bytes);
    for (size_t i = 0; i < (size_t)places->entries; i++) {
        uint8_t *row;

        assert_true(data_read(&bench, places->buffer, places_offset_bytes(places, call) + i * sizeof at, &at,
                              sizeof at));
        row = right + (size_t)(at.s[0] * places->length + at.s[1]) * writes * WORD;
        memset(row, 0, writes * WORD);
        for (size_t word = 0; word < reads; word++)
            for (size_t byte = 0; byte < WORD; byte++)
                row[word % writes * WORD + byte] ^= x[(i * reads + word) * WORD + byte];
    }
    assert_memory_equal(y, right, bench.x_bytes);
    free(right);
}

static void at_places(size_t reads, size_t writes)
{
    struct places places = {.batches = 3,
                            .length = 50,
                            .entries = 101,
                            .update_length = 1,

                            .pairs = true,
                            .sets = 4};
    struct limit_mix loop = {0};
    struct race race = {0};

    assert_true(data_fill(&bench, F32));
    assert_true(data_read(&bench, bench.x, 0, x, bench.x_bytes));
    assert_true(places_init(&bench, &places));
    assert_true(limit_places_add(&bench, &race, &loop, &places, reads * WORD, writes * WORD));
    assert_int_equal(race.count, 1);
    for (int run = 0; run < 3; run++) {
        const size_t call = loop.next;

        assert_true(data_spoil(&bench, SPOILED));
        assert_true(race.list[0].run(&bench, race.list[0].self));
        assert_true(data_read(&bench, bench.y, 0, y, bench.x_bytes));
        check_places(&places, call, reads, writes);
    }
    limit_mix_clear(&loop);
    places_clear(&places);
}

static void every_entry_is_at_its_place(void **state)
{
    (void)state;
    at_places(128, 32);
    at_places(12, 3);
}

static void entries_that_are_no_whole_words(void **state)
{
    const struct places places = {.batches = 1, .length = 1, .entries = 1, .update_length = 1, .pairs = true};
    struct limit_mix loop = {0};
    struct race race = {0};

    (void)state;
    assert_true(limit_places_add(&bench, &race, &loop, &places, 48, 24));
    assert_true(limit_places_add(&bench, &race, &loop, &places, 80, 32));
    assert_true(limit_places_add(&bench, &race, &loop, &places, 0, 0));
    assert_int_equal(race.count, 0);
}

static int start(void **state)
{
    if (opened_start(state) != 0)
        return -1;
    /* Without the host's threads a CPU is measured as any other device is. */
    bench.on_host = false;
    x = malloc(bench.x_bytes);
    y = malloc(bench.x_bytes);
    return x && y ? 0 : -1;
}

static int stop(void **state)
{
    free(x);
    free(y);
    limit_clear(&limit);
    return opened_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mix), cmocka_unit_test(reads_alone),
                                       cmocka_unit_test(every_entry_is_at_its_place),
                                       cmocka_unit_test(entries_that_are_no_whole_words)};
    return cmocka_run_group_tests(tests, start, stop);
}
