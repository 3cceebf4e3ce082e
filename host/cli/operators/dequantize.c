/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dequantize: the way back to floats, dense, gathered and by groups. */
#include "operator.h"

#include <string.h>

enum { Q, SCALES, ZERO_POINTS, OFFSETS, INDICES, GROUP_INDEX, GLOBAL_SCALE };
enum { OF, MODE, AXIS, BLOCK, BLOCK_BEFORE, BLOCK_ALL, DTYPE, LENGTH, SLOTS, OUT_OF_RANGE, STRICT, ROTATE };

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

/* One call has one of them, and a file may call either by the other's name. */
static bool check_added(struct operator_call *call)
{
    if (call->sources[ZERO_POINTS] && call->sources[OFFSETS])
        return REFUSE(
            call,
            "%s: '%.200s' is given as zero_points and '%.200s' as offsets: one of them is expected; "
            "--tensor zero_points= or --tensor offsets= leaves one out",
            call->in_text, call->sources[ZERO_POINTS]->name, call->sources[OFFSETS]->name);
    return true;
}

/* Without indices nothing would heed them. */
static bool check_gathering_options(struct operator_call *call)
{
    static const int gathering[] = {LENGTH, SLOTS, OUT_OF_RANGE, STRICT};

    for (size_t i = 0; !call->sources[INDICES] && i < sizeof gathering / sizeof *gathering; i++)
        if (call->given[gathering[i]])
            return fail(call->failure, STATUS_USAGE, "--%s is for a file with indices only",
                        call->op->options[gathering[i]].name);
    return true;
}

/* The dimension that starts count on, second to last where the user names none; past the rank where there is
 * none, and the library says so. */
static int gathered_axis(const struct operator_call *call)
{
    const int64_t rank = (int64_t)call->sources[Q]->rank, axis = call->given[AXIS] ? call->values[AXIS] : -2;

    return (int)(axis < 0 ? axis + rank : axis);
}

/* Of the shape of q in elements, from that in the file. */
static bool count_elements(struct operator_call *call, int rank, int64_t *shape)
{
    const DLDataType dtype = call->dtypes[Q];

    if (rank == 0)
        return true;
    if (operator_is_block(dtype))
        shape[rank - 1] /= dtype.lanes;
    return !__builtin_mul_overflow(shape[rank - 1], operator_is_block(dtype) ? VALUES_IN_BLOCK : dtype.lanes,
                                   &shape[rank - 1]);
}

/* What dynamic quantization alone makes. */
static bool check_blocks(struct operator_call *call)
{
    if (!operator_is_block(call->dtypes[Q]))
        return operator_needs_input(call, SCALES);
    if (!call->given[MODE])
        call->values[MODE] = CLQ_DEQUANTIZE_DYNAMIC;
    return true;
}

static bool plan(struct operator_call *call)
{
    const struct safetensors_tensor *q = call->sources[Q], *indices = call->sources[INDICES];
    const int rank = (int)q->rank, axis = gathered_axis(call);
    int64_t shape[CLQ_MAX_RANK] = {0};

    if (!operator_type_held(call, Q, OF, indices != NULL) || !check_blocks(call) || !check_added(call) ||
        !check_gathering_options(call))
        return false;
    memcpy(shape, q->shape, (size_t)rank * sizeof *shape);
    if (!count_elements(call, rank, shape))
        return REFUSE(call, "%s: tensor '%.200s' has too many elements", operator_path(call, Q), q->name);
    if (indices && indices->rank > 0 && axis > 0 && axis < rank) {
        if (call->values[LENGTH] < 0 || call->values[LENGTH] > shape[axis])
            return REFUSE(
                call, "%s: --length is %jd: it must be from 0 to %jd, the size of '%.200s' on --axis %d",
                operator_path(call, Q), (intmax_t)call->values[LENGTH], (intmax_t)shape[axis], q->name, axis);
        shape[0] = indices->shape[0];
        shape[axis] = call->values[LENGTH];
    }
    operator_add_shape(call, "y", operator_dtype(call, DTYPE), rank, shape);
    return true;
}

static struct clq_dequantize_desc desc_of(const struct operator_call *call)
{
    const DLTensor *offsets = operator_input(call, OFFSETS),
                   *added = offsets ? offsets : operator_input(call, ZERO_POINTS);
    const bool dynamic = call->values[MODE] == CLQ_DEQUANTIZE_DYNAMIC;

    return (struct clq_dequantize_desc){
        .q = operator_input(call, Q),
        .scales = operator_input(call, SCALES),
        .zero_points = dynamic ? NULL : added,
        .offsets = dynamic ? added : NULL,
        .indices = operator_input(call, INDICES),
        .group_index = operator_input(call, GROUP_INDEX),
        .global_scale = operator_input(call, GLOBAL_SCALE),
        .y = operator_output(call, 0),
        .axis = operator_axis(call, AXIS),
        .mode = (uint32_t)call->values[MODE],
        .out_of_range = (uint32_t)call->values[OUT_OF_RANGE],
        .index_kind = (uint32_t)call->values[SLOTS],
        .block = (uint32_t)call->values[BLOCK],
        .block_before = (uint32_t)call->values[BLOCK_BEFORE],
        .block_all = (uint32_t)call->values[BLOCK_ALL],
        .rotate = operator_rotate(call->values[ROTATE]),
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_dequantize_desc desc = desc_of(call);

    return clq_dequantize_check(&desc);
}

static clq_status check_indices(struct operator_call *call)
{
    const struct clq_dequantize_desc desc = desc_of(call);

    return clq_dequantize_check_indices(call->context, call->queue, &desc, 0, NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    struct clq_dequantize_desc desc = desc_of(call);
    clq_status status = CLQ_OK;

    if (desc.group_index || (desc.indices && call->values[STRICT]))
        status = check_indices(call);
    if (status == CLQ_OK && desc.indices) /* entries that are dropped or skipped leave what is there */
        status = operator_clear_outputs(call);
    if (status == CLQ_OK && desc.indices)
        status = operator_report(call, &desc.report);
    return status != CLQ_OK ? status : clq_dequantize(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description dequantize_operator = {
    .name = "dequantize",
    .summary = "Quantized values back to floats, all of q or the entries that indices name.",
    .formula = "  divide    y = (q - zero_points) * scales\n"
               "  multiply  y = (q - zero_points) / scales\n"
               "  dynamic   y = (q + offsets) * scales, one of each for each row; of blocks\n"
               "            (q8_0, ..) what they hold, by the scales that they carry\n"
               "  with indices y[i] is that of q[b, .., s : s+length on axis, ..]; b, s =\n"
               "  indices[i] where indices is [N, 2], else (i, indices[i]); entries that are\n"
               "  dropped or skipped are zero in y",
    .outputs = "y",
    .aliases = {{Q, "y"},
                {Q, "cache"},
                {SCALES, "scale"},
                {SCALES, "cache_scales"},
                {OFFSETS, "offset"},
                {OFFSETS, "cache_offsets"}},
    .inputs =
        {
            [Q] = {"q", false, "as --of says"},
            [SCALES] =
                {"scales", true,
                 "F32, F16, BF16, F8_E8M0, F8_E4M3; one, one per index, by shape; per group, or per row"},
            [ZERO_POINTS] = {"zero_points", true, "those, or I8, U8, I32; as scales, independently"},
            [OFFSETS] = {"offsets", true, "the same under another name: one per row with mode dynamic"},
            [INDICES] = {"indices", true, "I32 or I64, [N] or [N, 2]"},
            [GROUP_INDEX] = {"group_index", true, "I32 or I64, [E]: mode multiply by groups of rows"},
            [GLOBAL_SCALE] = OPERATOR_GLOBAL_SCALE,
        },
    .options =
        {
            [OF] = {"of", operator_read_types, NULL, "what q holds; needed where it is U8 or I32"},
            [MODE] = {"mode", (const char *const[]){"divide", "multiply", "dynamic", NULL}, "divide",
                      "what was done with scales"},
            [AXIS] = {"axis", NULL, "-1",
                      "the axis of scales; with indices the axis that a start counts on, -2"},
            [BLOCK] = OPERATOR_BLOCK("the axis, with indices of the last one,"),
            [BLOCK_BEFORE] = OPERATOR_BLOCK_BEFORE,
            [BLOCK_ALL] = OPERATOR_BLOCK_ALL,
            [DTYPE] = {"dtype", operator_scale_types, "float32", "the type of y"},
            [LENGTH] = {"length", NULL, "1", "with indices: the size of y on axis"},
            [SLOTS] = OPERATOR_SLOTS,
            [OUT_OF_RANGE] = OPERATOR_OUT_OF_RANGE,
            [STRICT] = OPERATOR_STRICT,
            [ROTATE] = OPERATOR_ROTATE,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .recalls = true,
};
