/* SPDX-License-Identifier: Apache-2.0 */
/* One shard of OUT, whole or not at all. */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t end_of(const struct model_shard *shard)
{
    uint64_t end = 0;

    for (size_t t = 0; t < shard->out_count; t++)
        end = shard->out[t].end > end ? shard->out[t].end : end;
    return shard->header_bytes + end;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* Of each tensor four samples, so that a shard of OUT says which input it was made of. All bytes would cost
 * what the run does, and times would differ between machines, whose bytes are to be the same. By FNV-1a. */
bool model_sample(const struct model_shard *shard, uint64_t *number, struct failure *failure)
{
    enum { SAMPLES = 4, SAMPLE_BYTES = 256 };
    uint8_t bytes[SAMPLE_BYTES];

    *number = UINT64_C(0xcbf29ce484222325);
    for (size_t t = 0; t < shard->file.count; t++) {
        const struct safetensors_tensor *tensor = &shard->file.tensors[t];
        const uint64_t whole = tensor->end - tensor->begin;
        const size_t size = whole < SAMPLE_BYTES ? (size_t)whole : SAMPLE_BYTES;

        for (uint64_t s = 0; s < SAMPLES; s++) {
            if (!safetensors_read(&shard->file, tensor, (whole - size) * s / (SAMPLES - 1), bytes, size,
                                  failure))
                return false;
            for (size_t i = 0; i < size; i++)
                *number = (*number ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    return true;
}

/* A file has its name once it is whole. So one whose header is what this run would write, with the input's
 * samples, and which is no older than its input, is what this run would make. */
static bool is_there(const struct model_shard *shard)
{
    const int fd = open(shard->out_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    struct stat made, given;
    char *header = NULL;
    bool same = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &made) == 0 && fstat(shard->file.fd, &given) == 0 && S_ISREG(made.st_mode) &&
        (uint64_t)made.st_size == end_of(shard) && !is_older(&made.st_mtim, &given.st_mtim) &&
        (header = malloc(shard->header_bytes)))
        same = pread(fd, header, shard->header_bytes, 0) == (ssize_t)shard->header_bytes &&
               memcmp(header, shard->header, shard->header_bytes) == 0;
    free(header);
    close(fd);
    return same;
}

void model_show(struct model *model, const struct model_shard *shard, uint64_t bytes)
{
    struct timespec now;
    char what[512];
    double seconds = 0, rate = 0;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (model->began.tv_sec == 0 && model->began.tv_nsec == 0)
        model->began = now;
    else
        model->read_bytes += bytes;
    model->done_bytes += bytes;
    seconds =
        (double)(now.tv_sec - model->began.tv_sec) + (double)(now.tv_nsec - model->began.tv_nsec) * 1e-9;
    rate = seconds > 0 ? (double)model->read_bytes / seconds : 0;
    snprintf(what, sizeof what, "%.100s, %.2f of %.2f GB, %.0f MB/s, %.0f s left", shard->name,
             (double)model->done_bytes * 1e-9, (double)model->total_bytes * 1e-9, rate * 1e-6,
             rate > 0 ? (double)(model->total_bytes - model->done_bytes) / rate : 0);
    tame(what);
    progress_show(&model->progress, what, model->done_bytes, model->total_bytes);
}

static bool quantizes(const struct model_shard *shard)
{
    for (size_t t = 0; t < shard->file.count; t++)
        if (shard->tensors[t].quantized)
            return true;
    return false;
}

bool model_write_shard(struct model *model, struct model_shard *shard)
{
    struct output_file out = {.fd = -1};
    bool ok = false;

    if (shard->left_out)
        return true;
    if (is_there(shard)) {
        shard->was_there = true;
        model->done_bytes += shard->file.data_bytes;
        return true;
    }
    ok = (!quantizes(shard) || model->context || model_open_device(model)) &&
         model_create(model, &out, shard->out_path, shard->path) &&
         output_file_write(&out, shard->header, shard->header_bytes, model->failure) &&
         model_stream(model, shard, &out) && output_file_commit(&out, model->failure);
    output_file_discard(&out);
    return ok;
}
