/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a stream among threads. */
#include "stream.h"

#include <stdint.h>

enum { CHUNK_BYTES = 1 << 20 }; /* of the larger side: one piece of work of a thread */

struct mix {
    size_t reads, writes;
};

#define MIX(reads, writes) {reads, writes},
static const struct mix mixes[] = {STREAM_MIXES(MIX)};

#ifdef BENCH_X86
static const struct stream_loops *const sets[] = {&stream_loops_plain, &stream_loops_avx2,
                                                  &stream_loops_avx512};
#else
static const struct stream_loops *const sets[] = {&stream_loops_plain};
#endif

size_t stream_sets(void)
{
#ifdef BENCH_X86
    /* Every processor with AVX2 has F16C, which gcc 12 has no name for here. */
    if (!__builtin_cpu_supports("avx2"))
        return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
               ? 3
               : 2;
#else
    return 1;
#endif
}

const char *stream_set_name(size_t set)
{
    return sets[set]->name;
}

/* How many blocks of this mix fit into both sides. */
static size_t fitting(const struct mix *mix, size_t src_bytes, size_t dst_bytes)
{
    const size_t by_src = mix->reads ? src_bytes / LINE_BYTES / mix->reads : SIZE_MAX,
                 by_dst = mix->writes ? dst_bytes / LINE_BYTES / mix->writes : SIZE_MAX;

    return by_src < by_dst ? by_src : by_dst;
}

/* The mix that leaves the fewest bytes over. */
static size_t nearest_mix(size_t src_bytes, size_t dst_bytes)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < STREAM_MIX_COUNT; i++) {
        const size_t covered = fitting(&mixes[i], src_bytes, dst_bytes) * (mixes[i].reads + mixes[i].writes);

        best = covered > most ? i : best;
        most = covered > most ? covered : most;
    }
    return best;
}

struct stream_job {
    const struct mix *mix;
    stream_loop *run;
    const uint8_t *src;
    uint8_t *dst;
    size_t blocks, blocks_a_piece, ahead_bytes;
};

static void run_piece(void *arg, size_t index)
{
    const struct stream_job *job = arg;
    size_t first = index * job->blocks_a_piece, left = job->blocks - first;
    volatile uint8_t kept;
    uint8_t sink[LINE_BYTES];

    sink[0] = 0;
    job->run(job->src + first * job->mix->reads * LINE_BYTES,
             job->dst + first * job->mix->writes * LINE_BYTES,
             left < job->blocks_a_piece ? left : job->blocks_a_piece, job->ahead_bytes, sink);
    kept = sink[0];
    (void)kept;
}

void stream_run(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes)
{
    size_t src_bytes = bytes->src_bytes, dst_bytes = bytes->dst_bytes;
    const bool aligned = (uintptr_t)bytes->dst % LINE_BYTES == 0;
    struct stream_job job = {.src = bytes->src, .dst = bytes->dst, .ahead_bytes = way->ahead_bytes};

    while (src_bytes >= LINE_BYTES || dst_bytes >= LINE_BYTES) {
        const size_t index = nearest_mix(src_bytes, dst_bytes);
        const struct mix *mix = &mixes[index];

        job.mix = mix;
        job.run = sets[way->set]->run[index][way->ahead_bytes > 0][way->non_temporal && aligned];
        job.blocks = fitting(mix, src_bytes, dst_bytes);
        job.blocks_a_piece = CHUNK_BYTES / LINE_BYTES / (mix->reads > mix->writes ? mix->reads : mix->writes);
        pool_run(pool, (job.blocks + job.blocks_a_piece - 1) / job.blocks_a_piece, run_piece, &job);
        job.src += job.blocks * mix->reads * LINE_BYTES;
        job.dst += job.blocks * mix->writes * LINE_BYTES;
        src_bytes -= job.blocks * mix->reads * LINE_BYTES;
        dst_bytes -= job.blocks * mix->writes * LINE_BYTES;
    }
}

size_t stream_list_ways(struct stream_way ways[STREAM_MOST_WAYS])
{
    static const unsigned ahead_bytes[] = {0, 512, 1024, 2048, 4096};
    size_t count = 0;

    for (size_t set = 0; set < stream_sets(); set++)
        for (size_t i = 0; i < sizeof ahead_bytes / sizeof *ahead_bytes; i++)
            for (int non_temporal = 0; non_temporal <= 1; non_temporal++)
                ways[count++] = (struct stream_way){set, ahead_bytes[i], non_temporal != 0};
    return count;
}
