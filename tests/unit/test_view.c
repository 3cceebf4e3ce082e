/* Sizes of views, up to the largest. A tensor without strides and the same one with those of a dense one are the same
 * view: the first goes a shorter way, which asks for fewer products. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/view.h"

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Mostly small, now and then 0, and of any size up to the largest. */
static int64_t draw_size(void)
{
    const uint64_t kind = draw(16);

    if (kind == 0)
        return 0;
    if (kind < 12)
        return (int64_t)(1 + draw(6));
    return (int64_t)(draw(UINT64_MAX) >> (1 + draw(63)));
}

/* The elements of a tensor; -1 where they or their bytes do not fit, or they break a rule. */
static int64_t count(const DLTensor *tensor)
{
    const int lanes = tensor->dtype.lanes, bits = tensor->dtype.bits;
    const uint64_t storage_bytes = bits * lanes < 8 ? 1 : (uint64_t)(bits * lanes / 8);
    const int64_t last = tensor->ndim > 0 ? tensor->shape[tensor->ndim - 1] : 1;
    __extension__ __int128 elements = lanes;

    if (tensor->byte_offset % storage_bytes != 0 || (bits == 4 && tensor->ndim == 0) ||
        (bits == 4 && lanes == 1 && last % 2 != 0) || last > INT64_MAX / lanes)
        return -1;
    for (int d = 0; d < tensor->ndim; d++)
        if (tensor->shape[d] == 0)
            return 0;
    for (int d = 0; d < tensor->ndim; d++) {
        elements *= tensor->shape[d];
        if (elements > INT64_MAX)
            return -1;
    }
    return elements * bits / 8 + tensor->byte_offset <= INT64_MAX ? (int64_t)elements : -1;
}

/* Strides of storage elements; false where one does not fit. */
static bool fill_dense_strides(const DLTensor *tensor, int64_t *strides)
{
    int64_t stride = 1;

    for (int d = tensor->ndim - 1; d >= 0; d--) {
        strides[d] = stride;
        if (__builtin_mul_overflow(stride, tensor->shape[d], &stride))
            return false;
    }
    return true;
}

static void expect_the_same(const struct clq__view *dense, const struct clq__view *strided)
{
    assert_int_equal(dense->rank, strided->rank);
    assert_int_equal(dense->elements, strided->elements);
    assert_int_equal(dense->extent_bytes, strided->extent_bytes);
    assert_int_equal(clq__view_check_output(dense), CLQ_OK);
    assert_int_equal(clq__view_check_output(strided), CLQ_OK);
    if (dense->elements == 0)
        return;
    assert_memory_equal(dense->shape, strided->shape, (size_t)dense->rank * sizeof *dense->shape);
    assert_memory_equal(dense->stride, strided->stride, (size_t)dense->rank * sizeof *dense->stride);
    assert_true(clq__view_is_dense(dense) && clq__view_is_dense(strided));
}

static void dense_strides_change_nothing(void **unused)
{
    static const DLDataType dtypes[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLInt, 8, 1}, {kDLInt, 64, 1},
                                        {kDLInt, 4, 1},    {kDLInt, 4, 2},    {kDLInt, 4, 8}};
    size_t taken = 0, refused = 0, empty = 0;
    int data;

    (void)unused;
    for (int round = 0; round < 200000; round++) {
        int64_t shape[CLQ__MAX_RANK], strides[CLQ__MAX_RANK];
        struct clq__view dense, strided;
        DLTensor tensor = {.data = &data,
                           .device = {kDLOpenCL, 0},
                           .dtype = dtypes[draw(CLQ_COUNT(dtypes))],
                           .ndim = (int)draw(CLQ__MAX_RANK + 1),
                           .shape = shape,
                           .byte_offset = draw(4) == 0 ? draw(UINT64_MAX) >> draw(64) : 8 * draw(3)};
        clq_status status;

        for (int d = 0; d < tensor.ndim; d++)
            shape[d] = draw_size();
        status = clq__view_init(&dense, "x", &tensor, CLQ__ANY);
        assert_int_equal(status == CLQ_OK, count(&tensor) >= 0);
        if (status == CLQ_OK) {
            assert_int_equal(dense.elements, count(&tensor));
            assert_int_equal(dense.extent_bytes, dense.elements / 8 * tensor.dtype.bits +
                                                     dense.elements % 8 * tensor.dtype.bits / 8);
        }
        taken += status == CLQ_OK;
        refused += status != CLQ_OK;
        if (!fill_dense_strides(&tensor, strides))
            continue;
        tensor.strides = strides;
        assert_int_equal(clq__view_init(&strided, "x", &tensor, CLQ__ANY), status);
        if (status != CLQ_OK)
            continue;
        empty += dense.elements == 0;
        expect_the_same(&dense, &strided);
        if (dense.type != CLQ__I4) /* whose units are bytes */
            assert_int_equal(clq__view_offset_units(&dense),
                             tensor.byte_offset / clq__storage_bytes(tensor.dtype));
    }
    assert_true(taken > 10000 && refused > 10000 && empty > 1000);
}

/* [2^31, 2^30] words of eight int4: 2^61 words fit, their elements do not. Behind a dimension of none, they do. */
static void sizes_that_fit_alone(void **unused)
{
    int64_t words[] = {INT64_C(1) << 31, INT64_C(1) << 30}, none[] = {INT64_C(1) << 62, INT64_C(1) << 62, 0},
            bytes[] = {INT64_C(1) << 61};
    int data;
    DLTensor tensor = {.data = &data, .device = {kDLOpenCL, 0}, .dtype = {kDLInt, 4, 8}, .ndim = 2};
    struct clq__view view;

    (void)unused;
    tensor.shape = words;
    assert_int_equal(clq__view_init(&view, "x", &tensor, CLQ__ANY), CLQ_ERROR_OVERFLOW);
    assert_non_null(strstr(clq_error_detail(), "more than 2^63 elements"));
    tensor.dtype = (DLDataType){kDLFloat, 32, 1};
    tensor.ndim = 3;
    tensor.shape = none;
    assert_int_equal(clq__view_init(&view, "x", &tensor, CLQ__ANY), CLQ_OK);
    assert_int_equal(view.elements, 0);
    tensor.ndim = 1;
    tensor.shape = bytes;
    assert_int_equal(clq__view_init(&view, "x", &tensor, CLQ__ANY), CLQ_ERROR_OVERFLOW);
    assert_non_null(strstr(clq_error_detail(), "ends past 2^63 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dense_strides_change_nothing),
                                       cmocka_unit_test(sizes_that_fit_alone)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
