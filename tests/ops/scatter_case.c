/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and fills a case of a scatter. */
#include "scatter_case.h"

#include "dynamic_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct scatter_case scatter_case_of(const char *name, const struct scatter_types *types,
                                    const struct scatter_shape *shape)
{
    const int last = shape->rank - 1, lanes = types->lanes ? types->lanes : 1;
    const int axis = shape->axis < 0 ? shape->axis + shape->rank : shape->axis;
    const int64_t index_shape[2] = {shape->entries, 2};
    struct scatter_case c = {.name = name,
                             .dynamic = types->dynamic,
                             .rows = ROW_MIXED,
                             .symmetric = types->symmetric,
                             .has_scales = types->scale != REFERENCE_I4,
                             .has_zero_points = types->zero != REFERENCE_I4 && !types->dynamic,
                             .reports = true,
                             .slots = shape->index_rank == INDEX_SLOTS,
                             .axis = shape->axis,
                             .seed = harness.seed};

    c.cache = layout_dense(types->cache, lanes, shape->rank, shape->cache);
    c.updates = layout_dense(types->x, 1, shape->rank, shape->cache);
    c.cache.shape[last] /= lanes;
    c.cache_scale = c.cache_offset = layout_dense(REFERENCE_F32, 1, last, shape->cache);
    c.input = c.cache;
    c.updates.shape[0] = shape->entries;
    c.updates.shape[axis] = shape->length;
    c.indices = layout_dense(types->index, 1, c.slots ? 1 : shape->index_rank, index_shape);
    if (c.has_scales)
        c.scales = layout_dense(types->scale, 1, 1, &c.updates.shape[last]);
    if (c.has_zero_points)
        c.zero_points = layout_dense(types->zero, 1, 1, &c.updates.shape[last]);
    return c;
}

/* One element or as many, of some other rank than the updates': only the count counts. */
static void reshape_parameter(struct layout *layout, int rank, struct random *random)
{
    const int64_t count = layout->shape[0];
    const int kind = (int)random_below(random, 4);

    if (kind == 1) {
        layout->rank = (int)random_below(random, 4);
        for (int d = 0; d < layout->rank; d++)
            layout->shape[d] = 1;
    } else if (kind > 1) {
        layout->rank = 3;
        layout->shape[0] = count % 3 == 0 ? 3 : 1;
        layout->shape[1] = kind == 3 && count % 2 == 0 ? 2 : 1;
        layout->shape[2] = count / layout->shape[0];
        if (layout->shape[2] % layout->shape[1] == 0)
            layout->shape[2] /= layout->shape[1];
        else
            layout->shape[1] = 1;
        if (rank == 3) {
            layout->rank = 4;
            layout->shape[3] = 1;
        }
    }
    if (random_below(random, 2))
        layout_scramble_input(layout, random);
}

void scatter_case_stride(struct scatter_case *c, struct random *random)
{
    layout_scramble(&c->cache, random);
    layout_scramble(&c->input, random);
    if (c->input.type != REFERENCE_I4 && random_below(random, 4) == 0)
        c->input.strides[random_below(random, c->input.rank)] = 0;
    layout_scramble_input(&c->updates, random);
    if (c->unique || c->places == PLACES_APART ||
        c->places == PLACES_RARE) /* entries that repeat would overlap */
        layout_scramble(&c->indices, random);
    else
        layout_scramble_input(&c->indices, random);
    if (c->dynamic) {
        layout_scramble(&c->cache_scale, random);
        layout_scramble(&c->cache_offset, random);
        if (c->has_scales)
            layout_scramble_input(&c->scales, random);
        return;
    }
    reshape_parameter(&c->scales, c->updates.rank, random);
    if (c->has_zero_points)
        reshape_parameter(&c->zero_points, c->updates.rank, random);
}

struct parts scatter_parts(struct scatter_tensors *t, const struct scatter_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "cache", &t->cache, &c->cache, true, true);
    parts_add(&parts, "cache_scale", &t->cache_scale, &c->cache_scale, true, c->dynamic);
    parts_add(&parts, "cache_offset", &t->cache_offset, &c->cache_offset, true, c->dynamic && !c->symmetric);
    parts_add(&parts, "input", &t->input, &c->input, false, c->copies);
    parts_add(&parts, "indices", &t->indices, &c->indices, false, true);
    parts_add(&parts, "updates", &t->updates, &c->updates, false, true);
    parts_add(&parts, "scales", &t->scales, &c->scales, false, c->has_scales);
    parts_add(&parts, "zero_points", &t->zero_points, &c->zero_points, false, c->has_zero_points);
    return parts;
}

void scatter_tensors_init(struct scatter_tensors *t, const struct scatter_case *c)
{
    const struct parts parts = scatter_parts(t, c);

    memset(t, 0, sizeof(*t));
    parts_init(&parts);
}

void scatter_set_index(struct tensor *indices, int64_t entry, int64_t batch, int64_t start)
{
    const struct reference_tensor reference = tensor_reference(indices, indices->image);
    const int64_t values[2] = {batch, start};

    for (int column = 0; column < (reference.rank == 2 ? 2 : 1); column++) {
        const int64_t value = values[reference.rank == 2 ? column : 1];
        const int32_t narrow = (int32_t)value;
        const int64_t at = entry * reference.strides[0] + column * reference.strides[1];

        if (reference.type == REFERENCE_I64)
            memcpy((unsigned char *)reference.data + at * 8, &value, 8);
        else
            memcpy((unsigned char *)reference.data + at * 4, &narrow, 4);
    }
}

/* A value about the range from 0 to last, mostly outside of it. */
static int64_t stray(struct random *random, enum places places, bool wide, int64_t last)
{
    const int64_t values[] = {0,
                              last,
                              -1,
                              last + 1,
                              -last - 1,
                              last + 2,
                              wide ? INT64_MIN : INT32_MIN,
                              wide ? INT64_MAX : INT32_MAX,
                              wide ? INT64_MIN + 1 : INT32_MIN + 1,
                              wide ? INT64_MAX - 1 : INT32_MAX - 1,
                              wide ? INT64_C(1) << 32 : 1 << 16,
                              wide ? -(INT64_C(1) << 32) : -(1 << 16)};

    if (places == PLACES_STRAY && random_below(random, 3) > 0)
        return random_from(random, -1, last + 1);
    return values[random_below(random, COUNT(values))];
}

static void fill_apart(struct tensor *indices, struct random *random, int64_t batches, int64_t size,
                       int64_t length)
{
    const int64_t slots = length > 0 ? size / length : 0, count = batches * slots;
    int64_t *free_slots = calloc((size_t)count + 1, sizeof(*free_slots));

    if (!free_slots)
        abort();
    for (int64_t i = 0; i < count; i++)
        free_slots[i] = i;
    for (int64_t i = 0; i < indices->layout.shape[0]; i++) {
        const int64_t left = count - i, pick = left > 0 ? random_below(random, left) : 0;

        if (left <= 0) {
            scatter_set_index(indices, i, -1, 0);
            continue;
        }
        scatter_set_index(indices, i, free_slots[pick] / slots, free_slots[pick] % slots * length);
        free_slots[pick] = free_slots[left - 1];
    }
    free(free_slots);
}

/* An entry just outside of the cache. */
static void set_beside(struct tensor *indices, struct random *random, int64_t entry, int64_t batches,
                       int64_t last)
{
    const bool below = random_below(random, 2) == 0;

    if (random_below(random, 2) == 0)
        scatter_set_index(indices, entry, below ? -1 : batches, random_below(random, last + 1));
    else
        scatter_set_index(indices, entry, random_below(random, batches), below ? -1 : last + 1);
}

/* One behind the other, or `runs` of such. */
static void fill_in_order(struct tensor *indices, bool runs, int64_t batches, int64_t size, int64_t length,
                          struct random *random)
{
    const int64_t last = size - length;
    int64_t batch = 0, start = 0;

    for (int64_t i = 0; i < indices->layout.shape[0]; i++) {
        if (runs && random_below(random, 30) == 0)
            batch = random_below(random, batches), start = random_below(random, last + 1);
        if (runs && random_below(random, 30) == 0)
            batch = random_below(random, batches);
        scatter_set_index(indices, i, batch, start);
        if (runs && random_below(random, 200) == 0)
            set_beside(indices, random, i, batches, last);
        start += length + (random_below(random, 25) == 0 ? random_below(random, 3) : 0);
        if (start > last)
            batch++, start = 0;
    }
}

void scatter_fill_indices(struct tensor *indices, enum places places, int64_t batches, int64_t size,
                          int64_t length, struct random *random)
{
    const bool wide = indices->layout.type == REFERENCE_I64;
    const int64_t last = size - length, same = last >= 0 ? random_below(random, last + 1) : 0;

    if ((places == PLACES_APART || places == PLACES_RARE) && indices->layout.rank == 2) {
        fill_apart(indices, random, batches, size, length);
        for (int64_t i = 0; places == PLACES_RARE && i < indices->layout.shape[0]; i++)
            if (random_below(random, 40) == 0)
                set_beside(indices, random, i, batches, last);
        return;
    }
    if (places == PLACES_ORDERED || places == PLACES_RUNS) {
        fill_in_order(indices, places == PLACES_RUNS, batches, size, length, random);
        return;
    }
    for (int64_t i = 0; i < indices->layout.shape[0]; i++) {
        const int64_t batch = batches > 0 ? random_below(random, batches) : 0;
        const int64_t start = random_below(random, last + 1);

        if (places == PLACES_STRAY || places == PLACES_HOSTILE)
            scatter_set_index(indices, i, stray(random, places, wide, batches - 1),
                              stray(random, places, wide, last));
        else if (places == PLACES_SAME)
            scatter_set_index(indices, i, batches / 2, same);
        else if (places == PLACES_PACKED)
            scatter_set_index(indices, i, batches / 2, start % (length < last ? length + 1 : last + 1));
        else
            scatter_set_index(indices, i, batch, start);
    }
}

/* A number about the range of slots, mostly outside of it, and never -1. */
static int64_t stray_slot(struct random *random, enum places places, bool wide, int64_t count)
{
    const int64_t values[] = {0,
                              count - 1,
                              count,
                              count + 1,
                              -2,
                              -count - 1,
                              wide ? INT64_MIN : INT32_MIN,
                              wide ? INT64_MIN + 1 : INT32_MIN + 1,
                              wide ? INT64_MAX : INT32_MAX,
                              wide ? INT64_C(1) << 40 : 1 << 20,
                              wide ? (INT64_C(1) << 32) + 1 : 1 << 16,
                              wide ? -(INT64_C(1) << 32) : -(1 << 16)};

    if (places == PLACES_STRAY && random_below(random, 3) > 0)
        return random_from(random, 0, count + 1);
    return values[random_below(random, COUNT(values))];
}

void scatter_fill_slots(struct tensor *indices, enum places places, int64_t batches, int64_t size,
                        struct random *random)
{
    const bool wide = indices->layout.type == REFERENCE_I64;
    const bool apart = places == PLACES_APART || places == PLACES_RARE || places == PLACES_ORDERED;
    const int64_t count = batches * size, few = count > 0 && count < 5 ? count : 5,
                  same = count > 0 ? random_below(random, count) : 0;

    for (int64_t i = 0; i < indices->layout.shape[0]; i++) {
        int64_t slot = count > 0 ? random_below(random, count) : i;

        if (places == PLACES_STRAY || places == PLACES_HOSTILE)
            slot = stray_slot(random, places, wide, count);
        else if (places == PLACES_SAME)
            slot = same;
        else if (places == PLACES_PACKED)
            slot = random_below(random, few);
        else if (apart)
            slot = i; /* those too many are out of range */
        if (random_below(random, 8) == 0)
            slot = -1;
        scatter_set_index(indices, i, 0, slot);
    }
}

static void fill_indices(struct scatter_tensors *t, const struct scatter_case *c, struct random *random)
{
    const struct reference_tensor cache = tensor_reference(&t->cache, t->cache.image);
    const int axis = c->axis < 0 ? c->axis + c->cache.rank : c->axis;

    if (c->slots) {
        scatter_fill_slots(&t->indices, c->places, reference_extent(&cache, 0),
                           reference_extent(&cache, axis), random);
        return;
    }
    scatter_fill_indices(&t->indices, c->places, reference_extent(&cache, 0), reference_extent(&cache, axis),
                         c->updates.shape[axis], random);
}

static double value_of(struct random *random, double top)
{
    return (random_unit(random) * 2 - 1) * top;
}

static void fill_static(struct scatter_tensors *t, const struct scatter_case *c, struct random *random)
{
    const double top = c->cache.type == REFERENCE_I4 ? 10 : 160;

    for (int64_t i = 0, slots = tensor_slots(&t->updates); i < slots; i++)
        tensor_set_slot(&t->updates, i, value_of(random, top));
    for (int64_t i = 0, slots = tensor_slots(&t->scales); i < slots; i++)
        tensor_set_slot(&t->scales, i, ldexp(1 + random_unit(random), -(int)random_below(random, 2)));
    for (int64_t i = 0, slots = tensor_slots(&t->zero_points); c->has_zero_points && i < slots; i++)
        tensor_set_slot(&t->zero_points, i, value_of(random, top / 4));
    for (size_t i = 0; i < t->input.size_bytes; i++)
        t->input.image[i] = (unsigned char)random_bits(random);
}

static void fill_dynamic(struct scatter_tensors *t, const struct scatter_case *c, struct random *random)
{
    dynamic_fill(&t->updates, c->rows, dynamic_steps(c->cache.type), random);
    if (c->has_scales)
        dynamic_fill_smooth(&t->scales, c->seed % 4 == 0, random);
}

void scatter_tensors_fill(struct scatter_tensors *t, const struct scatter_case *c)
{
    struct random random = random_of(c->seed);

    if (c->dynamic)
        fill_dynamic(t, c, &random);
    else
        fill_static(t, c, &random);
    for (size_t i = 0; i < t->indices.size_bytes; i++)
        t->indices.image[i] = (unsigned char)random_bits(&random);
    fill_indices(t, c, &random);
}

void scatter_tensors_clear(struct scatter_tensors *t)
{
    tensor_clear(&t->cache);
    tensor_clear(&t->cache_scale);
    tensor_clear(&t->cache_offset);
    tensor_clear(&t->input);
    tensor_clear(&t->indices);
    tensor_clear(&t->updates);
    tensor_clear(&t->scales);
    tensor_clear(&t->zero_points);
    if (t->report)
        clReleaseMemObject(t->report);
    if (t->workspace)
        clReleaseMemObject(t->workspace);
    t->report = t->workspace = NULL;
}
