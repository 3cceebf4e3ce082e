/* Any descriptor at clq_quantize_scatter, and any indices: as descriptor_quantize.c, and whatever the indices
 * hold, no byte outside of the cache, the report and the workspace changes. */
#include "descriptor_call.h"

#include <string.h>

enum { CACHE, INPUT, INDICES, UPDATES, SCALES, ZERO_POINTS, TENSORS };

const size_t target_bytes = 11;

/* Words beside the tensors. */
enum { REPORT, WORKSPACE, SIDES };

struct call {
    struct clq_quantize_scatter_desc desc;
    struct slot slot[TENSORS], side[SIDES];
    uint64_t side_offset[SIDES];
};

static bool optional(int t)
{
    return t == INPUT || t == ZERO_POINTS;
}

static void make_types(struct call *c, struct input *in)
{
    static const DLDataType floats[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    static const DLDataType zeros[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1},
                                       {kDLInt, 8, 1},    {kDLUInt, 8, 1},   {kDLInt, 32, 1}};
    static const DLDataType caches[] = {
        {kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 4, 1}, {kDLInt, 4, 2}, {kDLInt, 4, 8}};
    static const int places[TENSORS] = {1, 0, BUFFER_INDICES, 0, 2, 2};
    static const uint64_t offsets[TENSORS] = {0, 3072, 0, 0, 0, 128};
    const unsigned types = take(in), more = take(in), flags = take(in);

    for (int t = 0; t < TENSORS; t++) {
        slot_init(&c->slot[t], places[t]);
        c->slot[t].tensor.byte_offset = offsets[t];
    }
    c->slot[UPDATES].tensor.dtype = floats[types % 3];
    c->slot[SCALES].tensor.dtype = floats[types / 3 % 3];
    c->slot[INDICES].tensor.dtype = (DLDataType){kDLInt, types & 64 ? 64 : 32, 1};
    c->slot[ZERO_POINTS].tensor.dtype = zeros[more % 6];
    c->slot[CACHE].tensor.dtype = c->slot[INPUT].tensor.dtype = caches[more / 6 % 5];
    c->slot[ZERO_POINTS].absent = types & 128;
    c->slot[INPUT].absent = flags & 1;
    c->desc.mode = flags >> 1 & 1;
    c->desc.out_of_range = (flags >> 2 & 3) % 3;
    c->desc.unique = flags >> 4 & 1;
    for (int side = 0; side < SIDES; side++)
        slot_init(&c->side[side], (flags >> (5 + side) & 1) ? 1 : -1);
    c->side_offset[REPORT] = 1024 - 16;
    c->side_offset[WORKSPACE] = 640;
}

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    struct slot *cache = &c->slot[CACHE], *updates = &c->slot[UPDATES], *indices = &c->slot[INDICES];
    unsigned counts;
    int rank, axis, lanes;

    memset(&c->desc, 0, sizeof(c->desc));
    make_types(c, in);
    counts = take(in);
    rank = 2 + (int)(counts % 4);
    lanes = cache->tensor.dtype.lanes;
    cache->tensor.ndim = updates->tensor.ndim = c->slot[INPUT].tensor.ndim = rank;
    for (int d = 0; d < rank; d++) {
        const unsigned size = take(in) % 64;

        cache->shape[d] = updates->shape[d] = size == 0 ? 0 : 1 + size % 5; /* seldom 0 */
    }
    if (cache->tensor.dtype.bits == 4) {
        updates->shape[rank - 1] = cache->shape[rank - 1] * (lanes == 1 ? 2 : lanes);
        cache->shape[rank - 1] *= lanes == 1 ? 2 : 1;
    }
    axis = c->desc.axis = 1 + (int)(take(in) % (unsigned)(rank - 1));
    updates->shape[axis] -= updates->shape[axis] * (int64_t)(counts >> 2 & 3) / 4;
    memcpy(c->slot[INPUT].shape, cache->shape, sizeof(cache->shape));
    indices->tensor.ndim = counts & 128 ? 2 : 1;
    updates->shape[0] = take(in) % 160;
    if (!(counts & 128))
        updates->shape[0] = cache->shape[0] - updates->shape[0] % 2 * (cache->shape[0] > 1);
    indices->shape[0] = updates->shape[0];
    indices->shape[1] = 2;
    c->slot[SCALES].tensor.ndim = c->slot[ZERO_POINTS].tensor.ndim = 1;
    c->slot[SCALES].shape[0] = counts & 64 ? updates->shape[rank - 1] : 1;
    c->slot[ZERO_POINTS].shape[0] = counts & 32 ? updates->shape[rank - 1] : 1;
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
            c->side_offset[where % 2] = (uint64_t)take_value(in);
            break;
        case 6:
            c->side[take(in) % SIDES].buffer = (int)(take(in) % (BUFFERS + 1)) - 1;
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
    for (int side = 0; side < SIDES; side++)
        slot_finish(&c->side[side]);
    c->desc.report = c->side[REPORT].tensor.data;
    c->desc.report_offset_bytes = c->side_offset[REPORT];
    c->desc.workspace = c->side[WORKSPACE].tensor.data;
    c->desc.workspace_offset_bytes = c->side_offset[WORKSPACE];
}

static bool shapes_agree(const struct call *c, const struct shape s[TENSORS])
{
    const struct shape *cache = &s[CACHE], *updates = &s[UPDATES], *indices = &s[INDICES], *input = &s[INPUT];
    const int rank = updates->rank;
    const wide axis = (wide)c->desc.axis + (c->desc.axis < 0 ? rank : 0);

    if (rank < 2 || cache->rank != rank || axis < 1 || axis >= rank ||
        (cache->type == REFERENCE_I4 && axis == rank - 1))
        return false;
    for (int d = 1; d < rank; d++)
        if (d == axis ? updates->logical[d] > cache->logical[d] : updates->logical[d] != cache->logical[d])
            return false;
    if (indices->rank < 1 || indices->rank > 2 || (indices->rank == 2 && indices->logical[1] != 2) ||
        indices->logical[0] != updates->logical[0] ||
        (indices->rank == 1 && indices->logical[0] > cache->logical[0]))
        return false;
    for (int t = SCALES; t <= ZERO_POINTS; t++)
        if (!c->slot[t].absent && s[t].elements != 1 && s[t].elements != updates->logical[rank - 1])
            return false;
    if (c->slot[INPUT].absent)
        return true;
    if (input->rank != rank || input->lanes != cache->lanes)
        return false;
    for (int d = 0; d < rank; d++)
        if (input->logical[d] != cache->logical[d])
            return false;
    return true;
}

/* A report, or so many words of workspace, beside all tensors. */
static bool side_is_right(struct call *c, int side, wide words, const struct shape s[TENSORS],
                          struct shape sides[SIDES])
{
    struct slot *slot = &c->side[side];

    if (slot->buffer < 0 || words == 0)
        return true;
    if (!is_words(slot, c->side_offset[side], words, &sides[side]) || !fits(slot, &sides[side]))
        return false;
    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent && s[t].elements > 0 && meets(slot, &sides[side], &c->slot[t], &s[t]))
            return false;
    return side == REPORT || c->side[REPORT].buffer < 0 ||
           !meets(slot, &sides[side], &c->side[REPORT], &sides[REPORT]);
}

static bool is_right(struct call *c, struct shape s[TENSORS], struct shape sides[SIDES])
{
    static const unsigned types[TENSORS] = {TYPES_CACHE, TYPES_CACHE, TYPES_INDEX,
                                            TYPES_FLOAT, TYPES_FLOAT, TYPES_FLOAT | TYPES_WHOLE};

    for (int i = 0; i < 4; i++)
        if (c->desc.reserved[i] != 0)
            return false;
    if (c->desc.mode > 1 || c->desc.out_of_range > 2 || c->desc.unique > 1)
        return false;
    for (int t = 0; t < TENSORS; t++)
        if (!(optional(t) && c->slot[t].absent) && !is_tensor(&c->slot[t], types[t], &s[t]))
            return false;
    if (!c->slot[INPUT].absent && s[INPUT].type != s[CACHE].type)
        return false;
    if (!shapes_agree(c, s) || !lies_apart(&s[CACHE]))
        return false;
    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent && s[t].elements > 0 &&
            (!fits(&c->slot[t], &s[t]) ||
             (t != CACHE && s[CACHE].elements > 0 && meets(&c->slot[CACHE], &s[CACHE], &c->slot[t], &s[t]))))
            return false;
    return side_is_right(c, REPORT, 4, s, sides);
}

/* The reference's answer, into the images of the cache and the report. */
static void compute(const struct call *c, const struct shape s[TENSORS])
{
    struct reference_tensor tensors[TENSORS];
    struct reference_report report;

    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent && s[t].elements > 0)
            tensors[t] = reference_of(&c->slot[t], &s[t]);
    if (!c->slot[INPUT].absent && s[CACHE].elements > 0)
        reference_copy_int(&tensors[INPUT], &tensors[CACHE]);
    if (s[UPDATES].elements == 0)
        return;
    if (s[CACHE].elements == 0) /* of no batches: its other sizes still count */
        tensors[CACHE] = reference_of(&c->slot[CACHE], &s[CACHE]);
    report = reference_quantize_scatter(&(struct reference_quantize_scatter_desc){
        .cache = &tensors[CACHE],
        .indices = &tensors[INDICES],
        .updates = &tensors[UPDATES],
        .scales = &tensors[SCALES],
        .zero_points = c->slot[ZERO_POINTS].absent ? NULL : &tensors[ZERO_POINTS],
        .axis = c->desc.axis,
        .multiply = c->desc.mode == CLQ_MULTIPLY,
        .range = (enum reference_range)c->desc.out_of_range});
    report_add(&c->side[REPORT], &report);
}

static void expect_right(struct call *c, const struct shape s[TENSORS], const struct shape sides[SIDES],
                         wide words)
{
    compute(c, s);
    if (words > 0 && c->side[WORKSPACE].buffer >= 0)
        forget_bytes(&c->side[WORKSPACE], &sides[WORKSPACE]);
    if (c->desc.unique && s[INDICES].rank == 2 && s[CACHE].elements > 0)
        forget_bytes(&c->slot[CACHE], &s[CACHE]); /* the promise may be broken: either entry's bytes */
    compare_buffers("");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0}, sides[SIDES] = {0};
    struct call c;
    clq_status status;
    size_t workspace = 1;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    right = is_right(&c, shapes, sides);
    status = clq_quantize_scatter_workspace(d->context, &c.desc, &workspace);
    HOLDS(right == (status == CLQ_OK), "workspace: %s: %s", clq_status_name(status),
          status == CLQ_OK ? "" : clq_error_detail());
    HOLDS(right || workspace == 0, "%zu", workspace);
    right = right && side_is_right(&c, WORKSPACE, workspace / 4, shapes, sides);
    status = clq_quantize_scatter(d->context, d->queue, &c.desc, 0, NULL, NULL);
    HOLDS(right == (status == CLQ_OK), "%s: %s", clq_status_name(status),
          status == CLQ_OK ? "" : clq_error_detail());
    if (right)
        expect_right(&c, shapes, sides, (wide)workspace);
    else
        expect_refused(status, size % 16 == 0);
    return 0;
}
