/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_quantize: the check must answer, and rightly.
 *
 * The bytes make a call that is right and then spoil it. Whether it is right still is decided here a second
 * time. A call that is right must give the reference's bytes; one that is not must be refused with a sentence;
 * and every other byte of every buffer must stay as it was. With libFuzzer (clang) this throws bytes; other
 * compilers' programs replay a corpus, or take random bytes. */
#include "descriptor_rules.h"

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
    static const int places[TENSORS] = {0, 1, 2, 1};
    const unsigned types = take(in), more = take(in), counts = take(in);
    struct slot *x = &c->slot[X], *y = &c->slot[Y];
    int rank, axis;

    memset(&c->desc, 0, sizeof(c->desc));
    for (int t = 0; t < TENSORS; t++)
        slot_init(&c->slot[t], places[t]);
    x->tensor.dtype = parameter_dtypes[types % FLOATS];
    c->slot[SCALES].tensor.dtype = parameter_dtypes[types / 3 % FLOATS];
    c->slot[ZERO_POINTS].tensor.dtype = parameter_dtypes[more % PARAMETERS];
    y->tensor.dtype = stored_dtypes[more / 6 % STORED];
    y->tensor.byte_offset = 256;
    rank = x->tensor.ndim = y->tensor.ndim = (int)(counts % 9);
    c->desc.mode = counts / 9 % 2;
    for (int d = 0; d < rank; d++)
        x->shape[d] = y->shape[d] = take(in) % 8;
    if (rank > 0 && y->tensor.dtype.bits == 4) {
        x->shape[rank - 1] *= values_of(y->tensor.dtype);
        y->shape[rank - 1] = x->shape[rank - 1] / y->tensor.dtype.lanes;
    }
    axis = rank > 0 ? (int)(take(in) % (unsigned)rank) : 0;
    c->desc.axis = axis > 0 ? axis : CLQ_AXIS_FIRST;
    c->slot[SCALES].tensor.ndim = c->slot[ZERO_POINTS].tensor.ndim = 1;
    c->slot[SCALES].shape[0] = counts & 64 && rank > 0 ? x->shape[axis] : 1;
    c->slot[ZERO_POINTS].shape[0] = counts & 128 && rank > 0 ? x->shape[axis] : 1;
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

static bool is_right(const struct call *c, const struct tensors *all)
{
    static const unsigned types[TENSORS] = {TYPES_FLOAT, TYPES_FLOAT, TYPES_FLOAT | TYPES_WHOLE,
                                            TYPES_WHOLE | TYPES_INT4};
    const struct shape *s = all->shape, *zero_points = c->slot[ZERO_POINTS].absent ? NULL : &s[ZERO_POINTS];

    return all_zero(c->desc.reserved) && c->desc.mode <= 1 && are_tensors(all, types) &&
           same_shape(&s[Y], &s[X]) && parameters_agree(&s[SCALES], zero_points, &s[X], c->desc.axis) &&
           have_memory(all);
}

/* The reference's answer, into the image of y. */
static void compute(const struct call *c, const struct tensors *all)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];

    if (!is_there(all, X))
        return;
    references_of(all, tensors, at);
    reference_quantize(
        &(struct reference_quantize_desc){.x = at[X],
                                          .scales = at[SCALES],
                                          .zero_points = at[ZERO_POINTS],
                                          .y = at[Y],
                                          .axis = axis_at(c->desc.axis, -1, all->shape[X].rank),
                                          .multiply = c->desc.mode == CLQ_MULTIPLY});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    const struct tensors all = {c.slot, shapes, TENSORS, .optional = 1 << ZERO_POINTS, .written = 1 << Y};
    clq_status status;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    c.desc.x = slot_finish(&c.slot[X]);
    c.desc.scales = slot_finish(&c.slot[SCALES]);
    c.desc.zero_points = slot_finish(&c.slot[ZERO_POINTS]);
    c.desc.y = slot_finish(&c.slot[Y]);
    right = is_right(&c, &all);
    status = clq_quantize(d->context, d->queue, &c.desc, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all);
    compare_buffers("");
    return 0;
}
