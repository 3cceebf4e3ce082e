/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct widen_args, copy_args, move_rows_args and places_args. */
#include "args/copy.h"
#include "args/places.h"
#include "args/widen.h"
#include "entries.h"
#include "run_args.h"
#include "units.h"

/* Element i of a group's is that of its work-item i modulo their number:
 * together they do all that follow one another. */
void run_widen(struct run *run)
{
    const struct widen_args *a = run->launch->args;
    const int64_t groups = (int64_t)run->launch->groups,
                  of_group = (int64_t)run->launch->local * a->elements_per_item;

    if (groups * of_group < a->elements)
        run_fail(run, "%lld elements are widened by %lld groups with %lld each", (long long)a->elements,
                 (long long)groups, (long long)of_group);
    if (a->sign != 0 && a->sign != UINT32_C(1) << 31)
        run_fail(run, "%#x is no sign", (unsigned)a->sign);
    for (int64_t i = 0; i < a->elements && !run_failed(run); i++) {
        const int64_t at = a->dims > 0 ? place_of(run, i, a->dim, a->dims).x : 0;

        const float read = run_load(run, 0, (enum clq__type)a->type, a->x_offset + at);
        const float value = a->invert == 1 ? 1.0f / read : a->invert == 2 && read == 0.0f ? 0x1p-149f : read;

        units_store_float(run, 1, CLQ__F32, a->y_offset + i, a->sign != 0 ? -value : value);
    }
}

/* A work-item's share is a piece of so many rows; they are more than one only where a row is one piece. */
static void each_piece(struct run *run, const struct clq_pieces *p,
                       void (*move)(struct run *run, int64_t row, int64_t begin, int64_t end))
{
    struct share share;

    if (p->rows_per_item < 1 || (p->rows_per_item > 1 && p->pieces > 1) ||
        p->pieces * p->piece_units < p->row_units || p->piece_units > INT32_MAX) {
        run_fail(run, "%lld rows at once, each %lld pieces of %lld units", (long long)p->rows_per_item,
                 (long long)p->pieces, (long long)p->piece_units);
        return;
    }
    share = run_share(run, p->rows * p->pieces, p->rows_per_item, p->lanes);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t n = w * share.each;
             n < (w + 1) * share.each && n < p->rows * p->pieces && !run_failed(run); n++) {
            const int64_t row = divided(n, &p->by_pieces), begin = (n - row * p->pieces) * p->piece_units,
                          end = begin + p->piece_units < p->row_units ? begin + p->piece_units : p->row_units;

            move(run, row, begin, end);
        }
}

static void move_bytes(struct run *run, int64_t from, int64_t to, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end && !run_failed(run); i++) {
        const unsigned char *byte = run_read(run, 0, from + i, 1);

        if (byte != NULL)
            run_write(run, 1, to + i, 1, byte);
    }
}

static void copy_piece(struct run *run, int64_t row, int64_t begin, int64_t end)
{
    const struct copy_args *a = run->launch->args;
    const struct place place = place_of(run, row, a->dim, a->outer);

    move_bytes(run, a->src_offset + place.x, a->dst_offset + place.y, begin, end);
}

void run_copy(struct run *run)
{
    const struct copy_args *a = run->launch->args;

    each_piece(run, &a->pieces, copy_piece);
}

static void move_piece(struct run *run, int64_t row, int64_t begin, int64_t end)
{
    const struct move_rows_args *a = run->launch->args;
    struct place place;

    if (a->src_stride != 1 || a->dst_stride != 1)
        run_fail(run, "bytes that do not follow one another");
    if (entries_move(run, a, row, begin == 0, &place))
        move_bytes(run, a->src_offset + place.x, a->dst_offset + place.y, begin, end);
}

void run_move_rows(struct run *run)
{
    const struct move_rows_args *a = run->launch->args;

    each_piece(run, &a->pieces, move_piece);
}

static void convert_piece(struct run *run, int64_t row, int64_t begin, int64_t end)
{
    const struct clq__variant *variant = &run->launch->variant;
    const enum clq__type src = (enum clq__type)clq__variant_value(variant, CLQ__SRC),
                         dst = (enum clq__type)clq__variant_value(variant, CLQ__DST);
    const struct move_rows_args *a = run->launch->args;
    struct place place;

    if (!entries_move(run, a, row, begin == 0, &place))
        return;
    for (int64_t i = begin; i < end && !run_failed(run); i++)
        units_store_float(run, 1, dst, a->dst_offset + place.y + i * a->dst_stride,
                          run_load(run, 0, src, a->src_offset + place.x + i * a->src_stride));
}

void run_convert_rows(struct run *run)
{
    const struct move_rows_args *a = run->launch->args;

    each_piece(run, &a->pieces, convert_piece);
}

/* One side of an entry; places are left out where the side has no coordinates. */
static bool find_place(struct run *run, const struct clq_coordinates *c, unsigned indices, int64_t entry,
                       int64_t *place, bool *clamped)
{
    bool kept = true;

    *place = 0;
    for (uint32_t d = 0; d < c->k; d++) {
        const int64_t asked = run_load_index(run, indices, c->wide,
                                             c->index_offset + entry * c->index_stride + d * c->index_inner),
                      size = c->at[d].size;
        int64_t at = asked;

        if (c->range == CLQ_ENTRY_CLAMP && size > 0)
            at = asked < 0 ? 0 : asked < size ? asked : size - 1;
        if (c->range == CLQ_ENTRY_WRAP && size > 0)
            at = (asked % size + size) % size;
        *clamped |= c->range == CLQ_ENTRY_CLAMP && at != asked;
        if (at < 0 || at >= size)
            kept = false;
        else
            *place += at * c->at[d].step;
    }
    return kept;
}

void run_places(struct run *run)
{
    const struct places_args *a = run->launch->args;

    if ((int64_t)(run->launch->groups * run->launch->local) < a->count)
        run_fail(run, "there are fewer work-items than %lld entries", (long long)a->count);
    for (int64_t i = 0; i < a->count && !run_failed(run); i++) {
        const int64_t none = -1;
        int64_t from, to;
        bool clamped = false;
        const bool from_kept = find_place(run, &a->from, 0, i, &from, &clamped),
                   kept = find_place(run, &a->to, 1, i, &to, &clamped) && from_kept;

        if (!kept || clamped)
            entries_report(run, 4, a->report_offset, i, kept);
        if (a->from.k > 0)
            run_write(run, 2, a->from.place_offset + i, sizeof from, kept ? &from : &none);
        if (a->to.k > 0)
            run_write(run, 3, a->to.place_offset + i, sizeof to, kept ? &to : &none);
    }
}
