/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of all operators share: buffers, and bytes that make and spoil a call. */
#ifndef CLQUANT_FUZZ_DESCRIPTOR_CALL_H
#define CLQUANT_FUZZ_DESCRIPTOR_CALL_H

#include "descriptor_tensor.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes that make the target's call; what follows spoils it. */
extern const size_t target_bytes;

#define HOLDS(law, ...)                                                                                      \
    do {                                                                                                     \
        if (!(law)) {                                                                                        \
            fprintf(stderr, "does not hold: %s: ", #law);                                                    \
            fprintf(stderr, __VA_ARGS__);                                                                    \
            fprintf(stderr, "\n");                                                                           \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

struct input {
    const uint8_t *data;
    size_t size;
};
unsigned take(struct input *in);
/* Small numbers, those at which sizes wrap, or any. */
int64_t take_value(struct input *in);
/* A type, or what is none. */
DLDataType take_dtype(struct input *in);

/* The buffers that tensors may stand in: 4096, 1024 and 256 bytes, a part of the first from its byte 1024,
 * one byte; and 2560 bytes of indices, most of them small, for those that want some. */
enum { BUFFERS = 6, DATA_BUFFERS = 5, BUFFER_INDICES = 5 };

struct device {
    clq_context *context;
    cl_command_queue queue;
};
/* Made at the first call. */
const struct device *device(void);
cl_mem buffer_of(int buffer);
struct memory memory_of(int buffer);
/* The images of whole buffers are what the device holds. */
void compare_buffers(const char *detail);
/* Bytes that are the library's to leave as it likes. */
void forget_bytes(const struct slot *slot, const struct shape *shape);

/* Types for the makers of calls. Of the parameters the first three are floats. */
enum { FLOATS = 3, PARAMETERS = 6, STORED = 6, GROUPED = 4 };
extern const DLDataType parameter_dtypes[PARAMETERS], stored_dtypes[STORED], grouped_dtypes[GROUPED];
/* The values that the last dimension must be a multiple of. */
int64_t values_of(DLDataType dtype);

/* A tensor of no type and shape yet, in a buffer. */
void slot_init(struct slot *slot, int buffer);
/* One change, by number, in one of `buffers` buffers. */
enum { SPOILS = 12 };
void slot_spoil(struct slot *slot, unsigned what, int buffers, struct input *in);
/* Once all is spoiled: its data. The tensor's address, or NULL where it is absent. */
const DLTensor *slot_finish(struct slot *slot);

/* Adds what the reference counted to a report's image; nowhere where there is no report. */
void report_add(const struct slot *slot, const struct reference_report *report);

/* A call succeeds where it is right, and only there. */
void expect_answer(bool right, clq_status status);
/* Calls that are refused say why and leave all as it was; reading back is most of the work, and left out most
 * times. */
void expect_refused(clq_status status, bool compares);

#endif
