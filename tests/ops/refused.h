/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are refused: a right call, and tests that each spoil it in one way. It works on buffers whose
 * every byte must stay, and which are filled so that the call would change its output if it ran. */
#ifndef CLQUANT_TEST_REFUSED_H
#define CLQUANT_TEST_REFUSED_H

#include "harness.h"

enum { REFUSED_BYTES = 65536, REFUSED_MOST = 6 };

/* A tensor at the beginning of a buffer that is full of one byte. */
struct refused_tensor {
    unsigned char filling;
    DLDataType dtype;
    int rank;
    int64_t shape[9];
};

/* What every call is given. */
struct refused_call {
    const struct refused_tensor *given;
    int count;
    cl_mem buffers[REFUSED_MOST];
    DLTensor tensors[REFUSED_MOST];
    int64_t shapes[REFUSED_MOST][9], strides[REFUSED_MOST][9];
    const DLTensor *arguments[REFUSED_MOST];
    clq_context *context;
    cl_command_queue queue;
    cl_uint num_wait;
};
void refused_make(struct refused_call *call, const struct refused_tensor *given, int count);
void refused_clear(struct refused_call *call);

/* Whether every byte of the tensor's buffer still is its filling. */
bool refused_untouched(const struct refused_call *call, int tensor);

/* A test's own: a call that is right. */
struct call;

struct refused_row {
    const char *name;
    void (*spoil)(struct call *c, struct refused_call *r);
    clq_status status;
    const char *sentence; /* the whole one, or where it ends with a space how it begins */
    int which;            /* the test's own: which call is spoiled */
};

/* That the call was refused so, no event was made and no buffer was touched. */
void refused_expect(const struct refused_call *call, clq_status status, cl_event done,
                    const struct refused_row *row, const char *sentence);

/* A test: with the statements behind it, of `c` and of `r`, what the call is given, it is refused. */
#define REFUSED(which, name, status, sentence, ...)                                                          \
    REFUSED_NUMBERED(__COUNTER__, which, name, status, sentence, __VA_ARGS__)
#define REFUSED_NUMBERED(n, ...) REFUSED_PASTED(n, __VA_ARGS__)
#define REFUSED_PASTED(n, which, name, status, sentence, ...)                                                \
    static void spoil_##n(struct call *c, struct refused_call *r)                                            \
    {                                                                                                        \
        (void)c, (void)r;                                                                                    \
        __VA_ARGS__;                                                                                         \
    }                                                                                                        \
    static const struct refused_row row_##n = {name, spoil_##n, status, sentence, which};                    \
    __attribute__((constructor(1000 + n))) static void add_##n(void)                                         \
    {                                                                                                        \
        tests_add((struct CMUnitTest){name, refuses, NULL, NULL, (void *)&row_##n});                         \
    }

/* Their test, by the functions that make call `which` with its `r` and that enqueue it. */
#define REFUSES(make, run)                                                                                   \
    static void refuses(void **state)                                                                        \
    {                                                                                                        \
        const struct refused_row *row = *state;                                                              \
        cl_event done = NULL;                                                                                \
        struct call c;                                                                                       \
        clq_status status;                                                                                   \
                                                                                                             \
        make(&c, row->which);                                                                                \
        row->spoil(&c, &c.r);                                                                                \
        status = run(&c, &done);                                                                             \
        refused_expect(&c.r, status, done, row, row->sentence);                                              \
        refused_clear(&c.r);                                                                                 \
    }

/* Sentences of all calls. */
#define NO(name)         name " is NULL: it must be a tensor"
#define SHARES(one, two) one " shares bytes of its buffer with " two ": their byte ranges must be disjoint"
#define NO_CONTEXT       "context is NULL: it must be a context"
#define NO_QUEUE         "queue is NULL: it must be a command queue"
#define NO_WAIT_LIST     "num_wait is 1 and wait is NULL: a wait list has both or neither"

#endif
