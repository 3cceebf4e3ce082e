/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct widen_args and of struct copy_args. */
#include "args/copy.h"
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
        const float value = a->invert ? 1.0f / read : read;

        units_store_float(run, 1, CLQ__F32, a->y_offset + i, a->sign != 0 ? -value : value);
    }
}

static void copy_piece(struct run *run, const struct copy_args *a, int64_t row, int64_t piece)
{
    const struct place place = place_of(run, row, a->dim, a->outer);

    for (int64_t i = piece; i < piece + a->piece_bytes && i < a->row_bytes && !run_failed(run); i++) {
        const unsigned char *from = run_read(run, 0, a->src_offset + place.x + i, 1);

        if (from != NULL)
            run_write(run, 1, a->dst_offset + place.y + i, 1, from);
    }
}

/* A work-item's share is a piece of so many rows; they are more than one only where a row is one piece. */
void run_copy(struct run *run)
{
    const struct copy_args *a = run->launch->args;
    struct share share;

    if (a->rows_per_item < 1 || (a->rows_per_item > 1 && a->pieces > 1) ||
        a->pieces * a->piece_bytes < a->row_bytes || a->piece_bytes > INT32_MAX) {
        run_fail(run, "%lld rows at once, each %lld pieces of %lld bytes", (long long)a->rows_per_item,
                 (long long)a->pieces, (long long)a->piece_bytes);
        return;
    }
    share = run_share(run, a->rows * a->pieces, a->rows_per_item, a->lanes);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t n = w * share.each;
             n < (w + 1) * share.each && n < a->rows * a->pieces && !run_failed(run); n++)
            copy_piece(run, a, divided(n, &a->by_pieces),
                       (n - divided(n, &a->by_pieces) * a->pieces) * a->piece_bytes);
}
