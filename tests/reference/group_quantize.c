/* SPDX-License-Identifier: Apache-2.0 */
/* Static quantization with one scale row per group of rows. */
#include "place.h"

#include <stddef.h>

/* The first group whose end row lies behind row, or the number of groups. Where group_index is not sorted the
 * halving itself decides, so it must stay as it is: a scan would find another group. */
int64_t reference_group_of(const struct reference_tensor *group_index, int64_t row)
{
    int64_t low = 0;
    int64_t high = reference_count(group_index);

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (reference_load_int(group_index, &middle) <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct reference_report reference_group_quantize(const struct reference_group_quantize_desc *desc)
{
    const int64_t zeros[REFERENCE_MAX_RANK] = {0};
    const float offset = desc->offset ? reference_load(desc->offset, zeros) : 0.0f;
    struct reference_report report = {0};
    int64_t index[2] = {0};

    if (reference_count(desc->x) == 0)
        return report;
    do {
        const int64_t group = reference_group_of(desc->group_index, index[0]);
        const int64_t scale_index[2] = {group, index[1]};

        if (group < reference_count(desc->group_index)) {
            const float x = reference_load(desc->x, index);
            const float scale = reference_load(desc->scale, scale_index);
            const uint64_t code = reference_quantize_one(x, scale, desc->offset ? &offset : NULL, true,
                                                         desc->round_first, desc->y->type);

            reference_store_code(desc->y, index, code);
        } else if (index[1] == 0) {
            reference_report_dropped(&report, index[0]);
        }
    } while (reference_next(desc->x, index));
    return report;
}
