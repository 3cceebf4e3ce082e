/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_quantize_scatter, and any indices: as descriptor_quantize.c, and whatever the indices
 * hold, no byte outside of the cache, the report and the workspace changes. */
#include "descriptor_places.h"

#include <string.h>

enum { CACHE, INPUT, INDICES, UPDATES, SCALES, ZERO_POINTS, TENSORS };

const size_t target_bytes = 11;

struct call {
    struct clq_quantize_scatter_desc desc;
    struct slot slot[TENSORS];
    struct sides sides;
};

static void make_types(struct call *c, struct input *in)
{
    static const DLDataType caches[] = {
        {kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 4, 1}, {kDLInt, 4, 2}, {kDLInt, 4, 8}};
    static const int places[TENSORS] = {1, 0, BUFFER_INDICES, 0, 2, 2};
    static const uint64_t offsets[TENSORS] = {0, 3072, 0, 0, 0, 128};
    const unsigned types = take(in), more = take(in), flags = take(in);

    for (int t = 0; t < TENSORS; t++) {
        slot_init(&c->slot[t], places[t]);
        c->slot[t].tensor.byte_offset = offsets[t];
    }
    c->slot[UPDATES].tensor.dtype = parameter_dtypes[types % FLOATS];
    c->slot[SCALES].tensor.dtype = parameter_dtypes[types / 3 % FLOATS];
    c->slot[INDICES].tensor.dtype = (DLDataType){kDLInt, types & 64 ? 64 : 32, 1};
    c->slot[ZERO_POINTS].tensor.dtype = parameter_dtypes[more % PARAMETERS];
    c->slot[CACHE].tensor.dtype = c->slot[INPUT].tensor.dtype = caches[more / 6 % 5];
    c->slot[ZERO_POINTS].absent = types & 128;
    c->slot[INPUT].absent = flags & 1;
    c->desc.mode = flags >> 1 & 1;
    c->desc.out_of_range = (flags >> 2 & 3) % 3;
    c->desc.unique = flags >> 4 & 1;
    sides_init(&c->sides, flags & 32 ? 1 : -1);
    c->sides.offset[REPORT] = 1024 - 16;
    c->sides.slot[WORKSPACE].buffer = flags & 64 ? 1 : -1;
    c->sides.offset[WORKSPACE] = 640;
}

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    struct slot *cache = &c->slot[CACHE], *updates = &c->slot[UPDATES];
    unsigned counts;

    memset(&c->desc, 0, sizeof(c->desc));
    make_types(c, in);
    counts = make_places(cache, updates, &c->slot[INDICES], false, &c->desc.axis, in);
    c->slot[INPUT].tensor.ndim = cache->tensor.ndim;
    memcpy(c->slot[INPUT].shape, cache->shape, sizeof(cache->shape));
    c->slot[SCALES].tensor.ndim = c->slot[ZERO_POINTS].tensor.ndim = 1;
    c->slot[SCALES].shape[0] = counts & 64 ? updates->shape[updates->tensor.ndim - 1] : 1;
    c->slot[ZERO_POINTS].shape[0] = counts & 32 ? updates->shape[updates->tensor.ndim - 1] : 1;
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 216) {
            slot_spoil(&c->slot[where % TENSORS], where / TENSORS % SPOILS, BUFFERS, in);
            continue;
        }
        switch (where % 8) {
        case 0:
            c->desc.axis = (int32_t)take_value(in);
            break;
        case 1:
            c->desc.mode = (uint32_t)take_value(in);
            break;
        case 2:
            c->desc.out_of_range = (uint32_t)take_value(in);
            break;
        case 3:
            c->desc.unique = (uint32_t)take_value(in);
            break;
        case 4:
        case 5:
        case 6:
            sides_spoil(&c->sides, where % 8 - 4, in);
            break;
        default:
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
        }
    }
}

static void finish_call(struct call *c)
{
    c->desc.cache = slot_finish(&c->slot[CACHE]);
    c->desc.input = slot_finish(&c->slot[INPUT]);
    c->desc.indices = slot_finish(&c->slot[INDICES]);
    c->desc.updates = slot_finish(&c->slot[UPDATES]);
    c->desc.scales = slot_finish(&c->slot[SCALES]);
    c->desc.zero_points = slot_finish(&c->slot[ZERO_POINTS]);
    sides_finish(&c->sides);
    c->desc.report = c->sides.slot[REPORT].tensor.data;
    c->desc.report_offset_bytes = c->sides.offset[REPORT];
    c->desc.workspace = c->sides.slot[WORKSPACE].tensor.data;
    c->desc.workspace_offset_bytes = c->sides.offset[WORKSPACE];
}

static bool shapes_agree(const struct call *c, const struct shape s[TENSORS])
{
    return places_agree(&s[CACHE], &s[UPDATES], &s[INDICES], false, c->desc.axis) &&
           is_along_last(&s[SCALES], &s[UPDATES]) &&
           (c->slot[ZERO_POINTS].absent || is_along_last(&s[ZERO_POINTS], &s[UPDATES])) &&
           (c->slot[INPUT].absent || (s[INPUT].type == s[CACHE].type && s[INPUT].lanes == s[CACHE].lanes &&
                                      same_shape(&s[INPUT], &s[CACHE])));
}

/* All but the workspace. */
static bool is_right(struct call *c, const struct tensors *all)
{
    static const unsigned types[TENSORS] = {TYPES_CACHE, TYPES_CACHE, TYPES_INDEX,
                                            TYPES_FLOAT, TYPES_FLOAT, TYPES_FLOAT | TYPES_WHOLE};

    return all_zero(c->desc.reserved) && c->desc.mode <= 1 && c->desc.out_of_range <= 2 &&
           c->desc.unique <= 1 && are_tensors(all, types) && shapes_agree(c, all->shape) &&
           have_memory(all) && side_is_right(&c->sides, REPORT, 4, all);
}

/* The reference's answer, into the images of the cache and the report. */
static void compute(struct call *c, const struct tensors *all, wide workspace_words)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];
    struct reference_report report = {0};

    references_of(all, tensors, at);
    if (at[INPUT] && is_there(all, CACHE))
        reference_copy(at[INPUT], at[CACHE]);
    if (is_there(all, UPDATES))
        report = reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
            .cache = at[CACHE],
            .indices = at[INDICES],
            .updates = at[UPDATES],
            .scales = at[SCALES],
            .zero_points = at[ZERO_POINTS],
            .axis = axis_at(c->desc.axis, -2, all->shape[UPDATES].rank),
            .multiply = c->desc.mode == CLQ_MULTIPLY,
            .range = (enum reference_range)c->desc.out_of_range});
    sides_take(&c->sides, &report, workspace_words);
    if (c->desc.unique && all->shape[INDICES].rank == 2 && is_there(all, CACHE))
        forget_bytes(&c->slot[CACHE],
                     &all->shape[CACHE]); /* the promise may be broken: either entry's bytes */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    const struct tensors all = {c.slot, shapes, TENSORS, 1 << INPUT | 1 << ZERO_POINTS, 1 << CACHE};
    clq_status status;
    size_t workspace = 1;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    right = is_right(&c, &all);
    status = clq_quantize_scatter_workspace(d->context, &c.desc, &workspace);
    expect_answer(right, status);
    HOLDS(right || workspace == 0, "%zu", workspace);
    right = right && side_is_right(&c.sides, WORKSPACE, (wide)workspace / 4, &all);
    status = clq_quantize_scatter(d->context, d->queue, &c.desc, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all, (wide)workspace / 4);
    compare_buffers("");
    return 0;
}
