/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call DynamicQuantUpdateScatterV2: its rules. What it computes is harness.documented.* */
#include "refused.h"

enum { XS, INDICES, VAR, SCALES, OFFSETS, BUFFERS };
static const unsigned char fillings[BUFFERS] = {
    [XS] = 0x40, [INDICES] = 0, [VAR] = 0x41, [SCALES] = 0x42, [OFFSETS] = 0x43};

/* A call that is right, for a row to spoil: x float32 (4, 1, 8), var int4 (4, 6, 1, 8). */
struct call {
    cl_mem buffers[BUFFERS];
    int64_t x_shape[3], indices_shape[2], var_shape[4], scale_shape[3], offset_shape[3];
    DLTensor x, indices, var, scale, offset;
    const DLTensor *given[BUFFERS];
};

static void make_call(struct call *c)
{
    *c = (struct call){.x_shape = {4, 1, 8},
                       .indices_shape = {4, 2},
                       .var_shape = {4, 6, 1, 8},
                       .scale_shape = {4, 6, 1},
                       .offset_shape = {4, 6, 1}};
    refused_make(c->buffers, fillings, BUFFERS);
    c->x = refused_tensor(c->buffers[XS], CLQ_FLOAT32, 3, c->x_shape);
    c->indices = refused_tensor(c->buffers[INDICES], CLQ_INT32, 1, c->indices_shape);
    c->var = refused_tensor(c->buffers[VAR], CLQ_INT4, 4, c->var_shape);
    c->scale = refused_tensor(c->buffers[SCALES], CLQ_FLOAT32, 2, c->scale_shape);
    c->offset = refused_tensor(c->buffers[OFFSETS], CLQ_FLOAT32, 3, c->offset_shape);
    c->given[XS] = &c->x;
    c->given[INDICES] = &c->indices;
    c->given[VAR] = &c->var;
    c->given[SCALES] = &c->scale;
    c->given[OFFSETS] = &c->offset;
}

static clq_status run(const struct call *c, cl_event *done)
{
    return clq_dynamic_quant_update_scatter_v2(harness.context, harness.queue, c->given[XS],
                                               c->given[INDICES], c->given[VAR], c->given[SCALES],
                                               c->given[OFFSETS], 0, NULL, done);
}

SPOIL(no_x, c->given[XS] = NULL)
SPOIL(no_offset, c->given[OFFSETS] = NULL)
SPOIL(x_flat, c->x.ndim = 2)
SPOIL(x_long, c->x_shape[1] = 2)
SPOIL(x_batches, c->x_shape[0] = 3)
SPOIL(x_shapeless, c->x.shape = NULL)
SPOIL(x_int8, c->x.dtype = CLQ_INT8)
SPOIL(pairs, c->indices.ndim = 2)
SPOIL(few_indices, c->indices_shape[0] = 3)
SPOIL(var_flat, c->var.ndim = 3)
SPOIL(var_heads, c->var_shape[2] = 2)
SPOIL(var_int8, c->var.dtype = CLQ_INT8)
SPOIL(var_wide, c->var_shape[3] = 10)
SPOIL(words_wide, c->var.dtype = CLQ_INT32)
SPOIL(odd, c->x_shape[2] = c->var_shape[3] = 7)
SPOIL(scale_flat, c->scale.ndim = 1)
SPOIL(scale_short, c->scale_shape[1] = 5)
SPOIL(scale_half, c->scale.dtype = CLQ_FLOAT16)
SPOIL(offset_heads, c->offset_shape[2] = 2)
SPOIL(offset_in_scale, c->offset.data = c->scale.data)

static const struct refused_row rows[] = {
    {"no x", no_x, CLQ_ERROR_NULL, "x is NULL: it must be a tensor"},
    {"no offset", no_offset, CLQ_ERROR_NULL, "var_offset is NULL: it must be a tensor"},
    {"x of rank 2", x_flat, CLQ_ERROR_RANK, "x.ndim is 2: it must be 3, [B, 1, H]"},
    {"two tokens a batch", x_long, CLQ_ERROR_SHAPE, "x.shape[1] is 2: it must be 1, as in [B, 1, H]"},
    {"fewer rows than batches", x_batches, CLQ_ERROR_SHAPE, "x.shape[0] is 3: it must be var.shape[0], 4"},
    {"x without a shape", x_shapeless, CLQ_ERROR_NULL, "x.shape is NULL: it must have 3 dimensions"},
    {"x of int8", x_int8, CLQ_ERROR_TYPE, "x.dtype is int8: it must be float32, float16 or bfloat16"},
    {"indices of pairs", pairs, CLQ_ERROR_RANK, "indices.ndim is 2: it must be 1, [B]"},
    {"an index too few", few_indices, CLQ_ERROR_SHAPE, "indices.shape[0] is 3: it must be x.shape[0], 4"},
    {"var of rank 3", var_flat, CLQ_ERROR_RANK, "var.ndim is 3: it must be 4, [B, S, 1, H]"},
    {"var of two heads", var_heads, CLQ_ERROR_SHAPE, "var.shape[2] is 2: it must be 1, as in [B, S, 1, H]"},
    {"var of int8", var_int8, CLQ_ERROR_TYPE,
     "var.dtype is int8: it must be int4, in int32 words or in uint8 bytes"},
    {"var wider than x", var_wide, CLQ_ERROR_SHAPE, "var.shape[3] is 10: it must be x.shape[3], 8"},
    {"as many words as elements", words_wide, CLQ_ERROR_SHAPE, "var.shape[3] is 8, "},
    {"rows of 7", odd, CLQ_ERROR_SHAPE,
     "var.shape[3] is 7: the last dimension of packed int4 must be a multiple of 2"},
    {"scales of rank 1", scale_flat, CLQ_ERROR_RANK,
     "var_scale.ndim is 1: it must be 3, [B, S, 1], or 2, [B, S]"},
    {"a scale too few", scale_short, CLQ_ERROR_SHAPE, "var_scale.shape[1] is 5: it must be var.shape[1], 6"},
    {"scales of float16", scale_half, CLQ_ERROR_TYPE, "var_scale.dtype is float16: it must be float32"},
    {"offsets of two heads", offset_heads, CLQ_ERROR_SHAPE,
     "var_offset.shape[2] is 2: it must be 1, as in [B, S, 1], or 2, [B, S]"},
    {"offsets in the scales", offset_in_scale, CLQ_ERROR_OVERLAP,
     "var_scale shares bytes of its buffer with var_offset: their byte ranges must be disjoint"},
};

TEST(refuses)
{
    struct call c;
    cl_event done = NULL;

    make_call(&c);
    expect_status(run(&c, NULL), CLQ_OK, "the call itself");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(c.buffers[VAR], fillings[VAR]));
    refused_release(c.buffers, BUFFERS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_call(&c);
        rows[i].spoil(&c);
        refused_expect(run(&c, &done), rows[i].status, rows[i].sentence, rows[i].name);
        refused_expect_nothing(&done, c.buffers, fillings, BUFFERS);
        refused_release(c.buffers, BUFFERS);
    }
}

HARNESS_MAIN("dynamic_quant_update_scatter_v2")
