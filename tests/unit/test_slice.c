/* SPDX-License-Identifier: Apache-2.0 */
/* Calls past 2^31 rows, tiles, steps and elements: their slices together are the call, each row once, and
 * each is as small as a kernel's 32 bits ask for. No memory of such a size is there. */
#include <stdint.h>

#include "plan/shares/divisor.h"
#include "plan/shares/slice.h"
#include "rng.h"
#include "tests.h"

#include <string.h>

#define MOST (INT64_C(1) << 30)

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* From 1 to 2^bits, of any length. */
static int64_t some(struct rng *rng, int bits)
{
    return 1 + rng_below(rng, INT64_C(1) << rng_below(rng, bits + 1));
}

TEST(divisors_are_exact)
{
    struct rng rng = rng_of(1, 1);

    for (int i = 0; i < 300000; i++) {
        const int64_t d = i == 0 ? INT32_MAX : some(&rng, 30);
        const struct clq_divisor by = clq__divisor(d);
        const int64_t n[] = {0, d - 1, d, INT32_MAX, INT32_MAX / d * d, some(&rng, 30), some(&rng, 62)};

        for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
            if (n[k] <= INT32_MAX)
                assert_int_equal((uint64_t)((uint32_t)n[k] << 1) * by.magic32 >> 32 >> by.shift, n[k] / d);
            assert_int_equal((uint64_t)((unsigned_wide)((uint64_t)n[k] << 1) * by.magic >> 64) >> by.shift,
                             n[k] / d);
        }
    }
}

/* Of a call's rows there are below 2^60. */
static struct clq_dim draw_dim(struct rng *rng, int bits)
{
    return (struct clq_dim){.size = some(rng, bits),
                            .x = rng_below(rng, 4) == 0 ? 0 : some(rng, 24),
                            .y = some(rng, 24),
                            .scale = rng_below(rng, 2) ? 0 : some(rng, 20)};
}

/* The slice of an index of each dimension. */
static int64_t slice_of(const struct clq__slices *slices, const int64_t *index)
{
    int64_t number = 0;

    for (uint32_t d = slices->dims; d-- > 0;) {
        const struct clq__slice_dim *dim = &slices->dim[d];

        number = number * ((dim->size - 1) / dim->part + 1) + index[d] / dim->part;
    }
    return number;
}

static void check_slice(const struct clq__slices *slices, const struct clq__slice *at, const int64_t *index)
{
    int64_t move[CLQ__SLICE_WAYS] = {0};
    wide rows = 1, reach[CLQ__SLICE_WAYS] = {0};
    bool can_be_less = false;

    for (uint32_t d = 0; d < slices->dims; d++) {
        assert_true(at->first[d] <= index[d] && index[d] < at->first[d] + at->size[d]);
        assert_true(at->first[d] + at->size[d] <= slices->dim[d].size);
        can_be_less = can_be_less || at->size[d] > 1;
        rows *= (wide)at->size[d];
        for (int way = 0; way < CLQ__SLICE_WAYS; way++) {
            move[way] += at->first[d] * slices->dim[d].stride[way];
            reach[way] += (wide)(at->size[d] - 1) * (wide)slices->dim[d].stride[way];
        }
    }
    assert_true(rows <= MOST || !can_be_less);
    for (int way = 0; way < CLQ__SLICE_WAYS; way++) {
        assert_int_equal(at->move[way], move[way]);
        assert_true(reach[way] <= MOST);
    }
}

TEST(each_row_has_one_slice)
{
    struct rng rng = rng_of(1, 2);
    int sliced = 0, whole = 0;

    for (int i = 0; i < 20000; i++) {
        struct clq_dim dim[4];
        struct clq__slices slices;
        const uint32_t dims = (uint32_t)some(&rng, 2);
        int64_t count;

        for (uint32_t d = 0; d < dims; d++)
            dim[d] = draw_dim(&rng, dims == 1 ? 38 : 60 / (int)dims);
        clq__slices_init(&slices, MOST);
        slices.in_order = rng_below(&rng, 2);
        clq__slices_add(&slices, dim, dims);
        count = clq__slices_cut(&slices);
        sliced += count > 1;
        whole += count == 1;
        for (int k = 0; k < 8; k++) {
            int64_t index[4];
            struct clq__slice at;

            for (uint32_t d = 0; d < dims; d++)
                index[d] = k == 0 ? dim[d].size - 1 : rng_below(&rng, dim[d].size);
            assert_true(slice_of(&slices, index) < count);
            at = clq__slice_at(&slices, slice_of(&slices, index));
            check_slice(&slices, &at, index);
            for (uint32_t d = 1; d < dims && slices.in_order;
                 d++) /* what is outside of a cut has one index */
                assert_true(at.size[d - 1] == dim[d - 1].size || at.size[d] == 1 ||
                            slices.dim[d - 1].part == dim[d - 1].size);
        }
    }
    assert_true(sliced > 2000 && whole > 2000);
}

/* Entries of more rows than a launch has, and more entries than that: each is told once, by its number. */
TEST(entries_count_on)
{
    static const struct {
        int64_t inside, positions, count;
    } cases[] = {{3, 1, (INT64_C(1) << 33) + 5},
                 {5, 1 << 20, 3000},
                 {(INT64_C(1) << 31) + 1, 1, 3},
                 {1, (INT64_C(1) << 32) + 1, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool apart = cases[i].positions > 1;
        struct dynamic_quantize_args args = {.inner = 16,
                                             .outer = apart ? 3 : 2,
                                             .dim = {{.size = cases[i].inside},
                                                     {.size = cases[i].positions},
                                                     {.size = cases[i].count}},
                                             .entries = {.kind = CLQ_ENTRY_PAIRS,
                                                         .count = cases[i].count,
                                                         .positions = cases[i].positions,
                                                         .rows = cases[i].inside * cases[i].positions,
                                                         .report_offset = 0}},
                                     part;
        struct clq__launch launch = {.args = &args, .local = 1};
        int64_t entry = -1, position = 0, rows = 0, reported = 0;

        if (!apart)
            args.dim[1] = args.dim[2];
        args.rows = cases[i].inside * cases[i].positions * cases[i].count;
        args.rows_per_item = 7;
        clq__slice_rows(&launch, MOST);
        assert_true(launch.slices > 1 && launch.slices < 100);
        for (int64_t n = 0; n < launch.slices; n++) {
            const size_t groups = launch.slice(&launch, n, &part);
            const struct clq_entries *e = &part.entries;
            const int64_t entries = part.rows / e->rows, of_position = e->rows / e->positions;

            assert_true((int64_t)groups * 7 >= part.rows && (int64_t)(groups - 1) * 7 < part.rows &&
                        part.rows <= MOST);
            assert_int_equal(part.rows % e->rows, 0);
            assert_true(e->first > entry || (e->first == entry && e->first_position >= position));
            assert_int_equal((e->report_offset == 0), e->first > entry);
            reported += e->report_offset == 0 ? entries : 0;
            entry = e->first + entries - 1;
            position = e->first_position;
            rows += part.rows;
            assert_true(of_position <= cases[i].inside);
        }
        assert_int_equal(rows, args.rows);
        assert_int_equal(reported, cases[i].count);
        assert_int_equal(entry, cases[i].count - 1);
    }
}

/* A row longer than a launch's steps is cut along its tiles. */
TEST(long_rows_are_cut)
{
    struct quantize_args args = {.inner = (INT64_C(1) << 36) + 11,
                                 .x_offset = 5,
                                 .y_offset = 6,
                                 .scale_offset = 7,
                                 .x_stride = 2,
                                 .y_stride = 1,
                                 .tiles_per_item = 3,
                                 .steps = {.x = 16,
                                           .y = 8,
                                           .scale = 4,
                                           .units = 8,
                                           .each = 4,
                                           .tile_step = 4,
                                           .stride = 1,
                                           .sets = 1,
                                           .at_once = 8,
                                           .lanes = 1}},
                         part;
    struct clq__launch launch = {.args = &args};
    int64_t units = 0, steps = 0;

    args.steps.count = (args.inner - 1) / 8 + 1;
    args.tiles = args.steps.tiles = (args.steps.count - 1) / 4 + 1;
    clq__slice_steps(&launch, MOST);
    assert_true(launch.slices > 1 && launch.slices < 100);
    for (int64_t n = 0; n < launch.slices; n++) {
        const size_t groups = launch.slice(&launch, n, &part);

        assert_true(part.tiles == part.steps.tiles && part.steps.count <= MOST + 4 && part.tiles <= MOST);
        assert_true((int64_t)groups * 3 >= part.tiles && (int64_t)(groups - 1) * 3 < part.tiles);
        assert_int_equal(part.steps.count, (part.inner - 1) / 8 + 1);
        assert_int_equal(part.x_offset, 5 + steps * 16);
        assert_int_equal(part.y_offset, 6 + steps * 8);
        assert_int_equal(part.scale_offset, 7 + steps * 4);
        steps += part.steps.count;
        units += part.inner;
    }
    assert_int_equal(units, args.inner);
}

/* Of an index with more rows than that, and of more batches: parts follow one another. */
TEST(parts_follow_one_another)
{
    struct find_scales_args args = {.inner = 8,
                                    .last = 3,
                                    .tile = 8,
                                    .tiles_per_row = 1,
                                    .steps = (INT64_C(1) << 33) + 1,
                                    .steps_per_slice = 1 << 20,
                                    .units = 1,
                                    .units_per_item = 1,
                                    .batches = (INT64_C(1) << 31) + 9,
                                    .batch_ranges = 8,
                                    .sets = 1,
                                    .outer = 1,
                                    .batch_dims = 2,
                                    .ranges_offset = 100,
                                    .dim = {{.size = (INT64_C(1) << 33) + 1, .x = 8},
                                            [CLQ_FIND_DIMS - 2] = {.size = 3, .x = 1 << 20},
                                            [CLQ_FIND_DIMS - 1] = {.size = ((INT64_C(1) << 31) + 9) / 3,
                                                                   .x = 5}}},
                            part;
    struct clq__launch launch = {.args = &args};
    int64_t rows, before = 0, steps = 0, of_rows = 0;

    args.batches = args.dim[CLQ_FIND_DIMS - 1].size * 3;
    args.slice_ranges = args.batches * 8;
    clq__slice_find(&launch, MOST);
    for (rows = 0; clq__slice_parts(&args, MOST, rows) < clq__slice_parts(&args, MOST, INT64_MAX); rows++)
        ;
    assert_true(rows > 1 && launch.slices > rows && launch.slices % rows == 0 && launch.slices < 1000);
    for (int64_t n = 0; n < launch.slices; n++) {
        launch.slice(&launch, n, &part);
        assert_true(part.steps <= MOST && part.batches <= MOST);
        assert_int_equal(part.slices, (part.steps - 1) / part.steps_per_slice + 1);
        assert_int_equal(part.last, n % rows == rows - 1 ? 3 : 8);
        if (n % rows == 0)
            steps = 0;
        assert_int_equal(part.ranges_offset,
                         100 + 8 * before + clq__slice_parts(&args, MOST, n % rows) * args.slice_ranges);
        steps += part.steps;
        if (n % rows < rows - 1)
            continue;
        assert_int_equal(steps, args.steps);
        of_rows = before += part.batches;
    }
    assert_int_equal(of_rows, args.batches);
}

TESTS_MAIN("slice")
