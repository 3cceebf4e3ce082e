/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/interleave.h"

/* All is in bytes, and in cells of the views. */
static uint64_t step_of(const struct clq__view *view, int d)
{
    return (uint64_t)clq__view_cell_stride(view, d) * clq__storage_bytes(view->tensor->dtype);
}

/* The bytes that it reaches over inside of a period; 0 where a larger stride is no multiple of it,
 * or it reaches over more. */
static uint64_t span_in(const struct clq__view *view, uint64_t period)
{
    uint64_t span = clq__storage_bytes(view->tensor->dtype);

    for (int d = 0; d < view->rank; d++) {
        const uint64_t step = step_of(view, d), size = (uint64_t)clq__view_cells(view, d);

        if (size <= 1 || step == 0)
            continue;
        if (step >= period) {
            if (step % period != 0)
                return 0;
            continue;
        }
        if (size - 1 >= period / step)
            return 0;
        span += (size - 1) * step;
    }
    return span <= period ? span : 0;
}

static bool are_disjoint(const struct clq__view *a, uint64_t a_begin, const struct clq__view *b,
                         uint64_t b_begin, uint64_t period)
{
    const uint64_t a_span = span_in(a, period), b_span = span_in(b, period);
    const uint64_t from_a =
        (b_begin % period + period - a_begin % period) % period; /* from a's first to b's */

    return a_span > 0 && b_span > 0 && from_a >= a_span && period - from_a >= b_span;
}

bool clq__views_interleave(const struct clq__view *a, uint64_t a_begin, const struct clq__view *b,
                           uint64_t b_begin)
{
    const struct clq__view *const both[] = {a, b};

    for (int i = 0; i < 2; i++)
        for (int d = 0; d < both[i]->rank; d++)
            if (clq__view_cells(both[i], d) > 1 && both[i]->stride[d] > 0 &&
                are_disjoint(a, a_begin, b, b_begin, step_of(both[i], d)))
                return true;
    return false;
}
