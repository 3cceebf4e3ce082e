/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/kept.h"

#include "base/error.h"
#include "plan/operator.h"

#include <assert.h>
#include <string.h>

/* The place of a buffer in the descriptor, and from which byte on. */
struct bound {
    void **data;
    uint64_t *offset_bytes;
};

static void *at(clq_plan *plan, size_t field)
{
    return plan->desc + field;
}

/* NULL data: the descriptor has no such field, or left it out. */
static struct bound find(clq_plan *plan, size_t field)
{
    size_t tensor = 0;

    for (size_t i = 0; i < plan->op->num_options; i++) {
        const struct clq_option *option = &plan->op->options[i];
        const bool is_it = option->offset_bytes == field, is_tensor = clq__option_is_tensor(option);

        if (is_it && is_tensor && *(const DLTensor **)at(plan, field) != NULL)
            return (struct bound){&plan->tensors[tensor].dl.data, &plan->tensors[tensor].dl.byte_offset};
        if (is_it && option->kind == CLQ_OPTION_BUFFER && *(cl_mem *)at(plan, field) != NULL)
            return (struct bound){at(plan, field), (uint64_t *)at(plan, field + sizeof(cl_mem))};
        tensor += is_tensor;
    }
    return (struct bound){NULL, NULL};
}

/* The descriptor passed every check but those of memory, so its ranks are in range. */
static void copy_tensor(struct clq__kept_tensor *tensor, const DLTensor **pointer)
{
    const size_t bytes = (size_t)(*pointer)->ndim * sizeof(int64_t);

    tensor->dl = **pointer;
    if (bytes > 0)
        memcpy(tensor->shape, tensor->dl.shape, bytes);
    if (bytes > 0 && tensor->dl.strides != NULL)
        memcpy(tensor->strides, tensor->dl.strides, bytes);
    tensor->dl.shape = tensor->shape;
    tensor->dl.strides = tensor->dl.strides != NULL ? tensor->strides : NULL;
    *pointer = &tensor->dl;
}

static void copy_desc(clq_plan *plan, const void *desc)
{
    struct clq__kept_tensor *tensor = plan->tensors;

    memcpy(plan->desc, desc, plan->op->desc_bytes);
    for (size_t i = 0; i < plan->op->num_options; i++) {
        const struct clq_option *option = &plan->op->options[i];
        const DLTensor **pointer = at(plan, option->offset_bytes);

        if (!clq__option_is_tensor(option))
            continue;
        if (*pointer != NULL)
            copy_tensor(tensor, pointer);
        tensor++;
    }
}

/* Has each of them the kernel that it had before. A layout asks for the same kernels whatever its buffers
 * are. */
static void attach_all(clq_plan *plan, struct clq__launch *launches, unsigned num)
{
    for (unsigned i = 0; i < num; i++) {
        launches[i].kept = &plan->kept[plan->num_kept];
        plan->launches[plan->num_kept++] = &launches[i];
    }
}

static void attach(clq_plan *plan)
{
    struct clq__plan *call = &plan->call;

    plan->num_kept = 0;
    plan->scratch = call->temporaries.num > 0 && call->checked.placement.workspace.buffer == NULL;
    if (call->copies && call->copy.bytes == 0)
        attach_all(plan, &call->copy.launch, 1);
    if (call->idle)
        return;
    for (unsigned i = 0; i < call->num_ahead; i++) {
        attach_all(plan, call->ahead[i].before, call->ahead[i].num_before);
        attach_all(plan, call->ahead[i].kernels, call->ahead[i].num_kernels);
    }
    attach_all(plan, call->launches.before, call->launches.num_before);
    attach_all(plan, call->launches.kernels, call->launches.num_kernels);
}

/* Buffers that were made for one enqueue are gone, and others may have their handles. */
static void forget_arguments(clq_plan *plan)
{
    plan->is_set = false;
    for (unsigned i = 0; i < plan->num_kept; i++) {
        plan->kept[i].is_set = false;
        if (plan->scratch)
            plan->kept[i].given = 0;
    }
}

/* All steps of a call, for the buffers that are bound. */
static clq_status make(clq_plan *plan)
{
    clq_status status = CLQ_OK;

    plan->is_made = false;
    CLQ_TRY(clq__plan_make(&plan->call, plan->context, plan->op, plan->names, plan->desc));
    attach(plan);
    forget_arguments(plan);
    plan->is_made = true;
end:
    return status;
}

clq_status clq__plan_keep(clq_context *context, const struct clq__operator *op,
                          const struct clq__names *names, const void *desc, clq_plan **out)
{
    clq_status status = CLQ_OK;
    clq_plan *plan = NULL;
    size_t limit;

    CLQ_REQUIRE(out != NULL, CLQ_ERROR_NULL, "plan is NULL: it must point to a clq_plan *");
    *out = NULL;
    CLQ_TRY(clq__call_check(context, NULL, true, 0, NULL));
    CLQ_TRY(clq__operator_check(op, names, desc));
    CLQ_TRY_NEW(plan);
    assert(op->desc_bytes <= sizeof plan->desc);
    plan->context = context;
    plan->op = op;
    plan->names = names;
    copy_desc(plan, desc);
    do {
        limit = clq__group_limit(context); /* which may fall with the kernels that are built, as for a call */
        CLQ_TRY(make(plan));
        status = clq__plan_build(&plan->call, context);
    } while (clq__is_to_cut_again(context, status, limit));
    CLQ_TRY(status);
    *out = plan;
    plan = NULL;
end:
    clq_plan_destroy(plan);
    return status;
}

static clq_status check_bindings(clq_plan *plan, size_t num, const struct clq_binding *bindings)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(num <= CLQ__MOST_BINDINGS, CLQ_ERROR_VALUE, "num_bindings is %zu: it must be at most %d", num,
                CLQ__MOST_BINDINGS);
    CLQ_REQUIRE((num == 0) == (bindings == NULL), CLQ_ERROR_NULL,
                "num_bindings is %zu and bindings is %s: there must be a list where it has a length", num,
                bindings == NULL ? "NULL" : "not NULL");
    for (size_t i = 0; i < num; i++) {
        CLQ_REQUIRE(find(plan, bindings[i].field).data != NULL, CLQ_ERROR_VALUE,
                    "bindings[%zu].field is %zu: it must be the offset of a tensor, report or workspace that "
                    "the plan's "
                    "descriptor has",
                    i, bindings[i].field);
        CLQ_REQUIRE(bindings[i].buffer != NULL, CLQ_ERROR_NULL,
                    "bindings[%zu].buffer is NULL: it must be a buffer", i);
    }
end:
    return status;
}

/* Exchanges what is bound for these: done twice, the second time from the last one to the first,
 * all is as before. */
static void swap(clq_plan *plan, struct clq_binding *binding)
{
    const struct bound bound = find(plan, binding->field);
    const struct clq_binding before = {binding->field, *bound.data, *bound.offset_bytes};

    *bound.data = binding->buffer;
    *bound.offset_bytes = binding->offset_bytes;
    *binding = before;
}

static bool differs(clq_plan *plan, const struct clq_binding *binding)
{
    const struct bound bound = find(plan, binding->field);

    return *bound.data != binding->buffer || *bound.offset_bytes != binding->offset_bytes;
}

clq_status clq__plan_bind(clq_plan *plan, size_t num, const struct clq_binding *bindings)
{
    clq_status status = CLQ_OK;
    bool changed = false;

    plan->num_before = 0;
    CLQ_TRY(check_bindings(plan, num, bindings));
    for (size_t i = 0; i < num; i++)
        changed |= differs(plan, &bindings[i]);
    if (!changed && plan->is_made)
        goto end;
    for (size_t i = 0; i < num; i++) {
        plan->before[i] = bindings[i];
        swap(plan, &plan->before[i]);
    }
    plan->num_before = num;
    status = make(plan);
    if (status != CLQ_OK)
        clq__plan_unbind(plan);
end:
    return status;
}

void clq__plan_unbind(clq_plan *plan)
{
    plan->is_made = plan->is_made && plan->num_before == 0;
    while (plan->num_before > 0)
        swap(plan, &plan->before[--plan->num_before]);
}

clq_status clq__plan_take(clq_plan *plan)
{
    clq_status status = CLQ_OK;
    cl_kernel kernel = NULL;

    if (plan->scratch)
        forget_arguments(plan);
    status = clq__plan_prepare(&plan->call, plan->context);
    for (unsigned i = 0; status == CLQ_OK && !plan->is_set && i < plan->num_kept; i++)
        status = clq__launch_set(plan->context, plan->launches[i], &kernel);
    plan->is_set = status == CLQ_OK;
    if (status != CLQ_OK)
        clq__plan_release(&plan->call);
    return status;
}

void clq__plan_give(clq_plan *plan)
{
    clq__plan_release(&plan->call);
    plan->is_taken = false;
}

void clq_plan_destroy(clq_plan *plan)
{
    if (plan == NULL)
        return;
    clq__records_release(plan->records, plan->context);
    for (unsigned i = 0; i < CLQ__MOST_KEPT; i++)
        clq__kept_release(plan->context, &plan->kept[i]);
    free(plan);
}
