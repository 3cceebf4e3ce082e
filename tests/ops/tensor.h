/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors whose every byte is watched: the host keeps an image of the whole buffer, with what stands before,
 * between and behind the elements. */
#ifndef CLQUANT_TEST_TENSOR_H
#define CLQUANT_TEST_TENSOR_H

#include "harness.h"

/* What the operators take, for the tables of the tests: inputs, scales and results;
 * what static quantization writes. */
#define FLOAT_TYPES REFERENCE_F32, REFERENCE_F16, REFERENCE_BF16
#define QUANTIZED_TYPES                                                                                      \
    REFERENCE_I8, REFERENCE_U8, REFERENCE_I32, REFERENCE_I4, REFERENCE_U4,                                   \
        REFERENCE_SMALL_FLOATS(REFERENCE_NAMED)

/* What a tensor is made of. Strides count elements (for int4 of n lanes, as in DLPack: nibbles, bytes or
 * words). */
struct layout {
    enum reference_type type;
    int lanes; /* 0 means 1 */
    int rank;
    bool strided; /* else dense and row-major, and the library gets no strides */
    int64_t shape[CLQ_MAX_RANK];
    int64_t strides[CLQ_MAX_RANK];
    int64_t before; /* elements between the buffer's start and the first one; of packed int4, bytes */
    int64_t behind; /* bytes between the last element and the buffer's end */
};

#define GUARD 64

/* A dense layout between guards. */
struct layout layout_dense(enum reference_type type, int lanes, int rank, const int64_t *shape);
struct tensor {
    struct layout layout;
    DLTensor dl;
    cl_mem mem;
    unsigned char *image;
    size_t size_bytes;
};

/* Allocates the image, zeroed; no buffer yet. */
void tensor_init(struct tensor *tensor, const struct layout *layout);
void tensor_clear(struct tensor *tensor);
/* The tensor over its image, or over another of the same size. */
struct reference_tensor tensor_reference(const struct tensor *tensor, unsigned char *image);

/* Writes the image to the buffer. At first that is made, of these bytes and without a command: each command
 * that is waited for costs the wake-up of a thread on some drivers, which was half of a test's time. */
bool tensor_upload(struct tensor *tensor, cl_command_queue queue);
/* Fills the buffer with a byte, and leaves the image as it is. */
bool tensor_fill(struct tensor *tensor, cl_command_queue queue, int filling);
/* Whether the buffer holds exactly these bytes; says on stderr where it does not. */
bool tensor_holds(const struct tensor *tensor, cl_command_queue queue, const unsigned char *image,
                  const char *what);

/* Sets the element that stands `slot` elements after the first possible place in the image (gaps and guards
 * have slots too), from a number: float types round it, integers clamp it. */
int64_t tensor_slots(const struct tensor *tensor);
void tensor_set_slot(struct tensor *tensor, int64_t slot, double value);

/* The same for the value at a tensor's row-major position. */
void tensor_set(struct tensor *tensor, int64_t position, double value);

/* Whether the device has buffers so large; says so where it has not. */
bool buffer_fits(size_t size_bytes);

DLDataType dtype_of(enum reference_type type, int lanes);
const char *type_name(enum reference_type type);
size_t type_bytes(enum reference_type type);

#endif
