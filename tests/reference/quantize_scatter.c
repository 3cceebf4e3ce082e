/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizes updates and writes them where indices say, one entry after the other, so the last one wins. */
#include "place.h"

#include <stddef.h>

static float parameter(const struct reference_quantize_scatter_desc *desc,
                       const struct reference_tensor *tensor, const int64_t *index)
{
    if (desc->by_axis_alone)
        return reference_load_nth(tensor, index[desc->updates->rank - 1]);
    return reference_parameter_placed(tensor, desc->updates, index, desc->block);
}

static void write_entry(const struct reference_quantize_scatter_desc *desc,
                        const struct reference_places *places, int64_t entry, struct reference_place place)
{
    int64_t from[REFERENCE_MAX_RANK] = {entry};

    do {
        const float x = reference_load(desc->updates, from);
        const float scale = parameter(desc, desc->scales, from);
        const float zero_point = desc->zero_points ? parameter(desc, desc->zero_points, from) : 0.0f;
        const uint64_t code = reference_quantize_one(x, scale, desc->zero_points ? &zero_point : NULL,
                                                     desc->multiply, desc->round_first, desc->cache->type);
        int64_t to[REFERENCE_MAX_RANK];

        reference_placed(places, place, from, to);
        reference_store_code(desc->cache, to, code);
    } while (reference_next(desc->updates, from) && from[0] == entry);
}

struct reference_report reference_quantize_scatter(const struct reference_quantize_scatter_desc *desc)
{
    const int axis = desc->axis < 0 ? desc->axis + desc->cache->rank : desc->axis;
    const struct reference_places places = {.cache = desc->cache,
                                            .indices = desc->indices,
                                            .axis = axis,
                                            .length = reference_extent(desc->updates, axis),
                                            .range = desc->range,
                                            .slots = desc->slots};
    struct reference_report report = {0};

    if (reference_count(desc->updates) == 0)
        return report;
    for (int64_t entry = 0; entry < reference_extent(desc->updates, 0); entry++) {
        struct reference_place place;

        if (reference_place_of(&places, entry, &place, &report))
            write_entry(desc, &places, entry, place);
    }
    return report;
}
