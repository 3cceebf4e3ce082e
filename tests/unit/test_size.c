/* SPDX-License-Identifier: Apache-2.0 */
/* How a call is cut: every unit belongs to one tile, every tile to one work-item or group, at any size. */
#include <stdint.h>

#include "ops/operators.h"
#include "plan/shares/rounds.h"
#include "plan/shares/steps.h"
#include "plan/shares/tiles.h"
#include "plan/static/static.h"
#include "tests.h"

#include <string.h>

typedef __int128 wide;

static void check_launch(const struct clq__launch *launch, const struct clq__traits *traits, int64_t tiles,
                         int64_t tiles_per_group)
{
    assert_true(launch->local >= 1 && launch->local <= traits->max_group_items);
    assert_true((wide)launch->groups * tiles_per_group >= tiles &&
                (wide)(launch->groups - 1) * tiles_per_group < tiles);
    assert_true((wide)launch->groups * launch->local <= INT64_MAX);
}

static void check_tiles(int64_t rows, int64_t inner, struct clq__traits traits)
{
    struct clq__launch launch = {0};
    struct quantize_args tiles = {.inner = inner};

    clq__tiles_cut(&tiles, rows, &traits, &launch);
    assert_true(tiles.tile > 0 && tiles.tile <= INT32_MAX);
    /* The last tile of a row is the only one that may be shorter, and it is not empty. */
    assert_true((wide)tiles.tile * tiles.tiles_per_row >= inner &&
                (wide)tiles.tile * (tiles.tiles_per_row - 1) < inner);
    assert_true((wide)tiles.tiles == (wide)rows * tiles.tiles_per_row);
    check_launch(&launch, &traits, tiles.tiles, tiles.tiles_per_item);
}

/* Rows of `inner` units, so many to a run where they are short. */
static void check_steps(int64_t rows, int64_t inside, int64_t inner, bool dense, struct clq__traits traits)
{
    struct clq__launch launch = {0};
    struct quantize_args args = {.inner = inner,
                                 .x_stride = dense ? 1 : 3,
                                 .y_stride = 1,
                                 .outer = 2,
                                 .entries.positions = 1,
                                 .dim = {{.size = inside, .x = 8, .y = 8}, {.size = rows, .x = 16, .y = 16}}};
    const struct clq_steps *s = &args.steps;
    wide share, units, steps, runs;

    clq__steps_cut(&args, rows * inside, 8, &traits, &launch);
    share = (wide)s->lanes * s->at_once;
    units = s->units > 0 ? (wide)s->units * s->count : share;
    runs = s->units > 0 ? (wide)rows * inside : rows;
    steps = s->stride > 1 ? (wide)s->each * s->tiles + s->longer : (wide)s->tile_step * s->tiles;
    assert_true(s->units == 0 || s->units == share);
    assert_true(units >= inner && units - share < inner);
    assert_true(s->units > 0 || (s->count == inside && args.outer == 1 && args.dim[0].size == rows));
    /* The last tile of a run may be shorter, and is not empty; or all are as long as others,
     * or by one longer. */
    assert_true(steps >= s->count && steps - s->tile_step < s->count &&
                (s->stride == 1 || steps == s->count));
    assert_true(s->tile_step == (s->stride > 1 ? 1 : s->each));
    assert_true(s->longer < s->tiles && s->each >= 1 && (wide)s->each + 1 <= INT32_MAX);
    assert_true((wide)args.tiles == runs * s->tiles);
    assert_int_equal(s->at_once == 8 && s->by_chunks, dense);
    assert_true((size_t)s->sets * s->lanes <= launch.local && s->sets > 0);
    for (uint32_t id = 0; id < launch.local; id++)
        assert_int_equal(id * s->by_lanes >> 16, id / s->lanes);
    if (!traits.group_form)
        assert_true(
            s->lanes == 1 &&
            (!traits.ends_loops || (wide)args.tiles_per_item * (64 + (wide)s->each * s->at_once) <= 65535));
    check_launch(&launch, &traits, args.tiles, traits.group_form ? s->sets : args.tiles_per_item);
}

static void check(int64_t rows, int64_t inner, struct clq__traits traits)
{
    if (traits.long_runs && !traits.group_form) {
        check_tiles(rows, inner, traits);
        return;
    }
    for (int64_t inside = 1; inside <= rows && inside <= 100; inside = 3 * inside + 1)
        for (int dense = 0; dense < 2; dense++)
            check_steps(rows / inside, inside, inner, dense, traits);
}

TEST(every_unit_has_one_owner)
{
    static const int64_t sizes[] = {1,
                                    2,
                                    3,
                                    15,
                                    16,
                                    17,
                                    255,
                                    256,
                                    257,
                                    1000,
                                    4095,
                                    4096,
                                    4097,
                                    16383,
                                    16384,
                                    16385,
                                    100003,
                                    (INT64_C(1) << 31) - 1,
                                    INT64_C(1) << 31,
                                    (INT64_C(1) << 31) + 1,
                                    (INT64_C(1) << 32) + 1,
                                    (INT64_C(1) << 40) + 7};
    static const size_t group_items[] = {1, 16, 64, 256, 1024, 4096};
    static const uint32_t units[] = {1, 2, 3, 16, 132, 4096};

    for (size_t r = 0; r < sizeof(sizes) / sizeof(sizes[0]); r++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if ((wide)sizes[r] * sizes[i] > (wide)1 << 60) /* more than any buffer has */
                continue;
            for (size_t k = 0; k < 6 * 6 * 8; k++)
                check(
                    sizes[r], sizes[i],
                    (struct clq__traits){.group_form = k % 2,
                                         .most = INT64_C(1) << 30,
                                         .ends_loops = k / 2 % 2,
                                         .long_runs = k / 2 % 4 == 2, /* never of a device that ends loops */
                                         .max_group_items = group_items[k / 8 % 6],
                                         .compute_units = units[k / 48]});
        }
    }
}

/* Parts of long rows, which a CPU's work-item does four at a time, begin where scales begin again; and each
 * of the four has as many. */
TEST(parts_begin_where_scales_do)
{
    static const int64_t periods[] = {64, 192, 1472, 5120, 16384, 16448, 40128, 65536};
    const struct clq__traits traits = {.long_runs = true, .max_group_items = 4096, .compute_units = 2};
    const int64_t inner = INT64_C(1) << 30;

    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        struct clq__launch launch = {0};
        struct quantize_args tiles = {.inner = inner, .period = periods[i]},
                             whole = {.inner = periods[i], .period = periods[i]};

        clq__tiles_cut(&tiles, 1, &traits, &launch);
        clq__tiles_cut(&whole, inner / periods[i], &traits, &launch);
        assert_int_equal(tiles.tile % periods[i], 0);
        assert_true(tiles.tile >= 16384 - periods[i] && tiles.tile <= 65536);
        assert_int_equal(tiles.tiles_per_item % 4, 0);
        assert_true(whole.tile <= 32768 && whole.tile * whole.tiles_per_row >= periods[i]);
        assert_int_equal(whole.tiles_per_item % 4, 0);
    }
}

/* Streams have as many tiles each, and are an odd number of blocks of them apart,
 * or of tiles where there are few. */
TEST(streams_are_odd)
{
    for (int64_t n = 1; n <= 4096; n++) {
        const int64_t tiles = clq__for_streams(n), unit = n >= 64 ? 32 : 4, units = tiles / unit;

        assert_true(tiles <= n && tiles >= (n < 4 ? n : n - 2 * unit + 1));
        assert_true(n < 4 || (tiles % unit == 0 && (units <= 8 || units % 2 == 1)));
    }
}

/* Three rows of 128 units inside five others; a change of one field keeps them apart. */
static struct quantize_args short_rows(void)
{
    return (struct quantize_args){
        .x_stride = 1,
        .y_stride = 1,
        .inner = 128,
        .outer = 2,
        .entries.positions = 1,
        .dim = {{.size = 3, .x = 128, .y = 128}, {.size = 5, .x = 1000, .y = 500, .scale = 7}}};
}

static void expect_joined(struct quantize_args args, int64_t inner, uint32_t outer, int64_t entry_rows)
{
    const struct clq__joined joined = clq__static_join(&args, false);

    assert_int_equal(joined.rows, inner / 128);
    assert_int_equal(joined.repeats, 1);
    assert_int_equal(args.inner, inner);
    assert_int_equal(args.outer, outer);
    assert_int_equal(args.entries.rows, entry_rows);
    assert_int_equal(args.dim[outer - 1].size, 5);
}

TEST(only_rows_alike_are_joined)
{
    struct quantize_args args = short_rows();
    struct quantize_args apart[9];

    expect_joined(args, 384, 1, 0);
    args.x_stride = 2; /* int4 */
    args.x_pair = 1;
    args.dim[0].x = 256;
    expect_joined(args, 384, 1, 0);
    args.entries.kind = CLQ_ENTRY_PAIRS;
    args.entries.rows = 3;
    expect_joined(args, 384, 1, 1);

    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        apart[i] = short_rows();
    apart[0].dim[0].scale = 1;
    apart[1].dim[0].zero_point = 1;
    apart[2].dim[0].x = 129;
    apart[3].dim[0].y = 129;
    apart[4].x_stride = 2;
    apart[4].dim[0].x = 256;
    apart[5].y_stride = 2;
    apart[5].dim[0].y = 256;
    apart[6].x_stride = 4; /* int4, every second */
    apart[6].x_pair = 2;
    apart[6].dim[0].x = 512;
    for (size_t i = 7; i < 9; i++) { /* the rows are positions, or the entries themselves */
        apart[i].entries.kind = i == 7 ? CLQ_ENTRY_PAIRS : CLQ_ENTRY_GROUPS;
        apart[i].entries.positions = i == 7 ? 3 : 1;
        apart[i].entries.rows = 3;
    }
    for (size_t i = 0; i < 8; i++)
        expect_joined(apart[i], 128, 2, i == 7 ? 3 : 0);
    apart[8].outer = 1;
    apart[8].dim[0].size = 5;
    apart[8].entries.rows = 1;
    expect_joined(apart[8], 128, 1, 1);
}

/* Scales of rows that are no whole steps are repeated until they are, or for all rows where these are fewer;
 * where that is allowed, and not too many. */
TEST(scales_are_repeated_to_whole_steps)
{
    static const struct {
        int64_t inner, rows, joined, repeats;
    } cases[] = {{96, 40, 40, 2},  {80, 40, 40, 4},   {112, 3, 3, 3},   {1, 100, 100, 64},
                 {1000, 9, 9, 8},  {1001, 100, 1, 1}, {128, 40, 40, 1}, {2040, 4, 4, 4},
                 {2040, 40, 1, 1}, {1024, 5, 5, 1},   {2049, 40, 1, 1}, {96, 1, 1, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int may = 0; may < 2; may++) {
            const int64_t inner = cases[i].inner;
            struct quantize_args args = {.x_stride = 1,
                                         .y_stride = 1,
                                         .inner = inner,
                                         .outer = 1,
                                         .entries.positions = 1,
                                         .dim = {{.size = cases[i].rows, .x = inner, .y = inner}}};
            const struct clq__joined joined = clq__static_join(&args, may);
            const bool whole = inner % 64 == 0;

            assert_int_equal(joined.rows, may || whole ? cases[i].joined : 1);
            assert_int_equal(joined.repeats, may ? cases[i].repeats : 1);
            assert_int_equal(args.inner, inner * joined.rows);
        }
}

/* No work-item has more rows than a device allows that ends longer loops without a word. */
TEST(short_dynamic_rows_end)
{
    static const struct clq__traits traits = {
        .most = INT64_C(1) << 30, .max_group_items = 1024, .compute_units = 1, .ends_loops = true};
    static const struct clq__names names = {"x", "y", "scales", "offsets", false, false};
    static struct clq__plan plan = {.op = &clq__dynamic_quantize};
    DLTensor half = {.dtype = CLQ_FLOAT16}, bytes = {.dtype = CLQ_INT8}, single = {.dtype = CLQ_FLOAT32};

    for (int64_t inner = 1; inner <= 4096; inner *= 4) {
        const int64_t rows = (INT64_C(1) << 24) / inner;
        const struct clq__view view = {
            .rank = 2, .shape = {rows, inner}, .stride = {inner, 1}, .elements = rows * inner};
        const struct clq__view found = {
            .tensor = &single, .type = CLQ__F32, .rank = 1, .shape = {rows}, .stride = {1}, .elements = rows};

        clq__checked_init(&plan.checked, &names);
        plan.checked.x = plan.checked.y = view;
        plan.checked.x.tensor = &half;
        plan.checked.x.type = CLQ__F16;
        plan.checked.y.tensor = &bytes;
        plan.checked.y.type = CLQ__I8;
        plan.checked.axis = 1;
        plan.checked.scale = (struct clq__parameter){.view = found, .stride = {1}};
        clq__plan_describe(&plan);
        assert_int_equal(clq__plan_cut(&plan, &traits), CLQ_OK);
        assert_true(plan.of_dynamic.rows.parts[0].rows_per_item > 0);
        assert_true(plan.rounds > 0 && plan.rounds <= CLQ__MOST_ROUNDS);
    }
}

/* A later entry may be the last of them all. */
TEST(the_search_for_later_entries_takes_rounds)
{
    const struct clq_entries entries = {.overlap = CLQ_OVERLAP_SCAN, .count = 10000};

    assert_true(clq__rounds_of_place(&entries) >= entries.count);
}

TESTS_MAIN("size")
