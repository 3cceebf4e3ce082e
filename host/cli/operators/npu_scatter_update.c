/* SPDX-License-Identifier: Apache-2.0 */
/* clquant npu_scatter_nd_update and scatter_update, and the same in place: the documented calls. */
#include "operator.h"

enum { INPUT, INDICES, UPDATES };
enum { STRICT, AXIS }; /* the first have no axis */

static bool has_dimensions(struct operator_call *call)
{
    const struct safetensors_tensor *input = call->sources[INPUT];

    return input->rank > 0 || fail(call->failure, STATUS_REFUSED,
                                   "%s: tensor '%.200s' has rank 0: it must have a dimension for indices",
                                   operator_path(call, INPUT), input->name);
}

static bool plan_copy(struct operator_call *call)
{
    return has_dimensions(call) &&
           operator_add_output(call, "output", call->dtypes[INPUT], INPUT, ONE_ELEMENT);
}

static bool plan_in_place(struct operator_call *call)
{
    operator_add_output_in_place(call, INPUT);
    return has_dimensions(call);
}

static bool has_axis(const struct operator_call *call)
{
    return call->op->options[AXIS].name != NULL;
}

/* The documented calls have no report: the general operator's, in place, which writes the same bytes. Its
 * indices are [N, k]. */
struct general {
    DLTensor indices, updates;
    int64_t shapes[2][CLQ_MAX_RANK + 1];
    struct clq_move_rows_desc desc;
};

/* A file's tensor, which is dense, with all dimensions but its last `kept` ones as one. */
static void merge(DLTensor *tensor, int64_t *shape, int kept)
{
    const int lead = tensor->ndim - kept;

    shape[0] = 1;
    for (int d = 0; d < lead; d++)
        shape[0] *= tensor->shape[d];
    for (int d = 0; d < kept; d++)
        shape[1 + d] = tensor->shape[lead + d];
    tensor->shape = shape;
    tensor->ndim = 1 + kept;
}

static void general_of(const struct operator_call *call, struct general *general)
{
    const int32_t axis = has_axis(call) ? (int32_t)call->values[AXIS] : -1;

    general->indices = *operator_input(call, INDICES);
    general->updates = *operator_input(call, UPDATES);
    if (!has_axis(call)) {
        const int lead = general->indices.ndim - 1;

        merge(&general->indices, general->shapes[0], 1);
        merge(&general->updates, general->shapes[1], general->updates.ndim - lead);
    }
    general->desc = (struct clq_move_rows_desc){
        .src = &general->updates,
        .dst_indices = &general->indices,
        .dst = operator_output(call, 0),
        .axis = axis == 0 ? CLQ_AXIS_FIRST : axis,
        .dst_index_kind = has_axis(call) ? CLQ_INDICES_BY_SHAPE : CLQ_ND,
    };
}

static clq_status check_with(struct operator_call *call, const DLTensor *output)
{
    const DLTensor *input = operator_input(call, INPUT), *indices = operator_input(call, INDICES),
                   *updates = operator_input(call, UPDATES);

    return has_axis(call) ? clq_scatter_update_check(input, indices, updates, (int)call->values[AXIS], output)
                          : clq_npu_scatter_nd_update_check(input, indices, updates, output);
}

static clq_status check_copy(struct operator_call *call)
{
    return check_with(call, operator_output(call, 0));
}

static clq_status check_in_place(struct operator_call *call)
{
    return check_with(call, NULL);
}

static clq_status check_indices(struct operator_call *call)
{
    struct general general;

    general_of(call, &general);
    return clq_move_rows_check_indices(call->context, call->queue, &general.desc, 0, NULL);
}

static clq_status count(struct operator_call *call)
{
    struct general general;

    general_of(call, &general);
    return operator_count_moved(call, &general.desc, STRICT);
}

static clq_status run_copy(struct operator_call *call, cl_event *done)
{
    const DLTensor *input = operator_input(call, INPUT), *indices = operator_input(call, INDICES),
                   *updates = operator_input(call, UPDATES), *output = operator_output(call, 0);
    const clq_status status = has_axis(call)
                                  ? clq_scatter_update(call->context, call->queue, input, indices, updates,
                                                       (int)call->values[AXIS], output, 0, NULL, done)
                                  : clq_npu_scatter_nd_update(call->context, call->queue, input, indices,
                                                              updates, output, 0, NULL, done);

    return status != CLQ_OK ? status : count(call);
}

static clq_status run_in_place(struct operator_call *call, cl_event *done)
{
    const DLTensor *input = operator_output(call, 0), *indices = operator_input(call, INDICES),
                   *updates = operator_input(call, UPDATES);
    const clq_status status =
        has_axis(call)
            ? clq_scatter_update_(call->context, call->queue, input, indices, updates,
                                  (int)call->values[AXIS], 0, NULL, done)
            : clq_npu_scatter_nd_update_(call->context, call->queue, input, indices, updates, 0, NULL, done);

    return status != CLQ_OK ? status : count(call);
}

#define ND_FORMULA                                                                                           \
    "  of each row i of indices, [.., k]: [i0, .., ik-1, ..] = updates[i];\n"                                \
    "  where several are the same the last one wins"
#define FORMULA                                                                                              \
    "  b, s = indices[i] where indices is [N, 2], else (i, indices[i])\n"                                    \
    "  [b, .., s : s+U on axis, ..] = updates[i]; where entries overlap the last wins"
#define ND_INPUTS(name)                                                                                      \
    {                                                                                                        \
        [INPUT] = {name, false, "any type"}, [INDICES] = {"indices", false, "I32 or I64, [.., k]"},          \
        [UPDATES] = {"updates", false, "that type; indices' dimensions but the last, and the rest"},         \
    }
#define INPUTS                                                                                               \
    {                                                                                                        \
        [INPUT] = {"data", false, "any type, rank 2 to 8"},                                                  \
        [INDICES] = {"indices", false, "I32 or I64, [N] or [N, 2]"},                                         \
        [UPDATES] = {"updates", false, "data's type; the first dimension N"},                                \
    }
#define OPTIONS                                                                                              \
    {                                                                                                        \
        [STRICT] = OPERATOR_STRICT,                                                                          \
        [AXIS] = {"axis", NULL, "-2", "the axis that a start counts on: not the first"},                     \
    }

const struct operator_description npu_scatter_nd_update_operator = {
    .name = "npu_scatter_nd_update",
    .summary = "Writes updates into a copy of input as npu_scatter_nd_update(input, ...) does.",
    .formula = ND_FORMULA,
    .outputs = "output",
    .inputs = ND_INPUTS("input"),
    .options = {[STRICT] = OPERATOR_STRICT},
    .plan = plan_copy,
    .check = check_copy,
    .check_indices = check_indices,
    .run = run_copy,
    .moves = 1,
};

const struct operator_description npu_scatter_nd_update_in_place_operator = {
    .name = "npu_scatter_nd_update_",
    .summary = "The same in place: input comes out changed.",
    .formula = ND_FORMULA,
    .outputs = "input",
    .inputs = ND_INPUTS("input"),
    .options = {[STRICT] = OPERATOR_STRICT},
    .plan = plan_in_place,
    .check = check_in_place,
    .check_indices = check_indices,
    .run = run_in_place,
    .moves = 1,
};

const struct operator_description scatter_update_operator = {
    .name = "scatter_update",
    .summary = "Writes updates into a copy of data as scatter_update(data, indices, updates, axis) does.",
    .formula = FORMULA,
    .outputs = "output",
    .inputs = INPUTS,
    .options = OPTIONS,
    .plan = plan_copy,
    .check = check_copy,
    .check_indices = check_indices,
    .run = run_copy,
    .moves = 1,
};

const struct operator_description scatter_update_in_place_operator = {
    .name = "scatter_update_",
    .summary = "The same in place: data comes out changed.",
    .formula = FORMULA,
    .outputs = "data",
    .inputs = INPUTS,
    .options = OPTIONS,
    .plan = plan_in_place,
    .check = check_in_place,
    .check_indices = check_indices,
    .run = run_in_place,
    .moves = 1,
};
