/* The rules of quantize-and-scatter that the host can know. */
#include "base/error.h"
#include "base/fold.h"
#include "ops/scatter.h"

/* One element, or one per index of the last axis: in row-major order, whatever their shape. */
static clq_status check_parameter(const struct clq__static_work *work,
                                  struct clq__static_parameter *parameter)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &parameter->view;
    const int last = work->x.rank - 1;
    struct clq__fold fold = {0};

    CLQ_REQUIRE(view->elements == 1 || view->elements == work->x.shape[last], CLQ_ERROR_SHAPE,
                "%s has %lld elements: it must have 1, or %lld as %s.shape[%d]", view->name,
                (long long)view->elements, (long long)work->x.shape[last], work->x.name, last);
    if (view->elements <= 1)
        goto end;
    for (int d = view->rank - 1; d >= 0; d--)
        clq__fold_add(&fold, false, view->shape[d], (int64_t[CLQ__FOLD_TENSORS]){view->stride[d]});
    clq__fold_merge(&fold);
    parameter->flatten = fold.dims > 1;
    parameter->stride = fold.dims > 1 ? 1 : fold.dim[0].stride[0];
end:
    return status;
}

static clq_status check_indices(const struct clq__static_work *work)
{
    clq_status status = CLQ_OK;
    const struct clq__view *indices = &work->placement.indices, *updates = &work->x, *cache = &work->y;

    CLQ_REQUIRE(indices->rank == 1 || indices->rank == 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 1 or 2",
                indices->name, indices->rank);
    CLQ_REQUIRE(indices->rank == 1 || indices->shape[1] == 2, CLQ_ERROR_SHAPE,
                "%s.shape[1] is %lld: it must be 2, a batch and a start", indices->name,
                (long long)indices->shape[1]);
    CLQ_REQUIRE(indices->shape[0] == updates->shape[0], CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: it must be %s.shape[0], %lld", indices->name,
                (long long)indices->shape[0], updates->name, (long long)updates->shape[0]);
    CLQ_REQUIRE(indices->rank == 2 || indices->shape[0] <= cache->shape[0], CLQ_ERROR_SHAPE,
                "%s.shape[0] is %lld: with 1-D indices it must be at most %s.shape[0], %lld", indices->name,
                (long long)indices->shape[0], cache->name, (long long)cache->shape[0]);
end:
    return status;
}

static clq_status check_shapes(struct clq__static_work *work, int axis)
{
    clq_status status = CLQ_OK;
    const struct clq__view *updates = &work->x, *cache = &work->y;
    const int rank = updates->rank, at = axis < 0 ? axis + rank : axis;

    CLQ_REQUIRE(rank >= 2, CLQ_ERROR_RANK, "%s.ndim is %d: it must be from 2 to %d", updates->name, rank,
                CLQ__MAX_RANK);
    CLQ_TRY(clq__static_check_rank(cache, updates));
    CLQ_REQUIRE(at >= 1 && at < rank, CLQ_ERROR_AXIS,
                "axis is %d: it must be from %d to %d or from 1 to %d, any dimension but the first", axis,
                1 - rank, -1, rank - 1);
    CLQ_REQUIRE(cache->type != CLQ__I4 || at < rank - 1, CLQ_ERROR_AXIS,
                "axis is %d: for an int4 cache it must not be the last dimension", axis);
    for (int d = 1; d < rank; d++)
        if (d != at)
            CLQ_TRY(clq__static_check_size(cache, updates, d));
    CLQ_REQUIRE(updates->shape[at] <= cache->shape[at], CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld: it must be at most %s.shape[%d], %lld", updates->name, at,
                (long long)updates->shape[at], cache->name, at, (long long)cache->shape[at]);
    work->placement.axis = at;
    work->placement.batches = cache->shape[0];
    work->placement.size = cache->shape[at];
    work->placement.length = updates->shape[at];
    work->axis = rank - 1;
end:
    return status;
}

static clq_status check_memory(const struct clq__static_work *work, const struct clq__view *input)
{
    return clq__memory_check_all((const struct clq__view *[]){&work->y, input, &work->x,
                                                              &work->placement.indices, &work->scale.view,
                                                              &work->zero_point.view},
                                 6);
}

clq_status clq__scatter_check(const struct clq__scatter *call, struct clq__static_work *work,
                              struct clq__view *input)
{
    clq_status status = CLQ_OK;
    const struct clq__scatter_names *names = call->names;
    struct clq__placement *placement = &work->placement;

    CLQ_TRY(clq__static_work_init(work, call->mode));
    CLQ_REQUIRE(call->range <= CLQ_WRAP, CLQ_ERROR_VALUE,
                "out_of_range is %u: it must be CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2)", call->range);
    CLQ_REQUIRE(call->unique <= 1, CLQ_ERROR_VALUE, "unique is %u: it must be 0 or 1", call->unique);
    CLQ_TRY(clq__view_init(&work->y, names->cache, call->cache, CLQ__CACHES));
    CLQ_TRY(clq__view_init(&placement->indices, "indices", call->indices, CLQ__INDICES));
    CLQ_TRY(clq__view_init(&work->x, "updates", call->updates, CLQ__FLOATS));
    CLQ_TRY(clq__static_parameters_init(work, names->scales, call->scales, names->zero_points,
                                        call->zero_points));
    CLQ_TRY(check_shapes(work, call->axis));
    CLQ_TRY(check_indices(work));
    CLQ_TRY(clq__view_check_output(&work->y));
    CLQ_TRY(check_parameter(work, &work->scale));
    CLQ_TRY(check_parameter(work, &work->zero_point));
    clq__view_init_absent(input, names->input);
    if (call->input != NULL) {
        CLQ_TRY(clq__view_init(input, names->input, call->input, CLQ__SET(work->y.type)));
        CLQ_TRY(clq__static_check_alike(&work->y, input));
        CLQ_REQUIRE(input->lanes == work->y.lanes, CLQ_ERROR_TYPE,
                    "%s.dtype has %d lanes: it must have those of %s, %d", input->name, input->lanes,
                    work->y.name, work->y.lanes);
    }
    placement->kind = placement->indices.rank == 2 ? CLQ_ENTRY_PAIRS : CLQ_ENTRY_STARTS;
    placement->range = call->range;
    placement->unique = call->unique != 0;
    placement->report = call->report;
    placement->report_offset_bytes = call->report_offset_bytes;
    placement->workspace = call->workspace;
    placement->workspace_offset_bytes = call->workspace_offset_bytes;
    CLQ_TRY(check_memory(work, input));
    CLQ_TRY(clq__static_check_words(work, input, "report", call->report, call->report_offset_bytes,
                                    CLQ__REPORT_WORDS));
end:
    return status;
}
