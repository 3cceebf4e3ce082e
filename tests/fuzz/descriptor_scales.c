/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_find_scales: as descriptor_quantize.c. */
#include "descriptor_rules.h"

#include <string.h>

enum { X, SCALES, ZERO_POINTS, TENSORS };

const size_t target_bytes = 6;

/* Dimensions that overlap may hold elements without end, in little memory: such a call is only built. */
enum { MOST_ELEMENTS = 1 << 16 };

struct call {
    struct clq_find_scales_desc desc;
    struct slot slot[TENSORS];
};

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    static const DLDataType wanted[] = {{0, 0, 0},      {kDLInt, 8, 1}, {kDLUInt, 8, 1},
                                        {kDLInt, 4, 1}, {kDLInt, 4, 2}, {kDLInt, 4, 8}};
    static const DLDataType zeros[] = {{kDLFloat, 32, 1}, {kDLInt, 32, 1}, {kDLInt, 8, 1}};
    static const int places[TENSORS] = {0, 1, 2};
    const unsigned types = take(in), flags = take(in), counts = take(in);
    struct slot *x = &c->slot[X];
    int rank, axis;

    memset(c, 0, sizeof(*c));
    for (int t = 0; t < TENSORS; t++)
        slot_init(&c->slot[t], places[t]);
    x->tensor.dtype = parameter_dtypes[types % FLOATS];
    c->desc.dtype = wanted[types / 3 % 6];
    c->desc.method = flags & 1;
    c->desc.mode = flags >> 1 & 1;
    c->slot[SCALES].tensor.dtype = parameter_dtypes[0];
    c->slot[ZERO_POINTS].tensor.dtype = zeros[types / 18 % 3];
    if (types / 18 % 3 == 2 && c->desc.dtype.code == kDLUInt)
        c->slot[ZERO_POINTS].tensor.dtype.code = kDLUInt;
    c->slot[ZERO_POINTS].absent = flags & 4 && !c->desc.method && c->desc.dtype.code != kDLUInt;
    rank = x->tensor.ndim = (int)(counts % 6);
    for (int d = 0; d < rank; d++)
        x->shape[d] = (take(in) + 1) % 12;
    axis = rank > 0 ? (int)(take(in) % (unsigned)rank) : 0;
    c->desc.axis = axis > 0 ? axis : CLQ_AXIS_FIRST;
    c->slot[SCALES].tensor.ndim = c->slot[ZERO_POINTS].tensor.ndim = 1;
    c->slot[SCALES].shape[0] = c->slot[ZERO_POINTS].shape[0] = counts & 128 && rank > 0 ? x->shape[axis] : 1;
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 216) {
            slot_spoil(&c->slot[where % TENSORS], where / TENSORS % SPOILS, DATA_BUFFERS, in);
            continue;
        }
        switch (where % 5) {
        case 0:
            c->desc.axis = (int32_t)take_value(in);
            break;
        case 1:
            c->desc.mode = (uint32_t)take_value(in);
            break;
        case 2:
            c->desc.method = (uint32_t)take_value(in);
            break;
        case 3:
            c->desc.dtype = take_dtype(in);
            break;
        default:
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
        }
    }
}

/* The type that scales are found for; false where there is none of this name. */
static bool type_of(DLDataType dtype, enum reference_type *type)
{
    struct shape s;

    *type = REFERENCE_I8;
    if (dtype.code == 0 && dtype.bits == 0 && dtype.lanes == 0)
        return true;
    if (!find_type(dtype, &s) || !(TYPES_CACHE >> s.type & 1))
        return false;
    *type = s.type;
    return true;
}

static bool is_right(const struct call *c, const struct tensors *all)
{
    const struct shape *s = all->shape, *zero_points = c->slot[ZERO_POINTS].absent ? NULL : &s[ZERO_POINTS];
    unsigned types[TENSORS] = {TYPES_FLOAT, 1u << REFERENCE_F32, 1u << REFERENCE_F32 | 1u << REFERENCE_I32};
    enum reference_type type;

    if (!all_zero(c->desc.reserved) || c->desc.method > 1 || c->desc.mode > 1 ||
        !type_of(c->desc.dtype, &type) ||
        (!zero_points && (c->desc.method == CLQ_MINMAX || type == REFERENCE_U8)))
        return false;
    types[ZERO_POINTS] |= 1u << (type == REFERENCE_U8 ? REFERENCE_U8 : REFERENCE_I8);
    return are_tensors(all, types) && (!zero_points || zero_points->elements == s[SCALES].elements) &&
           parameters_agree(&s[SCALES], zero_points, &s[X], c->desc.axis) && have_memory(all);
}

/* What repeats has the range of what it repeats, and is left to the library alone: a reference that reads all
 * of it need not end. */
static void leave_repeats_out(struct shape *x, const struct shape *scales, int axis)
{
    axis = axis_at(axis, -1, x->rank);
    for (int d = 0; d < x->rank && x->elements > 0; d++)
        if (x->strides[d] == 0 && (d != axis || scales->elements == 1)) {
            x->elements /= x->stored[d];
            x->stored[d] = 1;
        }
}

/* The reference's answer, into the images of the scales and zero points. */
static void compute(const struct call *c, const struct tensors *all)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];
    enum reference_type type;

    if (!is_there(all, SCALES))
        return;
    type_of(c->desc.dtype, &type);
    references_of(all, tensors, at);
    reference_find_scales(
        &(struct reference_find_scales_desc){.x = at[X],
                                             .scales = at[SCALES],
                                             .zero_points = at[ZERO_POINTS],
                                             .type = type,
                                             .axis = axis_at(c->desc.axis, -1, all->shape[X].rank),
                                             .minmax = c->desc.method == CLQ_MINMAX,
                                             .multiply = c->desc.mode == CLQ_MULTIPLY});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    const struct tensors all = {c.slot, shapes, TENSORS, 1 << ZERO_POINTS, 1 << SCALES | 1 << ZERO_POINTS};
    clq_status status;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    c.desc.x = slot_finish(&c.slot[X]);
    c.desc.scales = slot_finish(&c.slot[SCALES]);
    c.desc.zero_points = slot_finish(&c.slot[ZERO_POINTS]);
    right = is_right(&c, &all);
    if (right)
        leave_repeats_out(&shapes[X], &shapes[SCALES], c.desc.axis);
    if (right && shapes[X].elements > MOST_ELEMENTS) {
        expect_answer(right, clq_find_scales_build(d->context, &c.desc));
        return 0;
    }
    status = clq_find_scales(d->context, d->queue, &c.desc, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all);
    compare_buffers("");
    return 0;
}
