/* SPDX-License-Identifier: Apache-2.0 */
/* clquant dequantize: the way back to floats, dense, gathered and by groups. */
#include "operator.h"

#include <string.h>

enum { Q, SCALES, ZERO_POINTS, OFFSETS, INDICES };
enum { OF, MODE, DTYPE, LENGTH, STRICT };

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
    static const char *const gathering[] = {"length", "index-kind", "out-of-range", "strict"};

    for (size_t i = 0; !call->sources[INDICES] && i < sizeof gathering / sizeof *gathering; i++)
        if (operator_given(call, gathering[i]))
            return fail(call->failure, STATUS_USAGE, "--%s is for a file with indices only", gathering[i]);
    return true;
}

/* The dimension that starts count on, second to last where the user names none; past the rank where there is
 * none, and the library says so. */
static int gathered_axis(const struct operator_call *call)
{
    const int64_t rank = (int64_t)call->sources[Q]->rank,
                  axis = operator_given(call, "axis") ? operator_value(call, "axis") : -2;

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

/* Whatever the file calls what is added, the mode says what it is. */
static void adjust(const struct operator_call *call, void *desc)
{
    struct clq_dequantize_desc *it = desc;
    const DLTensor *added = it->offsets ? it->offsets : it->zero_points;
    const bool dynamic = call->values[MODE] == CLQ_DEQUANTIZE_DYNAMIC;

    it->zero_points = dynamic ? NULL : added;
    it->offsets = dynamic ? added : NULL;
}

OPERATOR_CALLS(dequantize)
OPERATOR_CHECK_INDICES(dequantize)
static const struct operator_library library = {"dequantize", check, run, check_indices};

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
    .inputs = {[Q] = {"q", false, "as --of says"},
               [SCALES] = {.name = "scales"},
               [ZERO_POINTS] = {.name = "zero_points"},
               [OFFSETS] = {.name = "offsets"},
               [INDICES] = {.name = "indices"}},
    .options = {[OF] = {"of", operator_read_types, NULL, "what q holds; needed where it is U8 or I32"},
                [MODE] = {"mode", (const char *const[]){"divide", "multiply", "dynamic", NULL}, "divide",
                          "what was done with scales"},
                [DTYPE] = {"dtype", operator_scale_types, "float32", "the type of y"},
                [LENGTH] = {"length", NULL, "1", "with indices: the size of y on axis"},
                [STRICT] = OPERATOR_STRICT},
    .adjust = adjust,
    .library = &library,
    .plan = plan,
    .recalls = true,
};
