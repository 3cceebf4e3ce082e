/* Any descriptor at clq_quantize: the check must answer, and rightly.
 *
 * The bytes make a call that is right and then spoil it. Whether it is right still is decided here a second
 * time. A call that is right must give the reference's bytes; one that is not must be refused with a sentence;
 * and every other byte of every buffer must stay as it was. With libFuzzer (clang) this throws bytes; other
 * compilers' programs replay a corpus, or take random bytes. */
#include "descriptor_call.h"

#include <string.h>

enum { X, SCALES, ZERO_POINTS, Y, TENSORS };

const size_t target_bytes = 11;

struct call {
    struct clq_quantize_desc desc;
    struct slot slot[TENSORS];
};

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    static const DLDataType floats[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    static const DLDataType zeros[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1},
                                       {kDLInt, 8, 1},    {kDLUInt, 8, 1},   {kDLInt, 32, 1}};
    static const DLDataType outputs[] = {{kDLInt, 8, 1}, {kDLUInt, 8, 1}, {kDLInt, 32, 1},
                                         {kDLInt, 4, 1}, {kDLInt, 4, 2},  {kDLInt, 4, 8}};
    static const int places[TENSORS] = {0, 1, 2, 1};
    const unsigned types = take(in), more = take(in), counts = take(in);
    struct slot *x = &c->slot[X], *y = &c->slot[Y];
    int rank;

    memset(&c->desc, 0, sizeof(c->desc));
    for (int t = 0; t < TENSORS; t++)
        slot_init(&c->slot[t], places[t]);
    x->tensor.dtype = floats[types % 3];
    c->slot[SCALES].tensor.dtype = floats[types / 3 % 3];
    c->slot[ZERO_POINTS].tensor.dtype = zeros[more % 6];
    y->tensor.dtype = outputs[more / 6 % 6];
    y->tensor.byte_offset = 256;
    rank = x->tensor.ndim = y->tensor.ndim = (int)(counts % 9);
    c->desc.mode = counts / 9 % 2;
    for (int d = 0; d < rank; d++)
        x->shape[d] = y->shape[d] = take(in) % 8;
    if (rank > 0 && y->tensor.dtype.bits == 4) {
        x->shape[rank - 1] *= y->tensor.dtype.lanes == 8 ? 8 : 2;
        y->shape[rank - 1] = x->shape[rank - 1] / y->tensor.dtype.lanes;
    }
    c->desc.axis = rank > 0 ? (int)(take(in) % (unsigned)rank) : 0;
    c->slot[SCALES].tensor.ndim = c->slot[ZERO_POINTS].tensor.ndim = 1;
    c->slot[SCALES].shape[0] = counts & 64 && rank > 0 ? x->shape[c->desc.axis] : 1;
    c->slot[ZERO_POINTS].shape[0] = counts & 128 && rank > 0 ? x->shape[c->desc.axis] : 1;
    c->slot[ZERO_POINTS].absent = types & 128;
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 220) {
            slot_spoil(&c->slot[where % TENSORS], where / TENSORS % SPOILS, DATA_BUFFERS, in);
            continue;
        }
        switch (where % 3) {
        case 0:
            c->desc.axis = (int32_t)take_value(in);
            break;
        case 1:
            c->desc.mode = (uint32_t)take_value(in);
            break;
        default:
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
        }
    }
}

static bool is_parameter(const struct shape *s, const struct shape *x, int axis, bool per_axis)
{
    if (s->rank > 1 && s->rank != x->rank)
        return false;
    if (!per_axis || s->elements == 1)
        return s->elements == 1;
    for (int d = 0; d < s->rank && s->rank > 1; d++)
        if (d != axis && s->logical[d] != 1)
            return false;
    return s->elements == x->logical[axis];
}

static bool is_right(const struct call *c, struct shape s[TENSORS])
{
    static const unsigned types[TENSORS] = {TYPES_FLOAT, TYPES_FLOAT, TYPES_FLOAT | TYPES_WHOLE,
                                            TYPES_WHOLE | TYPES_INT4};
    const bool has_zero = !c->slot[ZERO_POINTS].absent;
    bool per_axis;
    int axis = c->desc.axis;

    for (int i = 0; i < 4; i++)
        if (c->desc.reserved[i] != 0)
            return false;
    for (int t = 0; t < TENSORS; t++)
        if ((t != ZERO_POINTS || has_zero) && !is_tensor(&c->slot[t], types[t], &s[t]))
            return false;
    if (c->desc.mode > 1 || s[Y].rank != s[X].rank || !lies_apart(&s[Y]))
        return false;
    for (int d = 0; d < s[X].rank; d++)
        if (s[Y].logical[d] != s[X].logical[d])
            return false;
    per_axis = s[SCALES].elements != 1 || (has_zero && s[ZERO_POINTS].elements != 1);
    if (per_axis && (axis < -s[X].rank || axis >= s[X].rank))
        return false;
    axis += axis < 0 ? s[X].rank : 0;
    if (!is_parameter(&s[SCALES], &s[X], axis, per_axis) ||
        (has_zero && !is_parameter(&s[ZERO_POINTS], &s[X], axis, per_axis)))
        return false;
    for (int t = 0; t < TENSORS && s[X].elements > 0; t++)
        if ((t != ZERO_POINTS || has_zero) &&
            (!fits(&c->slot[t], &s[t]) || (t != Y && meets(&c->slot[Y], &s[Y], &c->slot[t], &s[t]))))
            return false;
    return true;
}

/* The reference's answer, into the image of y. */
static void compute(const struct call *c, const struct shape s[TENSORS])
{
    const bool has_zero = !c->slot[ZERO_POINTS].absent;
    struct reference_tensor tensors[TENSORS];

    for (int t = 0; t < TENSORS; t++) {
        if (t == ZERO_POINTS && !has_zero)
            continue;
        if (s[t].elements == 0)
            return;
        tensors[t] = reference_of(&c->slot[t], &s[t]);
    }
    reference_quantize(
        &(struct reference_quantize_desc){.x = &tensors[X],
                                          .scales = &tensors[SCALES],
                                          .zero_points = has_zero ? &tensors[ZERO_POINTS] : NULL,
                                          .y = &tensors[Y],
                                          .axis = c->desc.axis,
                                          .multiply = c->desc.mode == CLQ_MULTIPLY});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    clq_status status;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    c.desc.x = slot_finish(&c.slot[X]);
    c.desc.scales = slot_finish(&c.slot[SCALES]);
    c.desc.zero_points = slot_finish(&c.slot[ZERO_POINTS]);
    c.desc.y = slot_finish(&c.slot[Y]);
    right = is_right(&c, shapes);
    status = clq_quantize(d->context, d->queue, &c.desc, 0, NULL, NULL);
    HOLDS(right == (status == CLQ_OK), "%s: %s", clq_status_name(status),
          status == CLQ_OK ? "" : clq_error_detail());
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, shapes);
    compare_buffers("");
    return 0;
}
