/* SPDX-License-Identifier: Apache-2.0 */
/* Making a random call. */
#include "call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the host only does where a call is long takes a large part of a second. */
enum { CALLS_OF_A_LONG_ONE = 50000 };

struct tensor *call_tensor(struct call *call, const char *name, enum clq__type type,
                           const struct shape *shape, enum tensor_use use)
{
    struct tensor *tensor = &call->tensors[call->num_tensors++];

    tensor_make(&call->rng, tensor, name, type, shape, use);
    return tensor;
}

void call_choices(struct call *call, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(call->choices, sizeof call->choices, format, list);
    va_end(list);
}

enum clq__type call_type(struct call *call, enum clq__plug plug, unsigned set)
{
    const int wished = call->wish.bits != 0 && plug < CLQ__PLUGS ? clq__variant_value(&call->wish, plug) : -1;
    enum clq__type type;

    if (wished > 0 && (CLQ__SET(wished) & set))
        return (enum clq__type)wished;
    do
        type = (enum clq__type)(1 + rng_below(&call->rng, CLQ__TYPES - 1));
    while (!(CLQ__SET(type) & set));
    return type;
}

uint32_t call_mode(struct call *call)
{
    const int wished = call->wish.bits != 0 ? clq__variant_value(&call->wish, CLQ__MODE) : -1;

    if (wished >= 0)
        return wished == 1 ? CLQ_DIVIDE : CLQ_MULTIPLY;
    return rng_once_in(&call->rng, 2) ? CLQ_DIVIDE : CLQ_MULTIPLY;
}

int call_axis(struct call *call, int d, int rank)
{
    if (rng_once_in(&call->rng, 2))
        return d - rank;
    return d == 0 ? CLQ_AXIS_FIRST : d;
}

struct tensor *call_parameter(struct call *call, const char *name, unsigned types, const struct shape *x,
                              int d)
{
    const bool each = x->rank > 0 && !rng_once_in(&call->rng, 3);
    struct shape shape = {.rank = rng_once_in(&call->rng, 3) ? x->rank
                                  : each                     ? 1
                                                             : (int)rng_below(&call->rng, 2)};

    for (int i = 0; i < shape.rank; i++)
        shape.size[i] = 1;
    if (each)
        shape.size[shape.rank == 1 ? 0 : d] = x->size[d];
    return call_tensor(call, name, call_type(call, CLQ__PLUGS, types), &shape, TENSOR_INPUT);
}

void call_report(struct call *call)
{
    if (rng_once_in(&call->rng, 3))
        return;
    tensor_make_zeros(&call->rng, &call->report, "report", (size_t)rng_below(&call->rng, 6) * 4,
                      sizeof(struct clq_report));
}

void call_expect_report(struct call *call, struct reference_report report)
{
    if (call->report.name != NULL)
        memcpy(call->report.expected + call->report.dl.byte_offset, &report, sizeof report);
}

/* The workspace's size shows once the call is described. */
static void add_workspace(struct call *call, struct clq__placement *placement, int64_t words)
{
    if (words == 0 || rng_once_in(&call->rng, 2))
        return;
    tensor_make_zeros(&call->rng, &call->workspace, "workspace", (size_t)rng_below(&call->rng, 6) * 4,
                      (size_t)words * sizeof(uint32_t));
    memset(call->workspace.memory.bytes, 0xa5, call->workspace.memory.size);
    memset(call->workspace.expected, 0xa5, call->workspace.memory.size);
    placement->workspace = (cl_mem)(void *)&call->workspace.memory;
    placement->workspace_offset_bytes = call->workspace.dl.byte_offset;
}

void call_static_launches(struct call *call)
{
    struct clq__static_work *work = &call->as.of_static.work;
    struct clq__static_call *described = &call->as.of_static.call;

    if (work->x.elements == 0)
        return;
    clq__static_describe(described, work);
    add_workspace(call, &work->placement, clq__static_owner_words(described));
    clq__static_launches(described, work, &call->traits);
    call->launches = &described->launches;
}

void call_dynamic_launches(struct call *call)
{
    struct clq__dynamic_work *work = &call->as.of_dynamic.work;
    struct clq__dynamic_call *described = &call->as.of_dynamic.call;

    if (work->x.elements == 0)
        return;
    clq__dynamic_describe(&described->args, work);
    add_workspace(call, &work->placement, described->args.entries.owner_words);
    clq__dynamic_describe(&described->args, work);
    clq__dynamic_launches(described, work, &call->traits);
    call->launches = &described->launches;
}

void call_plugs(struct clq__traits *traits)
{
    for (unsigned group = 0; group < 2; group++) {
        clq__variant_begin(&traits->plugs[group], CLQ__NO_KERNEL);
        clq__variant_define(&traits->plugs[group], CLQ__FORM, group);
        clq__variant_define(&traits->plugs[group], CLQ__ARITHMETIC, 1);
        clq__variant_define(&traits->plugs[group], CLQ__PREFETCH, traits->long_runs);
    }
}

/* What devices there may be. */
static struct clq__traits imagine(struct rng *rng)
{
    static const size_t group_items[] = {1, 2, 4, 16, 64, 128, 256, 1024};
    static const uint32_t units[] = {1, 2, 3, 16, 132};
    struct clq__traits traits = {.group_form = rng_once_in(rng, 2),
                                 .max_group_items = group_items[rng_below(rng, 8)],
                                 .compute_units = units[rng_below(rng, 5)],
                                 .long_runs = rng_once_in(rng, 2)};

    traits.ends_loops = !traits.long_runs && rng_once_in(rng, 3);
    call_plugs(&traits);
    return traits;
}

/* The operators, each with the kernels that it is made for where one of them is wished. */
#define KERNEL(kernel) (1u << CLQ__##kernel##_CL)
static const struct {
    const char *name;
    clq_status (*make)(struct call *call);
    unsigned kernels;
} operators[] = {
    {"quantize", call_quantize, KERNEL(QUANTIZE) | KERNEL(WIDEN)},
    {"dequantize", call_dequantize, KERNEL(DEQUANTIZE)},
    {"quantize_scatter", call_quantize_scatter, KERNEL(QUANTIZE) | KERNEL(CLAIM) | KERNEL(COPY)},
    {"dequantize, gathered", call_dequantize_gather, KERNEL(DEQUANTIZE)},
    {"group_quantize", call_group_quantize, KERNEL(QUANTIZE)},
    {"dequantize of groups", call_dequantize_groups, KERNEL(DEQUANTIZE)},
    {"dynamic_quantize", call_dynamic_quantize, KERNEL(DYNAMIC_QUANTIZE)},
    {"dynamic_quantize_scatter", call_dynamic_quantize_scatter, KERNEL(DYNAMIC_QUANTIZE)},
    {"find_scales", call_find_scales, KERNEL(FIND_SCALES) | KERNEL(FINISH_SCALES)},
    {"quantize", call_quantize_long, 0},
};
enum { LONG_ONE = sizeof operators / sizeof *operators - 1 };

static int choose_operator(struct call *call)
{
    const uint64_t kernel = call->wish.bits & 255;
    int choice;

    do
        choice = (int)rng_below(&call->rng, LONG_ONE);
    while (kernel != CLQ__NO_KERNEL && !(operators[choice].kernels >> kernel & 1));
    return choice;
}

clq_status call_make(struct call *call, uint64_t seed, uint64_t number, const struct clq__traits *traits,
                     const struct clq__variant *wish)
{
    int choice, size;

    call->rng = (struct rng){seed * 0x2545f4914f6cdd1du ^ number * 0xd1342543de82ef95u};
    call->wish = wish != NULL ? *wish : (struct clq__variant){0};
    call->traits = traits != NULL ? *traits : imagine(&call->rng);
    call->num_tensors = 0;
    call->report.name = call->workspace.name = NULL;
    call->copies = false;
    call->launches = NULL;
    call->choices[0] = '\0';
    choice = choose_operator(call);
    size = (int)rng_below(&call->rng, 100); /* mostly small, for a call is to take microseconds */
    if (traits == NULL)
        call->most_elements = size < 80 ? 48 : size < 98 ? 300 : size < 99 ? 1200 : 5000;
    else /* beside a launch, some rows of whole vectors cost nothing */
        call->most_elements = size < 30 ? 48 : size < 90 ? 600 : 5000;
    if (traits == NULL && number % CALLS_OF_A_LONG_ONE == 1)
        choice = LONG_ONE;
    call->name = operators[choice].name;
    return operators[choice].make(call);
}

void call_clear(struct call *call)
{
    for (int t = 0; t < call->num_tensors; t++)
        tensor_clear(&call->tensors[t]);
    tensor_clear(&call->report);
    tensor_clear(&call->workspace);
}

unsigned call_launches(const struct call *call, const struct clq__launch *launches[2 + CLQ__MOST_BEFORE])
{
    unsigned count = 0;

    if (call->copies && call->copy.bytes == 0)
        launches[count++] = &call->copy.launch;
    if (call->launches == NULL)
        return count;
    for (unsigned i = 0; i < call->launches->num_before; i++)
        launches[count++] = &call->launches->before[i];
    launches[count++] = &call->launches->kernel;
    return count;
}

void call_print(const struct call *call)
{
    const struct clq__traits *traits = &call->traits;
    const struct clq__launch *launches[2 + CLQ__MOST_BEFORE];
    const unsigned count = call_launches(call, launches);

    fprintf(stderr, "%s %s\n", call->name, call->choices);
    fprintf(stderr, "  on a device of form %s, %zu items in a group, %u units%s%s\n",
            traits->group_form ? "group" : "item", traits->max_group_items, traits->compute_units,
            traits->long_runs ? ", long runs" : "", traits->ends_loops ? ", which ends loops" : "");
    for (int t = 0; t < call->num_tensors; t++)
        tensor_print(&call->tensors[t]);
    tensor_print(&call->report);
    tensor_print(&call->workspace);
    for (unsigned i = 0; i < count; i++)
        fprintf(stderr, "  launches %s, %zu groups of %zu\n", clq__variant_text(&launches[i]->variant).data,
                launches[i]->groups, launches[i]->local);
}
