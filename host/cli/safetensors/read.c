/* SPDX-License-Identifier: Apache-2.0 */
/* From an open file to checked tensors, and their bytes. */
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH_BYTES = SAFETENSORS_LENGTH_BYTES };

/* A path that cannot be opened is the caller's mistake, unless the system is at its limits. */
static enum exit_status status_of(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO ? STATUS_SYSTEM
                                                                                 : STATUS_REFUSED;
}

static bool read_at(const struct safetensors *file, uint64_t position, void *bytes, size_t size_bytes,
                    struct failure *failure)
{
    char *to = bytes;

    while (size_bytes > 0) {
        ssize_t got = pread(file->fd, to, size_bytes, (off_t)position);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(failure, STATUS_SYSTEM, "%s: cannot be read at byte %ju: %s", file->path,
                        (uintmax_t)position, strerror(errno));
        if (got == 0)
            return fail(failure, STATUS_SYSTEM, "%s: ends at byte %ju: it was cut while it was read",
                        file->path, (uintmax_t)position);
        to += got;
        position += (uint64_t)got;
        size_bytes -= (size_t)got;
    }
    return true;
}

static bool open_regular(struct safetensors *file, uint64_t *file_bytes, struct failure *failure)
{
    struct stat info;

    /* A pipe or a terminal in the file's place must not hold the program up. */
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0)
        return fail(failure, status_of(errno), "%s: %s", file->path, strerror(errno));
    if (fstat(file->fd, &info) != 0)
        return fail(failure, STATUS_SYSTEM, "%s: %s", file->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return fail(failure, STATUS_REFUSED, "%s: is not a regular file", file->path);
    *file_bytes = (uint64_t)info.st_size;
    file->modified = info.st_mtim;
    return true;
}

/* The header's length, held against the file before a byte is allocated for it. */
static bool read_length(struct safetensors *file, uint64_t file_bytes, uint64_t *header_bytes,
                        struct failure *failure)
{
    unsigned char raw[LENGTH_BYTES];

    if (file_bytes < LENGTH_BYTES)
        return fail(failure, STATUS_REFUSED,
                    "%s: has %ju bytes; a safetensors file begins with the 8 bytes of its header's length",
                    file->path, (uintmax_t)file_bytes);
    if (!read_at(file, 0, raw, sizeof raw, failure))
        return false;
    *header_bytes = 0;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        *header_bytes = *header_bytes << 8 | raw[i];
    if (*header_bytes > SAFETENSORS_MAX_HEADER_BYTES)
        return fail(failure, STATUS_REFUSED,
                    "%s: its header's length is %ju bytes, more than %d: no safetensors file", file->path,
                    (uintmax_t)*header_bytes, SAFETENSORS_MAX_HEADER_BYTES);
    if (*header_bytes > file_bytes - LENGTH_BYTES)
        return fail(failure, STATUS_REFUSED,
                    "%s: its header of %ju bytes runs past the end of the file, %ju bytes", file->path,
                    (uintmax_t)*header_bytes, (uintmax_t)file_bytes);
    file->data_start = LENGTH_BYTES + *header_bytes;
    file->data_bytes = file_bytes - file->data_start;
    return true;
}

static bool read_text(const struct safetensors *file, char *header, uint64_t header_bytes,
                      struct failure *failure)
{
    if (header_bytes == 0)
        return fail(failure, STATUS_REFUSED, "%s: its header of 0 bytes does not begin with {", file->path);
    if (!read_at(file, LENGTH_BYTES, header, (size_t)header_bytes, failure))
        return false;
    return *header == '{' || fail(failure, STATUS_REFUSED,
                                  "%s: its header does not begin with {: byte %d of the file is 0x%02x",
                                  file->path, LENGTH_BYTES, (unsigned char)*header);
}

static bool read_header(struct safetensors *file, uint64_t file_bytes, struct failure *failure)
{
    uint64_t header_bytes = 0;
    char *header = NULL;
    bool ok = read_length(file, file_bytes, &header_bytes, failure);

    if (ok) {
        header = malloc((size_t)header_bytes + 1);
        if (!header)
            return fail(failure, STATUS_SYSTEM, "%s: no memory for its header of %ju bytes", file->path,
                        (uintmax_t)header_bytes);
        ok = read_text(file, header, header_bytes, failure);
    }
    if (ok)
        ok = safetensors_parse(file, header, (size_t)header_bytes, failure);
    else if (failure->status == STATUS_REFUSED)
        safetensors_recognize(file, failure);
    free(header);
    return ok;
}

bool safetensors_open(struct safetensors *file, const char *path, struct failure *failure)
{
    uint64_t file_bytes = 0;

    *file = (struct safetensors){.path = path};
    if (open_regular(file, &file_bytes, failure) && read_header(file, file_bytes, failure) &&
        safetensors_check_places(file, failure) && safetensors_check_names(file, failure))
        return true;
    safetensors_close(file);
    return false;
}

void safetensors_close(struct safetensors *file)
{
    safetensors_forget(file);
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

bool safetensors_read(const struct safetensors *file, const struct safetensors_tensor *tensor,
                      uint64_t offset, void *bytes, size_t size_bytes, struct failure *failure)
{
    return read_at(file, file->data_start + tensor->begin + offset, bytes, size_bytes, failure);
}
