/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the peer's rows among threads, and finds the fastest way to run them. */
#include "dynamic_peer.h"

#include "dynamic_loops.h"
#include "timing.h"

enum {
    PIECE_ELEMENTS = 1 << 19, /* one piece of work of a thread */
    LINE_BYTES = 64,
    SCREENINGS = 3, /* runs of every way, of which the best counts */
    MOST_WAYS = 8,
};

static const struct dynamic_loops *loops_of(enum isa isa)
{
#ifdef BENCH_X86
    if (isa == ISA_AVX512)
        return &dynamic_loops_avx512;
    if (isa == ISA_AVX2)
        return &dynamic_loops_avx2;
#endif
    (void)isa;
    return &dynamic_loops_plain;
}

struct dynamic_job {
    const struct dynamic_work *work;
    dynamic_loop *run;
    size_t ahead_bytes, rows_a_piece;
    bool non_temporal;
};

static void run_piece(void *arg, size_t index)
{
    const struct dynamic_job *job = arg;
    const size_t first = index * job->rows_a_piece, left = job->work->rows - first;

    job->run(&(struct dynamic_rows){.work = job->work,
                                    .first = first,
                                    .count = left < job->rows_a_piece ? left : job->rows_a_piece,
                                    .ahead_bytes = job->ahead_bytes,
                                    .non_temporal = job->non_temporal});
}

void dynamic_run(struct pool *pool, const struct dynamic_way *way, const struct dynamic_work *work)
{
    const bool int4 = work->dst == PEER_I4;
    const bool lines =
        (uintptr_t)work->q % LINE_BYTES == 0 && peer_dst_bytes(work->dst, work->columns) % LINE_BYTES == 0;
    struct dynamic_job job = {.work = work, .ahead_bytes = way->ahead_bytes};

    if (work->rows == 0 || work->columns == 0)
        return;
    job.run = loops_of(way->isa)->run[work->src][int4][work->symmetric][way->blocks];
    job.non_temporal = way->non_temporal && lines;
    job.rows_a_piece = work->columns < PIECE_ELEMENTS ? PIECE_ELEMENTS / work->columns : 1;
    pool_run(pool, (work->rows + job.rows_a_piece - 1) / job.rows_a_piece, run_piece, &job);
}

static double time_of(struct pool *pool, const struct dynamic_way *way, const struct dynamic_work *work)
{
    const double start = now_s();

    dynamic_run(pool, way, work);
    return now_s() - start;
}

/* The ways are run in turn, several times over, so that a slow moment of the machine meets all of them. */
static struct dynamic_way fastest(struct pool *pool, const struct dynamic_work *work,
                                  const struct dynamic_way *ways, size_t count)
{
    double best_s[MOST_WAYS];
    size_t best = 0;

    for (int round = 0; round < SCREENINGS; round++) {
        for (size_t i = 0; i < count; i++) {
            const double took = time_of(pool, &ways[i], work);
            best_s[i] = round == 0 || took < best_s[i] ? took : best_s[i];
        }
    }
    for (size_t i = 1; i < count; i++)
        best = best_s[i] < best_s[best] ? i : best;
    return ways[best];
}

/* The form first, then how far ahead. */
struct dynamic_way dynamic_find_way(struct pool *pool, const struct dynamic_work *work)
{
    static const unsigned ahead_bytes[] = {0, 1024, 2048, 4096, 6144, 8192, 12288};
    enum { AHEADS = sizeof ahead_bytes / sizeof *ahead_bytes };
    struct dynamic_way forms[MOST_WAYS], aheads[AHEADS];
    const enum isa isa = isa_best(), next = isa > ISA_PLAIN ? isa - 1 : isa;

    for (unsigned i = 0; i < MOST_WAYS; i++)
        forms[i] = (struct dynamic_way){i & 4 ? next : isa, 6144, (i & 1) != 0, (i & 2) != 0};
    forms[0] = fastest(pool, work, forms, MOST_WAYS);
    for (size_t i = 0; i < AHEADS; i++) {
        aheads[i] = forms[0];
        aheads[i].ahead_bytes = ahead_bytes[i];
    }
    return fastest(pool, work, aheads, AHEADS);
}
