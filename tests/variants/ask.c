/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators ask for. */
#include "ask.h"

#include "args/type_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct type {
    DLDataType dtype;
    unsigned roles;
    bool whole;
} types[] = {
#define TYPE(t, id) {{CLQ_TYPE_CODE(t), CLQ_TYPE_BITS(t), 1}, CLQ_TYPE_ROLES(t), CLQ_TYPE_WHOLE(t)},
    CLQ_VALUE_TYPES(TYPE)
#undef TYPE
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

void ask_static(clq_context *context, DLDataType x_type, DLDataType y_type, uint32_t mode, int params)
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
                                                                          .scales = &scales,
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

void ask_scatter(clq_context *context)
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

void ask_scales(clq_context *context, DLDataType x_type)
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
            context, &(struct clq_find_scales_desc){
                         .x = &x, .scales = &scales, .axis = axis == 0 ? CLQ_AXIS_FIRST : axis});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    clReleaseMemObject(memory);
    clReleaseMemObject(out);
}

/* Rows that find their scales: each type, with a smooth scale and without, turned and as they are. And back
 * where they were turned, of int32 too. */
static void ask_dynamic(clq_context *context, DLDataType x_type, bool few)
{
    int64_t shape[] = {2, 8}, columns[] = {8}, rows[] = {2};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[5];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 5; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 64, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
    const DLTensor scale = {
        .data = buffers[1], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = rows};
    const DLTensor smooth = {
        .data = buffers[2], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = columns};
    const DLTensor offset = {
        .data = buffers[4], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = rows};

    for (int kernel = 0; kernel < (few ? 2 : 4) * TYPES; kernel++) {
        const struct type *const type = &types[kernel % TYPES];
        const bool symmetric = !type->whole;
        const DLTensor y = {
            .data = buffers[3], .device = opencl, .ndim = 2, .dtype = type->dtype, .shape = shape};

        if (!(type->roles & CLQ_ROLE_CACHED))
            continue;
        const clq_status status = clq_dynamic_quantize_build(
            context,
            &(struct clq_dynamic_quantize_desc){.x = &x,
                                                .smooth_scales = kernel / TYPES % 2 == 0 ? &smooth : NULL,
                                                .y = &y,
                                                .scales = &scale,
                                                .offsets = symmetric ? NULL : &offset,
                                                .symmetric = symmetric,
                                                .rotate = kernel / TYPES >= 2 ? 4 : 0});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int type = 0; type < (few ? 0 : TYPES); type++) {
        const DLTensor q = {
            .data = buffers[3], .device = opencl, .ndim = 2, .dtype = types[type].dtype, .shape = shape};

        if (!(types[type].roles & CLQ_ROLE_QUANTIZED))
            continue;
        const clq_status status =
            clq_dequantize_build(context, &(struct clq_dequantize_desc){.q = &q,
                                                                        .scales = &scale,
                                                                        .offsets = &offset,
                                                                        .y = &x,
                                                                        .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                                                        .rotate = 4});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int i = 0; i < 5; i++)
        clReleaseMemObject(buffers[i]);
}

/* Blocks that carry their scales, and the way back, turned too. */
static void ask_blocks(clq_context *context, DLDataType x_type)
{
    static const DLDataType blocks[] = {
#define TYPE(t, id) {CLQ_TYPE_CODE(t), 8, CLQ_TYPE_LANES(t)},
        CLQ_BLOCK_TYPES(TYPE)
#undef TYPE
    };
    int64_t shape[] = {2, CLQ_BLOCK_VALUES}, block_shape[] = {2, 1}, columns[] = {CLQ_BLOCK_VALUES};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[3];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 256, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
    const DLTensor smooth = {
        .data = buffers[1], .device = opencl, .ndim = 1, .dtype = CLQ_FLOAT32, .shape = columns};

    for (size_t type = 0; type < sizeof blocks / sizeof *blocks; type++)
        for (uint32_t way = 0; way < 2; way++) {
            const DLTensor y = {
                .data = buffers[2], .device = opencl, .ndim = 2, .dtype = blocks[type], .shape = block_shape};
            clq_status status = clq_dynamic_quantize_build(
                context, &(struct clq_dynamic_quantize_desc){
                             .x = &x, .smooth_scales = way > 0 ? &smooth : NULL, .y = &y});

            if (status == CLQ_OK)
                status = clq_dequantize_build(
                    context,
                    &(struct clq_dequantize_desc){
                        .q = &y, .y = &x, .mode = CLQ_DEQUANTIZE_DYNAMIC, .rotate = way * CLQ_BLOCK_VALUES});
            if (status != CLQ_OK)
                print_error("%s\n", clq_error_detail());
            assert_int_equal(status, CLQ_OK);
        }
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

/* Scales that belong to no row: to columns of x, to all of it, and to all of it once it is turned. */
static void ask_apart(clq_context *context, DLDataType x_type)
{
    int64_t shape[] = {100000, 8}, columns[] = {8}, one[] = {1};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[3];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 4 * 100000 * 8, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
    const DLTensor y = {.data = buffers[1], .device = opencl, .ndim = 2, .dtype = CLQ_INT8, .shape = shape};

    for (int call = 0; call < 3; call++) {
        const bool all = call > 0;
        const DLTensor scales = {.data = buffers[2],
                                 .device = opencl,
                                 .ndim = 1,
                                 .dtype = CLQ_FLOAT32,
                                 .shape = all ? one : columns};
        const clq_status status = clq_dynamic_quantize_build(
            context, &(struct clq_dynamic_quantize_desc){.x = &x,
                                                         .y = &y,
                                                         .scales = &scales,
                                                         .symmetric = 1,
                                                         .axis = all ? 0 : CLQ_AXIS_FIRST,
                                                         .block_all = all,
                                                         .rotate = call == 2 ? 4 : 0});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

/* Rows of x's type that go to places of any float's, and to their own buffer, between which they keep their
 * type; and rows of bytes, to places of coordinates. */
static void ask_moves(clq_context *context, DLDataType x_type)
{
    const DLDataType to[] = {CLQ_FLOAT32, CLQ_FLOAT16, CLQ_BFLOAT16, CLQ_INT8};
    int64_t shape[] = {2, 4, 8}, rows[] = {2, 8}, pairs[] = {2, 2};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[3];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 256, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    for (int call = 0; call < 8; call++) {
        const bool in_place = call >= 4;
        const DLDataType dst_type = to[call % 4], src_type = call % 4 == 3 ? CLQ_INT8 : x_type;
        const DLTensor src = {
            .data = buffers[0], .device = opencl, .ndim = 2, .dtype = src_type, .shape = rows};
        const DLTensor dst = {.data = buffers[in_place ? 0 : 1],
                              .device = opencl,
                              .ndim = 3,
                              .dtype = dst_type,
                              .shape = shape};
        const DLTensor indices = {
            .data = buffers[2], .device = opencl, .ndim = 2, .dtype = CLQ_INT32, .shape = pairs};
        const clq_status status = clq_move_rows_build(
            context, &(struct clq_move_rows_desc){
                         .src = &src, .dst_indices = &indices, .dst = &dst, .dst_index_kind = CLQ_ND});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

/* Blocks by a rule of MX. */
static void ask_rules(clq_context *context, DLDataType x_type)
{
    const DLDataType y_types[] = {CLQ_FLOAT8_E4M3FN, CLQ_FLOAT8_E5M2, CLQ_FLOAT4_E2M1FN};
    int64_t shape[] = {2, 32}, blocks[] = {2, 1};
    cl_int code = CL_SUCCESS;
    cl_mem buffers[3];
    const DLDevice opencl = {kDLOpenCL, 0};

    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(clq_context_cl(context), CL_MEM_READ_WRITE, 256, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
    for (int type = 0; type < 3; type++) {
        const DLTensor x = {.data = buffers[0], .device = opencl, .ndim = 2, .dtype = x_type, .shape = shape};
        const DLTensor y = {
            .data = buffers[1], .device = opencl, .ndim = 2, .dtype = y_types[type], .shape = shape};
        const DLTensor scales = {
            .data = buffers[2], .device = opencl, .ndim = 2, .dtype = CLQ_FLOAT8_E8M0FNU, .shape = blocks};
        const clq_status status = clq_dynamic_quantize_build(
            context, &(struct clq_dynamic_quantize_desc){
                         .x = &x, .y = &y, .scales = &scales, .symmetric = 1, .scale_rule = CLQ_MX_FLOOR});

        if (status != CLQ_OK)
            print_error("%s\n", clq_error_detail());
        assert_int_equal(status, CLQ_OK);
    }
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

void ask_all(clq_context *context, bool few)
{
    const DLDataType x_types[] = {CLQ_FLOAT32, CLQ_FLOAT16, CLQ_BFLOAT16};

    for (int x = 0; x < 3; x++) {
        ask_scales(context, x_types[x]);
        const bool all = !few || x == 1;

        ask_dynamic(context, x_types[x], !all);
        ask_blocks(context, x_types[x]);
        ask_rules(context, x_types[x]);
        ask_moves(context, x_types[x]);
        ask_apart(context, x_types[x]);
        for (int y = 0; y < (all ? TYPES : TYPES - 1); y++)
            for (uint32_t mode = CLQ_DIVIDE; mode <= CLQ_MULTIPLY; mode++)
                for (int params = 0; params < 3 && types[y].roles & CLQ_ROLE_QUANTIZED; params++)
                    ask_static(context, x_types[x], types[y].dtype, mode, params);
    }
    ask_scatter(context);
}
