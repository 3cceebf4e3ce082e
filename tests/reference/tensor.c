/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a tensor by their index: any strides, any alignment, nibbles by their position. */
#include "reference.h"

#include <math.h>
#include <string.h>

static int lanes_of(const struct reference_tensor *tensor)
{
    return tensor->lanes ? tensor->lanes : 1;
}

struct reference_tensor reference_dense(enum reference_type type, int lanes, int rank, const int64_t *shape,
                                        void *data)
{
    struct reference_tensor tensor = {.type = type, .lanes = lanes, .rank = rank, .data = data};
    int64_t stride = 1;

    for (int d = rank - 1; d >= 0; d--) {
        tensor.shape[d] = shape[d];
        tensor.strides[d] = stride;
        stride *= shape[d];
    }
    return tensor;
}

int64_t reference_extent(const struct reference_tensor *tensor, int d)
{
    return d == tensor->rank - 1 ? tensor->shape[d] * lanes_of(tensor) : tensor->shape[d];
}

int64_t reference_count(const struct reference_tensor *tensor)
{
    int64_t count = 1;

    for (int d = 0; d < tensor->rank; d++)
        count *= reference_extent(tensor, d);
    return count;
}

bool reference_next(const struct reference_tensor *tensor, int64_t *index)
{
    for (int d = tensor->rank - 1; d >= 0; d--) {
        if (++index[d] < reference_extent(tensor, d))
            return true;
        index[d] = 0;
    }
    return false;
}

/* Counted in values: an element of n lanes is n values that lie side by side. */
static int64_t position_of(const struct reference_tensor *tensor, const int64_t *index)
{
    const int lanes = lanes_of(tensor);
    const int last = tensor->rank - 1;
    int64_t elements = 0;

    if (tensor->rank == 0)
        return 0;
    for (int d = 0; d < last; d++)
        elements += index[d] * tensor->strides[d];
    if (lanes == 1) /* nearly always, and without divisions a test takes less time */
        return elements + index[last] * tensor->strides[last];
    elements += index[last] / lanes * tensor->strides[last];
    return elements * lanes + index[last] % lanes;
}

int64_t reference_load_int(const struct reference_tensor *tensor, const int64_t *index)
{
    const int64_t position = position_of(tensor, index);
    const unsigned char *bytes = tensor->data;

    switch (tensor->type) {
    case REFERENCE_I8: {
        int8_t value;
        memcpy(&value, bytes + position, sizeof(value));
        return value;
    }
    case REFERENCE_U8:
        return bytes[position];
    case REFERENCE_I4: {
        const int nibble = position % 2 == 0 ? bytes[position / 2] & 15 : bytes[position / 2] >> 4;
        return nibble < 8 ? nibble : nibble - 16;
    }
    case REFERENCE_I64: {
        int64_t value;
        memcpy(&value, bytes + position * 8, sizeof(value));
        return value;
    }
    default: {
        int32_t value;
        memcpy(&value, bytes + position * 4, sizeof(value));
        return value;
    }
    }
}

float reference_load(const struct reference_tensor *tensor, const int64_t *index)
{
    const unsigned char *bytes = tensor->data;
    uint16_t half;
    float value;

    switch (tensor->type) {
    case REFERENCE_F32:
        memcpy(&value, bytes + position_of(tensor, index) * 4, sizeof(value));
        return value;
    case REFERENCE_F16:
        memcpy(&half, bytes + position_of(tensor, index) * 2, sizeof(half));
        return reference_widen_f16(half);
    case REFERENCE_BF16:
        memcpy(&half, bytes + position_of(tensor, index) * 2, sizeof(half));
        return reference_widen_bf16(half);
    default:
        return (float)reference_load_int(tensor, index);
    }
}

void reference_store_int(const struct reference_tensor *tensor, const int64_t *index, int32_t value)
{
    const int64_t position = position_of(tensor, index);
    unsigned char *bytes = tensor->data;

    switch (tensor->type) {
    case REFERENCE_I8:
    case REFERENCE_U8:
        bytes[position] = (unsigned char)(value & 255);
        break;
    case REFERENCE_I4:
        if (position % 2 == 0)
            bytes[position / 2] = (unsigned char)((bytes[position / 2] & 0xf0) | (value & 15));
        else
            bytes[position / 2] = (unsigned char)((bytes[position / 2] & 0x0f) | (value & 15) << 4);
        break;
    default:
        memcpy(bytes + position * 4, &value, sizeof(value));
    }
}

float reference_load_nth(const struct reference_tensor *tensor, int64_t n)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(tensor) > 1)
        for (int d = tensor->rank - 1; d >= 0; d--) {
            index[d] = n % reference_extent(tensor, d);
            n /= reference_extent(tensor, d);
        }
    return reference_load(tensor, index);
}

void reference_store(const struct reference_tensor *tensor, const int64_t *index, float value)
{
    const uint32_t canonical = 0x7fc00000;
    const uint16_t half =
        tensor->type == REFERENCE_F16 ? reference_narrow_f16(value) : reference_narrow_bf16(value);
    unsigned char *bytes = tensor->data;

    if (tensor->type != REFERENCE_F32)
        memcpy(bytes + position_of(tensor, index) * 2, &half, sizeof(half));
    else if (isnan(value))
        memcpy(bytes + position_of(tensor, index) * 4, &canonical, sizeof(canonical));
    else
        memcpy(bytes + position_of(tensor, index) * 4, &value, sizeof(value));
}

void reference_copy_int(const struct reference_tensor *src, const struct reference_tensor *dst)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(src) == 0)
        return;
    do
        reference_store_int(dst, index, (int32_t)reference_load_int(src, index));
    while (reference_next(src, index));
}
