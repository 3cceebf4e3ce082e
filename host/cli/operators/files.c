/* SPDX-License-Identifier: Apache-2.0 */
/* The input files of a call: all are opened and checked before anything is done with one, and none of them
 * may be where the output goes. */
#include "operator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define USAGE(call, ...) fail((call)->failure, STATUS_USAGE, __VA_ARGS__)

static bool join_paths(struct operator_call *call)
{
    static const char between[] = ", ";
    size_t size_bytes = 1;
    char *at = NULL;

    for (size_t i = 0; i < call->in_count; i++)
        size_bytes += strlen(call->in_paths[i]) + strlen(between);
    at = call->in_text = malloc(size_bytes);
    if (!at)
        return fail(call->failure, STATUS_SYSTEM, "no memory for the input files' names");
    for (size_t i = 0; i < call->in_count; i++)
        at = stpcpy(stpcpy(at, i ? between : ""), call->in_paths[i]);
    return true;
}

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* One inode may have many names; so may OUT, which would be put into the place of the input: what no output
 * is would be lost with it. */
static bool check_distinct(struct operator_call *call, const struct safetensors *file)
{
    struct stat info, other;

    if (fstat(file->fd, &info) != 0)
        return fail(call->failure, STATUS_SYSTEM, "%s: %s", file->path, strerror(errno));
    if (stat(call->out_path, &other) == 0 && same(&info, &other))
        return USAGE(
            call,
            "-o %s: is the input file %s, whose other tensors would be lost, because OUT has only what %s "
            "computes; give another name",
            call->out_path, file->path, call->op->name);
    for (const struct safetensors *before = call->files; before < file; before++)
        if (fstat(before->fd, &other) == 0 && same(&info, &other))
            return USAGE(call, "%s: is the same file as %s; give each input file once", file->path,
                         before->path);
    return true;
}

bool operator_open_files(struct operator_call *call)
{
    if (!join_paths(call))
        return false;
    call->files = calloc(call->in_count, sizeof *call->files);
    if (!call->files)
        return fail(call->failure, STATUS_SYSTEM, "no memory for %zu input files", call->in_count);
    for (size_t i = 0; i < call->in_count; i++) {
        if (!safetensors_open(&call->files[i], call->in_paths[i], call->failure))
            return false;
        call->file_count++;
        if (!check_distinct(call, &call->files[i]))
            return false;
    }
    return true;
}

void operator_close_files(struct operator_call *call)
{
    for (size_t i = 0; i < call->file_count; i++)
        safetensors_close(&call->files[i]);
    free(call->files);
    free(call->in_paths);
    free(call->in_text);
    call->files = NULL;
    call->file_count = 0;
}

const char *operator_path(const struct operator_call *call, size_t input)
{
    return call->source_files[input]->path;
}
