/* SPDX-License-Identifier: Apache-2.0 */
/* What can be checked before there are buffers: each clq_<operator>_check takes tensors without data, and no device.
 * (What it refuses: the rows of test_bad_input_*.c.) */
#include "harness.h"

static int64_t matrix[] = {4, 8}, cube[] = {4, 16, 8}, pieces[] = {4, 2, 8}, starts[] = {4}, last[] = {8},
               rows[] = {4, 16};
static int64_t words[] = {4, 1}, var[] = {4, 16, 1, 1}, row[] = {4, 1, 8}, row_scales[] = {4};

static DLTensor of(DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

static void takes_tensors_without_data(void **state)
{
    const DLTensor x = of(CLQ_FLOAT16, 2, matrix), y = of(CLQ_INT8, 2, matrix),
                   scales = of(CLQ_FLOAT32, 1, last);
    const DLTensor cache = of(CLQ_INT8, 3, cube), updates = of(CLQ_FLOAT16, 3, pieces),
                   indices = of(CLQ_INT64, 1, starts);
    const DLTensor cache_scales = of(CLQ_FLOAT32, 2, rows), of_rows = of(CLQ_FLOAT32, 1, row_scales);
    const DLTensor ends = of(CLQ_INT32, 1, starts), groups = of(CLQ_FLOAT32, 2, matrix),
                   back = of(CLQ_FLOAT32, 3, pieces);

    (void)state;
    expect_status(clq_quantize_check(&(struct clq_quantize_desc){.x = &x, .scales = &scales, .y = &y}),
                  CLQ_OK, "quantize");
    expect_status(clq_find_scales_check(&(struct clq_find_scales_desc){.x = &x, .scales = &scales}), CLQ_OK,
                  "find_scales");
    expect_status(clq_group_quantize_check(&(struct clq_group_quantize_desc){
                      .x = &x, .scales = &groups, .group_index = &ends, .y = &y}),
                  CLQ_OK, "group_quantize");
    expect_status(clq_quantize_scatter_check(&(struct clq_quantize_scatter_desc){
                      .cache = &cache, .indices = &indices, .updates = &updates, .scales = &scales}),
                  CLQ_OK, "quantize_scatter");
    expect_status(clq_dynamic_quantize_check(&(struct clq_dynamic_quantize_desc){
                      .x = &x, .y = &y, .scales = &of_rows, .offsets = &of_rows}),
                  CLQ_OK, "dynamic_quantize");
    expect_status(clq_dynamic_quantize_scatter_check(
                      &(struct clq_dynamic_quantize_scatter_desc){.cache = &cache,
                                                                  .cache_scales = &cache_scales,
                                                                  .cache_offsets = &cache_scales,
                                                                  .indices = &indices,
                                                                  .updates = &updates}),
                  CLQ_OK, "dynamic_quantize_scatter");
    expect_status(clq_dequantize_check(&(struct clq_dequantize_desc){.q = &cache,
                                                                     .scales = &cache_scales,
                                                                     .indices = &indices,
                                                                     .y = &back,
                                                                     .mode = CLQ_DEQUANTIZE_DYNAMIC}),
                  CLQ_OK, "dequantize");
}

static void takes_those_of_the_documented_calls(void **state)
{
    const DLTensor x = of(CLQ_FLOAT16, 2, matrix), y = of(CLQ_INT8, 2, matrix),
                   packed = of(CLQ_INT32, 2, words);
    const DLTensor scales = of(CLQ_FLOAT32, 1, last), groups = of(CLQ_FLOAT32, 2, matrix),
                   ends = of(CLQ_INT32, 1, starts);
    const DLTensor cache = of(CLQ_INT8, 3, cube), updates = of(CLQ_FLOAT16, 3, pieces),
                   var_ = of(CLQ_INT32, 4, var);
    const DLTensor token = of(CLQ_FLOAT16, 3, row), var_scale = of(CLQ_FLOAT32, 2, rows);

    (void)state;
    expect_status(clq_npu_quantize_check(&x, &scales, NULL, CLQ_NPU_QINT8, 1, true, &y), CLQ_OK,
                  "npu_quantize");
    expect_status(clq_npu_group_quant_check(&x, &groups, &ends, NULL, CLQ_NPU_QUINT4X2, &packed), CLQ_OK,
                  "npu_group_quant");
    expect_status(clq_npu_quant_scatter_check(&cache, &ends, &updates, &scales, NULL, -2, -1, "update", 0,
                                              NULL, &cache),
                  CLQ_OK, "npu_quant_scatter");
    expect_status(
        clq_npu_quant_scatter_check(&cache, &ends, &updates, &scales, NULL, -2, -1, "update", 0, NULL, NULL),
        CLQ_OK, "npu_quant_scatter_");
    expect_status(clq_dynamic_quant_update_scatter_v2_check(&token, &ends, &var_, &var_scale, &var_scale),
                  CLQ_OK, "dynamic_quant_update_scatter_v2");
}

static void says_what_the_documented_calls_refuse(void **state)
{
    const DLTensor x = of(CLQ_FLOAT16, 2, matrix), y = of(CLQ_INT8, 2, matrix),
                   wrong = of(CLQ_FLOAT32, 1, starts);
    const DLTensor cache = of(CLQ_INT8, 3, cube), updates = of(CLQ_FLOAT16, 3, pieces),
                   indices = of(CLQ_INT32, 1, starts);
    const DLTensor ends = of(CLQ_INT32, 1, starts), var_ = of(CLQ_INT8, 4, var),
                   token = of(CLQ_FLOAT16, 3, row);
    const DLTensor var_scale = of(CLQ_FLOAT32, 2, rows);

    (void)state;
    expect_status(clq_npu_quantize_check(&x, &wrong, NULL, CLQ_NPU_QINT8, 1, true, &y), CLQ_ERROR_SHAPE,
                  "quantize");
    assert_string_equal(
        clq_error_detail(),
        "scales has 4 elements: axis is 1, so it must have 1, or 8 as input.shape[1]; is axis 0 meant "
        "(CLQ_AXIS_FIRST)?");
    expect_status(clq_npu_group_quant_check(&x, &wrong, &ends, NULL, CLQ_NPU_QINT8, &y), CLQ_ERROR_RANK,
                  "group");
    assert_string_equal(clq_error_detail(), "scale.ndim is 1: with group_index it must be 2");
    expect_status(clq_npu_quant_scatter_check(&cache, &indices, &updates, &wrong, NULL, -2, -1, "update", 0,
                                              NULL, NULL),
                  CLQ_ERROR_SHAPE, "scatter");
    assert_string_equal(clq_error_detail(),
                        "quant_scales has 4 elements: it must have one per index of the last axis of "
                        "updates, 8");
    expect_status(clq_dynamic_quant_update_scatter_v2_check(&token, &indices, &var_, &var_scale, &var_scale),
                  CLQ_ERROR_TYPE, "update");
    assert_string_equal(clq_error_detail(),
                        "var.dtype is int8: it must be int4, in int32 words or in uint8 bytes");
}

static void a_call_still_asks_for_data(void **state)
{
    const DLTensor x = of(CLQ_FLOAT16, 2, matrix), y = of(CLQ_INT8, 2, matrix),
                   scales = of(CLQ_FLOAT32, 1, last);
    const struct clq_quantize_desc desc = {.x = &x, .scales = &scales, .y = &y};

    (void)state;
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_ERROR_NULL,
                  "quantize");
    assert_string_equal(clq_error_detail(), "y.data is NULL: it must be a cl_mem");
    expect_status(clq_quantize_build(harness.context, &desc), CLQ_ERROR_NULL, "build");
}

/* Of two elements of a byte, 2^62 apart: no buffer is as large, but what lies between them fits 64 bits, and nothing that is
 * computed of the stride before the buffers are looked at may leave these. (The sanitizers' build sees it.) */
static void strides_that_no_buffer_has(void **state)
{
    int64_t shape[] = {1, 2}, strides[] = {2, INT64_C(1) << 62}, one[] = {1};
    DLTensor x = of(CLQ_FLOAT16, 2, shape), y = of(CLQ_INT8, 2, shape), scales = of(CLQ_FLOAT32, 1, one);
    const struct clq_quantize_desc desc = {.x = &x, .scales = &scales, .y = &y};
    const struct clq_dynamic_quantize_desc dynamic = {.x = &x, .y = &y, .scales = &scales, .symmetric = 1};
    size_t bytes = 0;
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, 64, NULL, &code);

    (void)state;
    expect_cl(code, "clCreateBuffer");
    x.data = y.data = scales.data = buffer;
    x.byte_offset = 32;
    scales.byte_offset = 48;
    y.strides = strides;
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_ERROR_SIZE,
                  "quantize");
    expect_status(clq_dynamic_quantize(harness.context, harness.queue, &dynamic, 0, NULL, NULL),
                  CLQ_ERROR_SIZE, "dynamic_quantize");
    expect_status(clq_quantize_workspace(harness.context, &desc, &bytes), CLQ_ERROR_SIZE, "workspace");
    clReleaseMemObject(buffer);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_tensors_without_data),
        cmocka_unit_test(takes_those_of_the_documented_calls),
        cmocka_unit_test(says_what_the_documented_calls_refuse),
        cmocka_unit_test(a_call_still_asks_for_data),
        cmocka_unit_test(strides_that_no_buffer_has),
    };

    return HARNESS_RUN(argc, argv, "check", tests);
}
