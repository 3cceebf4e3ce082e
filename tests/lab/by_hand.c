/* SPDX-License-Identifier: Apache-2.0 */
/* The works of the peers. */
#include "by_hand.h"

#include "data.h"

bool by_hand_can(const struct bench *bench, const struct call *call)
{
    const struct row *row = &call->row;

    if (!bench->pool || row->calls > 1 || row->placement == SLOTS) /* the peers read pairs and starts */
        return false;
    /* and write integers, of rows as they are, rounded once */
    if (row->dst == E4M3 || row->rotate > 0 || row->block > 0 || row->round_first)
        return false;
    switch (row->operation) {
    case QUANTIZE:
    case DYNAMIC_QUANTIZE:
    case DYNAMIC_QUANTIZE_SCATTER:
        return true;
    case QUANTIZE_SCATTER:
        return row->placement == PAIRS;
    default:
        return false;
    }
}

/* The enumerations of the peers are those of the bench, without the others' types. */
static enum peer_src src_of(const struct call *call)
{
    return (enum peer_src)(call->row.src - F32 + PEER_F32);
}

static enum peer_dst dst_of(const struct call *call)
{
    return (enum peer_dst)(call->row.dst - I8 + PEER_I8);
}

static void describe_static(struct bench *bench, struct by_hand *hand)
{
    const struct call *call = hand->call;
    const int64_t columns = call->row.columns;

    hand->places =
        (struct peer_places){.batch = (size_t)call->places.length, .rows = (size_t)call_position_rows(call)};
    hand->work = (struct peer_work){
        .scale = bench->scale_values,
        .rows = (size_t)call->rows,
        .columns = (size_t)columns,
        .row_stride = (size_t)(call->row.layout == STRIDED ? 2 * columns : columns),
        .scales = (size_t)call->scales_shape[0],
        .src = src_of(call),
        .dst = dst_of(call),
        .scale_kind = call->row.layout == PER_OTHER_AXIS ? PEER_SCALE_ROW
                      : call->row.layout == PER_TENSOR   ? PEER_SCALE_ONE
                                                         : PEER_SCALE_EACH,
        .divide = call->row.mode == DIVIDE,
        .places = call->row.placement == DENSE ? NULL : &hand->places,
    };
}

static void describe_dynamic(struct by_hand *hand)
{
    const struct call *call = hand->call;

    hand->dynamic_work =
        (struct dynamic_work){.rows = (size_t)call->rows,
                              .columns = (size_t)call->row.columns,
                              .src = src_of(call),
                              .dst = dst_of(call),
                              .symmetric = call->row.mode == SYMMETRIC,
                              .pairs = call->places.pairs,
                              .entry_rows = (size_t)(call->places.update_length * call_position_rows(call)),
                              .position_rows = (size_t)call_position_rows(call),
                              .axis_size = (size_t)call->places.length};
}

/* What the next run works on. */
static void place(struct bench *bench, struct by_hand *hand)
{
    struct call *call = hand->call;
    const bool scatters = call->row.placement != DENSE;
    const size_t at = call->row.layout == STRIDED ? 0 : data_next_piece(bench, call->src_bytes);
    const char *x = (const char *)bench->x_host + at;
    const int32_t *places = scatters ? places_of_call(&call->places, call->next) : NULL;
    char *y = bench->y_host;

    call->x.byte_offset = at; /* for call_check */
    if (hand->dynamic) {
        hand->dynamic_work.x = x;
        hand->dynamic_work.q = y;
        hand->dynamic_work.scale = (float *)(void *)(y + call->scale_at);
        hand->dynamic_work.offset =
            call->row.mode == SYMMETRIC ? NULL : (float *)(void *)(y + call->offset_at);
        hand->dynamic_work.indices = places;
        return;
    }
    hand->places.pairs = places;
    hand->work.x = x;
    hand->work.y = y;
}

bool by_hand_init(struct bench *bench, struct by_hand *hand, struct call *call)
{
    *hand = (struct by_hand){.call = call, .dynamic = call->row.layout == PER_ROW};
    if (hand->dynamic)
        describe_dynamic(hand);
    else
        describe_static(bench, hand);
    if (!data_begin_host(bench))
        return false;
    place(bench, hand);
    if (hand->dynamic)
        hand->dynamic_way = dynamic_find_way(bench->pool, &hand->dynamic_work);
    else
        hand->way = peer_find_way(bench->pool, &hand->work);
    return data_end_host(bench);
}

bool by_hand_run(struct bench *bench, void *self)
{
    struct by_hand *hand = self;

    place(bench, hand);
    hand->call->next++;
    if (hand->dynamic)
        dynamic_run(bench->pool, &hand->dynamic_way, &hand->dynamic_work);
    else
        peer_run(bench->pool, &hand->way, &hand->work);
    return true;
}
