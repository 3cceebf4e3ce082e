/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_group_quant: what it refuses. What it computes is harness.documented.* */
#include "refused.h"

#include <string.h>

enum { X, SCALE, GROUP_INDEX, OFFSET, Y, BUFFERS };

/* Floats of 3.0, and ends beyond all rows. */
static const unsigned char fillings[BUFFERS] = {
    [X] = 0x40, [SCALE] = 0x40, [GROUP_INDEX] = 0x41, [OFFSET] = 0x40, [Y] = 0x42};

/* A call that is right, for a row to spoil: x float32 (4, 16), scale float32 (3, 16), group_index int32 (3),
 * offset float32 (1), y int8 (4, 16). */
struct call {
    cl_mem buffers[BUFFERS];
    DLTensor tensors[BUFFERS];
    int64_t shapes[BUFFERS][9];
    const DLTensor *arguments[BUFFERS];
    int dst_dtype;
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait;
};

static void make_bad_call(struct call *c)
{
    static const int64_t shapes[BUFFERS][9] = {
        [X] = {4, 16, 1}, [SCALE] = {3, 16, 1}, [GROUP_INDEX] = {3, 1}, [OFFSET] = {1}, [Y] = {4, 16, 1}};
    static const int ranks[BUFFERS] = {2, 2, 1, 1, 2};
    const DLDataType dtypes[BUFFERS] = {CLQ_FLOAT32, CLQ_FLOAT32, CLQ_INT32, CLQ_FLOAT32, CLQ_INT8};

    *c = (struct call){.dst_dtype = CLQ_NPU_QINT8, .context = harness.context, .queue = harness.queue};
    memcpy(c->shapes, shapes, sizeof(shapes));
    refused_make(c->buffers, fillings, BUFFERS);
    for (int i = 0; i < BUFFERS; i++) {
        c->tensors[i] = refused_tensor(c->buffers[i], dtypes[i], ranks[i], c->shapes[i]);
        c->arguments[i] = &c->tensors[i];
    }
}

static clq_status run_bad_call(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->arguments;

    return clq_npu_group_quant(c->context, c->queue, a[X], a[SCALE], a[GROUP_INDEX], a[OFFSET],
                               (enum clq_npu_dtype)c->dst_dtype, a[Y], c->num_wait, NULL, done);
}

static void to_words(struct call *c)
{
    c->dst_dtype = CLQ_NPU_QUINT4X2;
    c->tensors[Y].dtype = CLQ_INT32;
    c->shapes[Y][1] = 2;
}

SPOIL(no_x, c->arguments[X] = NULL)
SPOIL(no_scale, c->arguments[SCALE] = NULL)
SPOIL(no_group_index, c->arguments[GROUP_INDEX] = NULL)
SPOIL(no_y, c->arguments[Y] = NULL)
SPOIL(no_context, c->context = NULL)
SPOIL(no_queue, c->queue = NULL)
SPOIL(wait_missing, c->num_wait = 1)
SPOIL(dst_zero, c->dst_dtype = 0)
SPOIL(dst_quint8, c->dst_dtype = CLQ_NPU_QUINT8)
SPOIL(dst_int32, c->dst_dtype = CLQ_NPU_INT32)
SPOIL(dst_five, c->dst_dtype = 5)
SPOIL(offset_half, c->tensors[OFFSET].dtype = CLQ_FLOAT16)
SPOIL(offset_int8, c->tensors[OFFSET].dtype = CLQ_INT8)
SPOIL(offsets, c->shapes[OFFSET][0] = 3)
SPOIL(y_uint8, c->tensors[Y].dtype = CLQ_UINT8)
SPOIL(y_int4, c->tensors[Y].dtype = CLQ_INT4_WORDS; c->shapes[Y][1] = 2)
SPOIL(y_words, c->tensors[Y].dtype = CLQ_INT32)
SPOIL(words_int8, to_words(c); c->tensors[Y].dtype = CLQ_INT8)
SPOIL(words_bytes, to_words(c); c->tensors[Y].dtype = CLQ_INT4_BYTES)
SPOIL(words_of_12, to_words(c); c->shapes[X][1] = c->shapes[SCALE][1] = 12; c->shapes[Y][1] = 1)
SPOIL(words_many, to_words(c); c->shapes[Y][1] = 16)
SPOIL(words_deep, to_words(c); c->tensors[X].ndim = 1000)
SPOIL(words_flat, to_words(c); c->tensors[X].ndim = 0)
SPOIL(words_shapeless, to_words(c); c->tensors[X].shape = NULL)
SPOIL(x_flat, c->tensors[X].ndim = 1)
SPOIL(x_cube, c->tensors[X].ndim = 3)
SPOIL(scale_flat, c->tensors[SCALE].ndim = 1)
SPOIL(scale_narrow, c->shapes[SCALE][1] = 1)
SPOIL(no_groups, c->shapes[SCALE][0] = c->shapes[GROUP_INDEX][0] = 0)
SPOIL(few_ends, c->shapes[GROUP_INDEX][0] = 2)
SPOIL(group_index_square, c->tensors[GROUP_INDEX].ndim = 2)
SPOIL(group_index_float, c->tensors[GROUP_INDEX].dtype = CLQ_FLOAT32)
SPOIL(x_int8, c->tensors[X].dtype = CLQ_INT8)
SPOIL(y_is_x, c->tensors[Y].data = c->buffers[X])
SPOIL(y_end, c->tensors[Y].byte_offset = REFUSED_BYTES - 63)

#define DST      ": it must be CLQ_NPU_QINT8 (1) or CLQ_NPU_QUINT4X2 (4)"
#define OF_SCALE ": it must be that of scale, float32"
#define WORDS    ": for dst_dtype quint4x2 it must be int32 words, (kDLInt, 32, 1) or (kDLInt, 4, 8)"

static const struct refused_row bad_rows[] = {
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no scale", no_scale, CLQ_ERROR_NULL, "scale is NULL: it must be a tensor"},
    {"no group_index", no_group_index, CLQ_ERROR_NULL, "group_index is NULL: it must be a tensor"},
    {"no y", no_y, CLQ_ERROR_NULL, "y is NULL: it must be a tensor"},
    {"no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"},
    {"no queue", no_queue, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue"},
    {"a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,
     "num_wait is 1 and wait is NULL: a wait list has both or neither"},
    {"dst_dtype 0", dst_zero, CLQ_ERROR_VALUE, "dst_dtype is 0" DST},
    {"dst_dtype quint8", dst_quint8, CLQ_ERROR_VALUE, "dst_dtype is 2" DST},
    {"dst_dtype int32", dst_int32, CLQ_ERROR_VALUE, "dst_dtype is 3" DST},
    {"dst_dtype 5", dst_five, CLQ_ERROR_VALUE, "dst_dtype is 5" DST},
    {"an offset of another float", offset_half, CLQ_ERROR_TYPE, "offset.dtype is float16" OF_SCALE},
    {"an offset of int8", offset_int8, CLQ_ERROR_TYPE, "offset.dtype is int8" OF_SCALE},
    {"an offset a group", offsets, CLQ_ERROR_SHAPE, "offset has 3 elements: it must have 1"},
    {"y of uint8", y_uint8, CLQ_ERROR_TYPE, "y.dtype is uint8: for dst_dtype int8 it must be int8"},
    {"y of int4", y_int4, CLQ_ERROR_TYPE, "y.dtype is int4 in words: for dst_dtype int8 it must be int8"},
    {"y of words", y_words, CLQ_ERROR_TYPE, "y.dtype is int32: for dst_dtype int8 it must be int8"},
    {"quint4x2 in int8", words_int8, CLQ_ERROR_TYPE, "y.dtype is int8" WORDS},
    {"quint4x2 in bytes", words_bytes, CLQ_ERROR_TYPE, "y.dtype is int4 in bytes" WORDS},
    {"quint4x2 of 12", words_of_12, CLQ_ERROR_SHAPE,
     "x.shape[1] is 12: for dst_dtype quint4x2 the last dimension must be divisible by 8"},
    {"quint4x2, as many words as x", words_many, CLQ_ERROR_SHAPE,
     "y.shape[1] is 16, of 8 int4 elements each: it must be an eighth of x.shape[1], 16"},
    {"quint4x2 of rank 1000", words_deep, CLQ_ERROR_RANK, "x.ndim is 1000: it must be from 0 to 8"},
    {"quint4x2 of rank 0", words_flat, CLQ_ERROR_RANK, "x.ndim is 0: with group_index it must be 2"},
    {"quint4x2 without a shape", words_shapeless, CLQ_ERROR_NULL, "x.shape is NULL: it must have 2 values"},
    {"x of rank 1", x_flat, CLQ_ERROR_RANK, "x.ndim is 1: with group_index it must be 2"},
    {"x of rank 3", x_cube, CLQ_ERROR_RANK, "x.ndim is 3: with group_index it must be 2"},
    {"scale of rank 1", scale_flat, CLQ_ERROR_RANK, "scale.ndim is 1: with group_index it must be 2"},
    {"a scale a group", scale_narrow, CLQ_ERROR_SHAPE, "scale.shape[1] is 1: it must be x.shape[1], 16"},
    {"no group", no_groups, CLQ_ERROR_SHAPE, "scale.shape[0] is 0: there must be at least one group"},
    {"fewer ends than groups", few_ends, CLQ_ERROR_SHAPE,
     "group_index.shape[0] is 2: it must be scale.shape[0], 3"},
    {"group_index of rank 2", group_index_square, CLQ_ERROR_RANK, "group_index.ndim is 2: it must be 1"},
    {"group_index of floats", group_index_float, CLQ_ERROR_TYPE,
     "group_index.dtype is float32: it must be int32 or int64"},
    {"x of int8", x_int8, CLQ_ERROR_TYPE, "x.dtype is int8: it must be float32, float16 or bfloat16"},
    {"y is x", y_is_x, CLQ_ERROR_OVERLAP,
     "y shares bytes of its buffer with x: their byte ranges must be disjoint"},
    {"y past its buffer", y_end, CLQ_ERROR_SIZE,
     "y.data has 65536 bytes: shape x strides + byte_offset ask for 65537"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    cl_event done = NULL;
    struct call c;

    make_bad_call(&c);
    row->spoil(&c);
    refused_expect(run_bad_call(&c, &done), row->status, row->sentence, row->name);
    refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
    refused_release(c.buffers, BUFFERS);
}

TEST(the_call_itself_is_right)
{
    for (int words = 0; words < 2; words++) {
        struct call c;

        make_bad_call(&c);
        if (words)
            to_words(&c);
        expect_status(run_bad_call(&c, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(c.buffers[Y], fillings[Y]));
        refused_release(c.buffers, BUFFERS);
    }
}

TEST_OF_ROWS(refuses, bad_rows, name)

HARNESS_MAIN("npu_group_quant")
