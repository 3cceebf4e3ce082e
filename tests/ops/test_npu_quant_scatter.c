/* SPDX-License-Identifier: Apache-2.0 */
/* The documented calls npu_quant_scatter and npu_quant_scatter_: what they refuse. What they compute is
 * harness.documented.* */
#include "refused.h"

#include <stdio.h>
#include <string.h>

enum { INPUT, CACHE, INDICES, UPDATES, SCALES, ZERO_POINTS, BUFFERS };

/* Cache int8 (4, 8, 16), indices int32 (3, 2), updates float32 (3, 2, 16). */
static const struct refused_tensor given[BUFFERS] = {
    [INPUT] = {0x41, CLQ_INT8, 3, {4, 8, 16, 1, 1, 1, 1, 1, 1}},
    [CACHE] = {0x40, CLQ_INT8, 3, {4, 8, 16, 1, 1, 1, 1, 1, 1}},
    [INDICES] = {0, CLQ_INT32, 2, {3, 2, 1}},
    [UPDATES] = {0x40, CLQ_FLOAT32, 3, {3, 2, 16, 1, 1, 1, 1, 1, 1}},
    [SCALES] = {0x40, CLQ_FLOAT32, 1, {16, 1, 1}},
    [ZERO_POINTS] = {0x02, CLQ_INT8, 1, {16, 1, 1}}};

struct call {
    struct refused_call r;
    int axis, quant_axis;
    const char *reduce, *round_mode;
    int dst_type;
};

static void make_call(struct call *c)
{
    *c = (struct call){.axis = -2, .quant_axis = -1, .reduce = "update"};
    refused_make(&c->r, given, BUFFERS);
}

static clq_status run_call(const struct call *c, bool copies, cl_event *done)
{
    const struct refused_call *const r = &c->r;
    const DLTensor *const *a = r->arguments;

    return copies ? clq_npu_quant_scatter(r->context, r->queue, a[INPUT], a[INDICES], a[UPDATES], a[SCALES],
                                          a[ZERO_POINTS], c->axis, c->quant_axis, c->reduce,
                                          (enum clq_npu_dtype)c->dst_type, c->round_mode, a[CACHE],
                                          r->num_wait, NULL, done)
                  : clq_npu_quant_scatter_(r->context, r->queue, a[CACHE], a[INDICES], a[UPDATES], a[SCALES],
                                           a[ZERO_POINTS], c->axis, c->quant_axis, c->reduce,
                                           (enum clq_npu_dtype)c->dst_type, c->round_mode, r->num_wait, NULL,
                                           done);
}

#define AXIS                                                                                                 \
    ": it must be neither the first nor the last dimension of updates; pass -2 for the second-to-last"
#define QUANT_AXIS ": it must be the last dimension of updates; pass -1"
#define DST        ": for dst_type "
#define DST_TYPES  ": it must be 0, CLQ_NPU_QINT8 (1), CLQ_NPU_FLOAT8_E5M2 (5) or CLQ_NPU_FLOAT8_E4M3FN (6)"
#define PER_INDEX  ": it must have one per index of the last axis of updates, 16"

/* In sentences $ stands for what the call names the cache: output, or self. */
static void named(char *sentence, size_t size, const char *pattern, const char *cache)
{
    size_t at = 0;

    for (; *pattern && at + 8 < size; pattern++)
        at += (size_t)snprintf(sentence + at, size - at, "%.*s", *pattern == '$' ? 8 : 1,
                               *pattern == '$' ? cache : pattern);
}

/* Of both calls, or of the one that copies alone. */
static void refuses(void **state)
{
    const struct refused_row *row = *state;

    for (int copies = row->which; copies < 2; copies++) {
        char sentence[512] = "";
        cl_event done = NULL;
        struct call c;
        clq_status status;

        named(sentence, sizeof(sentence), row->sentence, copies ? "output" : "self");
        make_call(&c);
        row->spoil(&c, &c.r);
        status = run_call(&c, copies, &done);
        refused_expect(&c.r, status, done, row, sentence);
        refused_clear(&c.r);
    }
}

REFUSED(true, "no input", CLQ_ERROR_NULL, NO("input"), r->arguments[INPUT] = NULL)
REFUSED(false, "no cache", CLQ_ERROR_NULL, "$ is NULL: it must be a tensor", r->arguments[CACHE] = NULL)
REFUSED(false, "no indices", CLQ_ERROR_NULL, NO("indices"), r->arguments[INDICES] = NULL)
REFUSED(false, "no updates", CLQ_ERROR_NULL, NO("updates"), r->arguments[UPDATES] = NULL)
REFUSED(false, "no scales", CLQ_ERROR_NULL, NO("quant_scales"), r->arguments[SCALES] = NULL)
REFUSED(false, "no context", CLQ_ERROR_NULL, NO_CONTEXT, r->context = NULL)
REFUSED(false, "no queue", CLQ_ERROR_NULL, NO_QUEUE, r->queue = NULL)
REFUSED(false, "a wait list that is missing", CL_INVALID_EVENT_WAIT_LIST, NO_WAIT_LIST, r->num_wait = 1)
REFUSED(false, "no reduce", CLQ_ERROR_NULL, "reduce is NULL: it must be \"update\"", c->reduce = NULL)
REFUSED(false, "reduce is add", CLQ_ERROR_VALUE, "reduce is \"add\": it must be \"update\"",
        c->reduce = "add")
REFUSED(false, "reduce is longer", CLQ_ERROR_VALUE, "reduce is \"updates\": it must be \"update\"",
        c->reduce = "updates")
REFUSED(false, "a cache of uint8", CLQ_ERROR_TYPE, "$.dtype is uint8" DST "int8 it must be int8",
        r->tensors[CACHE].dtype = CLQ_UINT8)
REFUSED(false, "a cache of int4", CLQ_ERROR_TYPE, "$.dtype is int4" DST "int8 it must be int8",
        r->tensors[CACHE].dtype = CLQ_INT4)
REFUSED(false, "a cache of float8 for int8", CLQ_ERROR_TYPE,
        "$.dtype is float8_e4m3fn" DST "int8 it must be int8", r->tensors[CACHE].dtype = CLQ_FLOAT8_E4M3FN)
REFUSED(false, "a cache of int8 for float8", CLQ_ERROR_TYPE,
        "$.dtype is int8" DST "float8_e5m2 it must be float8_e5m2", c->dst_type = CLQ_NPU_FLOAT8_E5M2)
REFUSED(false, "round_mode is round", CLQ_ERROR_VALUE, "round_mode is \"round\": it must be \"rint\"",
        c->round_mode = "round")
REFUSED(false, "dst_type is quint8", CLQ_ERROR_VALUE, "dst_type is 2" DST_TYPES, c->dst_type = CLQ_NPU_QUINT8)
REFUSED(false, "dst_type past the last", CLQ_ERROR_VALUE, "dst_type is 7" DST_TYPES, c->dst_type = 7)
REFUSED(false, "dst_type below 0", CLQ_ERROR_VALUE, "dst_type is -1" DST_TYPES, c->dst_type = -1)
REFUSED(true, "an input of uint8", CLQ_ERROR_TYPE, "input.dtype is uint8: it must be int8",
        r->tensors[INPUT].dtype = CLQ_UINT8)
REFUSED(false, "updates of int8", CLQ_ERROR_TYPE,
        "updates.dtype is int8: it must be float32, float16 or bfloat16",
        r->tensors[UPDATES].dtype = CLQ_INT8)
REFUSED(false, "indices of int8", CLQ_ERROR_TYPE, "indices.dtype is int8: it must be int32 or int64",
        r->tensors[INDICES].dtype = CLQ_INT8)
REFUSED(false, "rank 2", CLQ_ERROR_RANK, "updates.ndim is 2: it must be from 3 to 8",
        r->tensors[UPDATES].ndim = r->tensors[CACHE].ndim = r->tensors[INPUT].ndim = 2;
        c->axis = 1)
REFUSED(false, "rank 9", CLQ_ERROR_RANK, "updates.ndim is 9: it must be from 3 to 8",
        r->tensors[UPDATES].ndim = r->tensors[CACHE].ndim = r->tensors[INPUT].ndim = 9)
REFUSED(false, "a cache of another rank", CLQ_ERROR_RANK, "updates.ndim is 3: it must be the rank of $, 4",
        r->tensors[CACHE].ndim = 4)
REFUSED(false, "the documented default of axis", CLQ_ERROR_AXIS, "axis is 0" AXIS, c->axis = 0)
REFUSED(false, "axis minus the rank", CLQ_ERROR_AXIS, "axis is -3" AXIS, c->axis = -3)
REFUSED(false, "axis the last", CLQ_ERROR_AXIS, "axis is 2" AXIS, c->axis = 2)
REFUSED(false, "axis -1", CLQ_ERROR_AXIS, "axis is -1" AXIS, c->axis = -1)
REFUSED(false, "axis at the rank", CLQ_ERROR_AXIS, "axis is 3" AXIS, c->axis = 3)
REFUSED(false, "axis below minus the rank", CLQ_ERROR_AXIS, "axis is -4" AXIS, c->axis = -4)
REFUSED(false, "axis far below", CLQ_ERROR_AXIS, "axis is -2147483648" AXIS, c->axis = INT32_MIN)
REFUSED(false, "the documented default of quant_axis", CLQ_ERROR_AXIS, "quant_axis is 1" QUANT_AXIS,
        c->quant_axis = 1)
REFUSED(false, "quant_axis 0", CLQ_ERROR_AXIS, "quant_axis is 0" QUANT_AXIS, c->quant_axis = 0)
REFUSED(false, "quant_axis at the rank", CLQ_ERROR_AXIS, "quant_axis is 3" QUANT_AXIS, c->quant_axis = 3)
REFUSED(false, "quant_axis -2", CLQ_ERROR_AXIS, "quant_axis is -2" QUANT_AXIS, c->quant_axis = -2)
REFUSED(false, "quant_axis far below", CLQ_ERROR_AXIS, "quant_axis is -2147483648" QUANT_AXIS,
        c->quant_axis = INT32_MIN)
REFUSED(false, "both documented defaults", CLQ_ERROR_AXIS, "axis is 0" AXIS, c->axis = 0; c->quant_axis = 1)
REFUSED(false, "one scale for all", CLQ_ERROR_SHAPE, "quant_scales has 1 elements" PER_INDEX,
        r->shapes[SCALES][0] = 1)
REFUSED(false, "a scale of rank 0", CLQ_ERROR_SHAPE, "quant_scales has 1 elements" PER_INDEX,
        r->tensors[SCALES].ndim = 0)
REFUSED(false, "scales of another axis", CLQ_ERROR_SHAPE, "quant_scales has 2 elements" PER_INDEX,
        r->shapes[SCALES][0] = 2)
REFUSED(false, "one zero point for all", CLQ_ERROR_SHAPE, "quant_zero_points has 1 elements" PER_INDEX,
        r->shapes[ZERO_POINTS][0] = 1)
REFUSED(false, "zero points that count to too many", CLQ_ERROR_SHAPE,
        "quant_zero_points has 256 elements" PER_INDEX, r->tensors[ZERO_POINTS].ndim = 2;
        r->shapes[ZERO_POINTS][1] = 16)
REFUSED(false, "scales without number", CLQ_ERROR_OVERFLOW,
        "quant_scales has more than 2^63 elements: the product of its shape must fit into 63 bits",
        r->tensors[SCALES].ndim = 3;
        r->shapes[SCALES][0] = INT64_MAX; r->shapes[SCALES][1] = 16; r->shapes[SCALES][2] = 1)
REFUSED(false, "scales of a negative size", CLQ_ERROR_SHAPE,
        "quant_scales.shape[0] is -16: it must not be negative", r->shapes[SCALES][0] = -16)
REFUSED(false, "scales of rank 1000", CLQ_ERROR_RANK, "quant_scales.ndim is 1000: it must be from 0 to 8",
        r->tensors[SCALES].ndim = 1000)
REFUSED(false, "more entries than batches", CLQ_ERROR_SHAPE,
        "updates.shape[0] is 5: it must be at most $.shape[0], 4",
        r->shapes[UPDATES][0] = r->shapes[INDICES][0] = 5)
REFUSED(false, "more tokens than the cache has", CLQ_ERROR_SHAPE,
        "updates.shape[1] is 9: it must be at most $.shape[1], 8", r->shapes[UPDATES][1] = 9)
REFUSED(
    false, "updates wider than the cache", CLQ_ERROR_SHAPE,
    "updates.shape[2] is 17: it must be $.shape[2], 16, for axis is 1, where alone an entry may be shorter "
    "than the cache",
    r->shapes[UPDATES][2] = r->shapes[SCALES][0] = r->shapes[ZERO_POINTS][0] = 17)
REFUSED(false, "indices of triples", CLQ_ERROR_SHAPE,
        "indices.shape[1] is 3: it must be 2, a batch and a start", r->shapes[INDICES][1] = 3)
REFUSED(false, "fewer indices", CLQ_ERROR_SHAPE, "indices.shape[0] is 2: it must be updates.shape[0], 3",
        r->shapes[INDICES][0] = 2)
REFUSED(false, "indices of rank 3", CLQ_ERROR_RANK, "indices.ndim is 3: it must be 1 or 2",
        r->tensors[INDICES].ndim = 3)
REFUSED(true, "input of another size", CLQ_ERROR_SHAPE, "input.shape[1] is 9: it must be output.shape[1], 8",
        r->shapes[INPUT][1] = 9)
REFUSED(false, "a cache past its buffer", CLQ_ERROR_SIZE,
        "$.data has 65536 bytes: shape x strides + byte_offset ask for 65537",
        r->tensors[CACHE].byte_offset = REFUSED_BYTES - 511)
REFUSED(true, "the output is the input", CLQ_ERROR_OVERLAP, SHARES("output", "input"),
        r->tensors[CACHE].data = r->buffers[INPUT])
REFUSED(false, "the cache is the updates", CLQ_ERROR_OVERLAP, SHARES("$", "updates"),
        r->tensors[CACHE].data = r->buffers[UPDATES])

TEST(the_call_itself_is_right)
{
    for (int copies = 0; copies < 2; copies++) {
        struct call c;

        make_call(&c);
        expect_status(run_call(&c, copies, NULL), CLQ_OK, "the call");
        expect_cl(clFinish(harness.queue), "clFinish");
        assert_false(refused_untouched(&c.r, CACHE));
        assert_true(refused_untouched(&c.r, INPUT));
        refused_clear(&c.r);
    }
}

HARNESS_MAIN("npu_quant_scatter")
