/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a stream among threads. */
#include "stream.h"

enum { CHUNK_BYTES = 1 << 20 }; /* of the larger side: one piece of work of a thread */

#ifdef BENCH_X86
static stream_loop *const sets[] = {stream_plain, stream_avx2, stream_avx512};
#else
static stream_loop *const sets[] = {stream_plain};
#endif

/* Of those that the processor has, the widest is the last. */
static size_t count_sets(void)
{
#ifdef BENCH_X86
    return __builtin_cpu_supports("avx512f") ? 3 : __builtin_cpu_supports("avx2") ? 2 : 1;
#else
    return 1;
#endif
}

size_t stream_list_ways(struct stream_way ways[STREAM_MOST_WAYS])
{
    static const unsigned ahead_bytes[] = {0, 512, 1024, 2048, 4096};
    size_t count = 0;

    for (size_t set = 0; set < count_sets(); set++)
        for (size_t i = 0; i < sizeof ahead_bytes / sizeof *ahead_bytes; i++)
            for (int non_temporal = 0; non_temporal <= 1; non_temporal++)
                ways[count++] = (struct stream_way){set, ahead_bytes[i], non_temporal != 0};
    return count;
}

struct job {
    const struct stream_way *way;
    struct stream_piece all;
    size_t blocks_a_piece;
};

static void run_piece(void *arg, size_t index)
{
    const struct job *job = arg;
    const size_t first = index * job->blocks_a_piece, left = job->all.blocks - first;
    struct stream_piece piece = job->all;
    volatile uint8_t kept;
    uint8_t sink[LINE_BYTES] = {0};

    piece.src += first * piece.reads * LINE_BYTES;
    piece.dst += first * piece.writes * LINE_BYTES;
    piece.sink = sink;
    piece.blocks = left < job->blocks_a_piece ? left : job->blocks_a_piece;
    sets[job->way->set](&piece, job->way->non_temporal && (uintptr_t)piece.dst % LINE_BYTES == 0);
    kept = sink[0];
    (void)kept;
}

/* As many blocks of one mix as both sides have lines for; returns how many. */
static size_t run_mix(const struct stream_way *way, const struct stream_bytes *bytes, size_t reads,
                      size_t writes)
{
    const size_t by_src = reads > 0 ? bytes->src_bytes / LINE_BYTES / reads : SIZE_MAX,
                 by_dst = writes > 0 ? bytes->dst_bytes / LINE_BYTES / writes : SIZE_MAX;
    struct job job = {.way = way,
                      .all = {.src = bytes->src,
                              .dst = bytes->dst,
                              .blocks = by_src < by_dst ? by_src : by_dst,
                              .reads = reads,
                              .writes = writes,
                              .ahead_bytes = way->ahead_bytes},
                      .blocks_a_piece = CHUNK_BYTES / LINE_BYTES / (reads > writes ? reads : writes)};

    pool_run((job.all.blocks + job.blocks_a_piece - 1) / job.blocks_a_piece, run_piece, &job);
    return job.all.blocks;
}

void stream_run(const struct stream_way *way, const struct stream_bytes *bytes)
{
    const size_t src = bytes->src_bytes, dst = bytes->dst_bytes;
    const size_t reads = dst == 0    ? 1
                         : src > dst ? (src + dst / 2) / dst
                                     : src > 0,
                 writes = src == 0    ? 1
                          : dst > src ? (dst + src / 2) / src
                                      : dst > 0;
    const size_t blocks = run_mix(way, bytes, reads, writes) * LINE_BYTES;
    const struct stream_bytes left = {.src = (const uint8_t *)bytes->src + blocks * reads,
                                      .dst = (uint8_t *)bytes->dst + blocks * writes,
                                      .src_bytes = src - blocks * reads,
                                      .dst_bytes = dst - blocks * writes};

    run_mix(way, &left, 1, 0);
    run_mix(way, &left, 0, 1);
}
