/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of views, up to the largest. A tensor without strides and the same one with those of a dense one are
 * the same view: the first goes a shorter way, which asks for fewer products. And what is made of the strides
 * of one without elements, whose products nobody checks. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/view.h"
#include "ops/operators.h"
#include "rng.h"
#include "tests.h"

#include <clquant/dynamic_quantize_scatter.h>

static struct rng rng;

static uint64_t draw(uint64_t below)
{
    return rng_next(&rng) % below;
}

/* Of any number, mostly a small one and a multiple of every element. */
static uint64_t draw_offset(void)
{
    const uint64_t kind = draw(4), small = 8 * draw(3), large = draw(UINT64_MAX), bits = draw(64);

    return kind == 0 ? large >> bits : small;
}

/* Mostly small, now and then 0, and of any size up to the largest. */
static int64_t draw_size(void)
{
    const uint64_t kind = draw(16), small = 1 + draw(6), large = draw(UINT64_MAX), bits = draw(63);

    return (int64_t)(kind == 0 ? 0 : kind < 12 ? small : large >> (1 + bits));
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
        if (d > 0 && __builtin_mul_overflow(stride, tensor->shape[d], &stride))
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

TEST(dense_strides_change_nothing)
{
    static const DLDataType dtypes[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLInt, 8, 1}, {kDLInt, 64, 1},
                                        {kDLInt, 4, 1},    {kDLInt, 4, 2},    {kDLInt, 4, 8}};
    size_t taken = 0, refused = 0, empty = 0;
    int data;

    for (int round = 0; round < 200000; round++) {
        int64_t shape[CLQ__MAX_RANK], strides[CLQ__MAX_RANK];
        struct clq__view dense, strided;
        DLTensor tensor = {.data = &data, .device = {kDLOpenCL, 0}, .shape = shape};
        char sentence[256];
        clq_status status;

        tensor.dtype = dtypes[draw(CLQ_COUNT(dtypes))];
        tensor.ndim = (int)draw(CLQ__MAX_RANK + 1);
        tensor.byte_offset = draw_offset();
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
        snprintf(sentence, sizeof sentence, "%s", clq_error_detail());
        tensor.strides = strides;
        assert_int_equal(clq__view_init(&strided, "x", &tensor, CLQ__ANY), status);
        if (status != CLQ_OK) {
            assert_string_equal(clq_error_detail(), sentence);
            continue;
        }
        empty += dense.elements == 0;
        expect_the_same(&dense, &strided);
        assert_int_equal(clq__view_offset_units(&dense),
                         dense.type == CLQ__I4 ? tensor.byte_offset /* whose units are bytes */
                                               : tensor.byte_offset / clq__storage_bytes(tensor.dtype));
    }
    assert_true(taken > 10000 && refused > 10000 && empty > 1000);
}

/* The largest that fits, and one more of something. */
TEST(the_largest_that_fit)
{
    static const struct {
        DLDataType dtype;
        int64_t shape[3];
        uint64_t byte_offset;
        const char *sentence; /* a part of it; NULL where it fits */
    } rows[] = {
        {{kDLInt, 8, 1}, {INT64_MAX, 1, 1}, 0, NULL},
        {{kDLInt, 8, 1}, {INT64_MAX, 1, 1}, 1, "ends past 2^63 bytes"},
        {{kDLFloat, 32, 1}, {INT64_MAX / 4, 1, 1}, 0, NULL},
        {{kDLFloat, 32, 1}, {INT64_MAX / 4, 1, 1}, 4, "ends past 2^63 bytes"},
        {{kDLFloat, 32, 1}, {INT64_MAX / 4 + 1, 1, 1}, 0, "ends past 2^63 bytes"},
        {{kDLInt, 4, 1}, {1, 1, INT64_MAX - 1}, 0, NULL},
        {{kDLInt, 4, 8}, {1, 1, INT64_MAX / 8}, 0, NULL},
        {{kDLInt, 4, 8}, {1, 1, INT64_MAX / 8 + 1}, 0, "of 8 elements each: the product must fit"},
        {{kDLInt, 4, 8}, {1, 0, INT64_MAX / 8 + 1}, 0, "of 8 elements each: the product must fit"},
        {{kDLInt, 4, 8}, {1 << 30, 1 << 29, 1}, 0, NULL},
        {{kDLInt, 4, 8}, {1 << 30, 1 << 30, 1}, 0, "more than 2^63 elements"}, /* of 2^60 words */
        {{kDLInt, 8, 1}, {INT64_MAX, INT64_MAX, 0}, 0, NULL},
        {{kDLInt, 8, 1}, {0, INT64_MAX, INT64_MAX}, 0, NULL},
    };
    int data;

    for (size_t i = 0; i < CLQ_COUNT(rows); i++) {
        int64_t shape[3];
        const DLTensor tensor = {.data = &data,
                                 .device = {kDLOpenCL, 0},
                                 .dtype = rows[i].dtype,
                                 .ndim = 3,
                                 .shape = shape,
                                 .byte_offset = rows[i].byte_offset};
        struct clq__view view;
        clq_status status;

        memcpy(shape, rows[i].shape, sizeof shape);
        status = clq__view_init(&view, "x", &tensor, CLQ__ANY);
        assert_int_equal(status, rows[i].sentence != NULL ? CLQ_ERROR_OVERFLOW : CLQ_OK);
        if (rows[i].sentence != NULL)
            assert_non_null(strstr(clq_error_detail(), rows[i].sentence));
    }
}

/* A cache without batches may have any other sizes, and steps of its scales that no kernel could multiply. */
TEST(an_empty_cache_steps_nowhere)
{
    static const struct clq__names names = {"updates", "cache", "scale", "offset", false, false};
    const DLDevice opencl = {kDLOpenCL, 0};
    int64_t cache_shape[] = {0, 2, INT64_C(1) << 62, 8}, updates_shape[] = {1, 2, 1, 8}, pair[] = {1, 2};
    int data;
    const DLTensor updates = {
        .data = &data, .device = opencl, .dtype = {kDLFloat, 32, 1}, .ndim = 4, .shape = updates_shape};
    const DLTensor cache = {.device = opencl, .dtype = {kDLInt, 8, 1}, .ndim = 4, .shape = cache_shape};
    const DLTensor scale = {.device = opencl, .dtype = {kDLFloat, 32, 1}, .ndim = 3, .shape = cache_shape};
    const DLTensor indices = {
        .data = &data, .device = opencl, .dtype = {kDLInt, 32, 1}, .ndim = 2, .shape = pair};
    const struct clq_dynamic_quantize_scatter_desc desc = {.cache = &cache,
                                                           .cache_scales = &scale,
                                                           .cache_offsets = &scale,
                                                           .indices = &indices,
                                                           .updates = &updates,
                                                           .axis = 2,
                                                           .unique = 1};
    struct clq__plan plan;
    const struct dynamic_quantize_args *args = &plan.of_dynamic.rows.parts[0];

    assert_int_equal(clq__plan_check(&plan, &clq__dynamic_quantize_scatter, &names, &desc), CLQ_OK);
    clq__plan_describe(&plan);
    assert_int_equal(args->outer, 2);
    for (uint32_t d = 0; d < args->outer; d++) {
        assert_int_equal(args->dim[d].y, 0);
        assert_int_equal(args->dim[d].scale, 0);
        assert_int_equal(args->dim[d].zero_point, 0);
    }
}

TESTS_MAIN("view")
