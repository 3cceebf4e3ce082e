/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that overlap: the last one wins, by either method, on every run; with dynamic scales in all three
 * outputs. */
#include "scatter_case.h"

#include <string.h>

struct overlap_case {
    const char *name;
    struct scatter_shape shape;
    enum places places;
    enum clq_range_policy range;
    bool table; /* many looks: a table of owners is kept, else the kernel scans later entries */
};

/* Rows times entries decide: few looks are scanned. A position of an entry is a row where U > 1. */
static const struct overlap_case cases[] = {
    {"two on a place", {3, {2, 4, 8}, 1, 2, 1, 2}, PLACES_SAME, CLQ_DROP, false},
    {"twenty, half of each covered", {3, {3, 9, 16}, 1, 20, 4, 2}, PLACES_PACKED, CLQ_DROP, false},
    {"scan, one place", {3, {4, 8, 8}, 1, 60, 1, 2}, PLACES_SAME, CLQ_DROP, false},
    {"scan, parts", {3, {4, 40, 8}, 1, 15, 16, 2}, PLACES_PACKED, CLQ_DROP, false},
    {"scan, ring", {3, {2, 9, 8}, 1, 25, 5, 2}, PLACES_STRAY, CLQ_WRAP, false},
    {"scan, ring as long as the axis", {3, {2, 9, 8}, 1, 20, 9, 2}, PLACES_STRAY, CLQ_WRAP, false},
    {"scan, clamped onto the ends", {3, {3, 12, 8}, 1, 25, 5, 2}, PLACES_STRAY, CLQ_CLAMP, false},
    {"table, one place, 1024 entries", {3, {4, 8, 8}, 1, 1024, 1, 2}, PLACES_SAME, CLQ_DROP, true},
    {"table, one place, 4096 entries", {3, {4, 8, 64}, 1, 4096, 1, 2}, PLACES_SAME, CLQ_DROP, true},
    {"table, anywhere", {3, {8, 64, 8}, 1, 2000, 3, 2}, PLACES_VALID, CLQ_DROP, true},
    {"table, parts", {3, {4, 64, 8}, 1, 1024, 16, 2}, PLACES_PACKED, CLQ_DROP, true},
    {"table, strays", {3, {4, 64, 8}, 1, 2048, 5, 2}, PLACES_STRAY, CLQ_DROP, true},
    {"table, hostile", {3, {4, 64, 8}, 1, 2048, 5, 2}, PLACES_HOSTILE, CLQ_DROP, true},
    {"table, hostile, clamped", {3, {4, 64, 8}, 1, 2048, 5, 2}, PLACES_HOSTILE, CLQ_CLAMP, true},
    {"table, hostile, ring", {3, {4, 64, 8}, 1, 2048, 5, 2}, PLACES_HOSTILE, CLQ_WRAP, true},
    {"table, ring", {3, {2, 37, 8}, 1, 1024, 11, 2}, PLACES_STRAY, CLQ_WRAP, true},
    {"table, ring as long as the axis", {3, {2, 24, 8}, 1, 1024, 24, 2}, PLACES_STRAY, CLQ_WRAP, true},
    {"table, rows between batch and axis", {4, {3, 2, 17, 8}, 2, 700, 6, 2}, PLACES_VALID, CLQ_DROP, true},
    {"table, rows behind the axis", {5, {3, 17, 2, 2, 8}, 1, 700, 6, 2}, PLACES_PACKED, CLQ_DROP, true},
    {"table, the last axis", {3, {3, 4, 50}, 2, 400, 9, 2}, PLACES_VALID, CLQ_DROP, true},
    {"table, rank 2", {2, {3, 300}, 1, 1500, 40, 2}, PLACES_VALID, CLQ_WRAP, true},
    {"hashed, anywhere", {3, {64, 512, 8}, 1, 1000, 1, 2}, PLACES_VALID, CLQ_DROP, true},
    {"hashed, one place", {3, {64, 512, 8}, 1, 1000, 1, 2}, PLACES_SAME, CLQ_DROP, true},
    {"hashed, hostile, clamped", {3, {64, 512, 8}, 1, 1000, 1, 2}, PLACES_HOSTILE, CLQ_CLAMP, true},
    {"hashed, hostile, ring", {3, {64, 512, 8}, 1, 1000, 1, 2}, PLACES_HOSTILE, CLQ_WRAP, true},
    {"scan, slots", {3, {4, 8, 8}, 1, 60, 1, INDEX_SLOTS}, PLACES_PACKED, CLQ_DROP, false},
    {"table, slots, strays", {3, {4, 64, 8}, 1, 2048, 1, INDEX_SLOTS}, PLACES_STRAY, CLQ_DROP, true},
    {"table, one slot, and skipped ones",
     {3, {4, 8, 8}, 1, 1024, 1, INDEX_SLOTS},
     PLACES_SAME,
     CLQ_DROP,
     true},
    {"hashed, slots, hostile", {3, {64, 512, 8}, 1, 1000, 1, INDEX_SLOTS}, PLACES_HOSTILE, CLQ_DROP, true},
    {"hashed, slots, rows behind the axis",
     {4, {64, 37, 3, 8}, 1, 600, 1, INDEX_SLOTS},
     PLACES_VALID,
     CLQ_DROP,
     true},
    {"table, the whole axis", {3, {5, 16, 8}, 1, 1024, 16, 2}, PLACES_VALID, CLQ_DROP, true},
};

#define NONE REFERENCE_I4

static const struct scatter_types types[] = {
    {REFERENCE_F32, REFERENCE_F32, NONE, REFERENCE_I32, REFERENCE_I8, 1, false, false},
    {REFERENCE_F16, REFERENCE_BF16, REFERENCE_F16, REFERENCE_I64, REFERENCE_U8, 1, false, false},
    {REFERENCE_BF16, REFERENCE_F32, REFERENCE_I32, REFERENCE_I32, REFERENCE_I4, 1, false, false},
    {REFERENCE_F32, REFERENCE_F16, REFERENCE_I8, REFERENCE_I64, REFERENCE_I4, 8, false, false},
    {REFERENCE_F16, NONE, NONE, REFERENCE_I32, REFERENCE_I4, 1, true, false},
    {REFERENCE_F32, NONE, NONE, REFERENCE_I64, REFERENCE_I8, 1, true, true},
    {REFERENCE_BF16, REFERENCE_F32, NONE, REFERENCE_I32, REFERENCE_I4, 8, true, false},
};
enum { FIRST_DYNAMIC = 4 };

/* The table is asked for exactly where a row says, so that both methods are known to run. What else is in a workspace, the same
 * call asks for where entries are unique. */
static void expect_method(const struct scatter_case *c, bool table)
{
    struct scatter_case promised = *c;
    struct scatter_tensors t;
    size_t bytes = 1, without = 0;

    promised.unique = true;
    scatter_tensors_init(&t, c);
    scatter_tensors_fill(&t, c);
    assert_true(scatter_tensors_upload(&t, c, harness.queue));
    expect_status(scatter_workspace(&t, c, harness.context, &bytes), CLQ_OK, c->name);
    expect_status(scatter_workspace(&t, &promised, harness.context, &without), CLQ_OK, c->name);
    assert_true(table ? bytes > without : bytes == without);
    scatter_tensors_clear(&t);
}

static void last_wins(void **state)
{
    const struct overlap_case *row = *state;

    for (size_t i = 0; i < COUNT(types); i++) {
        const bool whole_rows = reference_shares_bytes(types[i].cache, 1) || types[i].dynamic;
        struct scatter_case c;

        if (whole_rows && row->shape.axis == row->shape.rank - 1)
            continue;
        c = scatter_case_of(row->name, &types[i], &row->shape);
        c.places = row->places;
        c.range = row->range;
        c.copies = i == 1;
        if (harness.small && i != 1 && i != FIRST_DYNAMIC && (row->table || i > 1))
            continue;
        expect_method(&c, row->table);
        expect_scatter(&c);
        c.borrows = true;
        c.reports = false;
        expect_scatter(&c);
        c.seed++;
        scatter_case_stride(&c, &(struct random){c.seed});
        if (!harness.small)
            expect_scatter(&c);
    }
}

/* The device's threads race for the same places: a thousand runs, and every time the same bytes. */
static void repeat(const struct scatter_case *c, int times)
{
    struct scatter_tensors t;
    const struct parts parts = scatter_parts(&t, c);

    scatter_tensors_init(&t, c);
    scatter_tensors_fill(&t, c);
    assert_true(scatter_tensors_upload(&t, c, harness.queue));
    scatter_tensors_expect(&t, c, 0x5a);
    for (int i = 0; i < times; i++) {
        assert_true(parts_fill(&parts, harness.queue, 0x5a));
        expect_status(scatter_call(&t, c, harness.context, harness.queue, 0, NULL, NULL), CLQ_OK, c->name);
        if (!parts_hold(&parts, harness.queue, true))
            fail_msg("\"%s\" differs in run %d of %d", c->name, i, times);
    }
    scatter_tensors_clear(&t);
}

static void the_same_on_every_run(void **state)
{
    static const struct overlap_case rows[] = {
        {"again, one place", {3, {2, 8, 32}, 1, 4096, 1, 2}, PLACES_SAME, CLQ_DROP, true},
        {"again, parts", {3, {2, 64, 16}, 1, 1024, 16, 2}, PLACES_PACKED, CLQ_DROP, true},
        {"again, ring", {3, {1, 31, 16}, 1, 1024, 7, 2}, PLACES_STRAY, CLQ_WRAP, true},
        {"again, hashed", {3, {64, 512, 8}, 1, 1000, 1, 2}, PLACES_STRAY, CLQ_CLAMP, true},
        {"again, scan", {3, {1, 4, 64}, 1, 60, 1, 2}, PLACES_SAME, CLQ_DROP, false},
        {"again, scan, ring", {3, {1, 31, 64}, 1, 14, 20, 2}, PLACES_STRAY, CLQ_WRAP, false},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(rows); k++)
        for (int kind = 0; kind < 4; kind++) {
            const bool dynamic = kind / 2, borrows = kind % 2;
            const struct scatter_types *type = &types[dynamic ? FIRST_DYNAMIC + k % 3 : k % 2];
            struct scatter_case c = scatter_case_of(rows[k].name, type, &rows[k].shape);

            c.places = rows[k].places;
            c.range = rows[k].range;
            c.borrows = borrows;
            expect_method(&c, rows[k].table);
            repeat(&c, (borrows ? 200 : 800) / (int)harness.share);
        }
}

/* 1-D indices and a promise cost nothing: no table is asked for, however many looks it were. */
static void no_table_without_overlap(void **state)
{
    static const struct scatter_shape starts = {3, {2000, 4, 8}, 1, 2000, 1, 1};
    static const struct scatter_shape pairs = {3, {100, 40, 8}, 1, 2000, 2, 2};
    struct scatter_case c = scatter_case_of("2000 starts", &types[0], &starts);

    (void)state;
    expect_method(&c, false);
    if (!harness.small)
        expect_scatter(&c);
    c = scatter_case_of("2000 pairs apart", &types[1], &pairs);
    c.places = PLACES_APART;
    c.unique = true;
    expect_method(&c, false);
    if (!harness.small)
        expect_scatter(&c);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(cases) + 2];

    for (size_t i = 0; i < COUNT(cases); i++)
        tests[i] = (struct CMUnitTest){
            .name = cases[i].name, .test_func = last_wins, .initial_state = (void *)&cases[i]};
    tests[COUNT(cases)] = (struct CMUnitTest)cmocka_unit_test(the_same_on_every_run);
    tests[COUNT(cases) + 1] = (struct CMUnitTest)cmocka_unit_test(no_table_without_overlap);
    return HARNESS_RUN(argc, argv, "quantize_scatter overlap", tests);
}
