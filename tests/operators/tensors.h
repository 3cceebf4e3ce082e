/* SPDX-License-Identifier: Apache-2.0 */
/* Random tensors on host memory: what a call writes to, and what the reference writes to,
 * from the same bytes. */
#ifndef CLQUANT_OPERATORS_TENSORS_H
#define CLQUANT_OPERATORS_TENSORS_H

#include "reference.h"
#include "rng.h"

#include <clquant/tensor.h>

#define TENSOR_MOST_RANK 8

/* What stands for a cl_mem. */
struct memory {
    unsigned char *bytes;
    size_t size;
    unsigned char *written;  /* for each byte the number of the launch that wrote it last (tests/seam) */
    unsigned char launch;    /* from 1 on, and then around; 0: the marks were never cleared */
    unsigned char *expected; /* what the reference leaves of the same bytes */
};

struct tensor {
    const char *name; /* NULL: it is not given, whatever memory it has */
    DLTensor dl;      /* data is a struct memory, its own or another's */
    enum reference_type type;
    int64_t shape[TENSOR_MOST_RANK + 1], strides[TENSOR_MOST_RANK + 1]; /* one more than is allowed */
    struct memory memory; /* with bytes on both sides of the elements that nothing may change */
};

struct shape {
    int rank;
    int64_t size[TENSOR_MOST_RANK]; /* of elements, those that share a byte too */
};

/* A shape of so many elements at most, all of its sizes 1 or more. */
struct shape shape_random(struct rng *rng, int least_rank, int most_rank, int64_t most_elements);
/* As many rows as that allows, or fewer, of few lines, of many, and of what is nearly lines. */
struct shape shape_of_lines(struct rng *rng, int least_rank, int most_rank, int64_t most_elements);
/* The last size rounded up to what two to a byte can have: bytes, or half of the time words. */
void shape_for_bytes(struct rng *rng, enum reference_type type, struct shape *shape);
/* The same, and of blocks. */
void shape_for_blocks(struct shape *shape);
int64_t shape_elements(const struct shape *shape);
/* Without its last dimension. */
struct shape shape_rows(const struct shape *shape);

/* Any layout that an input may have: dense, with gaps, permuted, repeated. An output has no element twice;
 * what is dense lies in order. A type whose elements share a byte is packed, in bytes or in words, as its
 * last size allows. Its bytes are random. */
enum tensor_use { TENSOR_INPUT, TENSOR_OUTPUT, TENSOR_DENSE };
void tensor_make(struct rng *rng, struct tensor *tensor, const char *name, enum reference_type type,
                 const struct shape *shape, enum tensor_use use);
/* Plain memory, with no tensor in it, all zeros but for the bytes on both sides. */
void tensor_make_zeros(struct rng *rng, struct tensor *tensor, const char *name, size_t offset_bytes,
                       size_t bytes);
/* What stands in that memory now is as expected, whatever it is. */
void tensor_take(struct tensor *tensor, size_t bytes);
void tensor_clear(struct tensor *tensor);

/* Both images of an integer tensor get a value: index counts in elements, one dimension after the other. */
void tensor_set(struct tensor *tensor, const int64_t *index, int64_t value);

/* What its dtype says; REFERENCE_TYPES: none. */
enum reference_type tensor_type(const struct tensor *tensor);
/* For the reference, on the expected bytes; NULL where it is not given. */
const struct reference_tensor *tensor_reference(const struct tensor *tensor, struct reference_tensor *as);

/* False, with a sentence, where a byte is not as expected. */
bool tensor_compare(const struct tensor *tensor, char *failure, size_t failure_bytes);
/* On one line of standard error. */
void tensor_print(const struct tensor *tensor);

#endif
