/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_group_quant: what it computes, and what it refuses. */
#include "refused.h"
#include "tensor.h"

#include <string.h>

struct npu_case {
    const char *name;
    int64_t rows, inner;
    int64_t groups;
    int64_t ends[6];
    bool words;    /* quint4x2 */
    bool as_int32; /* as (kDLInt, 32, 1), as frameworks export it; else as (kDLInt, 4, 8) */
};

static const struct npu_case cases[] = {
    {"the documented default, int8", 6, 40, 4, {1, 4, 6, 6}, false, false},
    {"one group", 5, 7, 1, {5}, false, false},
    {"an odd last dimension", 9, 13, 3, {2, 2, 9}, false, false},
    {"empty groups at both ends", 4, 16, 6, {0, 0, 1, 3, 4, 4}, false, false},
    {"rows of no group keep their bytes", 7, 16, 2, {3, 5}, false, false},
    {"ends out of order", 8, 16, 5, {6, 2, -1, 9, 8}, false, false},
    {"quint4x2, words of int32", 6, 24, 3, {2, 3, 6}, true, true},
    {"quint4x2, words of int4", 6, 24, 3, {2, 3, 6}, true, false},
    {"quint4x2, rows of no group", 5, 8, 1, {3}, true, true},
    {"no rows", 0, 8, 2, {0, 0}, false, false},
    {"no columns", 3, 0, 2, {1, 3}, true, true},
};

struct npu_tensors {
    struct tensor x, scale, group_index, offset, y;
};

static void fill(struct tensor *tensor, struct random *random, double amplitude, double least)
{
    for (int64_t i = 0, slots = tensor_slots(tensor); i < slots; i++) {
        const double value = (2.0 * random_unit(random) - 1.0) * amplitude;

        tensor_set_slot(tensor, i, value + (value < 0 ? -least : least));
    }
}

static void make(struct tensor *tensor, enum reference_type type, int lanes, int rank, int64_t a, int64_t b)
{
    const struct layout layout = layout_dense(type, lanes, rank, (int64_t[]){a, b});

    tensor_init(tensor, &layout);
}

static void make_tensors(struct npu_tensors *t, const struct npu_case *c, enum reference_type x,
                         enum reference_type scale, enum reference_type index)
{
    struct random random = random_of(harness.seed);

    make(&t->x, x, 1, 2, c->rows, c->inner);
    make(&t->scale, scale, 1, 2, c->groups, c->inner);
    make(&t->group_index, index, 1, 1, c->groups, 1);
    make(&t->offset, scale, 1, 1, 1, 1);
    make(&t->y, c->words ? REFERENCE_I4 : REFERENCE_I8, c->words ? 8 : 1, 2, c->rows,
         c->words ? c->inner / 8 : c->inner);
    fill(&t->x, &random, c->words ? 6.0 : 80.0, 0.0);
    fill(&t->scale, &random, 1.5, 0.1);
    fill(&t->offset, &random, 5.0, 0.1);
    for (int64_t g = 0; g < c->groups; g++) {
        unsigned char *at = t->group_index.image + t->group_index.dl.byte_offset;
        const int32_t narrow = (int32_t)c->ends[g];

        if (index == REFERENCE_I64)
            memcpy(at + g * 8, &c->ends[g], 8);
        else
            memcpy(at + g * 4, &narrow, 4);
    }
    memset(t->y.image, 0x5a, t->y.size_bytes);
    assert_true(tensor_upload(&t->x, harness.queue) && tensor_upload(&t->scale, harness.queue) &&
                tensor_upload(&t->group_index, harness.queue) && tensor_upload(&t->offset, harness.queue) &&
                tensor_upload(&t->y, harness.queue));
    if (c->as_int32)
        t->y.dl.dtype = CLQ_INT32;
}

static void clear_tensors(struct npu_tensors *t)
{
    tensor_clear(&t->x);
    tensor_clear(&t->scale);
    tensor_clear(&t->group_index);
    tensor_clear(&t->offset);
    tensor_clear(&t->y);
}

static void expect_reference(const struct npu_tensors *t, const struct npu_case *c, bool has_offset)
{
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image),
                                  scale = tensor_reference(&t->scale, t->scale.image),
                                  ends = tensor_reference(&t->group_index, t->group_index.image),
                                  offset = tensor_reference(&t->offset, t->offset.image),
                                  y = tensor_reference(&t->y, t->y.image);

    reference_npu_group_quant(&(struct reference_npu_group_quant_desc){
        .x = &x, .scale = &scale, .group_index = &ends, .offset = has_offset ? &offset : NULL, .y = &y});
    assert_true(tensor_holds(&t->y, harness.queue, t->y.image, c->name));
}

static void matches_reference(void **state)
{
    static const enum reference_type floats[] = {FLOAT_TYPES};
    const struct npu_case *c = *state;

    for (int i = 0; i < 36; i++) {
        const bool has_offset = i & 1;
        struct npu_tensors t;
        cl_event done = NULL;

        make_tensors(&t, c, floats[i / 4 % 3], floats[i / 12], i & 2 ? REFERENCE_I64 : REFERENCE_I32);
        expect_status(clq_npu_group_quant(harness.context, harness.queue, &t.x.dl, &t.scale.dl,
                                          &t.group_index.dl, has_offset ? &t.offset.dl : NULL,
                                          c->words ? CLQ_NPU_QUINT4X2 : CLQ_NPU_QINT8, &t.y.dl, 0, NULL,
                                          &done),
                      CLQ_OK, c->name);
        expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
        clReleaseEvent(done);
        expect_reference(&t, c, has_offset);
        clear_tensors(&t);
    }
}

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

static void the_call_itself_is_right(void **state)
{
    (void)state;
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

int main(int argc, char **argv)
{
    struct CMUnitTest tests[1 + COUNT(cases) + COUNT(bad_rows)];
    struct CMUnitTest *at = tests;

    *at++ = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    for (size_t i = 0; i < COUNT(cases); i++)
        *at++ = (struct CMUnitTest){
            .name = cases[i].name, .test_func = matches_reference, .initial_state = (void *)&cases[i]};
    refused_tests(at, bad_rows, COUNT(bad_rows), refuses);
    return HARNESS_RUN(argc, argv, "npu_group_quant", tests);
}
