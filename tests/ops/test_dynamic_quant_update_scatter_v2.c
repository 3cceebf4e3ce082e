/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call DynamicQuantUpdateScatterV2: its rules. What it computes is harness.documented.* */
#include "refused.h"

enum { XS, INDICES, VAR, SCALES, OFFSETS, BUFFERS };

/* x float32 (4, 1, 8), var int4 (4, 6, 1, 8). */
static const struct refused_tensor given[BUFFERS] = {[XS] = {0x40, CLQ_FLOAT32, 3, {4, 1, 8}},
                                                     [INDICES] = {0, CLQ_INT32, 1, {4, 2}},
                                                     [VAR] = {0x41, CLQ_INT4, 4, {4, 6, 1, 8}},
                                                     [SCALES] = {0x42, CLQ_FLOAT32, 2, {4, 6, 1}},
                                                     [OFFSETS] = {0x43, CLQ_FLOAT32, 3, {4, 6, 1}}};

struct call {
    struct refused_call r;
};

static void make_call(struct call *c, int which)
{
    (void)which;
    refused_make(&c->r, given, BUFFERS);
}

static clq_status run(const struct call *c, cl_event *done)
{
    const DLTensor *const *a = c->r.arguments;

    return clq_dynamic_quant_update_scatter_v2(harness.context, harness.queue, a[XS], a[INDICES], a[VAR],
                                               a[SCALES], a[OFFSETS], 0, NULL, done);
}

REFUSES(make_call, run)

REFUSED(0, "no x", CLQ_ERROR_NULL, NO("x"), r->arguments[XS] = NULL)
REFUSED(0, "no offset", CLQ_ERROR_NULL, NO("var_offset"), r->arguments[OFFSETS] = NULL)
REFUSED(0, "x of rank 2", CLQ_ERROR_RANK, "x.ndim is 2: it must be 3, [B, 1, H]", r->tensors[XS].ndim = 2)
REFUSED(0, "two tokens a batch", CLQ_ERROR_SHAPE, "x.shape[1] is 2: it must be 1, as in [B, 1, H]",
        r->shapes[XS][1] = 2)
REFUSED(0, "fewer rows than batches", CLQ_ERROR_SHAPE, "x.shape[0] is 3: it must be var.shape[0], 4",
        r->shapes[XS][0] = 3)
REFUSED(0, "x without a shape", CLQ_ERROR_NULL, "x.shape is NULL: it must have 3 dimensions",
        r->tensors[XS].shape = NULL)
REFUSED(0, "x of int8", CLQ_ERROR_TYPE, "x.dtype is int8: it must be float32, float16 or bfloat16",
        r->tensors[XS].dtype = CLQ_INT8)
REFUSED(0, "indices of pairs", CLQ_ERROR_RANK, "indices.ndim is 2: it must be 1, [B]",
        r->tensors[INDICES].ndim = 2)
REFUSED(0, "an index too few", CLQ_ERROR_SHAPE, "indices.shape[0] is 3: it must be x.shape[0], 4",
        r->shapes[INDICES][0] = 3)
REFUSED(0, "var of rank 3", CLQ_ERROR_RANK, "var.ndim is 3: it must be 4, [B, S, 1, H]",
        r->tensors[VAR].ndim = 3)
REFUSED(0, "var of two heads", CLQ_ERROR_SHAPE, "var.shape[2] is 2: it must be 1, as in [B, S, 1, H]",
        r->shapes[VAR][2] = 2)
REFUSED(0, "var of int8", CLQ_ERROR_TYPE,
        "var.dtype is int8: it must be int4, in int32 words or in uint8 bytes",
        r->tensors[VAR].dtype = CLQ_INT8)
REFUSED(0, "var wider than x", CLQ_ERROR_SHAPE, "var.shape[3] is 10: it must be x.shape[3], 8",
        r->shapes[VAR][3] = 10)
REFUSED(0, "as many words as elements", CLQ_ERROR_SHAPE, "var.shape[3] is 8, ",
        r->tensors[VAR].dtype = CLQ_INT32)
REFUSED(0, "rows of 7", CLQ_ERROR_SHAPE,
        "var.shape[3] is 7: the last dimension of packed int4 must be a multiple of 2",
        r->shapes[XS][2] = r->shapes[VAR][3] = 7)
REFUSED(0, "scales of rank 1", CLQ_ERROR_RANK, "var_scale.ndim is 1: it must be 3, [B, S, 1], or 2, [B, S]",
        r->tensors[SCALES].ndim = 1)
REFUSED(0, "a scale too few", CLQ_ERROR_SHAPE, "var_scale.shape[1] is 5: it must be var.shape[1], 6",
        r->shapes[SCALES][1] = 5)
REFUSED(0, "scales of float16", CLQ_ERROR_TYPE, "var_scale.dtype is float16: it must be float32",
        r->tensors[SCALES].dtype = CLQ_FLOAT16)
REFUSED(0, "offsets of two heads", CLQ_ERROR_SHAPE,
        "var_offset.shape[2] is 2: it must be 1, as in [B, S, 1], or 2, [B, S]", r->shapes[OFFSETS][2] = 2)
REFUSED(0, "offsets in the scales", CLQ_ERROR_OVERLAP, SHARES("var_scale", "var_offset"),
        r->tensors[OFFSETS].data = r->tensors[SCALES].data)

TEST(the_call_itself_is_right)
{
    struct call c;

    make_call(&c, 0);
    expect_status(run(&c, NULL), CLQ_OK, "the call itself");
    expect_cl(clFinish(harness.queue), "clFinish");
    assert_false(refused_untouched(&c.r, VAR));
    refused_clear(&c.r);
}

HARNESS_MAIN("dynamic_quant_update_scatter_v2")
