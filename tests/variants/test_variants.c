/* Every variant of cl/variants.txt builds, every variant that an operator asks for is in the list, and no
 * line of the list is one that nobody asks for: the list is what an offline image would hold. */
#include "list.h"

#include <clquant/clquant.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static struct variant_list listed, asked;

/* "VARIANT: built from source" */
static void note_build(void *user, const char *line)
{
    const char *colon = strstr(line, ": built from source");
    char text[512];

    (void)user;
    if (colon == NULL)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(colon - line), line);
    variant_list_add(&asked, text);
}

/* To the integers, and back. */
static void build(clq_context *context, DLDataType x_type, DLDataType y_type, uint32_t mode, int params)
{
    int64_t shape[] = {2, 8}, columns[] = {8}, one[] = {1};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[4];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 4; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 64, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
    const DLTensor y = {.data = buffers[1], .device = opencl, .ndim = 2, .dtype = y_type, .shape = shape};
    const DLTensor scales = {.data = buffers[2],
                             .device = opencl,
                             .ndim = 1,
                             .dtype = CLQ_FLOAT32,
                             .shape = params > 0 ? columns : one};
    const DLTensor zero_points = {.data = buffers[3],
                                  .device = opencl,
                                  .ndim = 1,
                                  .dtype = CLQ_INT32, /* widened where it differs along a row */
                                  .shape = params > 1 ? columns : one};
    const clq_status status = clq_quantize_build(
        context,
        &(struct clq_quantize_desc){
            .x = &x, .scales = &scales, .zero_points = &zero_points, .y = &y, .axis = -1, .mode = mode});
    const clq_status back_status =
        status != CLQ_OK
            ? status
            : clq_dequantize_build(context, &(struct clq_dequantize_desc){.q = &y,
                                                                          .scale = &scales,
                                                                          .zero_points = &zero_points,
                                                                          .y = &x,
                                                                          .axis = -1,
                                                                          .mode = mode});
    if (back_status != CLQ_OK)
        print_error("%s\n", clq_error_detail());
    assert_int_equal(back_status, CLQ_OK);
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(buffers[i]);
}

/* The kernels that stand beside: many entries that may overlap, written into a copy of a cache with gaps. */
static void build_scatter(clq_context *context)
{
    int64_t cache_shape[] = {8, 4, 2}, gaps[] = {16, 4, 1}, updates_shape[] = {4096, 1, 2},
            pairs[] = {4096, 2}, one[] = {1};
    const size_t bytes[] = {128, 128, 4096 * 2 * 4, 4096 * 2 * 4, 4};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[5];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 5; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, bytes[i], NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor input = {.data = buffers[0],
                            .device = opencl,
                            .ndim = 3,
                            .dtype = CLQ_INT8,
                            .shape = cache_shape,
                            .strides = gaps};
    const DLTensor cache = {
        .data = buffers[1], .device = opencl, .ndim = 3, .dtype = CLQ_INT8, .shape = cache_shape};
    const DLTensor updates = {
        .data = buffers[2], .device = opencl, .ndim = 3, .dtype = CLQ_FLOAT32, .shape = updates_shape};
    const DLTensor indices = {
        .data = buffers[3], .device = opencl, .ndim = 2, .dtype = CLQ_INT32, .shape = pairs};
    const DLTensor scales = {
        .data = buffers[4], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = one};
    const clq_status status =
        clq_quantize_scatter_build(context, &(struct clq_quantize_scatter_desc){.input = &input,
                                                                                .cache = &cache,
                                                                                .indices = &indices,
                                                                                .updates = &updates,
                                                                                .scales = &scales,
                                                                                .axis = 1});

    if (status != CLQ_OK)
        print_error("%s\n", clq_error_detail());
    assert_int_equal(status, CLQ_OK);
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(buffers[i]);
}

/* Scales of the rows and of the columns; the latter from ranges of many rows. */
static void build_scales(clq_context *context, DLDataType x_type)
{
    int64_t shape[] = {100000, 8};
    cl_int code = CL_SUCCESS;
    const DLDevice opencl = {kDLOpenCL, 0};
    const cl_mem memory =
        clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 4 * 100000 * 8, NULL, &code);
    const cl_mem out = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 4 * 100000, NULL, &code);
    const DLTensor x = {.data = memory, .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};

    assert_int_equal(code, CL_SUCCESS);
    for (int axis = 0; axis < 2; axis++) {
        const DLTensor scales = {
            .data = out, .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = shape + axis};
        const clq_status status = clq_find_scales_build(
            context, &(struct clq_find_scales_desc){.x = &x, .scales = &scales, .axis = axis});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    clReleaseMemObject(memory);
    clReleaseMemObject(out);
}

/* Rows that find their scales: int8 and int4, with a smooth scale and without. */
static void build_dynamic(clq_context *context, DLDataType x_type)
{
    int64_t shape[] = {2, 8}, columns[] = {8}, rows[] = {2};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[4];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 4; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 64, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
    const DLTensor scale = {
        .data = buffers[1], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = rows};
    const DLTensor smooth = {
        .data = buffers[2], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = columns};
    for (int kernel = 0; kernel < 4; kernel++) {
        const DLTensor y = {.data = buffers[3],
                            .device = opencl,
                            .ndim = 2,
                            .dtype = kernel & 1 ? CLQ_INT8 : CLQ_INT4,
                            .shape = shape};
        const clq_status status = clq_dynamic_quantize_build(
            context, &(struct clq_dynamic_quantize_desc){.x = &x,
                                                         .smooth_scale = kernel & 2 ? &smooth : NULL,
                                                         .y = &y,
                                                         .scale = &scale,
                                                         .symmetric = 1});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int i = 0; i < 4; i++)
        clReleaseMemObject(buffers[i]);
}

/* All that the operators can ask for on this device, laid out and computed in one way. PoCL builds once for
 * this and for the tests of the operators, if it is told the same: to optimize in the way of a CPU alone. */
static void build_all(uint32_t form, uint32_t arithmetic)
{
    const bool of_a_cpu = form == CLQ_FORM_ITEM && arithmetic == CLQ_ARITHMETIC_AUTO;
    const DLDataType x_types[] = {CLQ_FLOAT32, CLQ_FLOAT16, CLQ_BFLOAT16};
    const DLDataType y_types[] = {CLQ_INT8, CLQ_UINT8, CLQ_INT32, CLQ_INT4};
    clq_context *context = NULL;
    const int told = of_a_cpu ? unsetenv("POCL_EXTRA_BUILD_FLAGS")
                              : setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
    const clq_status status = clq_context_create(
        &(struct clq_context_desc){
            .flags = CLQ_CACHE_OFF, .form = form, .arithmetic = arithmetic, .log = note_build},
        &context);

    assert_int_equal(told, 0);
    assert_int_equal(status, CLQ_OK);
    for (int x = 0; x < 3; x++) {
        build_scales(context, x_types[x]);
        build_dynamic(context, x_types[x]);
    }
    for (int x = 0; x < 3; x++)
        for (int y = 0; y < 4; y++)
            for (uint32_t mode = CLQ_DIVIDE; mode <= CLQ_MULTIPLY; mode++)
                for (int params = 0; params < 3; params++)
                    build(context, x_types[x], y_types[y], mode, params);
    build_scatter(context);
    clq_context_destroy(context);
}

/* A kernel that was built ahead, by a text in any order, is the one that a call takes. */
static void what_is_built_ahead_is_found(void **state)
{
    static const char *const texts[] = {"quantize.cl PARAMS=one MODE=divide DST=i8 SRC=f32",
                                        " dequantize.cl DST=f32  MODE=multiply SRC=i8 PARAMS=one",
                                        "quantize.cl SRC=f32 DST=i8 PARAMS=both MODE=divide",
                                        "dequantize.cl PARAMS=each SRC=i8 DST=f32 MODE=multiply",
                                        "claim.cl",
                                        "copy.cl",
                                        "find_scales.cl REDUCE=runs SRC=f16",
                                        "find_scales.cl SRC=f16 REDUCE=columns",
                                        "finish_scales.cl",
                                        "widen.cl"};
    const size_t count = sizeof texts / sizeof texts[0];
    static const char *const wrong[] = {"widen.cl", "quantize.cl SRC=f8 DST=i8 MODE=divide PARAMS=one"};
    clq_context *context = NULL;
    size_t built = 0;

    (void)state;
    assert_int_equal(unsetenv("POCL_EXTRA_BUILD_FLAGS"), 0); /* as build_all left it */
    assert_int_equal(clq_context_create(&(struct clq_context_desc){.flags = CLQ_CACHE_OFF}, &context),
                     CLQ_OK);
    if (clq_context_build(context, count, texts) != CLQ_OK)
        fail_msg("%s", clq_error_detail());
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    build(context, CLQ_FLOAT32, CLQ_INT8, CLQ_DIVIDE, 0);
    build(context, CLQ_FLOAT32, CLQ_INT8, CLQ_DIVIDE, 2);
    build_scales(context, CLQ_FLOAT16);
    build_scatter(context);
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    assert_int_equal(clq_context_build(context, 2, wrong), CLQ_ERROR_VALUE);
    assert_non_null(strstr(clq_error_detail(), "\"SRC=f8\" must be one of \"quantize.cl SRC=f32|f16|bf16 "));
    clq_context_count(context, &built, NULL);
    assert_int_equal(built, count);
    clq_context_destroy(context);
}

/* The plugs that a device decides: none of the others may be missing. */
static bool can_run_here(const char *text)
{
    bool prefetch = false, native = false;

    for (size_t i = 0; i < asked.count; i++) {
        prefetch = prefetch || strstr(asked.texts[i], "PREFETCH=1") != NULL;
        native = native || strstr(asked.texts[i], "ARITHMETIC=native") != NULL;
    }
    if (strstr(text, "ARITHMETIC=native") != NULL && !native)
        return false;
    return strstr(text, prefetch ? "PREFETCH=0" : "PREFETCH=1") == NULL;
}

static void every_variant_builds_and_is_listed(void **state)
{
    (void)state;
    for (uint32_t form = CLQ_FORM_ITEM; form <= CLQ_FORM_GROUP; form++)
        for (uint32_t arithmetic = CLQ_ARITHMETIC_AUTO; arithmetic <= CLQ_ARITHMETIC_EXACT; arithmetic++)
            build_all(form, arithmetic);
    for (size_t i = 0; i < asked.count; i++)
        if (!variant_list_has(&listed, asked.texts[i]))
            fail_msg("cl/variants.txt has no \"%s\"", asked.texts[i]);
    for (size_t i = 0; i < listed.count; i++)
        assert_true(strlen(listed.texts[i]) < 120); /* CLQ__VARIANT_BYTES is twice as much */
    for (size_t i = 0; i < listed.count; i++)
        if (can_run_here(listed.texts[i]) && !variant_list_has(&asked, listed.texts[i]))
            fail_msg("no operator asks for \"%s\"", listed.texts[i]);
    print_message("%zu variants built and listed, of %zu for all devices\n", asked.count, listed.count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_builds_and_is_listed),
                                       cmocka_unit_test(what_is_built_ahead_is_found)};

    if (argc != 2 || !variant_list_read(&listed, argv[1])) {
        fprintf(stderr, "usage: test_variants cl/variants.txt\n");
        return 2;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    variant_list_clear(&listed);
    variant_list_clear(&asked);
    return failed;
}
