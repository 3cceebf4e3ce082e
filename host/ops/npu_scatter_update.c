/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_scatter_nd_update, clq_scatter_update and the same in place: the documented calls, their rules,
 * over rows that move. */
#include <clquant/npu.h>

#include "base/error.h"
#include "base/view.h"
#include "ops/npu_shape.h"
#include "ops/operators.h"

#include <clquant/move_rows.h>

static const struct clq__names nd_names = {"updates", "output", "indices", "input", true, false},
                               nd_place_names = {"updates", "input", "indices", NULL, true, false},
                               names = {"updates", "output", "indices", "data", true, false},
                               place_names = {"updates", "data", "indices", NULL, true, false};

/* The call as the general operator takes it. `output` NULL: in place. */
struct general {
    struct clq__seen indices, updates;
    struct clq_move_rows_desc desc;
};

/* indices [.., k] with updates [.., rest], whose first dimensions are the same. */
static clq_status check_nd(const struct clq__view *input, const struct clq__view *indices,
                           const struct clq__view *updates)
{
    clq_status status = CLQ_OK;
    const int lead = indices->rank - 1;
    int64_t k;

    CLQ_REQUIRE(lead >= 0, CLQ_ERROR_RANK, "indices.ndim is 0: it must be from 1 to %d", CLQ_MAX_RANK);
    k = indices->shape[lead];
    CLQ_REQUIRE(k >= 1 && k <= input->rank, CLQ_ERROR_SHAPE,
                "indices.shape[%d] is %lld: it must be from 1 to %d, the dimensions of %s", lead,
                (long long)k, input->rank, input->name);
    CLQ_REQUIRE(updates->rank == lead + input->rank - (int)k, CLQ_ERROR_RANK,
                "updates.ndim is %d: it must be %d, the %d of indices but its last, and the %d of %s behind "
                "its first %lld",
                updates->rank, lead + input->rank - (int)k, lead, input->rank - (int)k, input->name,
                (long long)k);
    for (int d = 0; d < updates->rank; d++) {
        const struct clq__view *of = d < lead ? indices : input;
        const int at = d < lead ? d : d - lead + (int)k;

        CLQ_REQUIRE(updates->shape[d] == of->shape[at], CLQ_ERROR_SHAPE,
                    "updates.shape[%d] is %lld: it must be %s.shape[%d], %lld", d,
                    (long long)updates->tensor->shape[d], of->name, at, (long long)of->tensor->shape[at]);
    }
end:
    return status;
}

static clq_status nd_general_of(const struct clq__names *named, const DLTensor *input,
                                const DLTensor *indices, const DLTensor *updates, const DLTensor *output,
                                struct general *general)
{
    clq_status status = CLQ_OK;
    struct clq__view views[3];
    int lead;

    CLQ_TRY(clq__view_init(&views[0], "input", input, CLQ__ANY));
    CLQ_TRY(clq__view_init(&views[1], named->scales, indices, CLQ__INDICES));
    CLQ_TRY(clq__view_init(&views[2], named->x, updates, CLQ__ANY));
    CLQ_TRY(check_nd(&views[0], &views[1], &views[2]));
    lead = indices->ndim - 1;
    clq__see(&general->indices, indices);
    clq__see(&general->updates, updates);
    if (lead != 1) {
        CLQ_TRY(clq__see_merged(&general->indices, named->scales, 0, lead));
        CLQ_TRY(clq__see_merged(&general->updates, named->x, 0, lead));
    }
    general->desc = (struct clq_move_rows_desc){.src = &general->updates.tensor,
                                                .dst_indices = &general->indices.tensor,
                                                .dst = output != NULL ? output : input,
                                                .input = output != NULL ? input : NULL,
                                                .dst_index_kind = CLQ_ND};
end:
    return status;
}

clq_status clq_npu_scatter_nd_update(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                     const DLTensor *indices, const DLTensor *updates, const DLTensor *output,
                                     cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct general general;

    CLQ_REQUIRE(output != NULL, CLQ_ERROR_NULL, "output is NULL: it must be a tensor");
    CLQ_TRY(nd_general_of(&nd_names, input, indices, updates, output, &general));
    CLQ_TRY(
        clq__operator_run(context, queue, &clq__move_rows, &nd_names, &general.desc, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_scatter_nd_update_(clq_context *context, cl_command_queue queue, const DLTensor *input,
                                      const DLTensor *indices, const DLTensor *updates, cl_uint num_wait,
                                      const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct general general;

    CLQ_TRY(nd_general_of(&nd_place_names, input, indices, updates, NULL, &general));
    CLQ_TRY(clq__operator_run(context, queue, &clq__move_rows, &nd_place_names, &general.desc, num_wait, wait,
                              done));
end:
    return status;
}

clq_status clq_npu_scatter_nd_update_check(const DLTensor *input, const DLTensor *indices,
                                           const DLTensor *updates, const DLTensor *output)
{
    clq_status status = CLQ_OK;
    const struct clq__names *named = output != NULL ? &nd_names : &nd_place_names;
    struct general general;

    CLQ_TRY(nd_general_of(named, input, indices, updates, output, &general));
    CLQ_TRY(clq__operator_check(&clq__move_rows, named, &general.desc));
end:
    return status;
}

static struct clq_move_rows_desc general_of(const DLTensor *data, const DLTensor *indices,
                                            const DLTensor *updates, int axis, const DLTensor *output)
{
    return (struct clq_move_rows_desc){.src = updates,
                                       .dst_indices = indices,
                                       .dst = output != NULL ? output : data,
                                       .input = output != NULL ? data : NULL,
                                       .axis = axis == 0 ? CLQ_AXIS_FIRST : axis};
}

/* The general operator takes updates without it for rows that are no entries. */
static clq_status check_given(const DLTensor *data, const DLTensor *indices)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(data != NULL, CLQ_ERROR_NULL, "data is NULL: it must be a tensor");
    CLQ_REQUIRE(indices != NULL, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor");
end:
    return status;
}

clq_status clq_scatter_update(clq_context *context, cl_command_queue queue, const DLTensor *data,
                              const DLTensor *indices, const DLTensor *updates, int axis,
                              const DLTensor *output, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq_move_rows_desc general = general_of(data, indices, updates, axis, output);

    CLQ_TRY(check_given(data, indices));
    CLQ_REQUIRE(output != NULL, CLQ_ERROR_NULL, "output is NULL: it must be a tensor");
    CLQ_TRY(clq__operator_run(context, queue, &clq__move_rows, &names, &general, num_wait, wait, done));
end:
    return status;
}

clq_status clq_scatter_update_(clq_context *context, cl_command_queue queue, const DLTensor *data,
                               const DLTensor *indices, const DLTensor *updates, int axis, cl_uint num_wait,
                               const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    const struct clq_move_rows_desc general = general_of(data, indices, updates, axis, NULL);

    CLQ_TRY(check_given(data, indices));
    CLQ_TRY(clq__operator_run(context, queue, &clq__move_rows, &place_names, &general, num_wait, wait, done));
end:
    return status;
}

clq_status clq_scatter_update_check(const DLTensor *data, const DLTensor *indices, const DLTensor *updates,
                                    int axis, const DLTensor *output)
{
    clq_status status = CLQ_OK;
    const struct clq_move_rows_desc general = general_of(data, indices, updates, axis, output);

    CLQ_TRY(check_given(data, indices));
    CLQ_TRY(clq__operator_check(&clq__move_rows, output != NULL ? &names : &place_names, &general));
end:
    return status;
}
