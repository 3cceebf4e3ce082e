/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong result of dynamic quantization is refused: every case passes the bench's own check as it is, and fails
 * it once a bit of q, of a scale or of an offset is another, or nothing was written. What scatters apart from
 * the operator passes the same check. */
#include "dynamic_case.h"
#include "opened.h"
#include "unfused.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void refuses(struct dynamic_case *c, const char *why)
{
    bench.failure.text[0] = '\0';
    if (dynamic_case_check(&bench, c))
        fail_msg("src %d dst %d symmetric %d: %s is not seen", c->src, c->dst, c->symmetric, why);
    assert_non_null(strstr(bench.failure.text, "is wrong on the device"));
}

static void passes(struct dynamic_case *c)
{
    if (!dynamic_case_check(&bench, c))
        fail_msg("%s", bench.failure.text);
}

/* y begins with the first row of a place: it must be one that is looked at. */
static void sees_every_result(struct dynamic_case *c)
{
    assert_true(data_fill(&bench, c->src));
    assert_true(dynamic_case_init(&bench, c));
    assert_true(data_spoil(&bench));
    assert_true(dynamic_case_run(&bench, c));
    passes(c);
    opened_flip_bit(0);
    refuses(c, "q");
    opened_flip_bit(0);
    opened_flip_bit(c->scale_at + 2);
    refuses(c, "a scale");
    opened_flip_bit(c->scale_at + 2);
    if (!c->symmetric) {
        opened_flip_bit(c->offset_at + 2);
        refuses(c, "an offset");
        opened_flip_bit(c->offset_at + 2);
    }
    passes(c);
    assert_true(data_spoil(&bench));
    refuses(c, "that nothing was written");
    dynamic_case_clear(c);
}

static void dense(void **state)
{
    (void)state;
    for (int k = 0; k < PEER_SRC_COUNT * 2 * 2; k++) {
        struct dynamic_case c = {.note = "rows", .columns = 128 << k % 2, .calls = 1};

        c.src = (enum peer_src)(k % PEER_SRC_COUNT);
        c.dst = k / PEER_SRC_COUNT % 2 ? PEER_I4 : PEER_I8;
        c.symmetric = k / PEER_SRC_COUNT / 2 != 0;
        sees_every_result(&c);
    }
}

/* As few rows as are looked at, so that every one is. */
static struct dynamic_case scattered(enum peer_dst dst, bool pairs, bool symmetric)
{
    return (struct dynamic_case){.note = "few",
                                 .src = PEER_F16,
                                 .dst = dst,
                                 .symmetric = symmetric,
                                 .columns = 128,
                                 .scatters = true,
                                 .unique = true,
                                 .places = {.batches = 4,
                                            .length = pairs ? 4 : 16,
                                            .entries = pairs ? 16 : 4,
                                            .update_length = pairs ? 1 : 16,
                                            .pairs = pairs,
                                            .sets = 2},
                                 .heads = pairs ? 4 : 1,
                                 .calls = 1};
}

static void scatters(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        struct dynamic_case c = scattered(k & 1 ? PEER_I4 : PEER_I8, (k & 2) != 0, (k & 4) != 0);

        sees_every_result(&c);
    }
}

static void sees_a_stray_write(void **state)
{
    struct dynamic_case c = scattered(PEER_I4, true, false);
    int64_t untouched = 0;

    (void)state;
    c.places.length = 32;
    assert_true(data_fill(&bench, c.src));
    assert_true(dynamic_case_init(&bench, &c));
    assert_true(data_spoil(&bench));
    assert_true(dynamic_case_run(&bench, &c));
    passes(&c);
    untouched = places_untouched(&c.places, c.next - 1);
    assert_true(untouched >= 0);
    opened_flip_bit((size_t)untouched * 4 * 64);
    assert_false(dynamic_case_check(&bench, &c));
    assert_non_null(strstr(bench.failure.text, "of no entry"));
    dynamic_case_clear(&c);
}

static void unfused_writes_the_same(void **state)
{
    (void)state;
    for (int pairs = 0; pairs <= 1; pairs++) {
        struct dynamic_case c = scattered(PEER_I4, pairs != 0, false);
        struct unfused unfused = {0};

        c.places.length += 3;
        assert_true(data_fill(&bench, c.src));
        assert_true(dynamic_case_init(&bench, &c));
        assert_true(unfused_fits(&bench, &c));
        assert_true(unfused_init(&bench, &unfused, &c));
        for (int call = 0; call < 3; call++) {
            assert_true(data_spoil(&bench));
            assert_true(unfused_run(&bench, &unfused));
            passes(&c);
        }
        unfused_clear(&unfused);
        dynamic_case_clear(&c);
    }
}

/* Whole of x: what a row of the bench asks for fits, whatever the size. */
static void fits(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        struct dynamic_case c = scattered(k & 1 ? PEER_I4 : PEER_I8, (k & 2) != 0, false);

        c.places.entries = 0;
        c.columns = k & 4 ? 4096 : 128;
        assert_true(dynamic_case_init(&bench, &c));
        assert_true(c.size_bytes <= bench.x_bytes);
        assert_true(dynamic_src_bytes(&c) <= bench.x_bytes);
        assert_true(dynamic_src_bytes(&c) * 2 > bench.x_bytes);
        dynamic_case_clear(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense),
        cmocka_unit_test(scatters),
        cmocka_unit_test(sees_a_stray_write),
        cmocka_unit_test(unfused_writes_the_same),
        cmocka_unit_test(fits),
    };
    return cmocka_run_group_tests(tests, opened_start, opened_stop);
}
