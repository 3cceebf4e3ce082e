/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each rule of dense dynamic quantization: the status and the sentence of the refusal, and nothing
 * written. */
#include "refused.h"

enum { XS, SMOOTH, YS, SCALES, OFFSETS, BUFFERS };

/* Floats of 3.0 and of 2.0. */
static const unsigned char fillings[BUFFERS] = {
    [XS] = 0x40, [SMOOTH] = 0x40, [YS] = 0x41, [SCALES] = 0x42, [OFFSETS] = 0x43};

/* A call that is right, for a row to spoil: x float32 (6, 24), y int8, scale and offset (6). */
struct call {
    clq_context *context;
    cl_command_queue queue;
    cl_mem buffers[BUFFERS];
    int64_t x_shape[9], smooth_shape[2], y_shape[9], scale_shape[9], offset_shape[9], strides[2];
    DLTensor x, smooth_scale, y, scale, offset;
    struct clq_dynamic_quantize_desc given;
    const struct clq_dynamic_quantize_desc *desc;
    cl_uint num_wait;
    const cl_event *wait;
};

static void make_call(struct call *c)
{
    *c = (struct call){.context = harness.context,
                       .queue = harness.queue,
                       .x_shape = {6, 24},
                       .smooth_shape = {24, 1},
                       .y_shape = {6, 24},
                       .scale_shape = {6, 1},
                       .offset_shape = {6, 1},
                       .strides = {24, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->x = refused_tensor(c->buffers[XS], CLQ_FLOAT32, 2, c->x_shape);
    c->smooth_scale = refused_tensor(c->buffers[SMOOTH], CLQ_FLOAT32, 1, c->smooth_shape);
    c->y = refused_tensor(c->buffers[YS], CLQ_INT8, 2, c->y_shape);
    c->scale = refused_tensor(c->buffers[SCALES], CLQ_FLOAT32, 1, c->scale_shape);
    c->offset = refused_tensor(c->buffers[OFFSETS], CLQ_FLOAT32, 1, c->offset_shape);
    c->given = (struct clq_dynamic_quantize_desc){.x = &c->x,
                                                  .smooth_scales = &c->smooth_scale,
                                                  .y = &c->y,
                                                  .scales = &c->scale,
                                                  .offsets = &c->offset};
    c->desc = &c->given;
}

SPOIL_ANY
SPOIL(reserved, c->given.reserved[2] = 1)
SPOIL(zero, c->given.reserved32 = 1)
SPOIL(symmetric, c->given.symmetric = 2; c->given.offsets = NULL)
SPOIL(no_x, c->given.x = NULL)
SPOIL(no_y, c->given.y = NULL)
SPOIL(no_scale, c->given.scales = NULL)
SPOIL(no_offset, c->given.offsets = NULL)
SPOIL(symmetric_offset, c->given.symmetric = 1)
SPOIL(x_data, c->x.data = NULL)
SPOIL(scale_data, c->scale.data = NULL)
SPOIL(y_host, c->y.device.device_type = kDLCPU)
SPOIL(x_int8, c->x.dtype = CLQ_INT8)
SPOIL(smooth_int32, c->smooth_scale.dtype = CLQ_INT32)
SPOIL(y_uint8, c->y.dtype = CLQ_UINT8)
SPOIL(y_int32, c->y.dtype = CLQ_INT32)
SPOIL(y_float, c->y.dtype = CLQ_FLOAT32)
SPOIL(scale_half, c->scale.dtype = CLQ_FLOAT16)
SPOIL(offset_brain, c->offset.dtype = CLQ_BFLOAT16)
SPOIL(x_flat, c->x.ndim = c->y.ndim = 0; c->scale.ndim = c->offset.ndim = 0)
SPOIL(x_deep, c->x.ndim = 9)
SPOIL(y_rank, c->y.ndim = 1)
SPOIL(scale_rank, c->scale.ndim = 2)
SPOIL(offset_rank, c->offset.ndim = 0)
SPOIL(y_wide, c->y_shape[1] = 25)
SPOIL(y_long, c->y_shape[0] = 7)
SPOIL(scale_long, c->scale_shape[0] = 7)
SPOIL(offset_short, c->offset_shape[0] = 5)
SPOIL(smooth_count, c->smooth_shape[0] = 23)
SPOIL(smooth_one, c->smooth_shape[0] = 1)
SPOIL(no_length, c->x_shape[1] = c->y_shape[1] = c->smooth_shape[0] = 0)
SPOIL(bytes_many, c->y.dtype = CLQ_INT4_BYTES)
SPOIL(words_many, c->y.dtype = CLQ_INT4_WORDS; c->y_shape[1] = 4)
SPOIL(nibbles_odd, c->y.dtype = CLQ_INT4; c->x_shape[1] = c->y_shape[1] = c->smooth_shape[0] = 23)
SPOIL(negative_size, c->x_shape[0] = -6)
SPOIL(negative_stride, c->x.strides = c->strides; c->strides[0] = -24)
SPOIL(y_repeats, c->y.strides = c->strides; c->strides[0] = 0)
SPOIL(y_folds, c->y.strides = c->strides; c->strides[0] = 23)
SPOIL(scale_repeats, c->scale.strides = c->strides; c->strides[0] = 0)
SPOIL(offset_repeats, c->offset.strides = c->strides; c->strides[0] = 0)
SPOIL(x_offset, c->x.byte_offset = 2)
SPOIL(scale_offset, c->scale.byte_offset = 6)
SPOIL(x_end, c->x.byte_offset = REFUSED_BYTES - 572)
SPOIL(smooth_end, c->smooth_scale.byte_offset = REFUSED_BYTES - 92)
SPOIL(y_end, c->y.byte_offset = REFUSED_BYTES - 143)
SPOIL(scale_end, c->scale.byte_offset = REFUSED_BYTES - 20)
SPOIL(offset_end, c->offset.byte_offset = REFUSED_BYTES - 20)
SPOIL(x_huge, c->x_shape[0] = c->y_shape[0] = c->scale_shape[0] = c->offset_shape[0] = INT64_MAX / 8)
SPOIL(y_in_x, c->y.data = c->buffers[XS]; c->y.byte_offset = 575)
SPOIL(y_in_smooth, c->y.data = c->buffers[SMOOTH])
SPOIL(scale_in_x, c->scale.data = c->buffers[XS])
SPOIL(scale_in_smooth, c->scale.data = c->buffers[SMOOTH]; c->scale.byte_offset = 92)
SPOIL(scale_in_y, c->scale.data = c->buffers[YS]; c->scale.byte_offset = 140)
SPOIL(offset_in_x, c->offset.data = c->buffers[XS])
SPOIL(offset_in_y, c->offset.data = c->buffers[YS])
SPOIL(offset_in_scale, c->offset.data = c->buffers[SCALES]; c->offset.byte_offset = 20)
SPOIL(empty_wrong, c->x_shape[0] = c->y_shape[0] = c->offset_shape[0] = 0)

static const struct refused_row rows[] = {
    ROWS_OF_ANY,
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[2] is not 0: this library knows no such field"},
    {"zero is 1", zero, CLQ_ERROR_VALUE, "desc.reserved32 is 1, not 0: this library knows no such field"},
    {"symmetric is 2", symmetric, CLQ_ERROR_VALUE, "symmetric is 2: it must be 0 or 1"},
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "scales is NULL: it must be a tensor"},
    {"no offset", no_offset, CLQ_ERROR_NULL, "offsets is NULL: it must be a tensor"},
    {"an offset of what has none", symmetric_offset, CLQ_ERROR_VALUE,
     "offsets is given: it must be NULL where symmetric is 1"},
    {"x without data", x_data, CLQ_ERROR_NULL, "x.data is NULL: it must be a cl_mem"},
    {"scale without data", scale_data, CLQ_ERROR_NULL, "scales.data is NULL: it must be a cl_mem"},
    {"y on the host", y_host, CLQ_ERROR_VALUE,
     "y.device.device_type is 1: it must be kDLOpenCL (4), whose data is a cl_mem"},
    {"x of int8", x_int8, CLQ_ERROR_TYPE, "x.dtype is int8: " FLOATS},
    {"smooth scale of int32", smooth_int32, CLQ_ERROR_TYPE, "smooth_scales.dtype is int32: " FLOATS},
    {"y of uint8", y_uint8, CLQ_ERROR_TYPE, "y.dtype is uint8: it must be int8 or int4"},
    {"y of int32", y_int32, CLQ_ERROR_TYPE, "y.dtype is int32: it must be int8 or int4"},
    {"y of floats", y_float, CLQ_ERROR_TYPE, "y.dtype is float32: it must be int8 or int4"},
    {"scale of float16", scale_half, CLQ_ERROR_TYPE, "scales.dtype is float16: it must be float32"},
    {"offset of bfloat16", offset_brain, CLQ_ERROR_TYPE, "offsets.dtype is bfloat16: it must be float32"},
    {"x of rank 0", x_flat, CLQ_ERROR_RANK, "x.ndim is 0: it must be from 1 to 8"},
    {"x of rank 9", x_deep, CLQ_ERROR_RANK, "x.ndim is 9: it must be from 0 to 8"},
    {"y of another rank", y_rank, CLQ_ERROR_RANK, "y.ndim is 1: it must be the rank of x, 2"},
    {"scale of x's rank", scale_rank, CLQ_ERROR_RANK,
     "scales.ndim is 2: it must be 1, that of y less its last dimension"},
    {"offset of rank 0", offset_rank, CLQ_ERROR_RANK,
     "offsets.ndim is 0: it must be 1, that of y less its last dimension"},
    {"y wider than x", y_wide, CLQ_ERROR_SHAPE, "y.shape[1] is 25: it must be x.shape[1], 24"},
    {"y longer than x", y_long, CLQ_ERROR_SHAPE, "scales.shape[0] is 6: it must be y.shape[0], 7"},
    {"a scale too many", scale_long, CLQ_ERROR_SHAPE, "scales.shape[0] is 7: it must be y.shape[0], 6"},
    {"an offset too few", offset_short, CLQ_ERROR_SHAPE, "offsets.shape[0] is 5: it must be y.shape[0], 6"},
    {"a smooth scale too few", smooth_count, CLQ_ERROR_SHAPE,
     "smooth_scales has 23 elements: it must have one per element of a row, 24 as x.shape[1]"},
    {"one smooth scale", smooth_one, CLQ_ERROR_SHAPE,
     "smooth_scales has 1 elements: it must have one per element of a row, 24 as x.shape[1]"},
    {"rows of nothing", no_length, CLQ_ERROR_SHAPE, "x.shape[1] is 0: a row must have at least one element"},
    {"bytes of two, as many as x", bytes_many, CLQ_ERROR_SHAPE,
     "y.shape[1] is 24, of 2 int4 elements each: it must be a half of x.shape[1], 24"},
    {"a word of eight too many", words_many, CLQ_ERROR_SHAPE,
     "y.shape[1] is 4, of 8 int4 elements each: it must be an eighth of x.shape[1], 24"},
    {"packed int4 of odd size", nibbles_odd, CLQ_ERROR_SHAPE,
     "y.shape[1] is 23: the last dimension of packed int4 must be even"},
    {"a negative size", negative_size, CLQ_ERROR_SHAPE, "x.shape[0] is -6: it must not be negative"},
    {"a negative stride", negative_stride, CLQ_ERROR_LAYOUT, "x.strides[0] is -24: it must not be negative"},
    {"rows of y in one place", y_repeats, CLQ_ERROR_OVERLAP, "y.strides[0] is 0" OVERLAPS "1" SPAN},
    {"rows of y that overlap", y_folds, CLQ_ERROR_OVERLAP, "y.strides[0] is 23" OVERLAPS "24" SPAN},
    {"scales in one place", scale_repeats, CLQ_ERROR_OVERLAP, "scales.strides[0] is 0" OVERLAPS "1" SPAN},
    {"offsets in one place", offset_repeats, CLQ_ERROR_OVERLAP, "offsets.strides[0] is 0" OVERLAPS "1" SPAN},
    {"x at half a float", x_offset, CLQ_ERROR_LAYOUT,
     "x.byte_offset is 2: it must be a multiple of the element's 4 bytes"},
    {"scale at half a float", scale_offset, CLQ_ERROR_LAYOUT,
     "scales.byte_offset is 6: it must be a multiple of the element's 4 bytes"},
    {"x past its buffer", x_end, CLQ_ERROR_SIZE, SHORT("x") "65540"},
    {"smooth scale past its buffer", smooth_end, CLQ_ERROR_SIZE, SHORT("smooth_scales") "65540"},
    {"y past its buffer", y_end, CLQ_ERROR_SIZE, SHORT("y") "65537"},
    {"scale past its buffer", scale_end, CLQ_ERROR_SIZE, SHORT("scales") "65540"},
    {"offset past its buffer", offset_end, CLQ_ERROR_SIZE, SHORT("offsets") "65540"},
    {"x of 2^64", x_huge, CLQ_ERROR_OVERFLOW,
     "x has more than 2^63 elements: the product of its shape must fit into 63 bits"},
    {"y in x", y_in_x, CLQ_ERROR_OVERLAP, DISJOINT("y", "x")},
    {"y in the smooth scale", y_in_smooth, CLQ_ERROR_OVERLAP, DISJOINT("y", "smooth_scales")},
    {"scale in x", scale_in_x, CLQ_ERROR_OVERLAP, DISJOINT("scales", "x")},
    {"scale in the smooth scale", scale_in_smooth, CLQ_ERROR_OVERLAP, DISJOINT("scales", "smooth_scales")},
    {"scale in y", scale_in_y, CLQ_ERROR_OVERLAP, DISJOINT("y", "scales")},
    {"offset in x", offset_in_x, CLQ_ERROR_OVERLAP, DISJOINT("offsets", "x")},
    {"offset in y", offset_in_y, CLQ_ERROR_OVERLAP, DISJOINT("y", "offsets")},
    {"offset in scale", offset_in_scale, CLQ_ERROR_OVERLAP, DISJOINT("scales", "offsets")},
    {"nothing to do, and wrong", empty_wrong, CLQ_ERROR_SHAPE,
     "scales.shape[0] is 6: it must be y.shape[0], 0"},
};

/* A build checks the same, but for what it does not have. */
static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    refused_expect(clq_dynamic_quantize(c.context, c.queue, c.desc, c.num_wait, c.wait, &done), row->status,
                   row->sentence, row->name);
    refused_expect_check(clq_dynamic_quantize_check(c.desc), row);
    if (c.queue != NULL && c.num_wait == 0 && c.wait == NULL)
        refused_expect(clq_dynamic_quantize_build(c.context, c.desc), row->status, row->sentence, row->name);
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    expect_status(clq_dynamic_quantize(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "the call");
    expect_status(clq_dynamic_quantize_build(c.context, c.desc), CLQ_OK, "the build");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(c.buffers[YS], fillings[YS]));
    assert_false(refused_untouched(c.buffers[SCALES], fillings[SCALES]));
    assert_false(refused_untouched(c.buffers[OFFSETS], fillings[OFFSETS]));
    refused_release(c.buffers, BUFFERS);
}

/* Only what is written must be apart; without an offset that is one tensor less. */
static void what_is_read_may_share(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    c.smooth_scale.data = c.x.data;
    expect_status(clq_dynamic_quantize(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "with an offset");
    c.given.symmetric = 1;
    c.given.offsets = NULL;
    expect_status(clq_dynamic_quantize(c.context, c.queue, c.desc, 0, NULL, NULL), CLQ_OK, "without one");
    expect_cl(clFinish(harness.queue), "clFinish");
    refused_release(c.buffers, BUFFERS);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 2];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    tests[1] = (struct CMUnitTest)cmocka_unit_test(what_is_read_may_share);
    refused_tests(tests + 2, rows, COUNT(rows), refuses);
    return HARNESS_RUN(argc, argv, "bad_input_dynamic", tests);
}
