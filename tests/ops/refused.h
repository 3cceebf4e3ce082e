/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are refused: a right call, and rows that each spoil it in one way. It works on buffers whose every byte
 * must stay, and which are filled so that the call would change its output if it ran. */
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

/* A test's own: a call that is right, with its context, queue, num_wait, wait, and desc, which is that of given. */
struct call;

struct refused_row {
    const char *name;
    void (*spoil)(struct call *c);
    clq_status status;
    const char *sentence; /* as refused_expect has it */
};

/* A test for each row, which is its state. */
void refused_tests(struct CMUnitTest *tests, const struct refused_row *rows, size_t count,
                   CMUnitTestFunction test);

/* What the operator's _check said of the row's call: the same, but nothing of buffers, queue and wait list. */
void refused_expect_check(clq_status status, const struct refused_row *row);

/* A row's function. */
#define SPOIL(name, ...)                                                                                     \
    static void name(struct call *c)                                                                         \
    {                                                                                                        \
        __VA_ARGS__;                                                                                         \
    }

/* What all operators refuse alike: the functions, and the rows. */
#define ROW(...)                                                                                             \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define SPOIL_ANY                                                                                            \
    SPOIL(no_context, c->context = NULL)                                                                     \
    SPOIL(no_queue, c->queue = NULL)                                                                         \
    SPOIL(wait_missing, c->num_wait = 2)                                                                     \
    SPOIL(wait_uncounted, c->wait = (const cl_event *)&c->given)                                             \
    SPOIL(no_desc, c->desc = NULL)
#define ROWS_OF_ANY                                                                                          \
    ROW("no context", no_context, CLQ_ERROR_NULL, "context is NULL: it must be a context"),                  \
        ROW("no queue", no_queue, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue"),              \
        ROW("a wait list that is missing", wait_missing, CL_INVALID_EVENT_WAIT_LIST,                         \
            "num_wait is 2 and wait is NULL: a wait list has both or neither"),                              \
        ROW("a wait list without its length", wait_uncounted, CL_INVALID_EVENT_WAIT_LIST,                    \
            "num_wait is 0 and wait is not NULL: a wait list has both or neither"),                          \
        ROW("no descriptor", no_desc, CLQ_ERROR_NULL, "desc is NULL: it must be a descriptor")

#define DISJOINT(a, b) a " shares bytes of its buffer with " b ": their byte ranges must be disjoint"
#define SHORT(name)    name ".data has 65536 bytes: shape x strides + byte_offset ask for "
#define OVERLAPS       ": an output must not overlap itself, so it must be at least "
#define SPAN           ", the span of the dimensions with smaller strides"
#define FLOATS         "it must be float32, float16 or bfloat16"

/* The status, and the sentence: the whole one, or where `sentence` ends with a space how it begins. No event
 * was made and no buffer was touched. */
void refused_expect(clq_status status, clq_status expected, const char *sentence, const char *name);
void refused_expect_nothing(const cl_event *done, const cl_mem *buffers, const unsigned char *fillings,
                            int count);

#endif
