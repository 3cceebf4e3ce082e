/* Short rows that are one row to the kernel. */
#include "ops/static_call.h"

#include <string.h>

/* A row costs a work-item what many units cost. Measured on PoCL with float16 to int8 and rows of 128: joined, dense
 * ones take 0.91 of the time, and eight to an entry at random places 0.82. */
int64_t clq__static_join(struct quantize_args *args)
{
    const bool placed = args->entries.kind != CLQ_ENTRY_NONE;
    const bool dense = args->y_stride == 1 && args->x_pair <= 1 && args->x_stride == 1 + args->x_pair;
    const uint32_t inside = args->outer - placed - (args->entries.positions > 1);
    const int64_t short_units = 2048;
    const struct clq_dim next = args->dim[0];

    if (inside == 0 || !dense || args->inner > short_units || args->inner % CLQ_STEP_UNITS != 0 ||
        next.y != args->inner || next.x != args->inner * args->x_stride || next.scale != 0 ||
        next.zero_point != 0)
        return 1;
    args->inner *= next.size;
    if (placed)
        args->entries.rows /= next.size;
    args->outer--;
    memmove(args->dim, args->dim + 1, args->outer * sizeof next);
    return next.size;
}
