/* SPDX-License-Identifier: Apache-2.0 */
/* Making a random call, and devices for it. */
#include "described.h"

#include "base/error.h"
#include "ops/operators.h"
#include "ties.h"
#include "units.h"

#include <stdio.h>

/* What the host only does where a call is long takes a large part of a second. */
enum { CALLS_OF_A_LONG_ONE = 20000 };

static void set_plugs(struct clq__traits *traits)
{
    for (unsigned group = 0; group < 2; group++) {
        clq__variant_begin(&traits->plugs[group], CLQ__NO_KERNEL);
        clq__variant_define(&traits->plugs[group], CLQ__FORM, group);
        clq__variant_define(&traits->plugs[group], CLQ__ARITHMETIC, 1);
    }
}

/* What a launch counts in: small calls are cut into slices as large ones. */
static int64_t most_of(struct rng *rng)
{
    static const int64_t most[] = {1, 2, 5, 30, 200, 1000};

    return rng_once_in(rng, 2) ? INT64_C(1) << 30 : most[rng_below(rng, 6)];
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
    set_plugs(&traits);
    return traits;
}

/* The ranges of all values are those of dynamic quantization. */
static bool leads_to(const struct way *way, const struct clq__variant *wish)
{
    const int range = clq__variant_value(wish, CLQ__RANGE);

    return (way->kernels >> (wish->bits & 255) & 1) &&
           (range < 0 || (range == 1) == (way->library == &clq__dynamic_quantize));
}

static bool is_of_rows(const struct clq__variant *variant)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__DYNAMIC_QUANTIZE_CL || kernel == CLQ__CPU_DYNAMIC_QUANTIZE_CL;
}

static const struct way *choose_way(struct rng *rng, const struct clq__variant *wish)
{
    const uint64_t kernel = wish->bits & 255;
    int64_t choice;

    do
        choice = rng_below(rng, OPERATORS);
    while (wish->bits != 0 && kernel != CLQ__NO_KERNEL && !leads_to(&ways[choice], wish));
    return &ways[choice];
}

bool described_claims(const struct clq__variant *variant)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__CLAIM_CL || kernel == CLQ__CPU_CLAIM_CL;
}

static bool is_rotated(const struct clq__variant *variant)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__DEQUANTIZE_ROTATED_CL || kernel == CLQ__CPU_DEQUANTIZE_ROTATED_CL;
}

static bool is_of_blocks(const struct clq__variant *variant)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__QUANTIZE_BLOCKS_CL || kernel == CLQ__CPU_QUANTIZE_BLOCKS_CL ||
           kernel == CLQ__DEQUANTIZE_BLOCKS_CL || kernel == CLQ__CPU_DEQUANTIZE_BLOCKS_CL;
}

static bool is_by_rule(const struct clq__variant *variant)
{
    const uint64_t kernel = variant->bits & 255;

    return kernel == CLQ__QUANTIZE_RULE_CL || kernel == CLQ__CPU_QUANTIZE_RULE_CL;
}

/* As the operators take it. */
static struct wish wish_of(const struct clq__variant *variant)
{
    struct wish wish = no_wish;
    int value;

    if (variant->bits == 0)
        return wish;
    wish.given = true;
    value = clq__variant_value(variant, CLQ__SRC);
    wish.src = value > 0 ? (int)units_type((enum clq__type)value) : -1;
    value = clq__variant_value(variant, CLQ__DST);
    wish.dst = value > 0 ? (int)units_type((enum clq__type)value) : -1;
    value = clq__variant_value(variant, CLQ__MODE);
    wish.multiply = value < 0 ? -1 : value != 1;
    wish.smooth = clq__variant_value(variant, CLQ__SMOOTH);
    wish.rotate = is_rotated(variant)     ? 1
                  : is_of_blocks(variant) ? 0
                                          : clq__variant_value(variant, CLQ__ROTATE);
    wish.apart = is_of_rows(variant) ? 0 : clq__variant_value(variant, CLQ__RANGE);
    wish.rule = is_by_rule(variant);
    wish.claims = described_claims(variant);
    return wish;
}

/* The workspace's size shows once the call is cut: half of the calls that need one get it. */
static void add_workspace(struct described *described)
{
    struct call *call = &described->call;
    struct clq__placement *placement = &described->plan.checked.placement;
    const size_t words = described->plan.workspace_bytes / sizeof(uint32_t);

    if (words == 0 || rng_once_in(&call->rng, 2))
        return;
    call_add_workspace(call, words);
    placement->workspace =
        (struct clq__beside){(cl_mem)(void *)&call->workspace.memory, call->workspace.dl.byte_offset};
}

/* The library's road, but for what needs a device. */
static clq_status describe(struct described *described, const struct clq__operator *op, const void *desc)
{
    static const struct clq__names names = {"x", "y", "scales", "zero_points", false, false};
    clq_status status = CLQ_OK;
    struct clq__plan *plan = &described->plan;

    plan->copies = false;
    plan->idle = true;
    CLQ_TRY(clq__plan_check(plan, op, &names, desc));
    if (op->may_be_in_place) /* as the check of its memory says it */
        plan->checked.in_place = plan->checked.x.tensor->data == plan->checked.y.tensor->data;
    clq__plan_describe(plan);
    CLQ_TRY(clq__plan_cut(plan, &described->traits));
    add_workspace(described);
    clq__plan_place(plan);
end:
    return status;
}

clq_status described_make(struct described *described, uint64_t seed, uint64_t number,
                          const struct clq__traits *traits, const struct clq__variant *variant)
{
    struct call *call = &described->call;
    const struct way *way;
    struct wish wish;
    int64_t size, elements;

    call->rng = rng_of(seed, number);
    described->wish = variant != NULL ? *variant : (struct clq__variant){0};
    wish = wish_of(&described->wish);
    described->traits = traits != NULL ? *traits : imagine(&call->rng);
    described->traits.most = most_of(&call->rng);
    way = choose_way(&call->rng, &described->wish);
    size = rng_below(&call->rng, 100); /* mostly small, for a call is to take microseconds */
    if (traits == NULL)
        elements = size < 80 ? 48 : size < 98 ? 300 : size < 99 ? 1200 : 5000;
    else /* beside a launch, some rows of whole vectors cost nothing */
        elements = size < 30 ? 48 : size < 90 ? 600 : 5000;
    if (traits == NULL && number % CALLS_OF_A_LONG_ONE == 1) {
        for (way = ways; way->op != &operator_quantize;)
            way++;
        wish.long_one = true;
        described->traits.group_form = described->traits.ends_loops = false;
        described->traits.long_runs = true;
        set_plugs(&described->traits);
    }
    call_draw(call, way->op, elements, &wish);
    if (number % (traits == NULL ? 16 : 2) == 1) /* a rule has the most steps, and few kernels */
        ties_meet(call, wish.rule == 1 ? 16 : 4);
    call_expect(call);
    return describe(described, way->library, call_bind(call, &described->bound, NULL, NULL));
}

void described_clear(struct described *described)
{
    call_clear(&described->call);
}

static unsigned add_launches(const struct clq__launches *list, const struct clq__launch **launches,
                             unsigned count)
{
    for (unsigned i = 0; i < list->num_before; i++)
        launches[count++] = &list->before[i];
    for (unsigned i = 0; i < list->num_kernels; i++)
        launches[count++] = &list->kernels[i];
    return count;
}

unsigned described_launches(const struct described *described,
                            const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES])
{
    const struct clq__plan *plan = &described->plan;
    unsigned count = 0;

    if (plan->copies && plan->copy.bytes == 0)
        launches[count++] = &plan->copy.launch;
    if (plan->idle)
        return count;
    for (unsigned i = 0; i < plan->num_ahead; i++)
        count = add_launches(&plan->ahead[i], launches, count);
    return add_launches(&plan->launches, launches, count);
}

void described_print(const struct described *described)
{
    const struct clq__traits *traits = &described->traits;
    const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES];
    const unsigned count = described_launches(described, launches);

    call_print(&described->call);
    fprintf(stderr, "  on a device of form %s, %zu items in a group, %u units%s%s\n",
            traits->group_form ? "group" : "item", traits->max_group_items, traits->compute_units,
            traits->long_runs ? ", long runs" : "", traits->ends_loops ? ", which ends loops" : "");
    for (unsigned i = 0; i < count; i++)
        fprintf(stderr, "  launches %s, %zu groups of %zu\n", clq__variant_text(&launches[i]->variant).data,
                launches[i]->groups, launches[i]->local);
}
