/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that one command of a call writes and others read: pieces of the caller's workspace,
 * or of a buffer for the call. */
#ifndef CLQ_PLAN_ADDED_TEMPORARY_H
#define CLQ_PLAN_ADDED_TEMPORARY_H

#include <clquant/context.h>
#include <stdbool.h>

#define CLQ__MOST_USES        9
#define CLQ__MOST_TEMPORARIES 8

/* A kernel's use of it: its argument, and in its struct how many elements stand before it. */
struct clq__use {
    cl_mem *buffer;
    int64_t *offset;
};

struct clq__temporary {
    int64_t elements;
    size_t element_bytes;
    bool anywhere; /* no kernel gains by where it begins */
    struct clq__use uses[CLQ__MOST_USES];
    unsigned num_uses;
};

struct clq__temporaries {
    struct clq__temporary list[CLQ__MOST_TEMPORARIES];
    unsigned num;
};

struct clq__temporary *clq__temporaries_add(struct clq__temporaries *all, int64_t elements,
                                            size_t element_bytes);
void clq__temporary_use(struct clq__temporary *temporary, cl_mem *buffer, int64_t *offset);
/* Each use by a kernel is one by another too, whose buffers and struct are alike. */
void clq__temporaries_repeat(struct clq__temporaries *all, const cl_mem *buffers, unsigned num_buffers,
                             const void *args, cl_mem *other_buffers, void *other_args);

/* The bytes of a workspace that has room for all of them wherever it begins, a multiple of 4;
 * refuses more than size_t. */
clq_status clq__temporaries_size(const struct clq__temporaries *all, size_t *size_bytes);
/* Tells the kernels, once, where each is in a buffer that is theirs from this byte on. */
void clq__temporaries_place(const struct clq__temporaries *all, uint64_t offset_bytes);
/* Tells them the buffer. */
void clq__temporaries_set(const struct clq__temporaries *all, cl_mem buffer);

#endif
