/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/dynamic/rotate.h"

#include "base/ceil_div.h"
#include "base/error.h"

enum { MOST = 1024 };

clq_status clq__rotate_check(struct clq__checked_call *checked, uint32_t rotate, const struct clq__view *rows)
{
    clq_status status = CLQ_OK;
    const int last = rows->rank - 1;

    checked->rotate = rotate;
    if (rotate == 0)
        goto end;
    CLQ_REQUIRE(rotate >= CLQ_BLOCK_VALUES || !clq__view_has_blocks(&checked->y), CLQ_ERROR_VALUE,
                "rotate is %u: it must be 0, or a power of two from %d to %d, where %s.dtype is %s, whose "
                "blocks have %d elements",
                rotate, CLQ_BLOCK_VALUES, MOST, checked->y.name, clq__type_name(checked->y.type),
                CLQ_BLOCK_VALUES);
    CLQ_REQUIRE(checked->block_before == 0 || rows->rank < CLQ__MAX_RANK, CLQ_ERROR_RANK,
                "%s.ndim is %d: with rotate and block_before it must be at most %d", rows->name, rows->rank,
                CLQ__MAX_RANK - 1);
    CLQ_REQUIRE(rows->shape[last] % rotate == 0, CLQ_ERROR_SHAPE,
                "rotate is %u: it must divide %s.shape[%d], %lld, for a row is turned in whole blocks",
                rotate, rows->name, last, (long long)rows->shape[last]);
end:
    return status;
}

/* 1 / sqrt(2^k), rounded to binary32, as bits: by number k. */
static const uint32_t factors[] = {0x3f800000, 0x3f3504f3, 0x3f000000, 0x3eb504f3, 0x3e800000, 0x3e3504f3,
                                   0x3e000000, 0x3db504f3, 0x3d800000, 0x3d3504f3, 0x3d000000};

static uint32_t steps_of(uint32_t rotate)
{
    uint32_t steps = 0;

    while (UINT32_C(1) << steps < rotate)
        steps++;
    return steps;
}

uint32_t clq__rotate_factor(uint32_t rotate)
{
    return rotate > 0 ? factors[steps_of(rotate)] : 0;
}

/* Each is loaded, and half of them are a pair in each step; of a part the steps themselves count. */
int64_t clq__rotate_rounds(uint32_t rotate, int64_t elements, int64_t lanes)
{
    const int64_t steps = steps_of(rotate), parts = clq__ceil_div(elements, CLQ__MOST_TURNED);

    return clq__ceil_div(elements, lanes) * (3 + steps) / 2 + parts * 2 * (steps + 1);
}
