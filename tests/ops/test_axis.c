/* SPDX-License-Identifier: Apache-2.0 */
/* The axis of a descriptor: 0 is the operator's default, CLQ_AXIS_FIRST and minus the rank the first dimension. */
#include "harness.h"

enum { SIDE = 4, LENGTH = 6 };

static DLTensor upload(DLDataType dtype, int ndim, int64_t *shape, const void *bytes, size_t size_bytes)
{
    cl_int code = CL_SUCCESS;
    const DLTensor tensor = {.data = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                                    size_bytes, (void *)bytes, &code),
                             .device = {kDLOpenCL, 0},
                             .ndim = ndim,
                             .dtype = dtype,
                             .shape = shape};

    expect_cl(code, "clCreateBuffer");
    return tensor;
}

static void read_back(const DLTensor *tensor, void *bytes, size_t size_bytes)
{
    expect_cl(clEnqueueReadBuffer(harness.queue, tensor->data, CL_TRUE, 0, size_bytes, bytes, 0, NULL, NULL),
              "clEnqueueReadBuffer");
}

/* A square tensor cannot show by its shape which axis was meant: each element is 12, scales are 1, 2, 3 and 4. */
static void a_square_tensor_with_axis_left_out_is_quantized_by_columns(void **state)
{
    static const struct {
        int32_t axis;
        bool by_rows;
    } cases[] = {{0, false}, {1, false}, {-1, false}, {-2, true}, {CLQ_AXIS_FIRST, true}};
    static const int8_t quotients[SIDE] = {12, 6, 4, 3};
    int64_t shape[] = {SIDE, SIDE};
    float x[SIDE * SIDE];
    const float scales[SIDE] = {1, 2, 3, 4};
    int8_t y[SIDE * SIDE] = {0};
    DLTensor dx, ds, dy;

    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = 12;
    dx = upload(CLQ_FLOAT32, 2, shape, x, sizeof(x));
    ds = upload(CLQ_FLOAT32, 1, shape, scales, sizeof(scales));
    dy = upload(CLQ_INT8, 2, shape, y, sizeof(y));
    for (size_t c = 0; c < COUNT(cases); c++) {
        const struct clq_quantize_desc desc = {.x = &dx, .scales = &ds, .y = &dy, .axis = cases[c].axis};

        expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK,
                      "clq_quantize");
        read_back(&dy, y, sizeof(y));
        for (int i = 0; i < SIDE * SIDE; i++)
            assert_int_equal(y[i], quotients[cases[c].by_rows ? i / SIDE : i % SIDE]);
    }
    clReleaseMemObject(dx.data);
    clReleaseMemObject(ds.data);
    clReleaseMemObject(dy.data);
}

/* Two dimensions could be the one that starts count on: that before the last is. */
static void starts_with_axis_left_out_count_on_the_second_to_last(void **state)
{
    int64_t cache_shape[] = {1, LENGTH, LENGTH, 2}, updates_shape[] = {1, LENGTH, 1, 2}, one[] = {1};
    float updates[LENGTH * 2];
    const float scale = 1;
    const int32_t start = 4;
    int8_t cache[LENGTH * LENGTH * 2] = {0};
    DLTensor dc, du, ds, di;

    (void)state;
    for (int i = 0; i < LENGTH * 2; i++)
        updates[i] = 7;
    dc = upload(CLQ_INT8, 4, cache_shape, cache, sizeof(cache));
    du = upload(CLQ_FLOAT32, 4, updates_shape, updates, sizeof(updates));
    ds = upload(CLQ_FLOAT32, 1, one, &scale, sizeof(scale));
    di = upload(CLQ_INT32, 1, one, &start, sizeof(start));
    expect_status(clq_quantize_scatter(harness.context, harness.queue,
                                       &(struct clq_quantize_scatter_desc){
                                           .cache = &dc, .indices = &di, .updates = &du, .scales = &ds},
                                       0, NULL, NULL),
                  CLQ_OK, "clq_quantize_scatter");
    read_back(&dc, cache, sizeof(cache));
    for (int i = 0; i < LENGTH * LENGTH * 2; i++)
        assert_int_equal(cache[i], i / 2 % LENGTH == start ? 7 : 0);
    clReleaseMemObject(dc.data);
    clReleaseMemObject(du.data);
    clReleaseMemObject(ds.data);
    clReleaseMemObject(di.data);
}

/* What a default means is said where it does not fit. */
static void a_default_that_does_not_fit_is_named(void **state)
{
    int64_t flat[] = {4, 8}, whole[] = {1, 16, 2, 8}, token[] = {1, 1, 2, 8}, rows[] = {1, 16, 2},
            one[] = {1}, four[] = {4};
    const DLDevice opencl = {kDLOpenCL, 0};
    const DLTensor cache = {.device = opencl, .ndim = 2, .dtype = CLQ_INT8, .shape = flat},
                   updates = {.device = opencl, .ndim = 2, .dtype = CLQ_FLOAT32, .shape = flat},
                   scales = {.device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = one},
                   starts = {.device = opencl, .ndim = 1, .dtype = CLQ_INT32, .shape = four},
                   start = {.device = opencl, .ndim = 1, .dtype = CLQ_INT32, .shape = one},
                   heads = {.device = opencl, .ndim = 4, .dtype = CLQ_INT8, .shape = whole},
                   of_rows = {.device = opencl, .ndim = 3, .dtype = CLQ_FLOAT32, .shape = rows},
                   tokens = {.device = opencl, .ndim = 4, .dtype = CLQ_FLOAT32, .shape = token};

    (void)state;
    expect_status(clq_quantize_scatter_check(&(struct clq_quantize_scatter_desc){
                      .cache = &cache, .indices = &starts, .updates = &updates, .scales = &scales}),
                  CLQ_ERROR_AXIS, "a cache of rank 2");
    assert_string_equal(clq_error_detail(),
                        "axis is left out, which means -2: it must be 1 or -1, any of the 2 "
                        "dimensions of cache but the first");
    expect_status(clq_dynamic_quantize_scatter_check(
                      &(struct clq_dynamic_quantize_scatter_desc){.cache = &heads,
                                                                  .cache_scales = &of_rows,
                                                                  .indices = &start,
                                                                  .updates = &tokens,
                                                                  .symmetric = 1}),
                  CLQ_ERROR_SHAPE, "a cache [B, S, N, H]");
    assert_string_equal(
        clq_error_detail(),
        "updates.shape[1] is 1: it must be cache.shape[1], 16, for axis is 2, where alone an entry may "
        "be shorter than the cache; is axis 1 meant?");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_tensor_with_axis_left_out_is_quantized_by_columns),
        cmocka_unit_test(starts_with_axis_left_out_count_on_the_second_to_last),
        cmocka_unit_test(a_default_that_does_not_fit_is_named),
    };

    return HARNESS_RUN(argc, argv, "axis", tests);
}
