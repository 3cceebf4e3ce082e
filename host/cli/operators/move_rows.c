/* SPDX-License-Identifier: Apache-2.0 */
/* clquant move_rows: rows into a cache, out of one, or from one to another. */
#include "operator.h"

enum { SRC, SRC_INDICES, DST_INDICES, DST };
enum { POSITIONS, DTYPE, STRICT };

/* The rows that entries of src have, as dst: so many positions on axis, or what indices [N, k] leave. */
static bool plan_gather(struct operator_call *call)
{
    const struct safetensors_tensor *src = call->sources[SRC], *indices = call->sources[SRC_INDICES];
    const int rank = (int)src->rank;
    const int64_t axis = operator_given(call, "axis") ? operator_value(call, "axis") : -2,
                  at = axis < 0 ? axis + rank : axis;
    int64_t shape[CLQ_MAX_RANK] = {0};
    int from = 1, dims = 0;

    if (operator_value(call, "src-index-kind") == CLQ_ND && indices->rank == 2 && indices->shape[1] >= 1 &&
        indices->shape[1] <= rank)
        from = (int)indices->shape[1];
    if (rank > 0)
        shape[dims++] = indices->rank > 0 ? indices->shape[0] : 0;
    for (int d = from; d < rank; d++)
        shape[dims++] = operator_value(call, "src-index-kind") != CLQ_ND && d == at ? call->values[POSITIONS]
                                                                                    : src->shape[d];
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

/* Positions of a dst that is made are its shape. */
static void adjust(const struct operator_call *call, void *desc)
{
    const bool both = call->sources[SRC_INDICES] && call->sources[DST_INDICES], made = !call->sources[DST];

    if (!both && (made || !call->given[POSITIONS]))
        ((struct clq_move_rows_desc *)desc)->positions = 0;
}

clq_status operator_count_moved(struct operator_call *call, struct clq_move_rows_desc *desc, int strict)
{
    clq_status status = clq_move_rows_check_indices(call->context, call->queue, desc, 0, NULL);

    if (status != CLQ_ERROR_INDEX || call->values[strict])
        return status;
    status = operator_report(call, &desc->report);
    return status != CLQ_OK ? status : clq_move_rows(call->context, call->queue, desc, 0, NULL, NULL);
}

OPERATOR_CALLS(move_rows)
OPERATOR_CHECK_INDICES(move_rows)
static const struct operator_library library = {"move_rows", check, run, check_indices};

const struct operator_description move_rows_operator = {
    .name = "move_rows",
    .summary = "Moves rows of src to rows of dst, from and to where indices say, as they are.",
    .formula = "  the positions from the place of src_indices[i] in src go to the place of\n"
               "  dst_indices[i] in dst, as if all were read before any is written; without\n"
               "  src_indices entry i is row i of src, without dst_indices row i of dst\n"
               "  where entries overlap the last wins; floats of another type are rounded once\n"
               "  without dst it is made of zeros, and src_indices say what goes there",
    .outputs = "dst",
    .inputs = {[SRC] = {"src", false, "any type; bytes that hold four bits or blocks are U8"},
               [SRC_INDICES] = {.name = "src_indices"},
               [DST_INDICES] = {.name = "dst_indices"},
               [DST] = {"dst", true, "src's type, or of floats another; needed with dst_indices"}},
    .options = {[POSITIONS] = {"positions", operator_count, "1", "of an entry, where no tensor says it"},
                [DTYPE] = {"dtype", operator_scale_types, NULL, "the type of a dst that is made; src's"},
                [STRICT] = OPERATOR_STRICT},
    .without = (const char *const[]){"input", NULL}, /* the command works in place */
    .adjust = adjust,
    .library = &library,
    .plan = plan,
    .moves = 1,
};
