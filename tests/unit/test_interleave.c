/* SPDX-License-Identifier: Apache-2.0 */
/* Views that lie between one another in one buffer: none that share a byte are taken for apart,
 * and those that users make are. */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/view.h"
#include "rng.h"
#include "runtime/interleave.h"
#include "tests.h"

enum { HALVES = 8192 };

static struct rng rng;

static uint64_t draw(uint64_t below)
{
    return rng_next(&rng) % below;
}

static bool view(struct clq__view *of, const DLTensor *tensor)
{
    return clq__view_init(of, "tensor", tensor, CLQ__ANY) == CLQ_OK;
}

/* A mark for each half byte of the view, one by one. False where it goes on past the marks. */
static bool mark(unsigned char *marks, unsigned char as, const struct clq__view *of, uint64_t begin)
{
    const uint64_t unit = clq__view_is_packed(of) ? 1 : 2 * clq__storage_bytes(of->tensor->dtype);
    int64_t index[CLQ__MAX_RANK] = {0};
    int d;

    do {
        uint64_t at = 2 * begin;

        for (d = 0; d < of->rank; d++)
            at += (uint64_t)(index[d] * of->stride[d]) * unit;
        if (at + unit > HALVES)
            return false;
        for (uint64_t i = at; i < at + unit; i++)
            marks[i] |= as;
        for (d = of->rank - 1; d >= 0; d--) {
            const int64_t size = d == of->rank - 1 ? of->shape[d] / of->lanes : of->shape[d];

            if (++index[d] < size)
                break;
            index[d] = 0;
        }
    } while (d >= 0);
    return true;
}

static void draw_tensor(DLTensor *tensor, int64_t *shape, int64_t *strides)
{
    static const DLDataType dtypes[] = {{kDLInt, 8, 1}, {kDLFloat, 16, 1}, {kDLFloat, 32, 1},
                                        {kDLInt, 4, 1}, {kDLInt, 4, 2},    {kDLInt, 4, 8}};
    const DLDataType dtype = dtypes[draw(6)];
    const int rank = 1 + (int)draw(3);

    for (int d = 0; d < rank; d++) {
        shape[d] = 1 + (int64_t)draw(4);
        strides[d] = (int64_t)(draw(3) == 0 ? draw(9) : 4 * draw(5) * (1 + draw(4)));
    }
    if (dtype.bits == 4 && dtype.lanes == 1) {
        shape[rank - 1] *= 2;
        for (int d = 0; d < rank - 1; d++)
            strides[d] *= 2;
        strides[rank - 1] = 1;
    }
    *tensor = (DLTensor){
        .device = {kDLOpenCL, 0}, .ndim = rank, .dtype = dtype, .shape = shape, .strides = strides};
}

TEST(none_that_share_are_apart)
{
    long apart = 0, shared = 0;

    for (int i = 0; i < 300000; i++) {
        static unsigned char marks[HALVES];
        int64_t shapes[2][3], strides[2][3];
        DLTensor tensors[2];
        struct clq__view views[2];
        uint64_t begins[2];
        bool good = true, both = false;

        memset(marks, 0, sizeof marks);
        for (int t = 0; t < 2; t++) {
            draw_tensor(&tensors[t], shapes[t], strides[t]);
            begins[t] = draw(40);
            good = good && view(&views[t], &tensors[t]) &&
                   mark(marks, (unsigned char)(1 << t), &views[t], begins[t]);
        }
        if (!good)
            continue;
        for (int h = 0; h < HALVES; h++)
            both = both || marks[h] == 3;
        if (clq__views_interleave(&views[0], begins[0], &views[1], begins[1])) {
            assert_false(both);
            apart++;
        }
        shared += both;
    }
    assert_true(apart > 1000 && shared > 1000);
}

/* Rows of 64 bytes, and behind each a scale and an offset. */
TEST(what_stands_behind_rows_is_apart)
{
    int64_t rows[] = {1 << 20, 64}, row_strides[] = {72, 1}, each[] = {1 << 20}, step[] = {18};
    const DLTensor y = {.device = {kDLOpenCL, 0},
                        .ndim = 2,
                        .dtype = {kDLInt, 8, 1},
                        .shape = rows,
                        .strides = row_strides},
                   scale = {.device = {kDLOpenCL, 0},
                            .ndim = 1,
                            .dtype = {kDLFloat, 32, 1},
                            .shape = each,
                            .strides = step};
    struct clq__view a, b;

    assert_true(view(&a, &y) && view(&b, &scale));
    assert_true(clq__views_interleave(&a, 0, &b, 64));
    assert_true(clq__views_interleave(&b, 64, &a, 0));
    assert_true(clq__views_interleave(&a, 1000, &b, 1064));
    assert_true(clq__views_interleave(&b, 64, &b, 68));
    assert_false(clq__views_interleave(&a, 0, &b, 60));
    assert_false(clq__views_interleave(&a, 0, &b, 72)); /* in the next row */
    step[0] = 17;
    assert_true(view(&b, &scale));
    assert_false(clq__views_interleave(&a, 0, &b, 64)); /* another period */
}

TESTS_MAIN("interleave")
