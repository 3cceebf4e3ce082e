/* How a call is cut: every unit belongs to one tile, every tile to one work-item or group, at any size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/tiles.h"

typedef __int128 wide;

static void check(int64_t rows, int64_t inner, struct clq__traits traits)
{
    struct clq__launch launch = {0};
    const struct clq__tiles tiles =
        clq__tiles_of(&(struct clq__rows){.rows = rows, .inner = inner, .outer = 1}, traits, &launch);
    int64_t tiles_per_group;

    assert_true(tiles.tile > 0 && tiles.tile <= INT32_MAX);
    /* The last tile of a row is the only one that may be shorter, and it is not empty. */
    assert_true((wide)tiles.tile * tiles.tiles_per_row >= inner &&
                (wide)tiles.tile * (tiles.tiles_per_row - 1) < inner);
    assert_true((wide)tiles.tiles == (wide)rows * tiles.tiles_per_row);
    assert_true(launch.local >= 1 && launch.local <= traits.max_group_items);
    assert_true(launch.local % tiles.lanes == 0 && (tiles.lanes & (tiles.lanes - 1)) == 0);
    if (traits.group_form) {
        assert_int_equal(tiles.tiles_per_item, 1);
        tiles_per_group = (int64_t)(launch.local / tiles.lanes);
    } else {
        assert_int_equal(tiles.lanes, 1);
        tiles_per_group = tiles.tiles_per_item * (int64_t)launch.local;
    }
    assert_true((wide)launch.groups * tiles_per_group >= tiles.tiles &&
                (wide)(launch.groups - 1) * tiles_per_group < tiles.tiles);
    assert_true((wide)launch.groups * launch.local <= INT64_MAX);
}

static void every_unit_has_one_owner(void **state)
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

    (void)state;
    for (size_t r = 0; r < sizeof(sizes) / sizeof(sizes[0]); r++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if ((wide)sizes[r] * sizes[i] > (wide)1 << 60) /* more than any buffer has */
                continue;
            for (size_t k = 0; k < 6 * 6 * 2; k++)
                check(sizes[r], sizes[i],
                      (struct clq__traits){.group_form = k % 2,
                                           .max_group_items = group_items[k / 2 % 6],
                                           .compute_units = units[k / 12]});
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_unit_has_one_owner)};

    return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
