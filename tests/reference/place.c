/* SPDX-License-Identifier: Apache-2.0 */
/* Where the entries of indices go, and which of them go nowhere. */
#include "place.h"

static struct reference_place asked_place(const struct reference_tensor *indices, int64_t entry)
{
    const int64_t first[2] = {entry, 0};
    const int64_t second[2] = {entry, 1};

    if (indices->rank == 1)
        return (struct reference_place){.batch = entry, .start = reference_load_int(indices, first)};
    return (struct reference_place){.batch = reference_load_int(indices, first),
                                    .start = reference_load_int(indices, second)};
}

static int64_t nearest(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

static bool slot_place(const struct reference_places *places, int64_t entry, struct reference_place *place,
                       struct reference_report *report)
{
    const int64_t size = reference_extent(places->cache, places->axis);
    const int64_t slots = reference_extent(places->cache, 0) * size;
    const int64_t slot = reference_load_int(places->indices, &entry);

    if (slot == -1)
        return false;
    if (slot < 0 || slot >= slots) {
        reference_report_dropped(report, entry);
        return false;
    }
    *place = (struct reference_place){.batch = slot / size, .start = slot % size};
    return true;
}

bool reference_place_of(const struct reference_places *places, int64_t entry, struct reference_place *place,
                        struct reference_report *report)
{
    const int64_t batches = reference_extent(places->cache, 0);
    const int64_t size = reference_extent(places->cache, places->axis);
    const int64_t last_start = size - places->length;
    struct reference_place asked;

    if (places->slots)
        return slot_place(places, entry, place, report);
    asked = asked_place(places->indices, entry);
    *place = asked;
    if (places->range == REFERENCE_CLAMP && batches > 0) {
        place->batch = nearest(asked.batch, 0, batches - 1);
        place->start = nearest(asked.start, 0, last_start);
    }
    if (places->range == REFERENCE_WRAP) {
        place->start = asked.start % size; /* of the sign of start, and never as far from 0 as size */
        if (place->start < 0)
            place->start += size;
    }
    if (place->batch < 0 || place->batch >= batches ||
        (places->range != REFERENCE_WRAP && (place->start < 0 || place->start > last_start))) {
        reference_report_dropped(report, entry);
        return false;
    }
    if (places->range == REFERENCE_CLAMP && (place->batch != asked.batch || place->start != asked.start))
        reference_report_clamped(report, entry);
    return true;
}

void reference_placed(const struct reference_places *places, struct reference_place place,
                      const int64_t *from, int64_t *to)
{
    for (int d = 0; d < places->cache->rank; d++)
        to[d] = from[d];
    to[0] = place.batch;
    to[places->axis] = (place.start + from[places->axis]) % reference_extent(places->cache, places->axis);
}
