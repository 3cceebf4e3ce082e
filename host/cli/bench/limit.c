/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, by the host's loops on a CPU and by the device elsewhere. */
#include "limit.h"

enum { SCREENINGS = 3, MOST_WAYS = 48, BLOCKS_AN_ITEM = 4, READS_ALONE = 4 };

/* Of the kernels' arguments; the second kernel alone has those from the places on. */
enum { ARG_X, ARG_Y, ARG_BLOCKS, ARG_LOCAL, ARG_GLOBAL, ARG_PLACES, ARG_FIRST, ARG_LENGTH };

static bool stream_on_host(struct bench *bench, void *self)
{
    const struct limit_mix *mix = self;
    const size_t at = data_next_piece(bench, mix->src_bytes);
    const struct stream_bytes bytes = {.src = (const char *)bench->x_host + at,
                                       .dst = (char *)bench->y_host +
                                              (at + mix->dst_bytes <= bench->x_bytes ? at : 0),
                                       .src_bytes = mix->src_bytes,
                                       .dst_bytes = mix->dst_bytes};

    stream_run(&mix->way.host, &bytes);
    return true;
}

static bool set(struct bench *bench, const struct limit_mix *mix, cl_uint index, size_t size,
                const void *value)
{
    return device_check(bench, "clSetKernelArg of a stream kernel",
                        clSetKernelArg(mix->kernel, index, size, value));
}

static bool stream_on_device(struct bench *bench, void *self)
{
    const struct limit_mix *mix = self;
    const cl_ulong local = mix->way.local, global = mix->way.global;
    cl_event done = NULL;

    return set(bench, mix, ARG_LOCAL, sizeof local, &local) &&
           set(bench, mix, ARG_GLOBAL, sizeof global, &global) &&
           device_check(bench, "clEnqueueNDRangeKernel of a stream kernel",
                        clEnqueueNDRangeKernel(bench->queue, mix->kernel, 1, NULL, &mix->way.global,
                                               &mix->way.local, 0, NULL, &done)) &&
           device_wait(bench, done);
}

static bool stream_at_places(struct bench *bench, void *self)
{
    struct limit_mix *mix = self;
    const cl_ulong first = places_offset_bytes(mix->places, mix->next++) / sizeof(cl_int2);

    return set(bench, mix, ARG_FIRST, sizeof first, &first) && stream_on_device(bench, self);
}

/* The ways are run in turn, several times over, so that a slow moment of the machine meets all of them. */
static bool find_best(struct bench *bench, struct limit_mix *mix, const struct limit_way *ways, size_t count)
{
    double best_s[MOST_WAYS];
    size_t best = 0;

    for (int round = 0; round < SCREENINGS; round++)
        for (size_t i = 0; i < count; i++) {
            double start = now_s(), took = 0;

            mix->way = ways[i];
            if (!(bench->on_host ? stream_on_host : stream_on_device)(bench, mix))
                return false;
            took = now_s() - start;
            best_s[i] = round == 0 || took < best_s[i] ? took : best_s[i];
        }
    for (size_t i = 1; i < count; i++)
        best = best_s[i] < best_s[best] ? i : best;
    mix->way = ways[best];
    return true;
}

static bool find_on_host(struct bench *bench, struct limit_mix *mix)
{
    struct stream_way listed[STREAM_MOST_WAYS];
    struct limit_way ways[MOST_WAYS];
    const size_t count = stream_list_ways(listed);

    for (size_t i = 0; i < count; i++)
        ways[i] = (struct limit_way){.host = listed[i]};
    return data_begin_host(bench) && find_best(bench, mix, ways, count) && data_end_host(bench);
}

/* So many blocks of words, in groups of all sizes and so many blocks an item. */
static bool find_sizes(struct bench *bench, struct limit_mix *mix, cl_ulong blocks)
{
    struct limit_way ways[MOST_WAYS];
    size_t most = 0, count = 0;

    if (!set(bench, mix, ARG_X, sizeof(cl_mem), &bench->x) ||
        !set(bench, mix, ARG_Y, sizeof(cl_mem), &bench->y) ||
        !set(bench, mix, ARG_BLOCKS, sizeof blocks, &blocks) ||
        !device_check(bench, "clGetKernelWorkGroupInfo",
                      clGetKernelWorkGroupInfo(mix->kernel, clq_context_device(bench->context),
                                               CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL)))
        return false;
    for (size_t local = 64; local <= most; local *= 2)
        for (size_t an_item = 1; an_item <= BLOCKS_AN_ITEM && count < MOST_WAYS; an_item *= 2)
            ways[count++] = (struct limit_way){.local = local,
                                               .global = ((size_t)(blocks / (local * an_item)) + 1) * local};
    return find_best(bench, mix, ways, count);
}

/* Words of the smaller side for so many of the larger one: at least 1. Where nothing is written, a few. */
static bool find_on_device(struct bench *bench, struct limit_mix *mix)
{
    const size_t src = mix->src_bytes, dst = mix->dst_bytes;
    size_t reads = READS_ALONE, writes = 0;

    if (dst > 0) {
        reads = src > dst ? (src + dst / 2) / dst : 1;
        writes = dst > src ? (dst + src / 2) / src : 1;
    }
    return device_kernel(bench, "stream", reads, writes, &mix->kernel) &&
           find_sizes(bench, mix, src / (reads * WORD_BYTES));
}

static bool find_mix(struct bench *bench, struct limit *limit, size_t src_bytes, size_t dst_bytes,
                     struct limit_mix **found)
{
    for (size_t i = 0; i < limit->count; i++) {
        *found = &limit->mixes[i];
        if ((*found)->src_bytes == src_bytes && (*found)->dst_bytes == dst_bytes)
            return true;
    }
    if (limit->count == LIMIT_MIXES)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: more than %d mixes of bytes", LIMIT_MIXES);
    *found = &limit->mixes[limit->count++];
    **found = (struct limit_mix){.src_bytes = src_bytes, .dst_bytes = dst_bytes};
    return bench->on_host ? find_on_host(bench, *found) : find_on_device(bench, *found);
}

bool limit_add(struct bench *bench, struct limit *limit, struct race *race, size_t src_bytes,
               size_t dst_bytes)
{
    struct limit_mix *mix = NULL;

    if (!find_mix(bench, limit, src_bytes, dst_bytes, &mix))
        return false;
    race_add(race, &(struct contestant){.run = bench->on_host ? stream_on_host : stream_on_device,
                                        .self = mix,
                                        .bytes = (double)src_bytes + (double)dst_bytes,
                                        .on_host = bench->on_host});
    return true;
}

bool limit_places_add(struct bench *bench, struct race *race, struct limit_mix *mix,
                      const struct places *places, size_t src_entry_bytes, size_t dst_entry_bytes)
{
    const size_t entries = (size_t)places->entries, writes = dst_entry_bytes / WORD_BYTES;
    const cl_uint length = (cl_uint)places->length;
    const cl_ulong first = 0;

    if (dst_entry_bytes % WORD_BYTES != 0 || writes == 0 || src_entry_bytes % dst_entry_bytes != 0)
        return true;
    mix->places = places;
    if (!device_kernel(bench, "stream_at_places", src_entry_bytes / WORD_BYTES, writes, &mix->kernel) ||
        !set(bench, mix, ARG_PLACES, sizeof(cl_mem), &places->buffer) ||
        !set(bench, mix, ARG_FIRST, sizeof first, &first) ||
        !set(bench, mix, ARG_LENGTH, sizeof length, &length) ||
        !find_sizes(bench, mix, (cl_ulong)(entries * writes)))
        return false;
    race_add(race, &(struct contestant){.run = stream_at_places, .self = mix, .bytes = race->list[0].bytes});
    return true;
}

void limit_mix_clear(struct limit_mix *mix)
{
    if (mix->kernel)
        clReleaseKernel(mix->kernel);
}

void limit_clear(struct limit *limit)
{
    for (size_t i = 0; i < limit->count; i++)
        limit_mix_clear(&limit->mixes[i]);
}
