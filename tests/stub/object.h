/* SPDX-License-Identifier: Apache-2.0 */
/* What every OpenCL object of the stub is, and what its files share. One lock guards all of it; only a
 * command's own work is done without. */
#ifndef CLQUANT_STUB_OBJECT_H
#define CLQUANT_STUB_OBJECT_H

#include "stub.h"

#include <CL/cl_icd.h>

/* The loader reads the first member. */
struct stub_object {
    const cl_icd_dispatch *dispatch;
    enum stub_kind kind;
    size_t references; /* the caller's */
    size_t uses;       /* by other objects and by commands */
};

extern struct stub_counts stub_counts;
extern const cl_icd_dispatch *const stub_dispatch;

void stub_lock(void);
/* Counts the refusal, if it is one. */
cl_int stub_unlock(cl_int code);
/* The same for calls that make an object: returns it, or NULL. */
void *stub_unlock_made(void *object, cl_int made, cl_int *code);
/* Waits, without the lock, until something changes. */
void stub_await_change(void);
void stub_announce_change(void);

/* Zeroed, with one reference; the test ends where there is no memory. */
void *stub_new(enum stub_kind kind, size_t size_bytes);
void *stub_allocate(size_t size_bytes);
/* Whether this is an object of the kind that the caller holds. */
bool stub_is(const void *object, enum stub_kind kind);
/* The stub's own references. */
void *stub_hold(void *object);
void stub_drop(void *object);
cl_int stub_retain(void *object, enum stub_kind kind, cl_int invalid);
cl_int stub_release(void *object, enum stub_kind kind, cl_int invalid);

/* Gives back what the object owns; it itself stays for a while, so that a late use is recognized. */
void stub_end_context(cl_context context);
void stub_end_queue(cl_command_queue queue);
void stub_end_buffer(cl_mem buffer);
void stub_end_program(cl_program program);
void stub_end_kernel(cl_kernel kernel);
void stub_end_event(cl_event event);
void stub_end_commands(struct _cl_command_buffer_khr *commands);

/* The answer to a clGet…Info call. */
cl_int stub_answer(size_t size, void *value, size_t *size_ret, const void *answer, size_t answer_bytes);
#define STUB_ANSWER(type, ...) stub_answer(size, value, size_ret, &(type){__VA_ARGS__}, sizeof(type))
#define STUB_ANSWER_TEXT(text) stub_answer(size, value, size_ret, (text), strlen(text) + 1)

#endif
