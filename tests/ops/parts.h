/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a call: what is read, and what is written. */
#ifndef CLQUANT_TEST_PARTS_H
#define CLQUANT_TEST_PARTS_H

#include "tensor.h"

enum { MOST_PARTS = 8 };
struct part {
    const char *name;
    struct tensor *tensor;
    const struct layout *layout;
    bool written;
};
struct parts {
    struct part part[MOST_PARTS];
    size_t count;
};

/* Adds one, if the call has it. */
void parts_add(struct parts *parts, const char *name, struct tensor *tensor, const struct layout *layout,
               bool written, bool has);

void parts_init(const struct parts *parts);
void parts_clear(const struct parts *parts);
bool parts_upload(const struct parts *parts, cl_command_queue queue);

/* Fills what is written with a byte: the buffers, or the images. */
bool parts_fill(const struct parts *parts, cl_command_queue queue, int filling);
void parts_fill_images(const struct parts *parts, int filling);

/* The bytes of all that is written. */
size_t parts_written_bytes(const struct parts *parts);

/* Whether the buffers of what is written, or of what is read, hold their images. */
bool parts_hold(const struct parts *parts, cl_command_queue queue, bool written);
/* The same for what a call writes, read behind its event, which is released. */
bool parts_hold_after(const struct parts *parts, cl_command_queue queue, cl_event done);

void parts_print(const struct parts *parts);

#endif
