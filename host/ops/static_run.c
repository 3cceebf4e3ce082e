/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization from a described call to the queue: the kernel, and before it what it waits for. */
#include "base/error.h"
#include "ops/chain.h"
#include "ops/rounds.h"
#include "ops/static_call.h"
#include "ops/tiles.h"

enum { NUM_BUFFERS = 7 }; /* x, scales, zero points, y, indices, owners, report */

static clq_status prepare(struct clq__chain *chain, struct clq__static_call *call)
{
    clq_status status = CLQ_OK;
    const struct clq__static_work *work = call->work;
    const struct clq__static_source *sources[2] = {&call->scale, &call->zero_point};
    const struct clq__placement *placement = &work->placement;
    cl_mem *buffers = call->launch.buffers;

    for (int i = 0; i < 2; i++) {
        const struct clq__view *view = &sources[i]->parameter->view;

        buffers[1 + i] = view->tensor != NULL && view->elements > 0 ? view->tensor->data : NULL;
        if (sources[i]->widen)
            CLQ_TRY(clq__chain_widen(
                chain, view, placement->kind == CLQ_ENTRY_GROUPS ? view->elements : work->x.shape[work->axis],
                call->repeats, &buffers[1 + i]));
    }
    buffers[0] = work->x.tensor->data;
    buffers[3] = work->y.elements > 0 ? work->y.tensor->data : NULL;
    buffers[4] = placement->kind != CLQ_ENTRY_NONE ? placement->indices.tensor->data : NULL;
    buffers[5] = NULL;
    buffers[6] = placement->report;
    if (clq__static_owner_words(call) > 0)
        CLQ_TRY(clq__chain_claim(chain, placement, &call->args.entries, &buffers[5]));
    call->launch.num_buffers = NUM_BUFFERS;
    call->launch.args = &call->args;
    call->launch.args_bytes = sizeof call->args;
end:
    return status;
}

static clq_status enqueue(struct clq__static_call *call, clq_context *context, cl_command_queue queue,
                          cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__chain chain = {.context = context, .queue = queue, .num_wait = num_wait, .wait = wait};

    CLQ_TRY(prepare(&chain, call));
    CLQ_TRY(clq__chain_finish(&chain, &call->launch, done));
end:
    clq__chain_release(&chain);
    return status;
}

/* The way back has parts of rows in turn where it reads whole bytes and all rows begin in line. */
static bool may_turn(const struct clq__static_call *call, int64_t rows)
{
    return !call->work->back ||
           (call->work->y.type != CLQ__I4 && (rows == 1 || call->args.inner % CLQ_STEP_UNITS == 0));
}

/* Parts of rows in turn, which are as far in the row's scales as each other. */
static bool shares_scales(const struct clq__static_call *call)
{
    return !call->work->back && call->scale.per_element;
}

/* To repeat scales takes a kernel more. Measured on PoCL and a Zen 4, float16 to int8, with as many units, ms by rows and so:
 * rows of 96 0.69 and 0.46, of 80 1.13 and 0.65, of 112 0.93 and 0.69; of eight times as many 4.0 and 2.2, 4.0 and 2.2,
 * 3.8 and 2.6. */
static bool may_repeat(const struct clq__static_call *call)
{
    const int64_t least = INT64_C(1) << 22;

    return shares_scales(call) && call->args.entries.kind != CLQ_ENTRY_GROUPS &&
           call->args.inner * clq__fold_count(&call->fold, 1) >= least;
}

static void repeat_scales(struct clq__static_call *call, int64_t repeats)
{
    call->repeats = repeats;
    call->scale.widen = true;
    call->args.scale_offset = 0;
    call->args.scale_type = CLQ_SCALAR_F32;
    if (!call->zero_point.per_element)
        return;
    call->zero_point.widen = true;
    call->args.zero_point_offset = 0;
    call->args.zero_point_type = CLQ_SCALAR_F32;
}

static void cut(struct clq__static_call *call, struct clq__traits traits)
{
    struct quantize_args *args = &call->args;
    const bool may_join = traits.long_runs && !traits.group_form && !call->work->back;
    const int64_t inner = args->inner; /* before rows are joined */
    const struct clq__joined joined =
        may_join ? clq__static_join(args, may_repeat(call)) : (struct clq__joined){1, 1};
    const int64_t count = clq__fold_count(&call->fold, 1) / joined.rows, period = inner * joined.repeats;
    const struct clq__rows rows = {.rows = count,
                                   .inner = args->inner,
                                   .in_turn = may_turn(call, count),
                                   .period = shares_scales(call) ? period : 1,
                                   .rounds_beside = clq__rounds_of_row(0, args->outer) +
                                                    clq__rounds_of_place(&args->entries)};
    const struct clq__tiles tiles = clq__tiles_of(&rows, traits, &call->launch);

    if (joined.repeats > 1)
        repeat_scales(call, joined.repeats);
    args->period = period;
    args->tile = tiles.tile;
    args->tiles_per_row = tiles.tiles_per_row;
    args->tiles = tiles.tiles;
    args->tiles_per_item = tiles.tiles_per_item;
    args->lanes = tiles.lanes;
}

static clq_status build(struct clq__static_call *call, clq_context *context)
{
    clq_status status = CLQ_OK;

    if (call->scale.widen || call->zero_point.widen)
        CLQ_TRY(clq__widen_build(context));
    if (clq__static_owner_words(call) > 0)
        CLQ_TRY(clq__claim_build(context));
    call->launch.num_buffers = NUM_BUFFERS;
    call->launch.args_bytes = sizeof call->args;
    CLQ_TRY(clq__launch_build(context, &call->launch));
end:
    return status;
}

clq_status clq__static_run(clq_context *context, cl_command_queue queue, const struct clq__static_work *work,
                           bool build_only, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__static_call
        call; /* each step sets its part: clearing two kilobytes would be felt by small calls */

    if (work->x.elements == 0) {
        if (!build_only)
            CLQ_TRY(clq__launch_nothing(queue, num_wait, wait, done));
        goto end;
    }
    clq__static_describe(&call, work);
    clq__variant_end(&call.launch.variant, context);
    cut(&call, clq__traits(context));
    if (build_only) {
        CLQ_TRY(build(&call, context));
        goto end;
    }
    CLQ_TRY(enqueue(&call, context, queue, num_wait, wait, done));
end:
    return status;
}
