/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and values of a tensor by their index: any strides, any alignment, shared bytes. */
#include "reference.h"

#include "blocks.h"

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

    /* Beside an empty dimension others may be as large as no product is. */
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] == 0)
            return 0;
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
    const int last = tensor->rank - 1;
    int64_t elements = 0;

    for (int d = 0; d < last; d++)
        elements += index[d] * tensor->strides[d];
    if (last < 0)
        return 0;
    if (tensor->lanes <= 1) /* nearly always, and without divisions a test takes less time */
        return elements + index[last] * tensor->strides[last];
    elements += index[last] / tensor->lanes * tensor->strides[last];
    return elements * tensor->lanes + index[last] % tensor->lanes;
}

/* Where codes share bytes, the bits of the one at a position: how far they are from the byte's lowest. */
static int shift_of(enum reference_type type, int64_t position)
{
    return (int)(position % reference_in_byte(type)) * reference_types[type].bits;
}

static uint64_t mask_of(enum reference_type type)
{
    return UINT64_MAX >> (64 - reference_types[type].bits);
}

uint64_t reference_load_code(const struct reference_tensor *tensor, const int64_t *index)
{
    const int64_t position = position_of(tensor, index);
    const unsigned char *bytes = tensor->data;
    uint64_t dword;
    uint32_t word;
    uint16_t half;

    if (reference_shares_bytes(tensor->type, 1))
        return (uint64_t)bytes[position / reference_in_byte(tensor->type)] >>
                   shift_of(tensor->type, position) &
               mask_of(tensor->type);
    switch (reference_types[tensor->type].bits) {
    case 8:
        return bytes[position];
    case 16:
        memcpy(&half, bytes + position * 2, sizeof(half));
        return half;
    case 32:
        memcpy(&word, bytes + position * 4, sizeof(word));
        return word;
    default:
        memcpy(&dword, bytes + position * 8, sizeof(dword));
        return dword;
    }
}

void reference_put_code(uint64_t code, enum reference_type type, void *at)
{
    const uint32_t word = (uint32_t)code;
    const uint16_t half = (uint16_t)code;

    switch (reference_types[type].bits) {
    case 8:
        *(unsigned char *)at = (unsigned char)code;
        break;
    case 16:
        memcpy(at, &half, sizeof(half));
        break;
    case 32:
        memcpy(at, &word, sizeof(word));
        break;
    default:
        memcpy(at, &code, sizeof(code));
    }
}

void reference_store_code(const struct reference_tensor *tensor, const int64_t *index, uint64_t code)
{
    const int64_t position = position_of(tensor, index);
    unsigned char *bytes = tensor->data;
    uint64_t bits;

    if (!reference_shares_bytes(tensor->type, 1)) {
        reference_put_code(code, tensor->type, bytes + position * reference_types[tensor->type].bits / 8);
        return;
    }
    bytes += position / reference_in_byte(tensor->type);
    bits = mask_of(tensor->type) << shift_of(tensor->type, position);
    *bytes = (unsigned char)((*bytes & ~bits) | (code << shift_of(tensor->type, position) & bits));
}

unsigned char *reference_block_at(const struct reference_tensor *tensor, const int64_t *index)
{
    return (unsigned char *)tensor->data +
           position_of(tensor, index) / 32 * reference_types[tensor->type].block_bytes;
}

float reference_load(const struct reference_tensor *tensor, const int64_t *index)
{
    const struct reference_type_row *row = &reference_types[tensor->type];

    if (reference_is_block(tensor->type))
        return reference_block_value(tensor->type, reference_block_at(tensor, index),
                                     (int)(index[tensor->rank - 1] % 32));
    return row->read(row, reference_load_code(tensor, index));
}

int64_t reference_load_int(const struct reference_tensor *tensor, const int64_t *index)
{
    return reference_read_int(reference_load_code(tensor, index), tensor->type);
}

void reference_store(const struct reference_tensor *tensor, const int64_t *index, float value)
{
    const struct reference_type_row *row = &reference_types[tensor->type];

    reference_store_code(tensor, index, row->round(row, value));
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

void reference_copy(const struct reference_tensor *src, const struct reference_tensor *dst)
{
    int64_t index[REFERENCE_MAX_RANK] = {0};

    if (reference_count(src) == 0)
        return;
    do {
        if (!reference_is_block(src->type))
            reference_store_code(dst, index, reference_load_code(src, index));
        else if (index[src->rank - 1] % 32 == 0)
            memcpy(reference_block_at(dst, index), reference_block_at(src, index),
                   (size_t)reference_types[src->type].block_bytes);
    } while (reference_next(src, index));
}
