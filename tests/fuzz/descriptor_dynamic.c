/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_dynamic_quantize and clq_dynamic_quantize_scatter, and any indices: as
 * descriptor_scatter.c. */
#include "descriptor_places.h"
#include "dynamic.h"

#include <string.h>

/* y, scale and offset of a dense call; of the other the cache's. */
enum { Y, SCALE, OFFSET, X, SMOOTH, INDICES, TENSORS };

const size_t target_bytes = 9;

struct call {
    bool scatters;
    struct clq_dynamic_quantize_desc dense;
    struct clq_dynamic_quantize_scatter_desc scatter;
    uint32_t symmetric;
    uint64_t reserved[4];
    struct slot slot[TENSORS];
    struct sides sides;
};

static void make_types(struct call *c, struct input *in)
{
    static const int places[TENSORS] = {1, 0, 0, 0, 2, BUFFER_INDICES};
    static const uint64_t offsets[TENSORS] = {0, 2048, 3072, 0, 0, 0};
    const unsigned types = take(in), flags = take(in);

    for (int t = 0; t < TENSORS; t++) {
        slot_init(&c->slot[t], places[t]);
        c->slot[t].tensor.byte_offset = offsets[t];
    }
    c->slot[X].tensor.dtype = parameter_dtypes[types % FLOATS];
    c->slot[SMOOTH].tensor.dtype = parameter_dtypes[types / 3 % FLOATS];
    c->slot[Y].tensor.dtype = grouped_dtypes[types / 9 % GROUPED];
    c->slot[SCALE].tensor.dtype = c->slot[OFFSET].tensor.dtype = parameter_dtypes[0];
    c->slot[INDICES].tensor.dtype = (DLDataType){kDLInt, types & 64 ? 64 : 32, 1};
    c->slot[SMOOTH].absent = types & 128;
    c->symmetric = flags & 1;
    c->slot[OFFSET].absent = c->symmetric;
    c->scatters = flags & 6;
    c->scatter.out_of_range = (flags >> 3 & 3) % 3;
    c->scatter.unique = flags >> 5 & 1;
    sides_init(&c->sides, flags & 64 ? 1 : -1);
    c->sides.offset[REPORT] = 1024 - 16;
    c->sides.slot[WORKSPACE].buffer = flags & 128 ? 1 : -1;
    c->sides.offset[WORKSPACE] = 640;
}

/* Rows of at least one element most times. */
static void make_dense(struct slot *x, struct slot *y, struct input *in)
{
    const int rank = 1 + (int)(take(in) % 8);

    x->tensor.ndim = y->tensor.ndim = rank;
    for (int d = 0; d < rank; d++)
        x->shape[d] = y->shape[d] = (take(in) + 1) % 8;
    x->shape[rank - 1] *= values_of(y->tensor.dtype);
    y->shape[rank - 1] = x->shape[rank - 1] / y->tensor.dtype.lanes;
}

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    struct slot *x = &c->slot[X], *y = &c->slot[Y];

    memset(c, 0, sizeof(*c));
    make_types(c, in);
    if (c->scatters)
        make_places(y, x, &c->slot[INDICES], true, &c->scatter.axis, in);
    else
        make_dense(x, y, in);
    for (int t = SCALE; t <= OFFSET; t++) {
        c->slot[t].tensor.ndim = y->tensor.ndim - 1;
        memcpy(c->slot[t].shape, y->shape, sizeof(y->shape));
    }
    c->slot[SMOOTH].tensor.ndim = 1;
    c->slot[SMOOTH].shape[0] = x->shape[x->tensor.ndim - 1];
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 216) {
            slot_spoil(&c->slot[where % TENSORS], where / TENSORS % SPOILS, BUFFERS, in);
            continue;
        }
        switch (where % 9) {
        case 0:
            c->scatter.axis = (int32_t)take_value(in);
            break;
        case 1:
            c->symmetric = (uint32_t)take_value(in);
            break;
        case 2:
            c->scatter.out_of_range = (uint32_t)take_value(in);
            break;
        case 3:
            c->scatter.unique = (uint32_t)take_value(in);
            break;
        case 4:
            c->dense.reserved32 = (uint32_t)take_value(in);
            break;
        case 5:
        case 6:
        case 7:
            sides_spoil(&c->sides, where % 9 - 5, in);
            break;
        default:
            c->reserved[take(in) % 4] = (uint64_t)take_value(in);
        }
    }
}

static void finish_call(struct call *c)
{
    struct clq_dynamic_quantize_desc *dense = &c->dense;
    struct clq_dynamic_quantize_scatter_desc *scatter = &c->scatter;

    dense->x = scatter->updates = slot_finish(&c->slot[X]);
    dense->smooth_scales = scatter->smooth_scales = slot_finish(&c->slot[SMOOTH]);
    dense->y = scatter->cache = slot_finish(&c->slot[Y]);
    dense->scales = scatter->cache_scales = slot_finish(&c->slot[SCALE]);
    dense->offsets = scatter->cache_offsets = slot_finish(&c->slot[OFFSET]);
    dense->symmetric = scatter->symmetric = c->symmetric;
    memcpy(dense->reserved, c->reserved, sizeof(c->reserved));
    memcpy(scatter->reserved, c->reserved, sizeof(c->reserved));
    scatter->indices = slot_finish(&c->slot[INDICES]);
    sides_finish(&c->sides);
    scatter->report = c->sides.slot[REPORT].tensor.data;
    scatter->report_offset_bytes = c->sides.offset[REPORT];
    scatter->workspace = c->sides.slot[WORKSPACE].tensor.data;
    scatter->workspace_offset_bytes = c->sides.offset[WORKSPACE];
}

static bool shapes_agree(const struct call *c, const struct shape s[TENSORS])
{
    const struct shape *x = &s[X], *y = &s[Y];

    if (x->rank < 1 || x->logical[x->rank - 1] < 1 || !is_per_row(&s[SCALE], y) ||
        (!c->symmetric && !is_per_row(&s[OFFSET], y)) ||
        (!c->slot[SMOOTH].absent && s[SMOOTH].elements != x->logical[x->rank - 1]))
        return false;
    return c->scatters ? places_agree(y, x, &s[INDICES], true, c->scatter.axis) : same_shape(y, x);
}

/* All but the workspace. */
static bool is_right(struct call *c, const struct tensors *all)
{
    static const unsigned types[TENSORS] = {TYPES_GROUPED, 1u << REFERENCE_F32, 1u << REFERENCE_F32,
                                            TYPES_FLOAT,   TYPES_FLOAT,         TYPES_INDEX};

    if (!all_zero(c->reserved) || c->symmetric > 1 || c->slot[OFFSET].absent != (c->symmetric == 1) ||
        (c->scatters ? c->scatter.out_of_range > 2 || c->scatter.unique > 1 : c->dense.reserved32 != 0))
        return false;
    return are_tensors(all, types) && shapes_agree(c, all->shape) && have_memory(all) &&
           (!c->scatters || side_is_right(&c->sides, REPORT, 4, all));
}

/* The reference's answer, into the images of what is written. */
static void compute(struct call *c, const struct tensors *all, wide workspace_words)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];
    struct reference_report report = {0};

    references_of(all, tensors, at);
    if (!c->scatters) {
        reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){.x = at[X],
                                                                             .smooth_scale = at[SMOOTH],
                                                                             .y = at[Y],
                                                                             .scale = at[SCALE],
                                                                             .offset = at[OFFSET],
                                                                             .symmetric = c->symmetric});
        return;
    }
    report = reference_dynamic_quantize_scatter(&(struct reference_dynamic_quantize_scatter_desc){
        .cache = at[Y],
        .cache_scale = at[SCALE],
        .cache_offset = at[OFFSET],
        .indices = at[INDICES],
        .updates = at[X],
        .smooth_scale = at[SMOOTH],
        .axis = axis_at(c->scatter.axis, -2, all->shape[X].rank),
        .symmetric = c->symmetric,
        .range = (enum reference_range)c->scatter.out_of_range});
    sides_take(&c->sides, &report, workspace_words);
    for (int t = Y; t <= OFFSET; t++) /* a promise may be broken: either entry's bytes */
        if (c->scatter.unique && all->shape[INDICES].rank == 2 && is_there(all, t))
            forget_bytes(&c->slot[t], &all->shape[t]);
}

static bool ask_workspace(struct call *c, const struct tensors *all, bool right, size_t *workspace)
{
    const clq_status status =
        clq_dynamic_quantize_scatter_workspace(device()->context, &c->scatter, workspace);

    expect_answer(right, status);
    HOLDS(right || *workspace == 0, "%zu", *workspace);
    return right && side_is_right(&c->sides, WORKSPACE, (wide)*workspace / 4, all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    struct tensors all = {c.slot, shapes, TENSORS, 1 << OFFSET | 1 << SMOOTH,
                          1 << Y | 1 << SCALE | 1 << OFFSET};
    clq_status status;
    size_t workspace = 1;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    all.count -= !c.scatters; /* no indices */
    right = is_right(&c, &all);
    if (c.scatters)
        right = ask_workspace(&c, &all, right, &workspace);
    status = c.scatters ? clq_dynamic_quantize_scatter(d->context, d->queue, &c.scatter, 0, NULL, NULL)
                        : clq_dynamic_quantize(d->context, d->queue, &c.dense, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all, (wide)workspace / 4);
    compare_buffers("");
    return 0;
}
