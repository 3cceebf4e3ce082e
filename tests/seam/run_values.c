/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct values_args. */
#include "args/values.h"
#include "entries.h"
#include "rotate.h"
#include "run_args.h"
#include "units.h"

#include <string.h>

enum { X, SMOOTH, Y };

static void turn_part(struct run *run, const struct values_args *a, int64_t unit)
{
    const enum clq__type type = (enum clq__type)clq__variant_value(&run->launch->variant, CLQ__SRC);
    const int64_t row = divided(unit, &a->by_slices), first = (unit - row * a->slices) * a->slice;
    const int64_t count = a->slice < a->inner - first ? a->slice : a->inner - first;
    const int64_t smooth = a->smooth_rows > 0 ? row % a->smooth_rows : first;
    const int64_t at = a->x_offset + place_of(run, row, a->dim, a->outer).x;
    float values[CLQ_VALUES_SLICE] = {0.0f};

    for (int64_t i = 0; i < count && !run_failed(run); i++) {
        values[i] = run_load(run, X, type, at + (first + i) * a->x_stride);
        if (a->smooth)
            values[i] *= run_load(run, SMOOTH, CLQ__F32, a->smooth_offset + smooth + i * a->smooth_stride);
    }
    reference_rotate(values, count, a->rotate);
    for (int64_t i = 0; i < count && !run_failed(run); i++)
        units_store_float(run, Y, CLQ__F32, a->y_offset + row * a->inner + first + i, values[i]);
}

void run_values(struct run *run)
{
    const struct values_args *a = run->launch->args;
    const bool group = clq__variant_value(&run->launch->variant, CLQ__FORM) == 1;
    const int64_t groups = (int64_t)run->launch->groups;

    if (a->slice < 1 || a->slice > CLQ_VALUES_SLICE || a->slice * a->slices < a->inner || a->inner < 1 ||
        (a->rotate > 0 && (a->slice % a->rotate != 0 || a->inner % a->rotate != 0)))
        run_fail(run, "rows of %lld in %lld parts of %lld are turned by %u", (long long)a->inner,
                 (long long)a->slices, (long long)a->slice, a->rotate);
    if (group ? groups != a->units : groups * a->units_per_item < a->units)
        run_fail(run, "%lld groups turn %lld parts", (long long)groups, (long long)a->units);
    for (int64_t unit = 0; unit < a->units && !run_failed(run); unit++)
        turn_part(run, a, unit);
}
