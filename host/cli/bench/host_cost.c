/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs the host once its kernel is built, beside the bare OpenCL calls that it must make. The
 * queue is held back meanwhile: the device's threads would otherwise compete for the processors, and
 * identical code then differs by a third from itself. */
#include "bare.h"
#include "call.h"
#include "data.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 100, ROUNDS = 41 };

/* A call, and the bare one beside it, with the buffers of the operator's kernel in its order. */
struct subject {
    struct call call;
    clq_plan *plan; /* NULL: the operator's call is measured */
    bool binds;     /* another piece of x each time */
    struct bare bare;
};

/* The scatters are a step of decoding, with 1-D indices, so that a call is one kernel. */
static const struct row rows[] = {
    {QUANTIZE, F32, I8, DIVIDE, PER_LAST_AXIS, .columns = 128, .rows = 1, .note = "host cost"},
    {QUANTIZE_SCATTER, F16, I8, DIVIDE, PER_LAST_AXIS, .columns = 128, .placement = STARTS, .batches = 24,
     .length = 4096, .entries = 24, .update_length = 1, .note = "host cost, decode"},
    {DYNAMIC_QUANTIZE_SCATTER, F16, I4, ASYMMETRIC, PER_ROW, .columns = 128, .heads = 8, .placement = STARTS,
     .batches = 64, .length = 32768, .entries = 64, .update_length = 1, .note = "host cost, decode"},
    {DEQUANTIZE, I4, F16, DYNAMIC, PER_ROW, .columns = 128, .heads = 8, .placement = STARTS, .batches = 64,
     .length = 32768, .entries = 64, .update_length = 1, .note = "host cost, gathered decode"},
};

static void describe_bare(const struct bench *bench, struct subject *subject)
{
    const struct call *call = &subject->call;
    const bool dynamic = call->row.operation == DYNAMIC_QUANTIZE_SCATTER;
    const cl_mem places = call->places.buffer, x = bench->x, y = bench->y;
    const cl_mem of_static[BARE_BUFFERS] = {x, call->scales.data, NULL, y, places};
    const cl_mem of_dynamic[BARE_BUFFERS] = {x, NULL, y, y, y, places};

    subject->bare = bare_of(dynamic);
    memcpy(subject->bare.buffers, dynamic ? of_dynamic : of_static, sizeof subject->bare.buffers);
}

static bool enqueue_ours(struct bench *bench, struct subject *subject)
{
    struct clq_binding x;
    clq_status status;

    if (!subject->plan)
        return call_enqueue(bench, &subject->call, NULL);
    if (subject->binds)
        x = call_bind_next(bench, &subject->call);
    status = clq_plan_enqueue(subject->plan, bench->queue, subject->binds, subject->binds ? &x : NULL, 0,
                              NULL, NULL);
    return library_check(bench, status);
}

static bool call_block(struct bench *bench, struct subject *subject, bool bare)
{
    for (int i = 0; i < CALLS; i++)
        if (bare ? !device_check(bench, "a bare enqueue", bare_enqueue(bench, &subject->bare))
                 : !enqueue_ours(bench, subject))
            return false;
    return true;
}

/* One block of each, the other one first in every second round. */
static bool time_round(struct bench *bench, struct subject *subject, int round, double seconds[2])
{
    cl_event gate = NULL;
    bool done = gate_close(bench, &gate);

    for (int turn = 0; turn < 2 && done; turn++) {
        const int bare = (turn + round) % 2;
        const double start = now_s();

        done = call_block(bench, subject, bare != 0);
        seconds[bare] = (now_s() - start) / (double)CALLS;
    }
    return gate && gate_open(bench, gate) && done;
}

static bool measure(struct bench *bench, struct subject *subject)
{
    double ours[ROUNDS], ratios[ROUNDS];
    struct report_row row;

    for (int round = -1; round < ROUNDS; round++) {
        double seconds[2] = {0};

        if (!time_round(bench, subject, round + 1, seconds))
            return false;
        if (round >= 0) {
            ours[round] = seconds[0];
            ratios[round] = seconds[0] / seconds[1];
        }
    }
    call_describe(&subject->call, &row);
    row.median_s = median(ours, ROUNDS);
    row.vs[0].name = "bare-enqueue";
    row.vs[0].ratio = median(ratios, ROUNDS);
    row.peers = 1;
    return bench_add(bench, &row);
}

enum way { BY_CALL, BY_PLAN, BY_PLAN_THAT_BINDS, WAYS };

static bool run_row(struct bench *bench, const struct row *row, enum way way)
{
    struct subject subject = {.binds = way == BY_PLAN_THAT_BINDS};
    bool done = call_fill(bench, row) && call_begin(bench, &subject.call, row, &bench->library) &&
                (way == BY_CALL || call_plan(bench, &subject.call, &subject.plan));

    if (done) {
        describe_bare(bench, &subject);
        done = bare_begin(bench, &subject.bare) && measure(bench, &subject);
    }
    bare_end(&subject.bare);
    clq_plan_destroy(subject.plan);
    call_end(&subject.call);
    return done;
}

bool host_cost_rows(struct bench *bench)
{
    static const char *const before[WAYS] = {"", "plan, ", "plan, another place of x, "};
    char label[256], note[128];

    for (size_t i = 0; i < WAYS * sizeof rows / sizeof *rows; i++) {
        const enum way way = (enum way)(i % WAYS);
        struct row row = rows[i / WAYS];

        snprintf(note, sizeof note, "%s%s", before[way], row.note);
        row.note = note;
        row_label(&row, label, sizeof label);
        if (bench_wants(bench, label) && !run_row(bench, &row, way))
            return false;
    }
    return true;
}
