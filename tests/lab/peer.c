/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the peer's work among threads, and finds the fastest way to run it. */
#include "peer.h"

#include "peer_loops.h"
#include "timing.h"

#include <stdint.h>

enum {
    PIECE_ELEMENTS = 1 << 19, /* one piece of work of a thread; a multiple of every line of results */
    MOST_TILE_ROWS = 4,
    SCREENINGS = 3, /* runs of every way, of which the best counts */
    MOST_WAYS = 8,
    LINE_BYTES = 64,
};

size_t peer_src_bytes(enum peer_src src, size_t elements)
{
    return elements * (src == PEER_F32 ? 4 : 2);
}

size_t peer_dst_bytes(enum peer_dst dst, size_t elements)
{
    switch (dst) {
    case PEER_I32:
        return elements * 4;
    case PEER_I4:
        return elements / 2;
    default:
        return elements;
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static const struct peer_loops *loops_of(enum isa isa)
{
#ifdef BENCH_X86
    if (isa == ISA_AVX512)
        return &peer_loops_avx512;
    if (isa == ISA_AVX2)
        return &peer_loops_avx2;
#endif
    (void)isa;
    return &peer_loops_plain;
}

/* Long rows are cut, short ones go together. */
struct peer_job {
    struct peer_work work;
    peer_loop *run;
    size_t ahead_bytes;
    size_t cuts_a_row, rows_a_piece, tile_rows;
};

static const float *scale_at(const struct peer_work *work, size_t row, size_t column)
{
    switch (work->scale_kind) {
    case PEER_SCALE_EACH:
        return work->scale + column;
    case PEER_SCALE_ROW:
        return work->scale + row % work->scales;
    default:
        return work->scale;
    }
}

static size_t y_row_of(const struct peer_places *places, size_t row)
{
    const int32_t *pair = places->pairs + 2 * (row / places->rows);

    return ((size_t)pair[0] * places->batch + (size_t)pair[1]) * places->rows + row % places->rows;
}

static void run_piece(void *arg, size_t index)
{
    const struct peer_job *job = arg;
    const struct peer_work *work = &job->work;
    size_t row = index / job->cuts_a_row * job->rows_a_piece,
           end = smaller(row + job->rows_a_piece, work->rows);
    size_t column = index % job->cuts_a_row * PIECE_ELEMENTS;
    struct peer_tile tile = {
        .columns = smaller(work->columns - column, PIECE_ELEMENTS),
        .x_stride = work->row_stride,
        .y_stride_bytes = peer_dst_bytes(work->dst, work->columns),
        .ahead_bytes = job->ahead_bytes,
    };

    for (; row < end; row += tile.rows) {
        size_t y_row = work->places ? y_row_of(work->places, row) : row;
        size_t x_at = row * work->row_stride + column, y_at = y_row * work->columns + column;

        tile.rows = smaller(job->tile_rows, end - row);
        if (work->places)
            tile.rows = smaller(tile.rows, work->places->rows - row % work->places->rows);
        tile.last = row + tile.rows == end;
        tile.x = (const uint8_t *)work->x + peer_src_bytes(work->src, x_at);
        tile.y = (uint8_t *)work->y + peer_dst_bytes(work->dst, y_at);
        tile.scale = scale_at(work, row, column);
        job->run(&tile);
    }
}

/* Dense rows with one scale for all are one long row. */
static struct peer_work flattened(const struct peer_work *work)
{
    struct peer_work flat = *work;

    if (work->scale_kind == PEER_SCALE_ONE && work->row_stride == work->columns) {
        flat.columns = flat.row_stride = work->rows * work->columns;
        flat.rows = work->rows > 0;
    }
    return flat;
}

void peer_run(struct pool *pool, const struct peer_way *way, const struct peer_work *given)
{
    struct peer_job job = {.work = flattened(given), .ahead_bytes = way->ahead_bytes, .tile_rows = 1};
    struct peer_work *work = &job.work;
    bool each = work->scale_kind == PEER_SCALE_EACH;
    bool lines = (uintptr_t)work->y % LINE_BYTES == 0 &&
                 (work->rows == 1 || peer_dst_bytes(work->dst, work->columns) % LINE_BYTES == 0);
    size_t groups;

    if (work->rows == 0 || work->columns == 0)
        return;
    job.run = loops_of(way->isa)->run[work->src][work->dst][work->divide][each][way->non_temporal && lines];
    if (each && way->tile_rows > 1)
        job.tile_rows = way->tile_rows;
    job.cuts_a_row = (work->columns + PIECE_ELEMENTS - 1) / PIECE_ELEMENTS;
    job.rows_a_piece = PIECE_ELEMENTS / smaller(work->columns, PIECE_ELEMENTS);
    if (job.rows_a_piece < job.tile_rows)
        job.rows_a_piece = job.tile_rows;
    groups = (work->rows + job.rows_a_piece - 1) / job.rows_a_piece;
    pool_run(pool, groups * job.cuts_a_row, run_piece, &job);
}

static double time_of(struct pool *pool, const struct peer_way *way, const struct peer_work *work)
{
    double start = now_s();

    peer_run(pool, way, work);
    return now_s() - start;
}

/* The ways are run in turn, several times over, so that a slow moment of the machine meets all of them. */
static struct peer_way fastest(struct pool *pool, const struct peer_work *work, const struct peer_way *ways,
                               size_t count)
{
    double best_s[MOST_WAYS];
    size_t best = 0;

    for (int round = 0; round < SCREENINGS; round++) {
        for (size_t i = 0; i < count; i++) {
            double took = time_of(pool, &ways[i], work);
            best_s[i] = round == 0 || took < best_s[i] ? took : best_s[i];
        }
    }
    for (size_t i = 1; i < count; i++)
        best = best_s[i] < best_s[best] ? i : best;
    return ways[best];
}

/* One choice after the other: all together would take longer than what they are for. */
struct peer_way peer_find_way(struct pool *pool, const struct peer_work *work)
{
    static const unsigned ahead_bytes[] = {0, 1024, 2048, 4096, 8192, 16384};
    enum isa isa = isa_best(), next = isa > ISA_PLAIN ? isa - 1 : isa;
    struct peer_way way,
        by_isa[] = {
            {isa, 4096, true, 1}, {isa, 4096, false, 1}, {next, 4096, true, 1}, {next, 4096, false, 1}};
    struct peer_way by_ahead[sizeof ahead_bytes / sizeof *ahead_bytes];

    way = fastest(pool, work, by_isa, sizeof by_isa / sizeof *by_isa);
    for (size_t i = 0; i < sizeof ahead_bytes / sizeof *ahead_bytes; i++) {
        by_ahead[i] = way;
        by_ahead[i].ahead_bytes = ahead_bytes[i];
    }
    way = fastest(pool, work, by_ahead, sizeof ahead_bytes / sizeof *ahead_bytes);
    if (work->scale_kind == PEER_SCALE_EACH) {
        struct peer_way by_rows[] = {way, way, way};

        by_rows[1].tile_rows = 2;
        by_rows[2].tile_rows = MOST_TILE_ROWS;
        way = fastest(pool, work, by_rows, sizeof by_rows / sizeof *by_rows);
    }
    return way;
}
