/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a tensor alone, and of two that share a buffer. */
#include "descriptor_tensor.h"

#define MOST ((wide)INT64_MAX)

bool find_type(DLDataType dtype, struct shape *s)
{
    for (int type = 0; type < REFERENCE_TYPES; type++) {
        if (reference_types[type].dlpack_code != dtype.code || reference_types[type].bits != dtype.bits)
            continue;
        s->type = (enum reference_type)type;
        s->lanes = dtype.lanes;
        s->bytes = reference_unit_bytes(s->type, s->lanes);
        return dtype.lanes == 1 || (dtype.bits == 4 && (dtype.lanes == 2 || dtype.lanes == 8));
    }
    return false;
}

static bool find_shape(const DLTensor *tensor, struct shape *s)
{
    bool empty = false;

    if (tensor->ndim < 0 || tensor->ndim > 8 || (tensor->ndim > 0 && !tensor->shape))
        return false;
    if (reference_shares_bytes(s->type, 1) && tensor->ndim == 0)
        return false;
    s->rank = tensor->ndim;
    s->elements = 1;
    for (int d = 0; d < s->rank; d++) {
        s->stored[d] = s->logical[d] = tensor->shape[d];
        if (s->stored[d] < 0)
            return false;
        if (d == s->rank - 1)
            s->logical[d] *= s->lanes;
        empty = empty || s->stored[d] == 0;
    }
    if (s->rank > 0 && s->logical[s->rank - 1] > MOST)
        return false;
    for (int d = 0; d < s->rank && !empty; d++)
        if ((s->elements *= s->logical[d]) > MOST)
            return false;
    if (empty)
        s->elements = 0;
    return !reference_shares_bytes(s->type, s->lanes) ||
           s->logical[s->rank - 1] % reference_unit_values(s->type, s->lanes) == 0;
}

static bool find_strides(const DLTensor *tensor, struct shape *s)
{
    const bool packed = reference_shares_bytes(s->type, s->lanes);
    wide last = 0, stride = 1;

    for (int d = s->rank - 1; d >= 0; d--) {
        s->strides[d] = tensor->strides ? tensor->strides[d] : s->elements ? stride : 0;
        if (s->elements)
            stride *= s->stored[d];
        if (s->strides[d] < 0)
            return false;
    }
    if (tensor->byte_offset % (uint64_t)s->bytes != 0)
        return false;
    if (s->elements == 0)
        return true;
    for (int d = 0; d < s->rank; d++) {
        if (packed && tensor->strides && (d == s->rank - 1 ? s->strides[d] != 1 : s->strides[d] % 2 != 0))
            return false;
        last += (s->stored[d] - 1) * s->strides[d];
        if (last > MOST)
            return false;
    }
    s->extent = packed ? last / 2 + 1 : (last + 1) * s->bytes;
    return last + 1 <= MOST && s->extent + (wide)tensor->byte_offset <= MOST;
}

bool is_tensor(const struct slot *slot, unsigned types, struct shape *s)
{
    const DLTensor *tensor = &slot->tensor;

    *s = (struct shape){0};
    if (slot->absent)
        return false;
    return find_type(tensor->dtype, s) && (types >> s->type & 1) && tensor->device.device_type == kDLOpenCL &&
           find_shape(tensor, s) && find_strides(tensor, s) && (s->elements == 0 || tensor->data);
}

bool lies_apart(const struct shape *s)
{
    wide reach = 1;
    bool used[8] = {false};

    for (int n = 0; n < s->rank && s->elements > 0; n++) {
        int least = -1;

        for (int d = 0; d < s->rank; d++)
            if (!used[d] && (least < 0 || s->strides[d] < s->strides[least]))
                least = d;
        used[least] = true;
        if (s->stored[least] == 1)
            continue;
        if (s->strides[least] < reach)
            return false;
        reach += (s->stored[least] - 1) * s->strides[least];
    }
    return true;
}

bool fits(const struct slot *slot, const struct shape *s)
{
    return slot->memory.present && (wide)slot->tensor.byte_offset + s->extent <= (wide)slot->memory.size;
}

bool meets(const struct slot *a, const struct shape *sa, const struct slot *b, const struct shape *sb)
{
    const wide a_begin = (wide)a->memory.begin + (wide)a->tensor.byte_offset;
    const wide b_begin = (wide)b->memory.begin + (wide)b->tensor.byte_offset;

    return a->memory.root == b->memory.root && a_begin < b_begin + sb->extent &&
           b_begin < a_begin + sa->extent;
}

struct reference_tensor reference_of(const struct slot *slot, const struct shape *s)
{
    struct reference_tensor tensor = {.type = s->type, .lanes = s->lanes, .rank = s->rank};

    if (s->elements > 0) /* an empty tensor may say anything of where it is */
        tensor.data = slot->memory.image + slot->tensor.byte_offset;
    for (int d = 0; d < s->rank; d++) {
        tensor.shape[d] = (int64_t)s->stored[d];
        tensor.strides[d] = (int64_t)s->strides[d];
    }
    return tensor;
}

bool is_words(struct slot *slot, uint64_t offset, wide words, struct shape *s)
{
    *s =
        (struct shape){.type = REFERENCE_I32, .lanes = 1, .bytes = 4, .elements = words, .extent = 4 * words};
    slot->tensor.byte_offset = offset;
    return offset % 4 == 0 && (wide)offset + s->extent <= MOST;
}
