/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of a safetensors file: eight bytes of header length, a JSON object with the type, shape and
 * place of each tensor, and the bytes. */
#ifndef CLQ_EXAMPLES_TENSOR_FILE_H
#define CLQ_EXAMPLES_TENSOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TENSOR_MAX_RANK = 8 };

struct tensor_entry {
    const char *name;
    char type[8];         /* as the file says it: "F16" */
    unsigned value_bytes; /* 4 for F32, 2 for F16 and BF16, 0 for every type that is no such float */
    int rank;             /* TENSOR_MAX_RANK + 1 where it has more dimensions */
    int64_t shape[TENSOR_MAX_RANK];
    uint64_t begin, size_bytes; /* in the file */
};

struct tensor_file {
    const char *path; /* as it was given to open: it must live as long as the file is open */
    FILE *stream;
    void *json;
    struct tensor_entry *entries;
    size_t count;
    char problem[512]; /* of the call that failed last: a sentence that begins with the path */
};

/* Close accepts what open left behind, also where it failed. */
bool tensor_file_open(struct tensor_file *file, const char *path);
void tensor_file_close(struct tensor_file *file);

/* All bytes of an entry; the caller frees them. NULL: problem says why. */
void *tensor_file_read(struct tensor_file *file, const struct tensor_entry *entry);

#endif
