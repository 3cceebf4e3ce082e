/* SPDX-License-Identifier: Apache-2.0 */
/* The way of each operator through the library, from the descriptor to its launches. */
#include "described.h"
#include "ops/dense.h"
#include "ops/dequantize.h"
#include "ops/dynamic_scatter.h"
#include "ops/group.h"
#include "ops/scatter.h"

#include "base/error.h"

/* The workspace's size shows once the call is described: half of the calls that need one get it. */
static void add_workspace(struct described *described, struct clq__placement *placement, int64_t words)
{
    struct call *call = &described->call;

    if (words == 0 || rng_once_in(&call->rng, 2))
        return;
    call_add_workspace(call, (size_t)words);
    placement->workspace = (cl_mem)(void *)&call->workspace.memory;
    placement->workspace_offset_bytes = call->workspace.dl.byte_offset;
}

static void static_launches(struct described *described)
{
    struct clq__static_work *work = &described->as.of_static.work;
    struct clq__static_call *call = &described->as.of_static.call;

    if (work->x.elements == 0)
        return;
    clq__static_describe(call, work);
    add_workspace(described, &work->placement, clq__static_owner_words(call));
    clq__static_launches(call, work, &described->traits);
    described->launches = &call->launches;
}

static void dynamic_launches(struct described *described)
{
    struct clq__dynamic_work *work = &described->as.of_dynamic.work;
    struct clq__dynamic_call *call = &described->as.of_dynamic.call;

    if (work->x.elements == 0)
        return;
    clq__dynamic_describe(&call->args, work);
    add_workspace(described, &work->placement, call->args.entries.owner_words);
    clq__dynamic_describe(&call->args, work);
    clq__dynamic_launches(call, work, &described->traits);
    described->launches = &call->launches;
}

static clq_status quantize(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dense call;

    CLQ_TRY(clq__dense_of(desc, &call));
    CLQ_TRY(clq__dense_check(&call, &described->as.of_static.work));
    static_launches(described);
end:
    return status;
}

static clq_status dequantize(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__dequantize_check(desc, &described->as.of_static.work));
    static_launches(described);
end:
    return status;
}

static clq_status group_quantize(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__group call;

    CLQ_TRY(clq__group_of(desc, &call));
    CLQ_TRY(clq__group_check(&call, &described->as.of_static.work));
    static_launches(described);
end:
    return status;
}

static clq_status quantize_scatter(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__scatter call;

    CLQ_TRY(clq__scatter_of(desc, &call));
    CLQ_TRY(clq__scatter_check(&call, &described->as.of_static.work, &described->copy_src));
    described->copies = described->copy_src.tensor != NULL && described->copy_src.elements > 0;
    described->copy_dst = described->as.of_static.work.y;
    if (described->copies)
        clq__copy_describe(&described->copy, &described->copy_dst, &described->copy_src, &described->traits);
    static_launches(described);
end:
    return status;
}

static clq_status dynamic_quantize(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__dynamic_quantize_check(desc, &described->as.of_dynamic.work));
    dynamic_launches(described);
end:
    return status;
}

static clq_status dynamic_quantize_scatter(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;
    struct clq__dynamic_scatter call;

    CLQ_TRY(clq__dynamic_scatter_of(desc, &call));
    CLQ_TRY(clq__dynamic_scatter_check(&call, &described->as.of_dynamic.work));
    dynamic_launches(described);
end:
    return status;
}

static clq_status find_scales(struct described *described, const void *desc)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__scales_check(desc, &described->as.of_scales.work));
    if (described->as.of_scales.work.scales.elements == 0)
        goto end;
    clq__scales_launches(&described->as.of_scales.call, &described->as.of_scales.work, &described->traits);
    described->launches = &described->as.of_scales.call.launches;
end:
    return status;
}

#define KERNEL(kernel) (1u << CLQ__##kernel##_CL)
const struct way ways[] = {
    {&operator_quantize, KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE) | KERNEL(WIDEN), quantize},
    {&operator_dequantize, KERNEL(DEQUANTIZE) | KERNEL(CPU_DEQUANTIZE), dequantize},
    {&operator_quantize_scatter, KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE) | KERNEL(CLAIM) | KERNEL(COPY),
     quantize_scatter},
    {&operator_group_quantize, KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE), group_quantize},
    {&operator_dynamic_quantize, KERNEL(DYNAMIC_QUANTIZE) | KERNEL(CPU_DYNAMIC_QUANTIZE), dynamic_quantize},
    {&operator_dynamic_quantize_scatter, KERNEL(DYNAMIC_QUANTIZE) | KERNEL(CPU_DYNAMIC_QUANTIZE),
     dynamic_quantize_scatter},
    {&operator_find_scales, KERNEL(FIND_SCALES) | KERNEL(CPU_FIND_SCALES) | KERNEL(FINISH_SCALES),
     find_scales},
};
_Static_assert(sizeof ways / sizeof *ways == OPERATORS, "an operator has no way");
