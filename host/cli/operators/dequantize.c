/* clquant dequantize: the way back to floats, dense, gathered and by groups. */
#include "operator.h"

#include <string.h>

enum { Q, SCALE, ZERO_POINTS, OFFSET, INDICES, GROUP_INDEX };
enum { OF, MODE, AXIS, DTYPE, LENGTH, OUT_OF_RANGE, STRICT };
enum { LEFT_OUT = OPERATOR_UNSET, INT8, UINT8, INT32, INT4 };

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

/* What q holds: by its type in the file, and --of where that leaves a choice. Words are int4 in a cache. */
static bool type_q(struct operator_call *call)
{
    const struct safetensors_tensor *q = call->sources[Q];
    const char *in_file = q->type->name;
    const int64_t of = call->values[OF];
    const bool byte = strcmp(in_file, "U8") == 0, word = strcmp(in_file, "I32") == 0;

    if (strcmp(in_file, "I8") == 0 && (of == LEFT_OUT || of == INT8))
        call->dtypes[Q] = CLQ_INT8;
    else if (byte && of == UINT8)
        call->dtypes[Q] = CLQ_UINT8;
    else if (byte && of == INT4)
        call->dtypes[Q] = CLQ_INT4_BYTES;
    else if (word && of == INT32)
        call->dtypes[Q] = CLQ_INT32;
    else if (word && (of == INT4 || (of == LEFT_OUT && call->sources[INDICES])))
        call->dtypes[Q] = CLQ_INT4_WORDS;
    else if ((byte || word) && of == LEFT_OUT)
        return REFUSE(
            call, "%s: tensor '%.200s' is %s, which may be %s or int4: --of %s or --of int4 is expected",
            operator_path(call, Q), q->name, in_file, byte ? "uint8" : "int32", byte ? "uint8" : "int32");
    else
        return REFUSE(
            call,
            "%s: tensor '%.200s' is %s%s%s: it may be I8 (int8), U8 (uint8, or int4 in bytes) or I32 "
            "(int32, or int4 in words)",
            operator_path(call, Q), q->name, in_file, of == LEFT_OUT ? "" : ", and --of is ",
            of == LEFT_OUT ? "" : call->op->options[OF].choices[of]);
    return true;
}

/* Where the user names no axis, that of the starts is the second-to-last, as in the scatters. */
static int32_t axis_of(const struct operator_call *call)
{
    return (int32_t)(call->sources[INDICES] && !call->given[AXIS] ? -2 : call->values[AXIS]);
}

/* Which of the tensors that belong to one way of quantizing are in the file. */
static bool check_tensors(struct operator_call *call)
{
    if (call->sources[ZERO_POINTS] && call->sources[OFFSET])
        return REFUSE(call,
                      "%s: '%.200s' is given as zero_points and '%.200s' as offset: one of them is expected",
                      call->in_text, call->sources[ZERO_POINTS]->name, call->sources[OFFSET]->name);
    if (call->sources[INDICES] && call->sources[GROUP_INDEX])
        return REFUSE(call,
                      "%s: '%.200s' is given as indices and '%.200s' as group_index: one of them is expected",
                      call->in_text, call->sources[INDICES]->name, call->sources[GROUP_INDEX]->name);
    if (call->sources[GROUP_INDEX] && call->values[MODE] != CLQ_DEQUANTIZE_MULTIPLY)
        return REFUSE(call, "%s: '%.200s' is given as group_index: --mode multiply is expected",
                      operator_path(call, GROUP_INDEX), call->sources[GROUP_INDEX]->name);
    return true;
}

/* Without indices nothing would heed them. */
static bool check_gathering_options(struct operator_call *call)
{
    static const int gathering[] = {LENGTH, OUT_OF_RANGE, STRICT};

    for (size_t i = 0; !call->sources[INDICES] && i < sizeof gathering / sizeof *gathering; i++)
        if (call->given[gathering[i]])
            return fail(call->failure, STATUS_USAGE, "--%s is for a file with indices only",
                        call->op->options[gathering[i]].name);
    return true;
}

static bool plan(struct operator_call *call)
{
    static const DLDataType dtypes[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    const struct safetensors_tensor *q = call->sources[Q];
    const int rank = (int)q->rank, axis = axis_of(call) + (axis_of(call) < 0 ? rank : 0);
    int64_t shape[CLQ_MAX_RANK] = {0};

    if (!type_q(call) || !check_tensors(call) || !check_gathering_options(call))
        return false;
    memcpy(shape, q->shape, (size_t)rank * sizeof *shape);
    if (rank > 0 && __builtin_mul_overflow(shape[rank - 1], call->dtypes[Q].lanes, &shape[rank - 1]))
        return REFUSE(call, "%s: tensor '%.200s' has too many elements", operator_path(call, Q), q->name);
    if (call->sources[INDICES]) {
        if (call->sources[INDICES]->rank < 1)
            return REFUSE(call, "%s: tensor '%.200s' has no dimensions: indices are [N] or [N, 2]",
                          operator_path(call, INDICES), call->sources[INDICES]->name);
        if (axis < 1 || axis >= rank)
            return REFUSE(call,
                          "%s: axis is %d: it must be a dimension of '%.200s', which has %d, but the first",
                          operator_path(call, Q), axis_of(call), q->name, rank);
        if (call->values[LENGTH] < 0 || call->values[LENGTH] > shape[axis])
            return REFUSE(call,
                          "%s: --length is %jd: it must be from 0 to %jd, the size of '%.200s' on axis %d",
                          operator_path(call, Q), (intmax_t)call->values[LENGTH], (intmax_t)shape[axis],
                          q->name, axis_of(call));
        shape[0] = call->sources[INDICES]->shape[0];
        shape[axis] = call->values[LENGTH];
    }
    operator_add_shape(call, "y", dtypes[call->values[DTYPE]], rank, shape);
    return true;
}

/* Entries that are dropped leave what is there: zeros. */
static clq_status clear(struct operator_call *call, const DLTensor *y)
{
    const cl_uchar zero = 0;
    size_t size_bytes = 0;
    clq_status status = clq_tensor_size_bytes(y, &size_bytes);

    if (status != CLQ_OK || size_bytes == 0)
        return status;
    return clEnqueueFillBuffer(call->queue, y->data, &zero, sizeof zero, y->byte_offset, size_bytes, 0, NULL,
                               NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    const DLTensor *offset = operator_input(call, OFFSET),
                   *added = offset ? offset : operator_input(call, ZERO_POINTS);
    const bool dynamic = call->values[MODE] == CLQ_DEQUANTIZE_DYNAMIC;
    struct clq_dequantize_desc desc = {
        .q = operator_input(call, Q),
        .scales = operator_input(call, SCALE),
        .zero_points = dynamic ? NULL : added, /* a file may call either by the other's name */
        .offsets = dynamic ? added : NULL,
        .indices = operator_input(call, INDICES),
        .group_index = operator_input(call, GROUP_INDEX),
        .y = operator_output(call, 0),
        .axis = operator_axis(call, AXIS),
        .mode = (uint32_t)call->values[MODE],
        .out_of_range = (uint32_t)call->values[OUT_OF_RANGE],
    };
    clq_status status = CLQ_OK;

    if (desc.group_index || (desc.indices && call->values[STRICT]))
        status = clq_dequantize_check_indices(call->context, call->queue, &desc, 0, NULL);
    if (status == CLQ_OK && desc.indices)
        status = clear(call, desc.y);
    if (status == CLQ_OK && desc.indices)
        status = operator_report(call, &desc.report);
    return status != CLQ_OK ? status : clq_dequantize(call->context, call->queue, &desc, 0, NULL, done);
}

const struct operator_description dequantize_operator = {
    .name = "dequantize",
    .summary = "Quantized values back to floats, all of q or the entries that indices name.",
    .formula = "  divide: y = (q - zero_points) * scale; multiply: y = (q - zero_points) / scale\n"
               "  dynamic: y = (q + offset) * scale, with a scale and an offset for each row\n"
               "  with indices y[i] is that of q[b, .., s : s+length on axis, ..]; b, s = indices[i] where\n"
               "  indices is [N, 2], else (i, indices[i]); entries out of range are dropped, and zero in y",
    .outputs = "y",
    .aliases = {{Q, "y"}},
    .inputs =
        {
            [Q] = {"q", false, "I8, U8 or I32"},
            [SCALE] = {"scale", false, "F32, F16 or BF16; one, or one per index; per group, or per row"},
            [ZERO_POINTS] = {"zero_points", true, "those, or I8, U8, I32; one, or one per index"},
            [OFFSET] = {"offset", true, "the same under another name: one per row with mode dynamic"},
            [INDICES] = {"indices", true, "I32 or I64, [N] or [N, 2]"},
            [GROUP_INDEX] = {"group_index", true, "I32 or I64, [E]: mode multiply by groups of rows"},
        },
    .options =
        {
            [OF] = {"of", (const char *const[]){"int8", "uint8", "int32", "int4", NULL}, NULL,
                    "what q holds; needed where it is U8 or I32"},
            [MODE] = {"mode", (const char *const[]){"divide", "multiply", "dynamic", NULL}, "divide",
                      "what was done with scale"},
            [AXIS] = {"axis", NULL, "-1",
                      "the axis of scale; with indices the axis that a start counts on, -2"},
            [DTYPE] = {"dtype", (const char *const[]){"float32", "float16", "bfloat16", NULL},
                       "float32", "the type of y"},
            [LENGTH] = {"length", NULL, "1", "with indices: the size of y on axis"},
            [OUT_OF_RANGE] = OPERATOR_OUT_OF_RANGE,
            [STRICT] = OPERATOR_STRICT,
        },
    .plan = plan,
    .run = run,
};
