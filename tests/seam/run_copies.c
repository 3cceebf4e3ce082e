/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct widen_args and of struct copy_args. */
#include "args/copy.h"
#include "args/widen.h"
#include "entries.h"
#include "run_args.h"
#include "units.h"

void run_widen(struct run *run)
{
    const struct widen_args *a = run->launch->args;
    const int64_t items = (int64_t)(run->launch->groups * run->launch->local);

    for (int64_t item = 0; item < items && !run_failed(run); item++)
        for (int64_t i = item * a->elements_per_item;
             i < (item + 1) * a->elements_per_item && i < a->elements; i++) {
            const int64_t at = a->dims > 0 ? place_of(run, i, a->dim, a->dims).x : 0;

            units_store_float(run, 1, CLQ__F32, i,
                              run_load(run, 0, (enum clq__type)a->type, a->x_offset + at));
        }
}

void run_copy(struct run *run)
{
    const struct copy_args *a = run->launch->args;
    const int64_t items = (int64_t)(run->launch->groups * run->launch->local);

    for (int64_t item = 0; item < items && !run_failed(run); item++) {
        const int64_t piece = item % a->pieces * a->piece_bytes, first = item / a->pieces * a->rows_per_item;

        for (int64_t row = first; row < first + a->rows_per_item && row < a->rows; row++) {
            const struct place place = place_of(run, row, a->dim, a->outer);

            for (int64_t i = piece; i < piece + a->piece_bytes && i < a->row_bytes && !run_failed(run); i++) {
                const unsigned char *from = run_read(run, 0, a->src_offset + place.x + i, 1);

                if (from != NULL)
                    run_write(run, 1, a->dst_offset + place.y + i, 1, from);
            }
        }
    }
}
