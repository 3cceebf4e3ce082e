/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are refused: a right call, and rows that each spoil it in one way. It works on buffers whose
 * every byte must stay, and which are filled so that the call would change its output if it ran. */
#ifndef CLQUANT_TEST_REFUSED_H
#define CLQUANT_TEST_REFUSED_H

#include "harness.h"

enum { REFUSED_BYTES = 65536 };

/* Makes buffers of REFUSED_BYTES, each full of its byte of fillings. */
void refused_make(cl_mem *buffers, const unsigned char *fillings, int count);
void refused_release(cl_mem *buffers, int count);

/* A tensor at the beginning of a buffer. */
DLTensor refused_tensor(cl_mem buffer, DLDataType dtype, int ndim, int64_t *shape);

/* Whether every byte still is the buffer's filling. */
bool refused_untouched(cl_mem buffer, unsigned char filling);

/* A test's own: a call that is right, with its context, queue, num_wait, wait, and desc,
 * which is that of given. */
struct call;

struct refused_row {
    const char *name;
    void (*spoil)(struct call *c);
    clq_status status;
    const char *sentence; /* as refused_expect has it */
};

/* A row's function. */
#define SPOIL(name, ...)                                                                                     \
    static void name(struct call *c)                                                                         \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }

/* The status, and the sentence: the whole one, or where `sentence` ends with a space how it begins. No event
 * was made and no buffer was touched. */
void refused_expect(clq_status status, clq_status expected, const char *sentence, const char *name);
void refused_expect_nothing(const cl_event *done, const cl_mem *buffers, const unsigned char *fillings,
                            int count);

#endif
