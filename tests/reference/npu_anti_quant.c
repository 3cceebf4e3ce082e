/* SPDX-License-Identifier: Apache-2.0 */
/* The documented call npu_anti_quant, one value after the other. */
#include "reference.h"

#include <stddef.h>

/* The only one, or that of an index of the last axis. */
static float of_last(const struct reference_tensor *tensor, int64_t last)
{
    return reference_load_nth(tensor, reference_count(tensor) == 1 ? 0 : last);
}

void reference_npu_anti_quant(const struct reference_npu_anti_quant_desc *desc)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(desc->x) == 0)
        return;
    do {
        const int64_t last = desc->x->rank > 0 ? index[desc->x->rank - 1] : 0;
        float value = reference_load(desc->x, index);

        if (desc->offset != NULL)
            value = value + of_last(desc->offset, last);
        value = value * of_last(desc->scale, last);
        reference_store(desc->output, index, value);
    } while (reference_next(desc->x, index));
}
