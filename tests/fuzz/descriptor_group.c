/* Any descriptor at clq_group_quantize, and any ends: as descriptor_quantize.c. */
#include "descriptor_call.h"

#include <string.h>

enum { X, SCALE, GROUP_INDEX, OFFSET, Y, TENSORS };

const size_t target_bytes = 6;

struct call {
    struct clq_group_quantize_desc desc;
    struct slot slot[TENSORS], report;
    uint64_t report_offset;
};

/* A call that is right, if its tensors fit into their buffers. */
static void make_call(struct call *c, struct input *in)
{
    static const DLDataType floats[] = {{kDLFloat, 32, 1}, {kDLFloat, 16, 1}, {kDLBfloat, 16, 1}};
    static const DLDataType outputs[] = {{kDLInt, 8, 1}, {kDLInt, 4, 1}, {kDLInt, 4, 2}, {kDLInt, 4, 8}};
    static const int places[TENSORS] = {0, 0, BUFFER_INDICES, 2, 1};
    const unsigned types = take(in), more = take(in), flags = take(in);
    const int64_t rows = take(in) % 9, units = take(in) % 6, groups = 1 + take(in) % 5;
    const DLDataType output = outputs[flags % 4];
    const int64_t inner = units * (output.lanes == 8 ? 8 : output.bits == 4 ? 2 : 1);

    memset(&c->desc, 0, sizeof(c->desc));
    for (int t = 0; t < TENSORS; t++)
        slot_init(&c->slot[t], places[t]);
    slot_init(&c->report, flags & 4 ? 2 : -1);
    c->report_offset = 64;
    c->slot[X].tensor.dtype = floats[types % 3];
    c->slot[SCALE].tensor.dtype = floats[types / 3 % 3];
    c->slot[SCALE].tensor.byte_offset = 3072;
    c->slot[OFFSET].tensor.dtype = floats[more % 3];
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
            c->report_offset = (uint64_t)take_value(in);
        else if (where % 3 == 1)
            c->report.buffer = (int)(take(in) % (BUFFERS + 1)) - 1;
        else
            c->desc.reserved[take(in) % 4] = (uint64_t)take_value(in);
    }
}

static void finish_call(struct call *c)
{
    c->desc.x = slot_finish(&c->slot[X]);
    c->desc.scale = slot_finish(&c->slot[SCALE]);
    c->desc.group_index = slot_finish(&c->slot[GROUP_INDEX]);
    c->desc.offset = slot_finish(&c->slot[OFFSET]);
    c->desc.y = slot_finish(&c->slot[Y]);
    slot_finish(&c->report);
    c->desc.report = c->report.tensor.data;
    c->desc.report_offset_bytes = c->report_offset;
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

static bool report_is_right(struct call *c, const struct shape s[TENSORS])
{
    struct shape report;

    if (c->report.buffer < 0)
        return true;
    if (!is_words(&c->report, c->report_offset, 4, &report) || !fits(&c->report, &report))
        return false;
    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent && s[t].elements > 0 && meets(&c->report, &report, &c->slot[t], &s[t]))
            return false;
    return true;
}

static bool is_right(struct call *c, struct shape s[TENSORS])
{
    static const unsigned types[TENSORS] = {TYPES_FLOAT, TYPES_FLOAT, TYPES_INDEX, TYPES_FLOAT,
                                            TYPES_GROUPED};

    for (int i = 0; i < 4; i++)
        if (c->desc.reserved[i] != 0)
            return false;
    for (int t = 0; t < TENSORS; t++)
        if (!(t == OFFSET && c->slot[t].absent) && !is_tensor(&c->slot[t], types[t], &s[t]))
            return false;
    if (!shapes_agree(c, s) || !lies_apart(&s[Y]))
        return false;
    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent && s[t].elements > 0 &&
            (!fits(&c->slot[t], &s[t]) ||
             (t != Y && s[Y].elements > 0 && meets(&c->slot[Y], &s[Y], &c->slot[t], &s[t]))))
            return false;
    return report_is_right(c, s);
}

/* The reference's answer, into the images of y and the report. */
static void compute(const struct call *c, const struct shape s[TENSORS])
{
    struct reference_tensor tensors[TENSORS];
    struct reference_report report;

    if (s[X].elements == 0)
        return;
    for (int t = 0; t < TENSORS; t++)
        if (!c->slot[t].absent)
            tensors[t] = reference_of(&c->slot[t], &s[t]);
    report = reference_group_quantize(
        &(struct reference_group_quantize_desc){.x = &tensors[X],
                                                .scale = &tensors[SCALE],
                                                .group_index = &tensors[GROUP_INDEX],
                                                .offset = c->slot[OFFSET].absent ? NULL : &tensors[OFFSET],
                                                .y = &tensors[Y]});
    report_add(&c->report, &report);
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
    finish_call(&c);
    right = is_right(&c, shapes);
    status = clq_group_quantize(d->context, d->queue, &c.desc, 0, NULL, NULL);
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
