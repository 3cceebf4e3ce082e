/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors files: eight bytes of header length, little-endian; the header, a JSON object that gives each
 * tensor's type, shape and place; the tensors' bytes, one after the other.
 *
 * A file is checked whole before anything is done with it: names are distinct, every tensor's bytes are what
 * its type and shape ask, and the tensors cover the data exactly. The bytes are read from the open file in
 * pieces, not mapped, so that a file which shrinks meanwhile gives a sentence instead of a signal. */
#ifndef CLQUANT_CLI_SAFETENSORS_H
#define CLQUANT_CLI_SAFETENSORS_H

#include "../failure.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
    SAFETENSORS_LENGTH_BYTES = 8,             /* the length of the header stands before it */
    SAFETENSORS_MAX_HEADER_BYTES = 100000000, /* the format's own limit */
    SAFETENSORS_MAX_RANK = 8,                 /* the library's; tensors that are not used may have more */
};

struct safetensors_type {
    const char *name;
    unsigned bits;
    const char *element; /* the same type's name elsewhere, which the library may know or not; NULL: none */
};
extern const struct safetensors_type safetensors_types[]; /* ends with a name that is NULL */

/* NULL: no such type. The second is given the name elsewhere, which may be NULL. */
const struct safetensors_type *safetensors_type_find(const char *name);
const struct safetensors_type *safetensors_type_of(const char *element);

struct safetensors_tensor {
    char *name;
    const struct safetensors_type *type;
    size_t rank;
    int64_t shape[SAFETENSORS_MAX_RANK]; /* the first dimensions, where rank is larger */
    int64_t *further;                    /* those behind them, or NULL */
    uint64_t begin, end;                 /* bytes, counted from the start of the data */
};

static inline int64_t safetensors_extent(const struct safetensors_tensor *tensor, size_t dimension)
{
    return dimension < SAFETENSORS_MAX_RANK ? tensor->shape[dimension]
                                            : tensor->further[dimension - SAFETENSORS_MAX_RANK];
}

struct safetensors {
    int fd;
    const char *path;
    struct timespec modified; /* when it was opened */
    uint64_t data_start;
    uint64_t data_bytes;
    size_t count;
    struct safetensors_tensor *tensors; /* by name */
    char *metadata;                     /* the text of the object __metadata__; NULL: there is none */
};

/* Opens the file and checks all of it. path must live as long as the file. On failure nothing is left open.
 */
bool safetensors_open(struct safetensors *file, const char *path, struct failure *failure);
void safetensors_close(struct safetensors *file);

/* NULL: no tensor has this name. */
const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* Reads bytes of a tensor, counted from the tensor's own first byte. */
bool safetensors_read(const struct safetensors *file, const struct safetensors_tensor *tensor,
                      uint64_t offset, void *bytes, size_t size_bytes, struct failure *failure);

/* After a file was refused as no safetensors file: where its first bytes are those of another format, notes a
 * sentence that names the format and what helps. */
void safetensors_recognize(const struct safetensors *file, struct failure *failure);

/* The metadata of all files, as it is to stand in a new header: of a name that several have, the first file's
 * value. NULL: no file has any. To be freed. False: there is no memory. */
bool safetensors_merge_metadata(const struct safetensors *files, size_t count, char **metadata);

/* The value of a name in the file's metadata, to be freed; NULL: there is none, or no memory. */
char *safetensors_metadata(const struct safetensors *file, const char *name);

/* Checks the text of the object __metadata__, and keeps it. */
bool safetensors_read_metadata(struct safetensors *file, const char *object, size_t object_bytes,
                               struct failure *failure);

/* Reads a header's text into file->tensors, for data of file->data_bytes bytes. Undone by safetensors_forget.
 */
bool safetensors_parse(struct safetensors *file, const char *header, size_t header_bytes,
                       struct failure *failure);
void safetensors_forget(struct safetensors *file);

/* The same names, and holes and overlaps between tensors. Leaves file->tensors ordered by name. */
bool safetensors_check_names(struct safetensors *file, struct failure *failure);
bool safetensors_check_places(struct safetensors *file, struct failure *failure);

/* Gives every tensor its place, those of large elements first, so that each begins at a multiple of its
 * element's size, and makes the file's first bytes: the length and the header, padded with spaces. metadata
 * is the text of an object, or NULL. Free the bytes with free(). NULL: out of memory. The elements must fill
 * whole bytes. */
char *safetensors_describe(struct safetensors_tensor *tensors, size_t count, const char *metadata,
                           size_t *size_bytes);

#endif
