/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_dequantize, dense, gathered and by groups, and any indices: as descriptor_scatter.c. */
#include "dequantize.h"
#include "descriptor_places.h"

#include <string.h>

enum { Q, SCALE, ZERO_POINTS, INDICES, GROUP_INDEX, Y, TENSORS };

const size_t target_bytes = 9;

struct call {
    struct clq_dequantize_desc desc;
    struct slot slot[TENSORS];
    struct sides sides;
};

static void make_types(struct call *c, struct input *in)
{
    static const int places[TENSORS] = {0, 1, 2, BUFFER_INDICES, BUFFER_INDICES, 0};
    static const uint64_t offsets[TENSORS] = {0, 0, 0, 0, 0, 2048};
    const unsigned types = take(in), more = take(in), flags = take(in);

    for (int t = 0; t < TENSORS; t++) {
        slot_init(&c->slot[t], places[t]);
        c->slot[t].tensor.byte_offset = offsets[t];
    }
    c->slot[SCALE].tensor.dtype = parameter_dtypes[types % FLOATS];
    c->slot[ZERO_POINTS].tensor.dtype = parameter_dtypes[types / 3 % PARAMETERS];
    c->slot[ZERO_POINTS].absent = types & 128;
    c->slot[Q].tensor.dtype = stored_dtypes[more % STORED];
    c->slot[Y].tensor.dtype = parameter_dtypes[more / 6 % FLOATS];
    c->slot[INDICES].tensor.dtype = c->slot[GROUP_INDEX].tensor.dtype =
        (DLDataType){kDLInt, more & 128 ? 64 : 32, 1};
    c->slot[INDICES].absent = (flags & 3) < 2;
    c->slot[GROUP_INDEX].absent = (flags & 3) != 1;
    c->desc.mode = c->slot[GROUP_INDEX].absent ? (flags >> 2 & 3) % 3 : CLQ_DEQUANTIZE_MULTIPLY;
    c->desc.out_of_range = (flags >> 4 & 3) % 3;
    sides_init(&c->sides, flags & 64 ? 2 : -1);
    c->sides.offset[REPORT] = 256 - 16;
}

/* Of q without indices; by groups it is of rank 2. */
static void make_dense(struct slot *q, const struct slot *groups, struct input *in)
{
    const int rank = groups->absent ? (int)(take(in) % 6) : 2;

    q->tensor.ndim = rank;
    for (int d = 0; d < rank; d++)
        q->shape[d] = (take(in) + 1) % 8;
    if (rank > 0 && q->tensor.dtype.bits == 4 && q->tensor.dtype.lanes == 1)
        q->shape[rank - 1] *= 2;
}

/* One, or one per index of a dimension of y. */
static void make_parameter(struct slot *s, const struct slot *y, int axis, bool each)
{
    s->tensor.ndim = 1;
    s->shape[0] = each && y->tensor.ndim > 0 ? y->shape[axis] : 1;
}

static void make_parameters(struct call *c, struct input *in)
{
    struct slot *q = &c->slot[Q], *y = &c->slot[Y];
    const unsigned counts = take(in);
    const int rank = y->tensor.ndim, last = rank > 0 ? rank - 1 : 0;
    int axis = last;

    if (c->slot[INDICES].absent)
        axis = rank > 0 ? (int)(counts % (unsigned)rank) : 0, c->desc.axis = axis > 0 ? axis : CLQ_AXIS_FIRST;
    for (int t = SCALE; t <= ZERO_POINTS; t++) {
        make_parameter(&c->slot[t], y, axis, counts & (t == SCALE ? 64 : 128));
        if (c->desc.mode != CLQ_DEQUANTIZE_DYNAMIC || rank == 0)
            continue;
        c->slot[t].tensor.ndim = rank - 1;
        memcpy(c->slot[t].shape, q->shape, sizeof(q->shape));
    }
    if (c->slot[GROUP_INDEX].absent)
        return;
    c->slot[GROUP_INDEX].tensor.ndim = 1;
    c->slot[SCALE].tensor.ndim = 2;
    c->slot[SCALE].shape[0] = c->slot[GROUP_INDEX].shape[0] = 1 + counts % 5;
    c->slot[SCALE].shape[1] = y->shape[1];
    c->slot[ZERO_POINTS].shape[0] = 1;
}

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    struct slot *q = &c->slot[Q], *y = &c->slot[Y];

    memset(c, 0, sizeof(*c));
    make_types(c, in);
    if (c->slot[INDICES].absent) {
        make_dense(q, &c->slot[GROUP_INDEX], in);
        y->tensor.ndim = q->tensor.ndim;
        memcpy(y->shape, q->shape, sizeof(q->shape));
        if (q->tensor.ndim > 0)
            y->shape[q->tensor.ndim - 1] *= q->tensor.dtype.lanes;
    } else {
        make_places(q, y, &c->slot[INDICES], c->desc.mode == CLQ_DEQUANTIZE_DYNAMIC, &c->desc.axis, in);
    }
    make_parameters(c, in);
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
            c->desc.reserved32 = (uint32_t)take_value(in);
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
    c->desc.q = slot_finish(&c->slot[Q]);
    c->desc.scales = slot_finish(&c->slot[SCALE]);
    *(c->desc.mode == CLQ_DEQUANTIZE_DYNAMIC ? &c->desc.offsets : &c->desc.zero_points) =
        slot_finish(&c->slot[ZERO_POINTS]);
    c->desc.indices = slot_finish(&c->slot[INDICES]);
    c->desc.group_index = slot_finish(&c->slot[GROUP_INDEX]);
    c->desc.y = slot_finish(&c->slot[Y]);
    sides_finish(&c->sides);
    c->desc.report = c->sides.slot[REPORT].tensor.data;
    c->desc.report_offset_bytes = c->sides.offset[REPORT];
}

static bool is_counted(const struct call *c)
{
    return !c->slot[INDICES].absent || !c->slot[GROUP_INDEX].absent;
}

static bool of_groups(const struct call *c, const struct shape s[TENSORS])
{
    return s[Y].rank == 2 && s[SCALE].rank == 2 && s[GROUP_INDEX].rank == 1 && s[SCALE].logical[0] >= 1 &&
           s[SCALE].logical[1] == s[Y].logical[1] && s[GROUP_INDEX].logical[0] == s[SCALE].logical[0] &&
           (c->slot[ZERO_POINTS].absent || s[ZERO_POINTS].elements == 1);
}

static bool shapes_agree(const struct call *c, const struct shape s[TENSORS])
{
    const bool dynamic = c->desc.mode == CLQ_DEQUANTIZE_DYNAMIC, gathers = !c->slot[INDICES].absent;
    const struct shape *zero_points = c->slot[ZERO_POINTS].absent ? NULL : &s[ZERO_POINTS];

    if (gathers ? !places_agree(&s[Q], &s[Y], &s[INDICES], dynamic, c->desc.axis) : !same_shape(&s[Y], &s[Q]))
        return false;
    if (dynamic)
        return is_per_row(&s[SCALE], &s[Q]) && (!zero_points || is_per_row(zero_points, &s[Q]));
    if (gathers)
        return is_along_last(&s[SCALE], &s[Y]) && (!zero_points || is_along_last(zero_points, &s[Y]));
    if (!c->slot[GROUP_INDEX].absent)
        return of_groups(c, s);
    return parameters_agree(&s[SCALE], zero_points, &s[Y], c->desc.axis);
}

static bool is_right(struct call *c, const struct tensors *all)
{
    static const unsigned types[TENSORS] = {TYPES_WHOLE | TYPES_INT4,
                                            TYPES_FLOAT,
                                            TYPES_FLOAT | TYPES_WHOLE,
                                            TYPES_INDEX,
                                            TYPES_INDEX,
                                            TYPES_FLOAT};

    if (!all_zero(c->desc.reserved) || c->desc.reserved32 != 0 || c->desc.mode > 2 ||
        c->desc.out_of_range > 2 ||
        (!c->slot[GROUP_INDEX].absent &&
         (!c->slot[INDICES].absent || c->desc.mode != CLQ_DEQUANTIZE_MULTIPLY)))
        return false;
    return are_tensors(all, types) && shapes_agree(c, all->shape) && have_memory(all) &&
           (!is_counted(c) || side_is_right(&c->sides, REPORT, 4, all));
}

/* The reference's answer, into the images of y and the report. */
static void compute(struct call *c, const struct tensors *all)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];
    struct reference_report report;

    references_of(all, tensors, at);
    report = reference_dequantize(&(struct reference_dequantize_desc){
        .q = at[Q],
        .scale = at[SCALE],
        .zero_points = at[ZERO_POINTS],
        .indices = at[INDICES],
        .group_index = at[GROUP_INDEX],
        .y = at[Y],
        .axis = axis_at(c->desc.axis, at[INDICES] ? -2 : -1, all->shape[Y].rank),
        .mode = (enum reference_undo)c->desc.mode,
        .range = (enum reference_range)c->desc.out_of_range});
    if (is_counted(c))
        report_add(&c->sides.slot[REPORT], &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    const struct tensors all = {c.slot, shapes, TENSORS, 1 << ZERO_POINTS | 1 << INDICES | 1 << GROUP_INDEX,
                                1 << Y};
    clq_status status;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    right = is_right(&c, &all);
    status = clq_dequantize(d->context, d->queue, &c.desc, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all);
    compare_buffers("");
    return 0;
}
