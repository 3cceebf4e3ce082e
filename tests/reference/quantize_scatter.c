/* Quantizes updates and writes them where indices say, one entry after the other, so the last one wins. */
#include "reference.h"

#include <stddef.h>

/* Where an entry goes: its first element on the axis, and its index of the first dimension. */
struct place {
    int64_t batch;
    int64_t start;
};

static struct place asked_place(const struct reference_tensor *indices, int64_t entry)
{
    const int64_t first[2] = {entry, 0};
    const int64_t second[2] = {entry, 1};

    if (indices->rank == 1)
        return (struct place){.batch = entry, .start = reference_load_int(indices, first)};
    return (struct place){.batch = reference_load_int(indices, first),
                          .start = reference_load_int(indices, second)};
}

static int64_t nearest(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

/* Changes place into where the entry goes, and reports; false drops the entry. */
static bool settle(const struct reference_quantize_scatter_desc *desc, int axis, int64_t entry,
                   struct place *place, struct reference_report *report)
{
    const int64_t batches = reference_extent(desc->cache, 0);
    const int64_t size = reference_extent(desc->cache, axis);
    const int64_t last_start = size - reference_extent(desc->updates, axis);
    const struct place asked = *place;

    if (desc->range == REFERENCE_CLAMP && batches > 0) {
        place->batch = nearest(asked.batch, 0, batches - 1);
        place->start = nearest(asked.start, 0, last_start);
    }
    if (desc->range == REFERENCE_WRAP) {
        place->start = asked.start % size; /* of the sign of start, and never as far from 0 as size */
        if (place->start < 0)
            place->start += size;
    }
    if (place->batch < 0 || place->batch >= batches ||
        (desc->range != REFERENCE_WRAP && (place->start < 0 || place->start > last_start))) {
        reference_report_dropped(report, entry);
        return false;
    }
    if (desc->range == REFERENCE_CLAMP && (place->batch != asked.batch || place->start != asked.start))
        reference_report_moved(report, entry);
    return true;
}

/* The value of element n in row-major order, whatever the shape, or the only one. */
static float parameter(const struct reference_tensor *tensor, int64_t n)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(tensor) > 1)
        for (int d = tensor->rank - 1; d >= 0; d--) {
            index[d] = n % reference_extent(tensor, d);
            n /= reference_extent(tensor, d);
        }
    return reference_load(tensor, index);
}

static void write_entry(const struct reference_quantize_scatter_desc *desc, int axis, int64_t entry,
                        struct place place)
{
    const int last = desc->updates->rank - 1;
    int64_t from[REFERENCE_MAX_RANK] = {entry};

    do {
        const float x = reference_load(desc->updates, from);
        const float scale = parameter(desc->scales, from[last]);
        const float zero_point = desc->zero_points ? parameter(desc->zero_points, from[last]) : 0.0f;
        const int32_t q = reference_quantize_one(x, scale, desc->zero_points ? &zero_point : NULL,
                                                 desc->multiply, desc->cache->type);
        int64_t to[REFERENCE_MAX_RANK];

        for (int d = 0; d <= last; d++)
            to[d] = from[d];
        to[0] = place.batch;
        /* Only an entry of a ring goes past the end, and goes on at the beginning. */
        to[axis] = (place.start + from[axis]) % reference_extent(desc->cache, axis);
        reference_store_int(desc->cache, to, q);
    } while (reference_next(desc->updates, from) && from[0] == entry);
}

struct reference_report reference_quantize_scatter(const struct reference_quantize_scatter_desc *desc)
{
    const int axis = desc->axis < 0 ? desc->axis + desc->cache->rank : desc->axis;
    struct reference_report report = {0};

    if (reference_count(desc->updates) == 0)
        return report;
    for (int64_t entry = 0; entry < reference_extent(desc->updates, 0); entry++) {
        struct place place = asked_place(desc->indices, entry);

        if (settle(desc, axis, entry, &place, &report))
            write_entry(desc, axis, entry, place);
    }
    return report;
}
