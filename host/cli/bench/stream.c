/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a stream among threads, and finds the fastest way to run it. */
#include "stream.h"

#include "stream_loops.h"
#include "timing.h"

#include <stdint.h>

enum {
    LINE_BYTES = 64,
    CHUNK_BYTES = 1 << 20, /* of the larger side: one piece of work of a thread */
    SCREENINGS = 3,        /* runs of every way, of which the best counts */
    MOST_WAYS = 30,
};

struct mix {
    size_t reads, writes;
};

#define MIX(reads, writes) {reads, writes},
static const struct mix mixes[] = {STREAM_MIXES(MIX)};

static const struct stream_loops *loops_of(enum isa isa)
{
#ifdef BENCH_X86
    if (isa == ISA_AVX512)
        return &stream_loops_avx512;
    if (isa == ISA_AVX2)
        return &stream_loops_avx2;
#endif
    (void)isa;
    return &stream_loops_plain;
}

/* How many lines' bytes of this mix fit into both sides. */
static size_t fitting(const struct mix *mix, size_t src_bytes, size_t dst_bytes)
{
    size_t by_src = mix->reads ? src_bytes / mix->reads : SIZE_MAX;
    size_t by_dst = mix->writes ? dst_bytes / mix->writes : SIZE_MAX;

    return by_src < by_dst ? by_src : by_dst;
}

/* The mix that leaves the fewest bytes over. */
static size_t nearest_mix(size_t src_bytes, size_t dst_bytes)
{
    size_t best = 0, most = 0;

    for (size_t i = 0; i < STREAM_MIX_COUNT; i++) {
        size_t covered = fitting(&mixes[i], src_bytes, dst_bytes) * (mixes[i].reads + mixes[i].writes);
        if (covered > most) {
            most = covered;
            best = i;
        }
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

/* A block whose lines have only so many bytes. */
static void run_tail(const struct mix *mix, const uint8_t *src, uint8_t *dst, size_t line_bytes)
{
    for (size_t j = 0; j < line_bytes; j++) {
        uint8_t sum = 0;
        for (size_t i = 0; i < mix->reads; i++)
            sum ^= src[i * line_bytes + j];
        for (size_t i = 0; i < mix->writes; i++)
            dst[i * line_bytes + j] = sum;
    }
}

/* Runs one mix as far as it goes; returns by how many bytes per line. */
static size_t run_mix(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes,
                      size_t mix_index)
{
    const struct mix *mix = &mixes[mix_index];
    size_t lines_bytes = fitting(mix, bytes->src_bytes, bytes->dst_bytes);
    size_t larger = mix->reads > mix->writes ? mix->reads : mix->writes;
    bool aligned = ((uintptr_t)bytes->dst & (LINE_BYTES - 1)) == 0;
    struct stream_job job = {
        .mix = mix,
        .run = loops_of(way->isa)->run[mix_index][way->ahead_bytes > 0][way->non_temporal && aligned],
        .src = bytes->src,
        .dst = bytes->dst,
        .blocks = lines_bytes / LINE_BYTES,
        .blocks_a_piece = CHUNK_BYTES / (larger * LINE_BYTES),
        .ahead_bytes = way->ahead_bytes,
    };
    size_t done = job.blocks * LINE_BYTES;

    pool_run(pool, (job.blocks + job.blocks_a_piece - 1) / job.blocks_a_piece, run_piece, &job);
    run_tail(mix, job.src + done * mix->reads, job.dst + done * mix->writes, lines_bytes - done);
    return lines_bytes;
}

void stream_run(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes)
{
    struct stream_bytes left = *bytes;

    while (left.src_bytes > 0 || left.dst_bytes > 0) {
        size_t mix = nearest_mix(left.src_bytes, left.dst_bytes);
        size_t line_bytes = run_mix(pool, way, &left, mix);

        left.src = (const uint8_t *)left.src + line_bytes * mixes[mix].reads;
        left.dst = (uint8_t *)left.dst + line_bytes * mixes[mix].writes;
        left.src_bytes -= line_bytes * mixes[mix].reads;
        left.dst_bytes -= line_bytes * mixes[mix].writes;
    }
}

static double time_of(struct pool *pool, const struct stream_way *way, const struct stream_bytes *bytes)
{
    double start = now_s();

    stream_run(pool, way, bytes);
    return now_s() - start;
}

/* Lists every way; returns how many. */
static size_t list_ways(struct stream_way ways[MOST_WAYS])
{
    static const unsigned ahead_bytes[] = {0, 512, 1024, 2048, 4096};
    size_t count = 0;

    for (enum isa isa = ISA_PLAIN; isa <= isa_best(); isa++)
        for (size_t i = 0; i < sizeof ahead_bytes / sizeof *ahead_bytes; i++)
            for (int non_temporal = 0; non_temporal <= 1; non_temporal++)
                ways[count++] = (struct stream_way){isa, ahead_bytes[i], non_temporal != 0};
    return count;
}

/* The ways are run in turn, several times over, so that a slow moment of the machine meets all of them. */
struct stream_way stream_find_way(struct pool *pool, const struct stream_bytes *bytes)
{
    struct stream_way ways[MOST_WAYS];
    double best_s[MOST_WAYS];
    size_t count = list_ways(ways), best = 0;

    for (int round = 0; round < SCREENINGS; round++) {
        for (size_t i = 0; i < count; i++) {
            double took = time_of(pool, &ways[i], bytes);
            best_s[i] = round == 0 || took < best_s[i] ? took : best_s[i];
        }
    }
    for (size_t i = 1; i < count; i++)
        best = best_s[i] < best_s[best] ? i : best;
    return ways[best];
}
