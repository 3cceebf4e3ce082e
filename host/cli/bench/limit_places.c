/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of bench.cl with the places of the scatter that it stands beside. */
#include "limit_places.h"

/* Of the kernel's arguments: which place is the first one. */
enum { ARG_FIRST = 6 };

static bool set(struct bench *bench, const struct limit_places *loop, cl_uint index, size_t size,
                const void *value)
{
    return device_check(bench, "clSetKernelArg of the loop at places",
                        clSetKernelArg(loop->mix.kernel, index, size, value));
}

static bool take_set(struct bench *bench, struct limit_places *loop)
{
    const cl_ulong first = places_offset_bytes(loop->places, loop->next++) / sizeof(cl_int2);

    return set(bench, loop, ARG_FIRST, sizeof first, &first);
}

static bool run(struct bench *bench, void *self)
{
    struct limit_places *loop = self;

    return take_set(bench, loop) && limit_run(bench, &loop->mix);
}

static bool set_arguments(struct bench *bench, struct limit_places *loop, cl_ulong blocks)
{
    const cl_uint length = (cl_uint)loop->places->length;

    return set(bench, loop, 0, sizeof(cl_mem), &bench->x) && set(bench, loop, 1, sizeof(cl_mem), &bench->y) &&
           set(bench, loop, 2, sizeof blocks, &blocks) &&
           set(bench, loop, 5, sizeof(cl_mem), &loop->places->buffer) && take_set(bench, loop) &&
           set(bench, loop, 7, sizeof length, &length);
}

bool limit_places_add(struct bench *bench, struct race *race, struct limit_places *loop,
                      const struct places *places, size_t src_entry_bytes, size_t dst_entry_bytes)
{
    const size_t entries = (size_t)places->entries, writes = dst_entry_bytes / WORD_BYTES;
    const cl_ulong blocks = (cl_ulong)(entries * writes);

    if (dst_entry_bytes % WORD_BYTES != 0 || writes == 0 || src_entry_bytes % dst_entry_bytes != 0)
        return true;
    loop->places = places;
    if (!device_kernel(bench, "stream_at_places", src_entry_bytes / WORD_BYTES, writes, 1,
                       &loop->mix.kernel) ||
        !set_arguments(bench, loop, blocks) || !limit_find_sizes(bench, &loop->mix, blocks))
        return false;
    race_add(race, &(struct contestant){.role = RACE_PEER,
                                        .name = "stream-at-places",
                                        .run = run,
                                        .self = loop,
                                        .bytes = (double)(entries * (src_entry_bytes + dst_entry_bytes))});
    return true;
}

void limit_places_clear(struct limit_places *loop)
{
    if (loop->mix.kernel)
        clReleaseKernel(loop->mix.kernel);
}
