/* SPDX-License-Identifier: Apache-2.0 */
#include "tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many dimensions as there may be, of which each has several indices. */
static struct shape shape_of_most(struct rng *rng, int rank, int64_t most_elements)
{
    struct shape shape = {.rank = rank};
    int64_t elements = INT64_C(1) << rank;

    for (int d = 0; d < rank; d++)
        shape.size[d] = 2;
    for (int i = 0; i < rank && elements <= most_elements; i++, elements += elements / 2)
        shape.size[rng_below(rng, rank)]++;
    return shape;
}

struct shape shape_random(struct rng *rng, int least_rank, int most_rank, int64_t most_elements)
{
    static const int64_t sizes[] = {1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 8, 16, 17, 32, 33, 64, 65, 128};
    struct shape shape = {.rank = least_rank + (int)rng_below(rng, most_rank - least_rank + 1)};
    int64_t left = most_elements;

    if (INT64_C(1) << most_rank <= most_elements && rng_once_in(rng, 24))
        return shape_of_most(rng, most_rank, most_elements);
    for (int d = 0; d < shape.rank; d++)
        shape.size[d] = 1;
    if (shape.rank > 1 && rng_once_in(rng, 16)) { /* few rows of whole lines */
        shape.size[shape.rank - 1] = INT64_C(64) << rng_below(rng, 2);
        shape.size[shape.rank - 2] = 1 + rng_below(rng, 3);
        left = 4;
    }
    /* in any order, so that it is not always the first dimensions that are large */
    for (int i = 0; i < shape.rank; i++) {
        const int d = (int)rng_below(rng, shape.rank);
        const int64_t size = rng_once_in(rng, 8) ? 1 + rng_below(rng, left)
                                                 : sizes[rng_below(rng, sizeof sizes / sizeof *sizes)];

        if (shape.size[d] != 1 || size > left)
            continue;
        shape.size[d] = size;
        left /= size;
    }
    return shape;
}

struct shape shape_of_lines(struct rng *rng, int least_rank, int most_rank, int64_t most_elements)
{
    static const int64_t lengths[] = {16,  32,  32,  48,  64,  64,  80,  96,  112,
                                      128, 136, 192, 208, 256, 320, 576, 1472};
    struct shape shape = {.rank = least_rank + (int)rng_below(rng, most_rank - least_rank + 1)};
    const int last = shape.rank - 1, rows = (int)rng_below(rng, last);

    for (int d = 0; d < last; d++)
        shape.size[d] = rng_once_in(rng, 2) ? 1 : 1 + rng_below(rng, 4);
    shape.size[last] = rng_once_in(rng, 4)   ? 1 + rng_below(rng, 400)
                       : rng_once_in(rng, 8) ? 1 + rng_below(rng, most_elements)
                                             : lengths[rng_below(rng, sizeof lengths / sizeof *lengths)];
    shape.size[rows] = 1;
    shape.size[rows] = 1 + rng_below(rng, 1 + most_elements / shape_elements(&shape));
    return shape;
}

void shape_for_bytes(struct rng *rng, enum reference_type type, struct shape *shape)
{
    int64_t *last, whole = reference_in_byte(type);

    if (!reference_shares_bytes(type, 1))
        return;
    last = &shape->size[shape->rank - 1];
    whole <<= rng_below(rng, 4); /* bytes, words, and words that may have gaps */
    *last = (*last + whole - 1) / whole * whole;
}

void shape_for_blocks(struct shape *shape)
{
    int64_t *last = &shape->size[shape->rank - 1];

    *last = (*last + 31) / 32 * 32;
}

int64_t shape_elements(const struct shape *shape)
{
    int64_t elements = 1;

    for (int d = 0; d < shape->rank; d++)
        elements *= shape->size[d];
    return elements;
}

struct shape shape_rows(const struct shape *shape)
{
    struct shape rows = *shape;

    rows.rank--;
    return rows;
}

static DLDataType dtype_of(struct rng *rng, enum reference_type type, int64_t last)
{
    const struct reference_type_row *row = &reference_types[type];
    const uint16_t in_byte = (uint16_t)reference_in_byte(type);
    DLDataType dtype = {(uint8_t)row->dlpack_code, (uint8_t)row->bits,
                        (uint16_t)reference_dlpack_lanes(type)};

    if (reference_shares_bytes(type, 1))
        dtype.lanes = rng_once_in(rng, 3)                                ? in_byte
                      : last % (4 * in_byte) == 0 && rng_once_in(rng, 2) ? 4 * in_byte
                                                                         : 1;
    return dtype;
}

/* Elements, and as many more as fill the last byte. */
static int64_t whole_bytes(enum reference_type type, int64_t elements)
{
    const int64_t in_byte = reference_in_byte(type), over = elements % in_byte;

    return over > 0 ? elements - over + in_byte : elements;
}

/* From the innermost dimension of a random order outwards, each stepping over what is inside; now and then
 * further, or nowhere. Returns how many storage elements that reaches over. */
static int64_t lay_out(struct rng *rng, struct tensor *tensor, enum tensor_use use)
{
    const int rank = tensor->dl.ndim, last = rank - 1;
    const bool packed = reference_shares_bytes(tensor->type, tensor->dl.dtype.lanes),
               permutes = rng_once_in(rng, 3);
    int order[TENSOR_MOST_RANK];
    int64_t span = 1;

    for (int d = 0; d < rank; d++)
        order[d] = last - d;
    for (int i = packed ? 1 : 0; permutes && i < rank; i++) {
        const int j = i + (int)rng_below(rng, rank - i), d = order[i];

        order[i] = order[j];
        order[j] = d;
    }
    for (int i = 0; i < rank; i++) {
        const int d = order[i];
        const bool whole = packed && d == last, /* which has to be dense */
            words = d == last && tensor->dl.dtype.lanes == 4 * reference_in_byte(tensor->type);

        if (!whole && (words ? !rng_once_in(rng, 4) : rng_once_in(rng, 5)))
            span += 1 + rng_below(rng, 5);
        if (packed && !whole)
            span = whole_bytes(tensor->type, span);
        tensor->strides[d] = span;
        if (use == TENSOR_INPUT && !whole && rng_once_in(rng, 8))
            tensor->strides[d] = 0;
        else
            span += (tensor->shape[d] > 0 ? tensor->shape[d] - 1 : 0) * span;
        /* a step along one element is taken by nobody */
        if (tensor->shape[d] == 1 && !whole && rng_once_in(rng, 8)) {
            const int64_t far = INT64_C(1) << (1 + rng_below(rng, 62));

            tensor->strides[d] = packed ? whole_bytes(tensor->type, far) : far;
        }
    }
    return span;
}

/* Zeros, ties, ends of the ranges and their neighbours, subnormals, the largest, infinities, NaN. */
enum { SPECIALS = 32, NARROW_SPECIALS = 16 };
static const uint32_t special_f32[SPECIALS] = {
    0x00000000, 0x80000000, 0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x3fc00000, 0x40200000,
    0xc0200000, 0x40f00000, 0xc1080000, 0x42fe0000, 0x42ff0000, 0xc3008000, 0x437f8000, 0x4b000001,
    0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x007fffff,
    0x00000001, 0x80000001, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3eaaaaab, 0x33800000,
};
static const uint16_t special_f16[NARROW_SPECIALS] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3800, 0xbe00,
    0x57f8, 0xd804, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
};
static const uint16_t special_bf16[NARROW_SPECIALS] = {
    0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x3f00, 0xbfc0,
    0x42ff, 0xc300, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0x7f81,
};

/* Eight bytes of them. */
static uint64_t specials(enum reference_type type, uint64_t choices)
{
    const uint16_t *narrow = type == REFERENCE_F16 ? special_f16 : special_bf16;
    uint64_t bits = 0;

    if (type == REFERENCE_F32)
        return special_f32[choices % SPECIALS] | (uint64_t)special_f32[(choices >> 8) % SPECIALS] << 32;
    for (int i = 0; i < 4; i++)
        bits |= (uint64_t)narrow[(choices >> 8 * i) % NARROW_SPECIALS] << 16 * i;
    return bits;
}

/* Of a float's random bits these stay and this is added, which leaves a few binades around 1, so that results
 * are not all saturated. With few bits of a significand or none,
 * quotients are often halfway between two integers. */
enum { DETAILS = 3 };
static const struct pattern {
    uint64_t keep[DETAILS], add;
} patterns[] = {
    [REFERENCE_F32] = {{0x83ffffff83ffffffu, 0x83f0000083f00000u, 0x8380000083800000u}, 0x3c0000003c000000u},
    [REFERENCE_F16] = {{0x9fff9fff9fff9fffu, 0x9f809f809f809f80u, 0x9c009c009c009c00u}, 0x2000200020002000u},
    [REFERENCE_BF16] = {{0x83ff83ff83ff83ffu, 0x83f083f083f083f0u, 0x8380838083808380u}, 0x3c003c003c003c00u},
};

/* Some float32 are all so small that products of two of them are subnormal. Half of the tensors have special
 * values and any bits now and then, a fourth of these mostly: not all, for one value that is not finite
 * decides on the scale of its row. */
static void fill(struct rng *rng, struct tensor *tensor)
{
    const enum reference_type type = tensor->type;
    const bool is_float = (size_t)type < sizeof patterns / sizeof *patterns;
    const int64_t wildness = rng_below(rng, 8);
    const bool has_any = wildness % 2 == 0;
    const int64_t detail = rng_below(rng, 2 * DETAILS);
    const struct pattern *pattern = &patterns[is_float ? type : REFERENCE_F32];
    const uint64_t keep = is_float                ? pattern->keep[detail < DETAILS ? detail : 0]
                          : type == REFERENCE_I32 ? 0x000000ff000000ffu
                                                  : UINT64_MAX,
                   tiny = type == REFERENCE_F32 && wildness == 1 ? 0x2000000020000000u : 0,
                   add = is_float ? pattern->add - tiny : 0;
    unsigned char *bytes = tensor->memory.bytes;
    const size_t size = tensor->memory.size;
    struct rng contents = rng_apart(rng);

    for (size_t i = 0; i < size; i += 8) {
        uint64_t bits = rng_next(&contents);
        const int64_t kind = has_any ? rng_below(&contents, wildness == 0 ? 3 : 16) : 2;

        if (kind == 1 && is_float)
            bits = specials(type, bits);
        else if (kind != 0)
            bits = (bits & keep) + add;
        memcpy(bytes + i, &bits, size - i < 8 ? size - i : 8);
    }
}

static void allocate(struct tensor *tensor, size_t size)
{
    unsigned char *bytes;

    size = size > 0 ? size : 8; /* OpenCL has no buffer without bytes */
    bytes = malloc(3 * size);
    if (bytes == NULL) {
        fprintf(stderr, "no memory for three times %zu bytes\n", size);
        exit(1);
    }
    tensor->memory =
        (struct memory){.bytes = bytes, .size = size, .written = bytes + size, .expected = bytes + 2 * size};
    tensor->dl.data = &tensor->memory;
}

void tensor_make(struct rng *rng, struct tensor *tensor, const char *name, enum reference_type type,
                 const struct shape *shape, enum tensor_use use)
{
    const int last = shape->rank - 1;
    const DLDataType dtype = dtype_of(rng, type, last >= 0 ? shape->size[last] : 1);
    /* rows that follow one another are lines together, and are streamed where they begin one */
    const bool lines = last >= 0 && shape->size[last] % 16 == 0;
    const int64_t before = rng_below(rng, 5);
    const size_t element = (size_t)reference_unit_bytes(type, dtype.lanes),
                 offset = lines && before < 3 ? 0 : (size_t)before * (reference_is_block(type) ? 2 : element);
    const int lanes = reference_lanes(type, dtype.lanes);
    const size_t guard = (size_t)rng_below(rng, 3) * 8;
    int64_t elements = 1, span;

    *tensor = (struct tensor){.name = name,
                              .type = type,
                              .dl = {.device = {kDLOpenCL, 0},
                                     .ndim = shape->rank,
                                     .dtype = dtype,
                                     .shape = tensor->shape,
                                     .byte_offset = offset}};
    for (int d = 0; d < shape->rank; d++) {
        tensor->shape[d] = d == last && lanes > 1 ? shape->size[d] / lanes : shape->size[d];
        elements *= tensor->shape[d];
    }
    span = elements;
    if (shape->rank > 0 && use != TENSOR_DENSE && rng_once_in(rng, lines ? 4 : 2)) {
        span = lay_out(rng, tensor, use);
        tensor->dl.strides = tensor->strides;
    }
    if (reference_shares_bytes(type, dtype.lanes))
        span = (span + reference_in_byte(type) - 1) / reference_in_byte(type);
    /* elements are addressed from the buffer's start by their own size */
    allocate(tensor, (offset + (size_t)span * element + guard + 7) / 8 * 8);
    fill(rng, tensor);
    memcpy(tensor->memory.expected, tensor->memory.bytes, tensor->memory.size);
}

void tensor_make_zeros(struct rng *rng, struct tensor *tensor, const char *name, size_t offset_bytes,
                       size_t bytes)
{
    *tensor = (struct tensor){.name = name, .type = REFERENCE_I32, .dl.byte_offset = offset_bytes};
    allocate(tensor, (offset_bytes + bytes + 15) / 8 * 8);
    fill(rng, tensor);
    memset(tensor->memory.bytes + offset_bytes, 0, bytes);
    memcpy(tensor->memory.expected, tensor->memory.bytes, tensor->memory.size);
}

void tensor_take(struct tensor *tensor, size_t bytes)
{
    const struct memory *memory = tensor->dl.data;

    if (memory != NULL && bytes > 0)
        memcpy(memory->expected + tensor->dl.byte_offset, memory->bytes + tensor->dl.byte_offset, bytes);
}

void tensor_clear(struct tensor *tensor)
{
    free(tensor->memory.bytes);
    tensor->memory.bytes = NULL;
    tensor->name = NULL;
}

enum reference_type tensor_type(const struct tensor *tensor)
{
    enum reference_type type = 0;

    while (type < REFERENCE_TYPES && (reference_types[type].dlpack_code != tensor->dl.dtype.code ||
                                      reference_types[type].bits != tensor->dl.dtype.bits))
        type++;
    return type;
}

const struct reference_tensor *tensor_reference(const struct tensor *tensor, struct reference_tensor *as)
{
    const struct memory *memory = tensor->dl.data;
    int64_t stride = 1;

    if (tensor->name == NULL)
        return NULL;
    *as = (struct reference_tensor){.type = tensor_type(tensor), .rank = tensor->dl.ndim};
    as->lanes = reference_lanes(as->type, tensor->dl.dtype.lanes);
    if (memory != NULL && tensor->dl.byte_offset <= memory->size) /* what is empty may be nowhere */
        as->data = memory->expected + tensor->dl.byte_offset;
    for (int d = as->rank - 1; d >= 0; d--) {
        as->shape[d] = tensor->shape[d];
        as->strides[d] = tensor->dl.strides != NULL ? tensor->strides[d] : stride;
        stride = (int64_t)((uint64_t)stride * (uint64_t)tensor->shape[d]);
    }
    return as;
}

void tensor_set(struct tensor *tensor, const int64_t *index, int64_t value)
{
    struct reference_tensor as;
    const struct reference_tensor *place = tensor_reference(tensor, &as);
    int64_t element = 0;
    const int32_t narrow = (int32_t)value;

    for (int d = 0; d < place->rank; d++)
        element += index[d] * place->strides[d];
    for (int image = 0; image < 2; image++) {
        unsigned char *bytes =
            (image ? tensor->memory.expected : tensor->memory.bytes) + tensor->dl.byte_offset;

        if (tensor->type == REFERENCE_I64)
            memcpy(bytes + 8 * element, &value, 8);
        else
            memcpy(bytes + 4 * element, &narrow, 4);
    }
}

bool tensor_compare(const struct tensor *tensor, char *failure, size_t failure_bytes)
{
    const struct memory *memory = &tensor->memory;

    if (memory->bytes == NULL || memcmp(memory->bytes, memory->expected, memory->size) == 0)
        return true;
    for (size_t i = 0; i < memory->size; i++)
        if (memory->bytes[i] != memory->expected[i]) {
            snprintf(failure, failure_bytes, "byte %zu of %s is 0x%02x: the reference has 0x%02x", i,
                     tensor->name != NULL ? tensor->name : "what is left out", memory->bytes[i],
                     memory->expected[i]);
            break;
        }
    return false;
}

void tensor_print(const struct tensor *tensor)
{
    if (tensor->name == NULL)
        return;
    fprintf(stderr, "  %-13s %s", tensor->name,
            tensor_type(tensor) < REFERENCE_TYPES ? reference_types[tensor_type(tensor)].name : "words");
    if (tensor->dl.dtype.lanes > 1)
        fprintf(stderr, "x%d", tensor->dl.dtype.lanes);
    fprintf(stderr, " [");
    for (int d = 0; d < tensor->dl.ndim && d < TENSOR_MOST_RANK; d++)
        fprintf(stderr, d ? ", %lld" : "%lld", (long long)tensor->shape[d]);
    fprintf(stderr, "]");
    for (int d = 0; tensor->dl.strides != NULL && d < tensor->dl.ndim && d < TENSOR_MOST_RANK; d++)
        fprintf(stderr, d ? ", %lld" : " strides %lld", (long long)tensor->strides[d]);
    fprintf(stderr, ", offset %llu, %zu bytes\n", (unsigned long long)tensor->dl.byte_offset,
            tensor->memory.size);
}
