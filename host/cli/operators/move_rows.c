/* SPDX-License-Identifier: Apache-2.0 */
/* clquant move_rows: rows into a cache, out of one, or from one to another. */
#include "operator.h"

#include <string.h>

enum { SRC, SRC_INDICES, DST_INDICES, DST };
enum {
    AXIS,
    POSITIONS,
    SRC_INDEX_KIND,
    DST_INDEX_KIND,
    SRC_OUT_OF_RANGE,
    DST_OUT_OF_RANGE,
    UNIQUE,
    DTYPE,
    STRICT
};

#define INDEX_KIND(side)                                                                                     \
    {                                                                                                        \
        side "-index-kind", (const char *const[]){"shape", "slots", "nd", NULL}, "shape",                    \
            "shape: starts [N] or pairs [N, 2]; slots [N], b * A + s; nd [N, k]"                             \
    }
#define RANGE(side)                                                                                          \
    {                                                                                                        \
        side "-out-of-range", (const char *const[]){"drop", "clamp", "wrap", NULL}, "drop",                  \
            "what is done with an entry whose index in " side " is out of range"                             \
    }

/* The rows that entries of src have, as dst: so many positions on axis, or what indices [N, k] leave. */
static bool plan_gather(struct operator_call *call)
{
    const struct safetensors_tensor *src = call->sources[SRC], *indices = call->sources[SRC_INDICES];
    const int rank = (int)src->rank;
    const int64_t axis = call->given[AXIS] ? call->values[AXIS] : -2, at = axis < 0 ? axis + rank : axis;
    int64_t shape[CLQ_MAX_RANK] = {0};
    int from = 1, dims = 0;

    if (call->values[SRC_INDEX_KIND] == CLQ_ND && indices->rank == 2 && indices->shape[1] >= 1 &&
        indices->shape[1] <= rank)
        from = (int)indices->shape[1];
    if (rank > 0)
        shape[dims++] = indices->rank > 0 ? indices->shape[0] : 0;
    for (int d = from; d < rank; d++)
        shape[dims++] =
            call->values[SRC_INDEX_KIND] != CLQ_ND && d == at ? call->values[POSITIONS] : src->shape[d];
    operator_add_shape(call, "dst", call->given[DTYPE] ? operator_dtype(call, DTYPE) : call->dtypes[SRC],
                       dims, shape);
    return true;
}

static bool plan(struct operator_call *call)
{
    if (!call->sources[SRC_INDICES] || call->sources[DST_INDICES] || call->sources[DST]) {
        if (call->given[DTYPE])
            return fail(call->failure, STATUS_USAGE, "--dtype is for a call that makes dst only");
        if (!operator_needs_input(call, DST))
            return false;
        operator_add_output_in_place(call, DST);
        return true;
    }
    return plan_gather(call);
}

static struct clq_move_rows_desc desc_of(const struct operator_call *call)
{
    const bool both = call->sources[SRC_INDICES] && call->sources[DST_INDICES], made = !call->sources[DST];

    return (struct clq_move_rows_desc){
        .src = operator_input(call, SRC),
        .src_indices = operator_input(call, SRC_INDICES),
        .dst_indices = operator_input(call, DST_INDICES),
        .dst = operator_output(call, 0),
        .axis = operator_axis(call, AXIS),
        .positions = both || (call->given[POSITIONS] && !made) ? (uint32_t)call->values[POSITIONS] : 0,
        .src_out_of_range = (uint32_t)call->values[SRC_OUT_OF_RANGE],
        .dst_out_of_range = (uint32_t)call->values[DST_OUT_OF_RANGE],
        .src_index_kind = (uint32_t)call->values[SRC_INDEX_KIND],
        .dst_index_kind = (uint32_t)call->values[DST_INDEX_KIND],
        .unique = (uint32_t)call->values[UNIQUE],
    };
}

static clq_status check(struct operator_call *call)
{
    const struct clq_move_rows_desc desc = desc_of(call);

    return clq_move_rows_check(&desc);
}

static clq_status check_indices(struct operator_call *call)
{
    const struct clq_move_rows_desc desc = desc_of(call);

    return clq_move_rows_check_indices(call->context, call->queue, &desc, 0, NULL);
}

static clq_status run(struct operator_call *call, cl_event *done)
{
    struct clq_move_rows_desc desc = desc_of(call);
    clq_status status = CLQ_OK;

    if (call->values[STRICT])
        status = check_indices(call);
    if (status == CLQ_OK && !call->sources[DST]) /* entries that are dropped or skipped leave what is there */
        status = operator_clear_outputs(call);
    if (status == CLQ_OK)
        status = operator_report(call, &desc.report);
    return status != CLQ_OK ? status : clq_move_rows(call->context, call->queue, &desc, 0, NULL, done);
}

clq_status operator_count_moved(struct operator_call *call, struct clq_move_rows_desc *desc, int strict)
{
    clq_status status = clq_move_rows_check_indices(call->context, call->queue, desc, 0, NULL);

    if (status != CLQ_ERROR_INDEX || call->values[strict])
        return status;
    status = operator_report(call, &desc->report);
    return status != CLQ_OK ? status : clq_move_rows(call->context, call->queue, desc, 0, NULL, NULL);
}

const struct operator_description move_rows_operator = {
    .name = "move_rows",
    .summary = "Moves rows of src to rows of dst, from and to where indices say, as they are.",
    .formula = "  the positions from the place of src_indices[i] in src go to the place of\n"
               "  dst_indices[i] in dst, as if all were read before any is written; without\n"
               "  src_indices entry i is row i of src, without dst_indices row i of dst\n"
               "  where entries overlap the last wins; floats of another type are rounded once\n"
               "  without dst it is made of zeros, and src_indices say what goes there",
    .outputs = "dst",
    .inputs =
        {
            [SRC] = {"src", false, "any type; bytes that hold four bits or blocks are U8"},
            [SRC_INDICES] = {"src_indices", true, "I32 or I64, [N], [N, 2] or [N, k]"},
            [DST_INDICES] = {"dst_indices", true, "the same; one of both is needed"},
            [DST] = {"dst", true, "src's type, or of floats another; needed with dst_indices"},
        },
    .options =
        {
            [AXIS] = {"axis", NULL, "-2", "the axis that a start counts on"},
            [POSITIONS] = {"positions", operator_count, "1", "of an entry, where no tensor says it"},
            [SRC_INDEX_KIND] = INDEX_KIND("src"),
            [DST_INDEX_KIND] = INDEX_KIND("dst"),
            [SRC_OUT_OF_RANGE] = RANGE("src"),
            [DST_OUT_OF_RANGE] = RANGE("dst"),
            [UNIQUE] = {"unique", operator_flag, "off", "promise that no two entries overlap"},
            [DTYPE] = {"dtype", operator_scale_types, NULL, "the type of a dst that is made; src's"},
            [STRICT] = OPERATOR_STRICT,
        },
    .plan = plan,
    .check = check,
    .check_indices = check_indices,
    .run = run,
    .moves = true,
};
