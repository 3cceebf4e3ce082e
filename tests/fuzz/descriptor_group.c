/* SPDX-License-Identifier: Apache-2.0 */
/* Any descriptor at clq_group_quantize, and any ends: as descriptor_quantize.c. */
#include "descriptor_places.h"

#include <string.h>

enum { X, SCALE, GROUP_INDEX, OFFSET, Y, TENSORS };

const size_t target_bytes = 6;

struct call {
    struct clq_group_quantize_desc desc;
    struct slot slot[TENSORS];
    struct sides sides;
};

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    static const int places[TENSORS] = {0, 0, BUFFER_INDICES, 2, 1};
    const unsigned types = take(in), more = take(in), flags = take(in);
    const int64_t rows = take(in) % 9, units = take(in) % 6, groups = 1 + take(in) % 5;
    const DLDataType output = grouped_dtypes[flags % GROUPED];
    const int64_t inner = units * values_of(output);

    memset(&c->desc, 0, sizeof(c->desc));
    for (int t = 0; t < TENSORS; t++)
        slot_init(&c->slot[t], places[t]);
    sides_init(&c->sides, flags & 4 ? 2 : -1);
    c->slot[X].tensor.dtype = parameter_dtypes[types % FLOATS];
    c->slot[SCALE].tensor.dtype = parameter_dtypes[types / 3 % FLOATS];
    c->slot[SCALE].tensor.byte_offset = 3072;
    c->slot[OFFSET].tensor.dtype = parameter_dtypes[more % FLOATS];
    c->slot[OFFSET].absent = more & 128;
    c->slot[GROUP_INDEX].tensor.dtype = (DLDataType){kDLInt, flags & 8 ? 64 : 32, 1};
    c->slot[GROUP_INDEX].tensor.byte_offset = flags & 0xf0;
    c->slot[Y].tensor.dtype = output;
    c->slot[X].tensor.ndim = c->slot[SCALE].tensor.ndim = c->slot[Y].tensor.ndim = 2;
    c->slot[GROUP_INDEX].tensor.ndim = c->slot[OFFSET].tensor.ndim = 1;
    c->slot[X].shape[0] = c->slot[Y].shape[0] = rows;
    c->slot[X].shape[1] = c->slot[SCALE].shape[1] = inner;
    c->slot[Y].shape[1] = inner / output.lanes;
    c->slot[SCALE].shape[0] = c->slot[GROUP_INDEX].shape[0] = groups;
    c->slot[OFFSET].shape[0] = 1;
}

static void spoil(struct call *c, struct input *in)
{
    while (in->size > 0) {
        const unsigned where = take(in);

        if (where < 220)
            slot_spoil(&c->slot[where % TENSORS], where / TENSORS % SPOILS, BUFFERS, in);
        else if (where % 3 == 0)
            c->sides.offset[REPORT] = (uint64_t)take_value(in);
        else if (where % 3 == 1)
            c->sides.slot[REPORT].buffer = (int)(take(in) % (BUFFERS + 1)) - 1;
        else
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
    }
}

static void finish_call(struct call *c)
{
    c->desc.x = slot_finish(&c->slot[X]);
    c->desc.scales = slot_finish(&c->slot[SCALE]);
    c->desc.group_index = slot_finish(&c->slot[GROUP_INDEX]);
    c->desc.zero_points = slot_finish(&c->slot[OFFSET]);
    c->desc.y = slot_finish(&c->slot[Y]);
    sides_finish(&c->sides);
    c->desc.report = c->sides.slot[REPORT].tensor.data;
    c->desc.report_offset_bytes = c->sides.offset[REPORT];
}

static bool shapes_agree(const struct call *c, const struct shape s[TENSORS])
{
    if (s[X].rank != 2 || s[SCALE].rank != 2 || s[GROUP_INDEX].rank != 1 || s[Y].rank != 2)
        return false;
    return s[SCALE].logical[0] >= 1 && s[SCALE].logical[1] == s[X].logical[1] &&
           s[GROUP_INDEX].logical[0] == s[SCALE].logical[0] &&
           (c->slot[OFFSET].absent || s[OFFSET].elements == 1) && s[Y].logical[0] == s[X].logical[0] &&
           s[Y].logical[1] == s[X].logical[1];
}

static bool is_right(struct call *c, const struct tensors *all)
{
    static const unsigned types[TENSORS] = {TYPES_FLOAT, TYPES_FLOAT, TYPES_INDEX, TYPES_FLOAT,
                                            TYPES_GROUPED};

    return all_zero(c->desc.reserved) && are_tensors(all, types) && shapes_agree(c, all->shape) &&
           have_memory(all) && side_is_right(&c->sides, REPORT, 4, all);
}

/* The reference's answer, into the images of y and the report. */
static void compute(struct call *c, const struct tensors *all)
{
    struct reference_tensor tensors[TENSORS];
    const struct reference_tensor *at[TENSORS];
    struct reference_report report;

    if (!is_there(all, X))
        return;
    references_of(all, tensors, at);
    report = reference_group_quantize(&(struct reference_group_quantize_desc){
        .x = at[X], .scale = at[SCALE], .group_index = at[GROUP_INDEX], .offset = at[OFFSET], .y = at[Y]});
    report_add(&c->sides.slot[REPORT], &report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct device *d = device();
    struct input in = {data, size};
    struct shape shapes[TENSORS] = {0};
    struct call c;
    const struct tensors all = {c.slot, shapes, TENSORS, .optional = 1 << OFFSET, .written = 1 << Y};
    clq_status status;
    bool right;

    make_call(&c, &in);
    spoil(&c, &in);
    finish_call(&c);
    right = is_right(&c, &all);
    status = clq_group_quantize(d->context, d->queue, &c.desc, 0, NULL, NULL);
    expect_answer(right, status);
    if (!right) {
        expect_refused(status, size % 16 == 0);
        return 0;
    }
    compute(&c, &all);
    compare_buffers("");
    return 0;
}
