/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of decoding costs that quantizes the keys and values of all layers, beside a call for each of
 * them and beside as many bare OpenCL calls. As in host_cost.c the queue is held back while the host is
 * timed. */
#include "bare.h"
#include "commands.h"
#include "layers.h"
#include "timing.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 4, ROUNDS = 21 }; /* steps behind a gate: a command buffer may not be pending twice */

enum way { ONE_BUFFER, LIST, REPLAYED, WAYS };
enum contestant { OURS, CALLS, BARE, CONTESTANTS };

struct subject {
    enum way way;
    struct layers layers;
    struct clq_plan_call calls[LAYERS_CACHES];
    struct _cl_command_buffer_khr *commands[STEPS];
    struct bare bare;
};

static const struct layers_row {
    bool dynamic;
    int64_t batch;
} rows[] = {{false, 1}, {false, 8}, {true, 1}, {true, 8}};

static const char *const notes[WAYS] = {"plan, host cost, 64 caches in one buffer",
                                        "plan, host cost, 64 caches by one call",
                                        "plan, host cost, 64 caches replayed"};

static bool check(struct bench *bench, clq_status status)
{
    return library_check(bench, status);
}

static bool record(struct bench *bench, struct subject *subject)
{
    for (int i = 0; i < STEPS; i++)
        if (!commands_create(bench, &subject->commands[i]) ||
            !check(bench,
                   clq_plan_record_all(subject->commands[i], LAYERS_CACHES, subject->calls, 0, NULL, NULL)) ||
            !commands_finalize(bench, subject->commands[i]))
            return false;
    return true;
}

static bool enqueue_ours(struct bench *bench, struct subject *subject, int step)
{
    switch (subject->way) {
    case ONE_BUFFER:
        return check(bench,
                     clq_plan_enqueue(subject->layers.whole.plan, bench->queue, 0, NULL, 0, NULL, NULL));
    case LIST:
        return check(bench, clq_plan_enqueue_all(bench->queue, LAYERS_CACHES, subject->calls, 0, NULL, NULL));
    default:
        return commands_enqueue(bench, subject->commands[step]);
    }
}

static bool enqueue(struct bench *bench, struct subject *subject, enum contestant contestant, int step)
{
    bool done = true;

    if (contestant == OURS)
        return enqueue_ours(bench, subject, step);
    for (int i = 0; i < LAYERS_CACHES && done; i++)
        done = contestant == BARE ? device_check(bench, "a bare enqueue", bare_enqueue(bench, &subject->bare))
                                  : layers_call(bench, &subject->layers, &subject->layers.each[i]);
    return done;
}

/* The host's seconds of a step of each, another one first in every round. */
static bool time_host(struct bench *bench, struct subject *subject, int round, double seconds[CONTESTANTS])
{
    cl_event gate = NULL;
    bool done = gate_close(bench, &gate);

    for (int turn = 0; turn < CONTESTANTS && done; turn++) {
        const enum contestant contestant = (enum contestant)((turn + round) % CONTESTANTS);
        const double start = now_s();

        for (int step = 0; step < STEPS && done; step++)
            done = enqueue(bench, subject, contestant, step);
        seconds[contestant] = (now_s() - start) / (double)STEPS;
    }
    return gate && gate_open(bench, gate) && done;
}

/* The device's, of steps that are all enqueued before the first of them begins. */
static bool time_device(struct bench *bench, struct subject *subject, int round, double seconds[CONTESTANTS])
{
    bool done = true;

    for (int turn = 0; turn < 2 && done; turn++) {
        const enum contestant contestant = (turn + round) % 2 ? OURS : CALLS;
        cl_event gate = NULL;
        double start;

        done = gate_close(bench, &gate);
        for (int step = 0; step < STEPS && done; step++)
            done = enqueue(bench, subject, contestant, step);
        start = now_s();
        done = gate && gate_open(bench, gate) && done;
        seconds[contestant] = now_s() - start;
    }
    return done;
}

/* Ours leaves what calls for each leave. */
static bool check_bytes(struct bench *bench, struct subject *subject)
{
    const struct layers *layers = &subject->layers;

    if (!layers_clear(bench, layers) || !enqueue_ours(bench, subject, 0))
        return false;
    return (subject->way == ONE_BUFFER ? enqueue(bench, subject, CALLS, 0)
                                       : layers_call(bench, layers, &layers->whole)) &&
           layers_check(bench, layers);
}

static bool measure(struct bench *bench, struct subject *subject, struct report_row *row)
{
    static const char *const names[] = {"bare-enqueue", "calls", "calls-on-device"};
    double ours[ROUNDS], ratios[3][ROUNDS];

    for (int round = -1; round < ROUNDS; round++) {
        double host[CONTESTANTS] = {0}, device[CONTESTANTS] = {0};

        if (!time_host(bench, subject, round + 1, host) || !time_device(bench, subject, round + 1, device))
            return false;
        if (round < 0)
            continue;
        ours[round] = host[OURS];
        ratios[0][round] = host[OURS] / host[BARE];
        ratios[1][round] = host[OURS] / host[CALLS];
        ratios[2][round] = device[OURS] / device[CALLS];
    }
    row->median_s = median(ours, ROUNDS);
    row->peers = sizeof names / sizeof *names;
    for (size_t i = 0; i < row->peers; i++) {
        row->vs[i].name = names[i];
        row->vs[i].ratio = median(ratios[i], ROUNDS);
    }
    return true;
}

static void describe_bare(struct subject *subject)
{
    const struct layers_part *part = &subject->layers.each[0];
    const cl_mem *buffers = part->buffers;
    const cl_mem of_static[BARE_BUFFERS] = {buffers[LAYERS_UPDATES], buffers[LAYERS_SCALES], NULL,
                                            buffers[LAYERS_CACHE], subject->layers.places};
    const cl_mem of_dynamic[BARE_BUFFERS] = {buffers[LAYERS_UPDATES], NULL,
                                             buffers[LAYERS_CACHE],   buffers[LAYERS_SCALES],
                                             buffers[LAYERS_OFFSETS], subject->layers.places};

    subject->bare = bare_of(subject->layers.dynamic);
    memcpy(subject->bare.buffers, subject->layers.dynamic ? of_dynamic : of_static,
           sizeof subject->bare.buffers);
}

static bool begin(struct bench *bench, struct subject *subject, const struct layers_row *row)
{
    if (!layers_begin(bench, &subject->layers, row->dynamic, row->batch))
        return false;
    for (int i = 0; i < LAYERS_CACHES; i++)
        subject->calls[i] = (struct clq_plan_call){.plan = subject->layers.each[i].plan};
    describe_bare(subject);
    return bare_begin(bench, &subject->bare) && (subject->way != REPLAYED || record(bench, subject));
}

static void end(struct bench *bench, struct subject *subject)
{
    clFinish(bench->queue);
    for (int i = 0; i < STEPS; i++)
        commands_release(bench, subject->commands[i]);
    bare_end(&subject->bare);
    layers_end(&subject->layers);
}

static bool run_row(struct bench *bench, const struct layers_row *of, enum way way, struct report_row *row)
{
    struct subject subject = {.way = way};
    bool done = begin(bench, &subject, of);

    if (done) {
        const DLTensor *cache = &subject.layers.whole.cache;

        row->ndim = cache->ndim;
        memcpy(row->shape, cache->shape, (size_t)cache->ndim * sizeof *cache->shape);
        done = check_bytes(bench, &subject) && measure(bench, &subject, row) && bench_add(bench, row);
    }
    end(bench, &subject);
    return done;
}

bool layers_cost_rows(struct bench *bench)
{
    for (size_t i = 0; i < WAYS * sizeof rows / sizeof *rows; i++) {
        const enum way way = (enum way)(i % WAYS);
        const struct layers_row *of = &rows[i / WAYS];
        struct report_row row = {.operator_name =
                                     of->dynamic ? "dynamic_quantize_scatter" : "quantize_scatter",
                                 .src = "float16",
                                 .dst = of->dynamic ? "int4" : "int8",
                                 .mode = of->dynamic ? "asymmetric" : "divide"};
        char label[256];

        snprintf(row.note, sizeof row.note, "%s, batch %d", notes[way], (int)of->batch);
        snprintf(label, sizeof label, "%s %s to %s, %s, %s", row.operator_name, row.src, row.dst, row.mode,
                 row.note);
        if ((bench->counting || way != REPLAYED || commands_exist(bench)) && bench_wants(bench, label) &&
            !run_row(bench, of, way, &row))
            return false;
    }
    return true;
}
