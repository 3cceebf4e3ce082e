/* SPDX-License-Identifier: Apache-2.0 */
/* Folding keeps what is walked: the same places of every tensor, as few dimensions as say it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fold.h"
#include "tests.h"

enum { MOST = 4096 };

struct place {
    int64_t at[CLQ__FOLD_TENSORS];
};

static int compare(const void *a, const void *b)
{
    const struct place *p = a, *q = b;

    for (int t = 0; t < CLQ__FOLD_TENSORS; t++)
        if (p->at[t] != q->at[t])
            return p->at[t] < q->at[t] ? -1 : 1;
    return 0;
}

/* Every place that the dimensions lead to, sorted. */
static int walk(const struct clq__fold *fold, struct place *places)
{
    int count = 1;

    memset(&places[0], 0, sizeof(places[0]));
    for (int d = 0; d < fold->dims; d++) {
        const int before = count;

        count = 0;
        for (int64_t i = fold->dim[d].size - 1; i >= 0; i--) {
            for (int k = 0; k < before; k++) {
                struct place *place = &places[i * before + k];

                for (int t = 0; t < CLQ__FOLD_TENSORS; t++)
                    place->at[t] = places[k].at[t] + i * fold->dim[d].stride[t];
                count++;
            }
        }
    }
    qsort(places, (size_t)count, sizeof(places[0]), compare);
    return count;
}

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

TEST(the_same_places_are_walked)
{
    static struct place before[MOST], after[MOST];
    uint64_t seed = 1;

    for (int n = 0; n < 3000; n++) {
        struct clq__fold fold = {0}, whole = {0};
        const int dims = (int)(next(&seed) % 6);
        int64_t reach[CLQ__FOLD_TENSORS] = {1, 1, 1, 1};
        int count;

        for (int d = 0; d < dims; d++) {
            const int64_t size = 1 + (int64_t)(next(&seed) % 4);
            int64_t stride[CLQ__FOLD_TENSORS];

            for (int t = 0; t < CLQ__FOLD_TENSORS; t++) {
                stride[t] = next(&seed) % 3 ? reach[t] : (int64_t)(next(&seed) % 9);
                reach[t] = stride[t] * size;
            }
            whole.dim[whole.dims].size = size;
            memcpy(whole.dim[whole.dims++].stride, stride, sizeof(stride));
            clq__fold_add(&fold, next(&seed) % 8 == 0, size, stride);
        }
        count = walk(&whole, before);
        if (next(&seed) % 2)
            clq__fold_sort(&fold, fold.dims > 1 ? (int)(next(&seed) % 2) : 0,
                           (int)(next(&seed) % CLQ__FOLD_TENSORS));
        assert_int_equal(walk(&fold, after), count);
        assert_memory_equal(before, after, (size_t)count * sizeof(before[0]));
        assert_int_equal(clq__fold_count(&fold, 0), count);
        clq__fold_merge(&fold);
        assert_true(fold.dims <= whole.dims);
        assert_int_equal(walk(&fold, after), count);
        assert_memory_equal(before, after, (size_t)count * sizeof(before[0]));
    }
}

/* Folds sizes, outermost first, with one stride each for two tensors. */
static struct clq__fold fold_of(int dims, const int64_t sizes[], const int64_t a[], const int64_t b[])
{
    struct clq__fold fold = {0};

    for (int d = dims - 1; d >= 0; d--)
        clq__fold_add(&fold, false, sizes[d], (int64_t[CLQ__FOLD_TENSORS]){a[d], b[d], 0, 0});
    clq__fold_sort(&fold, 0, 1);
    clq__fold_merge(&fold);
    return fold;
}

TEST(dense_tensors_fold_to_one)
{
    const struct clq__fold fold =
        fold_of(4, (int64_t[]){2, 3, 1, 5}, (int64_t[]){15, 5, 99, 1}, (int64_t[]){15, 5, 7, 1});

    assert_int_equal(fold.dims, 1);
    assert_int_equal(fold.dim[0].size, 30);
    assert_int_equal(fold.dim[0].stride[0], 1);
}

TEST(padded_rows_fold_to_two)
{
    const struct clq__fold fold =
        fold_of(4, (int64_t[]){2, 3, 4, 5}, (int64_t[]){60, 20, 5, 1}, (int64_t[]){96, 32, 8, 1});

    assert_int_equal(fold.dims, 2);
    assert_int_equal(fold.dim[0].size, 5);
    assert_int_equal(fold.dim[1].size, 24);
    assert_int_equal(fold.dim[1].stride[0], 5);
    assert_int_equal(fold.dim[1].stride[1], 8);
}

TEST(tensors_permuted_alike_fold_to_one)
{
    const struct clq__fold fold =
        fold_of(3, (int64_t[]){2, 3, 4}, (int64_t[]){1, 8, 2}, (int64_t[]){1, 8, 2});

    assert_int_equal(fold.dims, 1);
    assert_int_equal(fold.dim[0].size, 24);
}

/* A stride that repeats merges with one that repeats, and with no other. */
TEST(repeats_fold_with_repeats)
{
    const struct clq__fold fold =
        fold_of(3, (int64_t[]){2, 3, 4}, (int64_t[]){0, 0, 1}, (int64_t[]){12, 4, 1});

    assert_int_equal(fold.dims, 2);
    assert_int_equal(fold.dim[1].size, 6);
    assert_int_equal(fold.dim[1].stride[0], 0);
}

/* Sizes and strides of which a product would not fit: they do not merge, and nothing overflows. */
TEST(large_strides_stay)
{
    const struct clq__fold fold = fold_of(2, (int64_t[]){INT64_C(1) << 31, INT64_C(1) << 31},
                                          (int64_t[]){0, INT64_C(1) << 40}, (int64_t[]){INT64_C(1) << 31, 1});

    assert_int_equal(fold.dims, 2);
    assert_true(clq__fold_count(&fold, 0) == INT64_C(1) << 62);
}

TESTS_MAIN("fold")
