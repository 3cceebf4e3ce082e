/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic quantization into caches, against the reference: every type, policy, rank and axis; layouts; wrong
 * indices; the two forms of the kernels on one cache. (Overlaps and check_indices: test_quantize_scatter_overlap.c,
 * test_check_indices.c.) */
#include "dynamic_case.h"
#include "scatter_case.h"

static size_t digit(size_t *i, size_t radix)
{
    const size_t value = *i % radix;

    *i /= radix;
    return value;
}

/* Types, indices of 32 or 64 bits, one or two columns, policies and slots, a promise or none. */
#define COMBINATIONS (DYNAMIC_TYPES * 2 * 2 * 4 * 2)
static struct scatter_case combination(const char *name, size_t i, struct scatter_shape shape)
{
    const size_t seed = i;
    const struct dynamic_types dynamic = dynamic_types_of(digit(&i, DYNAMIC_TYPES));
    struct scatter_types types = {.x = dynamic.x,
                                  .scale = dynamic.smooth,
                                  .cache = dynamic.y,
                                  .lanes = dynamic.lanes,
                                  .dynamic = true,
                                  .symmetric = dynamic.symmetric};
    struct scatter_case c;
    enum clq_range_policy range;
    size_t policy;
    bool unique;

    types.index = digit(&i, 2) ? REFERENCE_I64 : REFERENCE_I32;
    shape.index_rank = digit(&i, 2) ? 2 : 1;
    policy = digit(&i, 4);
    unique = digit(&i, 2);
    range = policy < 3 ? (enum clq_range_policy)policy : CLQ_DROP;
    if (policy == 3)
        shape.index_rank = INDEX_SLOTS, shape.length = 1;
    else if (shape.index_rank == 1 && shape.entries > shape.cache[0])
        shape.entries = shape.cache[0];
    c = scatter_case_of(name, &types, &shape);
    c.range = range;
    /* Two entries that clamp moves may meet. */
    c.unique = unique && (shape.index_rank == 1 || range != CLQ_CLAMP);
    c.places = shape.index_rank != 1 && c.unique ? PLACES_APART : PLACES_STRAY;
    c.seed += seed;
    return c;
}

static bool fits(const struct scatter_case *c, int64_t length)
{
    return length % reference_unit_values(c->cache.type, c->cache.lanes) == 0;
}

/* A cache per token, per token and head either way round, and with rows between batch and axis. */
static void every_type_and_policy(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {4, 9, 24}, .axis = 1, .entries = 5, .length = 3},
        {.rank = 4, .cache = {3, 4, 5, 16}, .axis = -2, .entries = 4, .length = 1},
        {.rank = 4, .cache = {3, 6, 3, 40}, .axis = 1, .entries = 3, .length = 2},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(7, 401)) {
            const struct scatter_case c = combination("types", i, shapes[k]);

            expect_scatter(&c);
        }
}

static void every_axis_of_every_rank(void **state)
{
    static const int64_t sizes[CLQ_MAX_RANK] = {3, 2, 3, 2, 4, 2, 3, 8};
    size_t i = 0;

    (void)state;
    for (int rank = 3; rank <= CLQ_MAX_RANK; rank += harness.small ? 3 : 1) {
        struct scatter_shape shape = {.rank = rank, .entries = 3};

        for (int d = 0; d < rank; d++)
            shape.cache[d] = sizes[CLQ_MAX_RANK - rank + d];
        shape.cache[0] = 3;
        for (int axis = 1; axis < rank - 1; axis++)
            for (int64_t length = 1; length <= shape.cache[axis]; length++)
                for (int k = 0; k < harness_cases(12, 1); k++) {
                    struct scatter_case c;

                    shape.axis = k % 2 ? axis : axis - rank;
                    shape.length = length;
                    i += 101;
                    c = combination("axes", i % COMBINATIONS, shape);
                    expect_scatter(&c);
                }
    }
}

/* All three outputs slices of larger ones, each in its own way; updates and indices with gaps or repeated. */
static void any_layout(void **state)
{
    struct random random = random_of(harness.seed);
    const int cases = harness_cases(600, 12);

    (void)state;
    for (int i = 0; i < cases; i++) {
        struct scatter_shape shape = {.rank = (int)random_from(&random, 3, 5)};
        struct scatter_case c;

        for (int d = 0; d < shape.rank; d++)
            shape.cache[d] = random_from(&random, 1, 5);
        shape.cache[shape.rank - 1] = 8 * random_from(&random, 1, 6);
        shape.axis = (int)random_from(&random, 1, shape.rank - 2);
        shape.length = random_from(&random, 1, shape.cache[shape.axis]);
        shape.entries = random_from(&random, 1, 7);
        c = combination("layouts", (size_t)random_below(&random, COMBINATIONS), shape);
        c.seed = random_bits(&random);
        c.borrows = random_below(&random, 2);
        c.reports = random_below(&random, 4) > 0;
        scatter_case_stride(&c, &random);
        expect_scatter(&c);
    }
}

static void every_length(void **state)
{
    static const int64_t lengths[] = {1,  2,  3,  7,   8,   15,  16,  17,  31,  32,  33,   63,   64,
                                      65, 66, 96, 127, 128, 130, 255, 256, 264, 513, 1024, 2050, 4104};

    (void)state;
    for (size_t k = 0; k < COUNT(lengths) - (harness.small ? 4 : 0); k++)
        for (size_t i = 0; i < (size_t)harness_cases(24, 1); i++) {
            const struct scatter_shape shape = {
                .rank = 3, .cache = {3, 5, lengths[k]}, .axis = 1, .entries = 3, .length = 2};
            struct scatter_case c = combination("lengths", (i * 197 + k) % COMBINATIONS, shape);

            if (!fits(&c, lengths[k]))
                continue;
            c.cache.before += (int64_t)(i % 5);
            expect_scatter(&c);
        }
}

/* Long rows of which some are dropped or overwritten: what a work-item does beside each is another row then. */
static void long_rows_with_gaps(void **state)
{
    static const int64_t lengths[] = {514, 520, 1032, 4104};

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(lengths); k++)
        for (size_t i = 0; i < (size_t)harness_cases(18, 1); i++) {
            const struct scatter_shape shape = {
                .rank = 3, .cache = {4, 20, lengths[k]}, .axis = 1, .entries = 100, .length = 1};
            const struct scatter_case c = combination("gaps", (i * 211 + k * 3) % COMBINATIONS, shape);

            if (fits(&c, lengths[k]))
                expect_scatter(&c);
        }
}

/* Entries of many rows, beside one another or over one another: scales and offsets that a CPU writes by the line, from
 * lines that begin anywhere on. */
static void words_by_the_line(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {2, 3000, 8}, .axis = 1, .entries = 6, .length = 400},
        {.rank = 3, .cache = {2, 1400, 640}, .axis = 1, .entries = 6, .length = 300},
        {.rank = 4, .cache = {2, 900, 3, 128}, .axis = 1, .entries = 7, .length = 120},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = 0; i < (size_t)harness_cases(18, 1); i++) {
            struct scatter_case c = combination("by the line", (i * 211 + k * 3) % COMBINATIONS, shapes[k]);

            if (!fits(&c, shapes[k].cache[shapes[k].rank - 1]))
                continue;
            c.rows = ROW_ORDINARY;
            c.places = i % 4 < 2 ? PLACES_APART : PLACES_VALID;
            c.unique = c.unique && c.places == PLACES_APART;
            c.cache_scale.before += (int64_t)i;
            c.cache_offset.before += (int64_t)i * 5 % 16;
            expect_scatter(&c);
        }
}

/* Entries one behind the other, whose rows a CPU does together where they follow one another, some to a block: few or many of
 * them in an entry, and entries that are elsewhere, dropped or overwritten among them. */
static void entries_in_order(void **state)
{
    enum { PAIRS = DYNAMIC_TYPES * 2 }; /* combinations of types, from which on indices are 2-D */
    static const int64_t lengths[] = {64, 96, 100, 128, 192, 256, 320, 512};
    struct random random = random_of(harness.seed);

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(lengths); k++)
        for (size_t i = 0; i < (size_t)harness_cases(24, 1); i++) {
            const bool plain = i == 0; /* as a prompt is most often */
            const int64_t heads = plain ? 2 + (int64_t)k % 4 : random_from(&random, 1, 12);
            const int64_t places = random_from(&random, 60, 300);
            const bool behind = !plain && random_below(&random, 3) == 0;
            const struct scatter_shape shape = {
                .rank = 4,
                .cache = {3, behind ? heads : places, behind ? places : heads, lengths[k]},
                .axis = behind ? 2 : 1,
                .entries = places * 2,
                .length = !plain && random_below(&random, 5) == 0 ? 2 : 1};
            const size_t types = (i * 211 + k * 3) % PAIRS,
                         policy = plain ? 3 : (size_t)random_below(&random, 6);
            struct scatter_case c = combination("in order", types + PAIRS * (1 + 2 * policy), shape);

            if (!fits(&c, lengths[k]))
                continue;
            c.places = plain || random_below(&random, 2) ? PLACES_ORDERED : PLACES_RUNS;
            c.unique = c.unique && c.places == PLACES_ORDERED;
            c.rows = random_below(&random, 4) ? ROW_ORDINARY : ROW_MIXED;
            c.cache_scale.before += (int64_t)i;
            c.seed = random_bits(&random);
            /* One of the tensors alone may have gaps between entries. */
            struct layout *const outputs[] = {&c.cache, &c.cache_scale, &c.cache_offset};
            const size_t gap = i % 6;

            if (gap == 4) {
                layout_stride(&c.updates);
                c.updates.strides[0] *= 2;
            } else if (gap == 5) {
                scatter_case_stride(&c, &random);
            } else if (gap > 0) {
                struct layout *output = outputs[gap - 1];

                layout_stride(output);
                output->strides[1] += 8;
                output->strides[0] = output->strides[1] * output->shape[1];
            }
            expect_scatter(&c);
        }
}

/* Rows at any places where a CPU stores past its caches: short and long ones, whole lines or not, some of which are not to
 * be written; scales and offsets in lines of their own, one beside the other, or apart. */
static void places_past_the_caches(void **state)
{
    static const struct {
        enum reference_type cache;
        int64_t entries, length, heads, columns;
        enum places places;
        int64_t apart; /* scales, more than need be */
        int axis;
    } cases[] = {
        {REFERENCE_I4, 9500, 2, 8, 128, PLACES_VALID, 0, 1},
        {REFERENCE_I4, 19000, 1, 8, 128, PLACES_APART, 0, 1},
        {REFERENCE_I4, 12800, 1, 12, 128, PLACES_STRAY, 0, 1},
        {REFERENCE_I8, 6200, 1, 12, 128, PLACES_VALID, 1, 1},
        {REFERENCE_I8, 2300, 2, 1, 2112, PLACES_APART, 0, 1},
        {REFERENCE_I8, 260, 1, 1, 37184, PLACES_STRAY, 0, 1},
        {REFERENCE_I4, 23000, 1, 8, 96, PLACES_STRAY, 0, 1},
        {REFERENCE_I4, 30000, 1, 1, 576, PLACES_APART, 0, 1},
        {REFERENCE_I8, 3300, 3, 9, 100, PLACES_STRAY, 0, 1},
        {REFERENCE_I8, 9000, 1, 1, 1001, PLACES_VALID, 0, 1},
        {REFERENCE_I4, 140000, 1, 1, 128, PLACES_APART, 0, 1},
        {REFERENCE_I8, 44000, 1, 1, 200, PLACES_STRAY, 0, 1},
        {REFERENCE_I8, 68000, 1, 1, 128, PLACES_VALID, 0, 1},
        {REFERENCE_I4, 1400, 20, 1, 640, PLACES_APART, 0, 1},
        {REFERENCE_I4, 27000, 1, 1, 640, PLACES_STRAY, 0, 1},
        {REFERENCE_I8, 9000, 1, 8, 128, PLACES_STRAY, 0, 1},
        {REFERENCE_I4, 19000, 1, 8, 128, PLACES_STRAY, 0, 1},
        {REFERENCE_I4, 38000, 1, 4, 128, PLACES_ORDERED, 0, 1},
        {REFERENCE_I4, 70000, 1, 2, 128, PLACES_RUNS, 0, 1},
        {REFERENCE_I8, 68000, 1, 1, 128, PLACES_RUNS, 0, 1},
        {REFERENCE_I4, 25000, 1, 3, 256, PLACES_ORDERED, 0, 1},
        {REFERENCE_I4, 19000, 1, 8, 128, PLACES_ORDERED, 0, 2},
        {REFERENCE_I4, 35000, 1, 5, 96, PLACES_RUNS, 0, 2},
        {REFERENCE_I8, 34000, 1, 4, 64, PLACES_APART, 0, 2},
        {REFERENCE_I4, 44000, 1, 6, 64, PLACES_VALID, 0, 2},
        {REFERENCE_I4, 38000, 1, 4, 128, PLACES_RUNS, 1, 1},
    };

    (void)state;
    if (harness.small || harness.share > 1)
        skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t places = cases[i].entries * cases[i].length / 2;
        const struct scatter_shape shape = {.rank = 4,
                                            .cache = {3, cases[i].axis == 1 ? places : cases[i].heads,
                                                      cases[i].axis == 1 ? cases[i].heads : places,
                                                      cases[i].columns},
                                            .axis = cases[i].axis,
                                            .entries = cases[i].entries,
                                            .length = cases[i].length,
                                            .index_rank = 2};
        const struct scatter_types types = {.x = REFERENCE_F16,
                                            .scale = REFERENCE_I4,
                                            .index = REFERENCE_I32,
                                            .cache = cases[i].cache,
                                            .lanes = 1,
                                            .dynamic = true,
                                            .symmetric = i % 3 == 1};
        struct scatter_case c = scatter_case_of("places past the caches", &types, &shape);

        c.places = cases[i].places;
        c.unique = c.places == PLACES_APART || c.places == PLACES_ORDERED;
        c.seed += i;
        c.cache_scale.before += (int64_t)i;
        c.cache_offset.before += (int64_t)i * 5 % 16;
        if (cases[i].apart > 0) {
            layout_stride(&c.cache_scale);
            c.cache_scale.strides[2] += cases[i].apart;
            c.cache_scale.strides[1] *= 1 + cases[i].apart;
            c.cache_scale.strides[0] *= 1 + cases[i].apart;
        }
        expect_scatter(&c);
    }
}

/* The ends of the index type and off by one: nothing outside the three outputs is touched. */
static void hostile_indices(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {4, 7, 8}, .axis = 1, .entries = 4, .length = 2},
        {.rank = 3, .cache = {4, 7, 8}, .axis = 1, .entries = 4, .length = 7},
        {.rank = 3, .cache = {1, 1, 8}, .axis = 1, .entries = 30, .length = 1},
        {.rank = 4, .cache = {2, 3, 5, 16}, .axis = 2, .entries = 40, .length = 3},
        {.rank = 3, .cache = {0, 5, 8}, .axis = 1, .entries = 3, .length = 2},
    };

    (void)state;
    for (size_t k = 0; k < COUNT(shapes); k++)
        for (size_t i = k; i < COMBINATIONS; i += harness_step(13, 601)) {
            struct scatter_case c = combination("hostile", i, shapes[k]);

            c.places = PLACES_HOSTILE;
            c.unique = false;
            expect_scatter(&c);
        }
}

/* Every entry is dropped; nothing of it is looked at, its strides neither. */
static void a_cache_of_no_batches_has_any_strides(void **state)
{
    const struct scatter_shape shape = {
        .rank = 3, .cache = {0, 5, 16}, .axis = 1, .entries = 3, .length = 2, .index_rank = 2};
    const struct scatter_types types = {
        .scale = REFERENCE_I4, .index = REFERENCE_I32, .cache = REFERENCE_I4, .lanes = 8, .dynamic = true};
    struct scatter_case c = scatter_case_of("no batches, any strides", &types, &shape);

    (void)state;
    layout_stride(&c.cache);
    c.cache.strides[0] = c.cache.strides[1] = c.cache.strides[2] = INT64_MAX;
    c.places = PLACES_STRAY;
    expect_scatter(&c);
}

/* Very many rows an entry, very many entries, and rows longer than a driver lets a loop run. */
static void rows_short_and_long(void **state)
{
    static const struct scatter_shape shapes[] = {
        {.rank = 3, .cache = {2, 40000, 2}, .axis = 1, .entries = 2, .length = 39000, .index_rank = 1},
        {.rank = 4, .cache = {2, 70000, 1, 8}, .axis = 2, .entries = 2, .length = 1, .index_rank = 1},
        {.rank = 3, .cache = {4, 2, 60000}, .axis = 1, .entries = 4, .length = 1, .index_rank = 1},
        {.rank = 3, .cache = {2, 3, 70000}, .axis = 1, .entries = 2, .length = 1, .index_rank = 1},
        {.rank = 3, .cache = {4, 128, 2}, .axis = 1, .entries = 512, .length = 1, .index_rank = 2},
        {.rank = 3, .cache = {66000, 1, 2}, .axis = 1, .entries = 66000, .length = 1, .index_rank = 1},
    };

    (void)state;
    if (harness.small)
        skip();
    for (size_t k = 0; k < COUNT(shapes); k++) {
        const struct scatter_types types = {.x = REFERENCE_F32,
                                            .scale = REFERENCE_I4,
                                            .index = REFERENCE_I32,
                                            .cache = k % 2 ? REFERENCE_I8 : REFERENCE_I4,
                                            .lanes = 1,
                                            .dynamic = true,
                                            .symmetric = k % 3 == 2};
        struct scatter_case c = scatter_case_of("rows short and long", &types, &shapes[k]);

        c.places = shapes[k].index_rank == 2 ? PLACES_APART : PLACES_VALID;
        expect_scatter(&c);
        layout_stride(&c.cache_scale);
        layout_stride(&c.updates);
        c.cache_scale.strides[0] += 5;
        c.updates.strides[0] += 1;
        expect_scatter(&c);
    }
}

/* A context of each form writes to one cache in turn: as if one had written everything. */
static void forms_share_a_cache(void **state)
{
    clq_context *contexts[2] = {NULL, NULL};

    (void)state;
    for (uint32_t f = 0; f < 2; f++) {
        struct clq_context_desc desc = harness.desc;

        desc.context = harness.cl;
        desc.device = harness.device;
        desc.form = f ? CLQ_FORM_GROUP : CLQ_FORM_ITEM;
        expect_status(clq_context_create(&desc, &contexts[f]), CLQ_OK, "clq_context_create");
    }
    for (size_t i = 0; i < (harness.small ? 4 : 24); i++) {
        const struct scatter_shape shape = {
            .rank = 4, .cache = {4, 3, 8, 64}, .axis = 2, .entries = 4, .length = 3};
        struct scatter_case c = combination("two forms", i * 37 % COMBINATIONS, shape);
        struct scatter_tensors t;
        struct parts parts;

        scatter_tensors_init(&t, &c);
        parts = scatter_parts(&t, &c);
        parts_fill_images(&parts, 0x5a);
        assert_true(scatter_tensors_upload(&t, &c, harness.queue));
        for (int call = 0; call < 4; call++, c.seed++) {
            scatter_tensors_fill(&t, &c);
            assert_true(tensor_upload(&t.updates, harness.queue) && tensor_upload(&t.indices, harness.queue));
            assert_true(!c.has_scales || tensor_upload(&t.scales, harness.queue));
            harness_calls_in(call % 2 ? CLQ_FORM_GROUP : CLQ_FORM_ITEM);
            expect_status(scatter_call(&t, &c, contexts[call % 2], harness.queue, 0, NULL, NULL), CLQ_OK,
                          c.name);
            scatter_tensors_apply(&t, &c);
        }
        assert_true(parts_hold(&parts, harness.queue, true));
        scatter_tensors_clear(&t);
    }
    clq_context_destroy(contexts[0]);
    clq_context_destroy(contexts[1]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_policy),
        cmocka_unit_test(every_axis_of_every_rank),
        cmocka_unit_test(any_layout),
        cmocka_unit_test(every_length),
        cmocka_unit_test(long_rows_with_gaps),
        cmocka_unit_test(words_by_the_line),
        cmocka_unit_test(entries_in_order),
        cmocka_unit_test(places_past_the_caches),
        cmocka_unit_test(hostile_indices),
        cmocka_unit_test(a_cache_of_no_batches_has_any_strides),
        cmocka_unit_test(rows_short_and_long),
        cmocka_unit_test(forms_share_a_cache),
    };

    return HARNESS_RUN(argc, argv, "dynamic_quantize_scatter", tests);
}
