/* SPDX-License-Identifier: Apache-2.0 */
/* Streams and copies, by the host's loops on a CPU and by the device elsewhere. */
#include "limit.h"

#include "data.h"
#include "timing.h"

#include <string.h>

enum { COPY_CHUNK = 1 << 20, SCREENINGS = 3, BLOCKS_AN_ITEM = 4, READS_ALONE = 4 };

static bool stream_on_host(struct bench *bench, void *self)
{
    const struct limit_mix *mix = self;
    const size_t at = data_next_piece(bench, mix->src_bytes);
    const struct stream_bytes bytes = {.src = (const char *)bench->x_host + at,
                                       .dst = (char *)bench->y_host +
                                              (at + mix->dst_bytes <= bench->x_bytes ? at : 0),
                                       .src_bytes = mix->src_bytes,
                                       .dst_bytes = mix->dst_bytes};

    stream_run(bench->pool, &mix->way, &bytes);
    return true;
}

bool limit_run(struct bench *bench, const struct limit_mix *mix)
{
    cl_event done = NULL;

    return device_check(bench, "clEnqueueNDRangeKernel of the stream kernel",
                        clEnqueueNDRangeKernel(bench->queue, mix->kernel, 1, NULL, &mix->global, &mix->local,
                                               0, NULL, &done)) &&
           device_wait(bench, done);
}

static bool stream_on_device(struct bench *bench, void *self)
{
    return limit_run(bench, self);
}

/* How many words of 16 bytes the smaller side has for so many of the larger one: at least 1. Where nothing is
 * written, a few reads. */
static void words_of(const struct limit_mix *mix, size_t *reads, size_t *writes)
{
    *reads = READS_ALONE;
    *writes = 0;
    if (mix->dst_bytes == 0)
        return;
    *reads = mix->src_bytes > mix->dst_bytes ? (mix->src_bytes + mix->dst_bytes / 2) / mix->dst_bytes : 1;
    *writes = mix->dst_bytes > mix->src_bytes ? (mix->dst_bytes + mix->src_bytes / 2) / mix->src_bytes : 1;
}

static bool set_arguments(struct bench *bench, const struct limit_mix *mix, cl_ulong blocks)
{
    cl_int code = clSetKernelArg(mix->kernel, 0, sizeof(cl_mem), &bench->x);

    if (code == CL_SUCCESS)
        code = clSetKernelArg(mix->kernel, 1, sizeof(cl_mem), &bench->y);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(mix->kernel, 2, sizeof blocks, &blocks);
    return device_check(bench, "clSetKernelArg of the stream kernel", code);
}

static bool time_mix(struct bench *bench, const struct limit_mix *mix, double *best_s)
{
    *best_s = 0;
    for (int i = 0; i < SCREENINGS; i++) {
        double start = now_s(), took = 0;

        if (!limit_run(bench, mix))
            return false;
        took = now_s() - start;
        *best_s = i == 0 || took < *best_s ? took : *best_s;
    }
    return true;
}

/* Both kernels are told their sizes behind the number of blocks. */
static bool set_sizes(struct bench *bench, const struct limit_mix *mix)
{
    const cl_ulong sizes[] = {mix->local, mix->global};
    cl_int code = clSetKernelArg(mix->kernel, 3, sizeof *sizes, &sizes[0]);

    if (code == CL_SUCCESS)
        code = clSetKernelArg(mix->kernel, 4, sizeof *sizes, &sizes[1]);
    return device_check(bench, "clSetKernelArg of the stream kernel's sizes", code);
}

bool limit_find_sizes(struct bench *bench, struct limit_mix *mix, cl_ulong blocks)
{
    struct limit_mix best = *mix;
    size_t most = 0;
    double best_s = 0;

    if (!device_check(bench, "clGetKernelWorkGroupInfo",
                      clGetKernelWorkGroupInfo(mix->kernel, clq_context_device(bench->context),
                                               CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL)))
        return false;
    for (mix->local = 64; mix->local <= most; mix->local *= 2) {
        for (size_t an_item = 1; an_item <= BLOCKS_AN_ITEM; an_item *= 2) {
            double took = 0;
            size_t groups = (size_t)(blocks / (mix->local * an_item)) + 1;

            mix->global = groups * mix->local;
            if (!set_sizes(bench, mix) || !time_mix(bench, mix, &took))
                return false;
            if (best_s <= 0 || took < best_s) {
                best_s = took;
                best = *mix;
            }
        }
    }
    *mix = best;
    return set_sizes(bench, mix);
}

static bool find_on_device(struct bench *bench, struct limit_mix *mix)
{
    size_t reads = 0, writes = 0;
    cl_ulong blocks = 0;

    words_of(mix, &reads, &writes);
    blocks = mix->src_bytes / (reads * WORD_BYTES);
    return device_kernel(bench, "stream", reads, writes, 1, &mix->kernel) &&
           set_arguments(bench, mix, blocks) && limit_find_sizes(bench, mix, blocks);
}

static bool find_on_host(struct bench *bench, struct limit_mix *mix)
{
    struct stream_bytes bytes = {.src_bytes = mix->src_bytes, .dst_bytes = mix->dst_bytes};

    if (!data_begin_host(bench))
        return false;
    bytes.src = bench->x_host;
    bytes.dst = bench->y_host;
    mix->way = stream_find_way(bench->pool, &bytes);
    return data_end_host(bench);
}

static bool find_mix(struct bench *bench, size_t src_bytes, size_t dst_bytes, struct limit_mix **found)
{
    struct limit *limit = bench->limit;

    for (size_t i = 0; i < limit->count; i++) {
        *found = &limit->mixes[i];
        if ((*found)->src_bytes == src_bytes && (*found)->dst_bytes == dst_bytes)
            return true;
    }
    if (limit->count == LIMIT_MIXES)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: more than %d mixes of bytes", LIMIT_MIXES);
    *found = &limit->mixes[limit->count++];
    **found = (struct limit_mix){.src_bytes = src_bytes, .dst_bytes = dst_bytes};
    return bench->pool ? find_on_host(bench, *found) : find_on_device(bench, *found);
}

/* What of x is copied to y: enough to be past the caches, as the rows are. */
static size_t copied_bytes(const struct bench *bench)
{
    return bench->x_bytes / 2;
}

static bool copy_on_device(struct bench *bench, void *self)
{
    cl_event done = NULL;

    (void)self;
    return device_check(bench, "clEnqueueCopyBuffer",
                        clEnqueueCopyBuffer(bench->queue, bench->x, bench->y, 0, 0, copied_bytes(bench), 0,
                                            NULL, &done)) &&
           device_wait(bench, done);
}

static void copy_chunk(void *arg, size_t index)
{
    const struct bench *bench = arg;
    size_t at = index * COPY_CHUNK, left = copied_bytes(bench) - at;

    memcpy((char *)bench->y_host + at, (const char *)bench->x_host + at,
           left < COPY_CHUNK ? left : COPY_CHUNK);
}

static bool copy_on_host(struct bench *bench, void *self)
{
    (void)self;
    pool_run(bench->pool, (copied_bytes(bench) + COPY_CHUNK - 1) / COPY_CHUNK, copy_chunk, bench);
    return true;
}

static void add_copies(struct bench *bench, struct race *race)
{
    const double bytes = 2.0 * (double)copied_bytes(bench);

    race_add(race, &(struct contestant){.role = RACE_COPY, .run = copy_on_device, .bytes = bytes});
    if (bench->pool)
        race_add(race, &(struct contestant){
                           .role = RACE_MEMCPY, .run = copy_on_host, .bytes = bytes, .on_host = true});
}

bool limit_add(struct bench *bench, struct race *race, size_t src_bytes, size_t dst_bytes)
{
    struct limit_mix *mix = NULL;

    if (!find_mix(bench, src_bytes, dst_bytes, &mix))
        return false;
    race_add(race, &(struct contestant){.role = RACE_STREAM,
                                        .run = bench->pool ? stream_on_host : stream_on_device,
                                        .self = mix,
                                        .bytes = (double)src_bytes + (double)dst_bytes,
                                        .on_host = bench->pool != NULL});
    add_copies(bench, race);
    return true;
}

bool limit_measure_copies(struct bench *bench)
{
    struct race race = {0};

    add_copies(bench, &race);
    if (!race_run(bench, &race))
        return false;
    bench->report.copy_gbps = race.list[0].bytes / race_median(&race, 0) * 1e-9;
    if (race.count > 1)
        bench->report.memcpy_gbps = race.list[1].bytes / race_median(&race, 1) * 1e-9;
    return true;
}

void limit_clear(struct limit *limit)
{
    for (size_t i = 0; i < limit->count; i++)
        if (limit->mixes[i].kernel)
            clReleaseKernel(limit->mixes[i].kernel);
}
