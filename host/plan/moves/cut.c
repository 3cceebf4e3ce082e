/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of rows that move: places of coordinates, rows in between, the last entries, and then dst. */
#include "base/ceil_div.h"
#include "plan/moves/moves.h"
#include "plan/plan.h"
#include "plan/shares/pieces.h"
#include "plan/shares/rounds.h"
#include "plan/shares/tuning.h"

enum { SRC, DST, SRC_INDICES, DST_INDICES, OWNERS, REPORT, NUM_BUFFERS };

static struct clq__launches *add_ahead(struct clq__plan *plan)
{
    struct clq__launches *ahead = &plan->ahead[plan->num_ahead++];

    clq__launches_init(ahead, &plan->temporaries);
    return ahead;
}

/* From src's type to this one, or bytes. */
static void choose_variant(struct clq__variant *variant, const struct clq__plan *plan, enum clq__type to,
                           const struct clq__traits *traits)
{
    const bool converts = plan->of_moves.converts;

    clq__variant_begin(variant, converts ? CLQ__CONVERT_ROWS_CL : CLQ__MOVE_ROWS_CL);
    if (converts) {
        clq__variant_define(variant, CLQ__SRC, plan->checked.x.type);
        clq__variant_define(variant, CLQ__DST, to);
    }
    clq__variant_define(variant, CLQ__FORM, traits->group_form);
}

static void fill_launch(struct clq__launch *launch, const struct clq__plan *plan, struct move_rows_args *args,
                        const struct clq__traits *traits)
{
    const struct clq__checked_call *checked = &plan->checked;
    const struct clq_entries *e = &args->entries;
    const int64_t looks = e->overlap == CLQ_OVERLAP_SCAN ? 1 + (args->source.kind != CLQ_ENTRY_NONE) : 1;

    launch->buffers[SRC] = clq__view_buffer(&checked->x);
    launch->buffers[DST] = clq__view_buffer(&checked->y);
    launch->buffers[SRC_INDICES] = clq__view_buffer(&checked->source.indices);
    launch->buffers[DST_INDICES] = clq__view_buffer(&checked->placement.indices);
    launch->buffers[OWNERS] = NULL;
    launch->buffers[REPORT] = checked->placement.report.buffer;
    launch->num_buffers = NUM_BUFFERS;
    launch->args = args;
    launch->args_bytes = sizeof *args;
    clq__pieces_cut(&args->pieces, args->outer, looks * clq__rounds_of_place(e), traits, launch);
}

/* The rows go to a temporary, out of which the last launch takes them. */
static void cut_gather(struct clq__plan *plan, const struct clq__traits *traits)
{
    struct clq__moves *call = &plan->of_moves;
    struct clq__launch *gather = &add_ahead(plan)->kernels[0], *last = &plan->launches.kernels[0];
    struct clq__temporary *between = clq__temporaries_add(
        &plan->temporaries, call->args.pieces.rows * call->args.pieces.row_units, (size_t)call->unit_bytes);

    choose_variant(&gather->variant, plan, plan->checked.x.type, traits);
    fill_launch(gather, plan, &call->gather, traits);
    clq__temporary_use(between, &gather->buffers[DST], &call->gather.dst_offset);
    clq__temporary_use(between, &last->buffers[SRC], &call->args.src_offset);
}

static struct clq__temporary *add_places(struct clq__plan *plan, struct clq__launch *places, unsigned written,
                                         struct clq_coordinates *coordinates)
{
    struct clq__temporary *temporary =
        clq__temporaries_add(&plan->temporaries, plan->of_moves.places.count, sizeof(int64_t));

    clq__temporary_use(temporary, &places->buffers[written], &coordinates->place_offset);
    return temporary;
}

/* The places of coordinates are written, and read instead of the indices. */
static void cut_places(struct clq__plan *plan, const struct clq__traits *traits)
{
    struct clq__moves *call = &plan->of_moves;
    struct places_args *args = &call->places;
    struct clq__launches *launches = &plan->launches;
    struct clq__launch *places = &plan->ahead[0].kernels[0], *last = &launches->kernels[0];
    const bool gathers = call->between, claims = launches->claims;
    struct clq__launch *gather = &plan->ahead[1].kernels[0], *claim = &launches->before[0];

    clq__variant_begin(&places->variant, CLQ__PLACES_CL);
    places->buffers[0] = clq__view_buffer(&plan->checked.source.indices);
    places->buffers[1] = clq__view_buffer(&plan->checked.placement.indices);
    places->buffers[2] = places->buffers[3] = NULL;
    places->buffers[4] = plan->checked.placement.report.buffer;
    places->num_buffers = 5;
    places->args = args;
    places->args_bytes = sizeof *args;
    places->local = (size_t)clq__group_items(traits, CLQ__GROUP_ITEMS_SMALL);
    places->groups = (size_t)clq__ceil_div(args->count, (int64_t)places->local);
    if (args->from.k > 0) {
        struct clq__temporary *from = add_places(plan, places, 2, &args->from);

        clq__temporary_use(from, &last->buffers[SRC_INDICES], &call->args.source.index_offset);
        if (gathers)
            clq__temporary_use(from, &gather->buffers[SRC_INDICES], &call->gather.source.index_offset);
        if (claims)
            clq__temporary_use(from, &claim->buffers[2], &launches->claim.source.index_offset);
    }
    if (args->to.k > 0) {
        struct clq__temporary *to = add_places(plan, places, 3, &args->to);

        clq__temporary_use(to, &last->buffers[DST_INDICES], &call->args.entries.index_offset);
        if (claims)
            clq__temporary_use(to, &claim->buffers[0], &launches->claim.entries.index_offset);
    }
}

void clq__moves_cut(struct clq__plan *plan, const struct clq__traits *traits)
{
    struct clq__moves *call = &plan->of_moves;
    struct clq__launches *launches = &plan->launches;
    struct clq__launch *last = &launches->kernels[0];
    const bool has_places = call->places.count > 0;

    if (has_places)
        add_ahead(plan);
    choose_variant(&last->variant, plan, plan->checked.y.type, traits);
    fill_launch(last, plan, &call->args, traits);
    if (call->between)
        cut_gather(plan, traits);
    if (call->args.entries.owner_words > 0) {
        clq__launches_claim(launches, &plan->checked.placement, &call->args.entries, traits, OWNERS);
        launches->claim.source = call->args.source;
        launches->before[0].buffers[2] = clq__view_buffer(&plan->checked.source.indices);
    }
    if (has_places)
        cut_places(plan, traits);
}
