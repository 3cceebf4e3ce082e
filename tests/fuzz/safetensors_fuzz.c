/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a safetensors file: the reader must answer, and what it accepts must be as it says.
 *
 * With libFuzzer (clang) this throws bytes at the reader. Linked with replay.c, any compiler's program gives
 * it the files of a corpus. */
#include "safetensors/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(law)                                                                                           \
    do {                                                                                                     \
        if (!(law)) {                                                                                        \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #law);                         \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* The file's path; it lives as long as the descriptor. */
static int make_file(const uint8_t *data, size_t size, char *path, size_t path_bytes)
{
    const int fd = memfd_create("safetensors", MFD_CLOEXEC);

    HOLDS(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, path_bytes, "/proc/self/fd/%d", fd);
    return fd;
}

/* Every tensor can be found and read, and none is larger than the file: memory for it is no surprise. */
static void check_tensors(const struct safetensors *file, size_t size, struct failure *failure)
{
    uint64_t total = 0;

    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];
        const uint64_t size_bytes = tensor->end - tensor->begin;
        char byte = 0;

        HOLDS(safetensors_find(file, tensor->name) == tensor);
        HOLDS(tensor->begin <= tensor->end && file->data_start + tensor->end <= size);
        HOLDS(size_bytes == 0 || safetensors_read(file, tensor, size_bytes - 1, &byte, 1, failure));
        total += size_bytes;
    }
    HOLDS(file->data_start + total == size);
    HOLDS(safetensors_find(file, "a name that no file has") == NULL);
}

static bool can_be_described(const struct safetensors *file)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->tensors[i].rank > SAFETENSORS_MAX_RANK || file->tensors[i].type->bits % 8)
            return false;
    return true;
}

/* What the writer says of the tensors, the reader reads back. */
static void check_description(struct safetensors *file, struct failure *failure)
{
    struct safetensors again = {.fd = -1, .path = "described", .data_bytes = file->data_bytes};
    size_t size_bytes = 0;
    char *bytes = safetensors_describe(file->tensors, file->count, file->metadata, &size_bytes);

    HOLDS(bytes && size_bytes % 8 == 0);
    HOLDS(safetensors_parse(&again, bytes + 8, size_bytes - 8, failure));
    HOLDS(safetensors_check_places(&again, failure));
    HOLDS(safetensors_check_names(&again, failure));
    HOLDS(again.count == file->count);
    HOLDS(!file->metadata == !again.metadata &&
          (!file->metadata || strcmp(file->metadata, again.metadata) == 0));
    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *a = &file->tensors[i];
        const struct safetensors_tensor *b = &again.tensors[i];

        HOLDS(strcmp(a->name, b->name) == 0 && a->type == b->type && a->rank == b->rank);
        HOLDS(memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
        HOLDS(a->end - a->begin == b->end - b->begin && b->begin % (b->type->bits / 8) == 0);
    }
    safetensors_forget(&again);
    free(bytes);
}

/* To metadata its own is added: each name is there already. To none it is added as it is. */
static void check_metadata(const struct safetensors *file)
{
    struct safetensors files[3] = {
        {.metadata = file->metadata}, {.metadata = file->metadata}, {.metadata = "{}"}};
    char *merged = NULL;

    HOLDS(safetensors_merge_metadata(files, 2, &merged));
    HOLDS(!file->metadata == !merged && (!merged || strcmp(file->metadata, merged) == 0));
    free(merged);
    files[0].metadata = files[2].metadata;
    HOLDS(safetensors_merge_metadata(files, 2, &merged) && merged);
    HOLDS(safetensors_read_metadata(&files[2], merged, strlen(merged), &(struct failure){0}));
    free(files[2].metadata);
    free(merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct failure failure = {.status = STATUS_DONE};
    struct safetensors file;
    char path[64];
    const int fd = make_file(data, size, path, sizeof path);

    if (safetensors_open(&file, path, &failure)) {
        HOLDS(failure.status == STATUS_DONE);
        check_tensors(&file, size, &failure);
        check_metadata(&file);
        if (can_be_described(&file))
            check_description(&file, &failure);
        safetensors_close(&file);
    } else {
        HOLDS(failure.status == STATUS_REFUSED && strncmp(failure.text, path, strlen(path)) == 0);
        HOLDS(file.fd < 0 && !file.tensors);
    }
    close(fd);
    return 0;
}
