/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzzed tensor turns out to be, decided a second time, with numbers of 128 bits, which nothing here
 * can make overflow before it is refused. */
#ifndef CLQUANT_FUZZ_DESCRIPTOR_TENSOR_H
#define CLQUANT_FUZZ_DESCRIPTOR_TENSOR_H

#include "reference.h"

#include <clquant/clquant.h>
#include <stdbool.h>

typedef __int128 wide;

/* Where a tensor's data is: a buffer, or a part of one. */
struct memory {
    bool present;
    int root;
    uint64_t begin, size;
    unsigned char *image;
};

/* A tensor of a call, with room for shapes of one dimension too many. */
struct slot {
    DLTensor tensor;
    int64_t shape[9], strides[9];
    int buffer; /* -1: none */
    bool absent;
    struct memory memory;
};

struct shape {
    enum reference_type type;
    int lanes, rank;
    wide bytes;    /* of an element; of packed int4, of two */
    wide elements; /* logical */
    wide logical[8];
    wide stored[8];
    wide strides[8];
    wide extent; /* bytes from the first to the last */
};

#define TYPES_FLOAT   (1u << REFERENCE_F32 | 1u << REFERENCE_F16 | 1u << REFERENCE_BF16)
#define TYPES_WHOLE   (1u << REFERENCE_I8 | 1u << REFERENCE_U8 | 1u << REFERENCE_I32)
#define TYPES_INDEX   (1u << REFERENCE_I32 | 1u << REFERENCE_I64)
#define TYPES_INT4    (1u << REFERENCE_I4)
#define TYPES_CACHE   (1u << REFERENCE_I8 | 1u << REFERENCE_U8 | TYPES_INT4)
#define TYPES_GROUPED (1u << REFERENCE_I8 | TYPES_INT4)

/* The type, lanes and bytes of a tensor of these elements; false where there is none. */
bool find_type(DLDataType dtype, struct shape *shape);
/* Whether it is there, of one of these types, and right by itself. */
bool is_tensor(const struct slot *slot, unsigned types, struct shape *shape);
/* Whether an output does not overlap itself: each dimension steps over all that the smaller strides reach. */
bool lies_apart(const struct shape *shape);
/* Whether the buffer holds it. */
bool fits(const struct slot *slot, const struct shape *shape);
/* Whether the byte ranges of two of them meet. */
bool meets(const struct slot *a, const struct shape *sa, const struct slot *b, const struct shape *sb);

/* A right one, over its image. */
struct reference_tensor reference_of(const struct slot *slot, const struct shape *shape);

/* Words at an offset of a buffer, such as a report: as a slot with its shape. False where the offset is not
 * right by itself. */
bool is_words(struct slot *slot, uint64_t offset, wide words, struct shape *shape);

#endif
