/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs the host once its kernel is built, beside the bare OpenCL calls that it must make. The
 * queue is held back meanwhile: the device's threads would otherwise compete for the processors, and
 * identical code then differs by a third from itself. */
#include "args/dynamic_quantize.h"
#include "args/quantize.h"
#include "data.h"
#include "device_program.h"
#include "dynamic_case.h"
#include "scatter_case.h"
#include "timing.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = 100, ROUNDS = 41, COLUMNS = 128, MOST_BUFFERS = 8 };

struct tensors {
    int64_t shape[2], count;
    DLTensor x, y, scales;
    struct clq_quantize_desc desc;
};

static void init(const struct bench *bench, struct tensors *t)
{
    const DLDevice device = {kDLOpenCL, 0};

    t->shape[0] = 1;
    t->shape[1] = t->count = COLUMNS;
    t->x = (DLTensor){
        .data = bench->x, .device = device, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = t->shape};
    t->y =
        (DLTensor){.data = bench->y, .device = device, .ndim = 2, .dtype = {kDLInt, 8, 1}, .shape = t->shape};
    t->scales = (DLTensor){
        .data = bench->scales, .device = device, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &t->count};
    t->desc = (struct clq_quantize_desc){.x = &t->x, .scales = &t->scales, .y = &t->y, .axis = -1};
}

/* What is called, and what a bare call sets for it: the buffers of the operator's kernel, in its order, and as
 * many bytes of arguments. */
struct subject {
    bool (*call)(struct bench *bench, void *self);
    void *self;
    const char *bare; /* of bench.cl */
    size_t args_bytes;
    cl_uint num_buffers;
    cl_mem buffers[MOST_BUFFERS]; /* NULL: the operator's kernel does not touch it */
};

static bool call_quantize(struct bench *bench, void *self)
{
    const struct tensors *t = self;

    return clq_quantize(bench->context, bench->queue, &t->desc, 0, NULL, NULL) == CLQ_OK ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

static bool call_scatter(struct bench *bench, void *self)
{
    return scatter_case_call(bench, self, NULL);
}

static bool call_dynamic_scatter(struct bench *bench, void *self)
{
    return dynamic_case_call(bench, self, NULL);
}

static bool call_ours(struct bench *bench, const struct subject *subject)
{
    for (int i = 0; i < CALLS; i++)
        if (!subject->call(bench, subject->self))
            return false;
    return true;
}

static cl_int enqueue_bare(struct bench *bench, const struct subject *subject, cl_kernel kernel)
{
    static const union {
        struct quantize_args quantize;
        struct dynamic_quantize_args dynamic;
    } args;
    const size_t one = 1;
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < subject->num_buffers && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, sizeof(cl_mem), &subject->buffers[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, subject->num_buffers, subject->args_bytes, &args);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    return code;
}

static bool call_bare(struct bench *bench, const struct subject *subject, cl_kernel kernel)
{
    cl_int code = CL_SUCCESS;

    for (int call = 0; call < CALLS && code == CL_SUCCESS; call++)
        code = enqueue_bare(bench, subject, kernel);
    return device_check(bench, "a bare enqueue", code);
}

/* A driver that refuses a kernel with NULL is given another buffer there. */
static void fill_in(struct bench *bench, struct subject *subject, cl_kernel kernel)
{
    if (enqueue_bare(bench, subject, kernel) == CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < subject->num_buffers; i++)
        if (!subject->buffers[i])
            subject->buffers[i] = subject->buffers[0];
}

/* Everything enqueued from now on waits for the gate. */
static bool hold_queue(struct bench *bench, cl_event *gate)
{
    cl_int code = CL_SUCCESS;

    *gate = clCreateUserEvent(clq_context_cl(bench->context), &code);
    if (code == CL_SUCCESS)
        code = clEnqueueBarrierWithWaitList(bench->queue, 1, gate, NULL);
    return device_check(bench, "holding the queue back", code);
}

static bool release_queue(struct bench *bench, cl_event gate)
{
    cl_event done = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(bench->queue, 0, NULL, &done);

    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    return device_check(bench, "clEnqueueMarkerWithWaitList", code) && device_wait(bench, done);
}

/* One block of each, the other one first in every second round. */
static bool time_round(struct bench *bench, const struct subject *subject, cl_kernel kernel, int round,
                       double seconds[2])
{
    cl_event gate = NULL;
    bool done = hold_queue(bench, &gate);

    for (int turn = 0; turn < 2 && done; turn++) {
        const int bare = (turn + round) % 2;
        const double start = now_s();

        done = bare ? call_bare(bench, subject, kernel) : call_ours(bench, subject);
        seconds[bare] = (now_s() - start) / (double)CALLS;
    }
    return gate && release_queue(bench, gate) && done;
}

static bool measure(struct bench *bench, const struct subject *subject, cl_kernel kernel,
                    struct report_row *row)
{
    double ours[ROUNDS], ratios[ROUNDS];

    for (int round = -1; round < ROUNDS; round++) {
        double seconds[2] = {0};

        if (!time_round(bench, subject, kernel, round + 1, seconds))
            return false;
        if (round >= 0) {
            ours[round] = seconds[0];
            ratios[round] = seconds[0] / seconds[1];
        }
    }
    row->median_s = median(ours, ROUNDS);
    row->vs[0].name = "bare-enqueue";
    row->vs[0].ratio = median(ratios, ROUNDS);
    row->peers = 1;
    return bench_add(bench, row);
}

static bool measure_subject(struct bench *bench, struct subject *subject, struct report_row *row)
{
    cl_kernel kernel = NULL;
    bool done = false;

    if (!device_kernel(bench, subject->bare, 1, 1, subject->args_bytes / 8, &kernel))
        return false;
    fill_in(bench, subject, kernel);
    done = measure(bench, subject, kernel, row);
    clReleaseKernel(kernel);
    return done;
}

static bool quantize_row(struct bench *bench)
{
    struct report_row row = {.operator_name = "quantize",
                             .src = "float32",
                             .dst = "int8",
                             .mode = "divide",
                             .note = "host cost",
                             .axis = -1,
                             .has_axis = 1,
                             .ndim = 2,
                             .shape = {1, COLUMNS}};
    struct tensors tensors;
    struct subject subject = {.call = call_quantize,
                              .self = &tensors,
                              .bare = "bare_quantize",
                              .args_bytes = sizeof(struct quantize_args),
                              .num_buffers = 7,
                              .buffers = {bench->x, bench->scales, NULL, bench->y}};

    if (!bench_wants(bench, "quantize float32 to int8, divide, host cost"))
        return true;
    init(bench, &tensors);
    return data_fill(bench, PEER_F32) && measure_subject(bench, &subject, &row);
}

/* A decode step: 1-D indices, so that a call is one kernel. */
static bool scatter_row(struct bench *bench)
{
    struct scatter_case c = {.note = "host cost, decode",
                             .ndim = 3,
                             .cache_shape = {24, 4096, COLUMNS},
                             .updates_shape = {24, 1, COLUMNS},
                             .calls = 1};
    struct report_row row = {.operator_name = "quantize_scatter",
                             .src = "float16",
                             .dst = "int8",
                             .mode = "divide",
                             .note = "host cost, decode",
                             .axis = 1,
                             .has_axis = 1,
                             .ndim = 3,
                             .shape = {24, 4096, COLUMNS}};
    bool done = false;

    if (!bench_wants(bench, "quantize_scatter float16 to int8, divide, host cost, decode"))
        return true;
    if (data_fill(bench, PEER_F16) && scatter_case_init(bench, &c)) {
        struct subject subject = {.call = call_scatter,
                                  .self = &c,
                                  .bare = "bare_quantize",
                                  .args_bytes = sizeof(struct quantize_args),
                                  .num_buffers = 7,
                                  .buffers = {bench->x, bench->scales, NULL, bench->y, c.places.buffer}};

        done = measure_subject(bench, &subject, &row);
    }
    scatter_case_clear(&c);
    return done;
}

static const struct dynamic_case decode_cache = {.note = "host cost, decode",
                                                 .src = PEER_F16,
                                                 .dst = PEER_I4,
                                                 .columns = COLUMNS,
                                                 .scatters = true,
                                                 .places = {64, 32768, 64, 1, .sets = 16},
                                                 .heads = 8,
                                                 .calls = 1};

/* The same of a larger one, whose scales are found on the way. */
static bool dynamic_scatter_row(struct bench *bench)
{
    struct dynamic_case c = decode_cache;
    struct report_row row = {.operator_name = "dynamic_quantize_scatter",
                             .src = "float16",
                             .dst = "int4",
                             .mode = "asymmetric",
                             .note = "host cost, decode",
                             .axis = 1,
                             .has_axis = 1,
                             .ndim = 4};
    bool done = false;

    if (!bench_wants(bench, "dynamic_quantize_scatter float16 to int4, asymmetric, host cost, decode"))
        return true;
    if (data_fill(bench, PEER_F16) && dynamic_case_init(bench, &c)) {
        struct subject subject = {.call = call_dynamic_scatter,
                                  .self = &c,
                                  .bare = "bare_dynamic_quantize",
                                  .args_bytes = sizeof(struct dynamic_quantize_args),
                                  .num_buffers = 8,
                                  .buffers = {bench->x, NULL, bench->y, bench->y, bench->y, c.places.buffer}};

        memcpy(row.shape, c.shape, sizeof c.shape);
        done = measure_subject(bench, &subject, &row);
    }
    dynamic_case_clear(&c);
    return done;
}

/* The way back from such a cache: entries of it into x. */
struct gather {
    struct dynamic_case cache;
    DLTensor y;
    struct clq_dequantize_desc desc;
};

static void describe_gather(struct gather *g)
{
    g->y = g->cache.x;
    g->desc = (struct clq_dequantize_desc){.q = &g->cache.q,
                                           .scales = &g->cache.scale,
                                           .offsets = &g->cache.offset,
                                           .indices = &g->cache.indices,
                                           .y = &g->y,
                                           .axis = 1,
                                           .mode = CLQ_DEQUANTIZE_DYNAMIC};
}

static bool call_gather(struct bench *bench, void *self)
{
    struct gather *g = self;

    g->cache.indices.byte_offset = places_offset_bytes(&g->cache.places, g->cache.next++);
    return clq_dequantize(bench->context, bench->queue, &g->desc, 0, NULL, NULL) == CLQ_OK ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

static bool gather_row(struct bench *bench)
{
    struct gather g = {.cache = decode_cache};
    struct report_row row = {.operator_name = "dequantize",
                             .src = "int4",
                             .dst = "float16",
                             .mode = "dynamic",
                             .note = "host cost, gathered decode",
                             .axis = 1,
                             .has_axis = 1,
                             .ndim = 4};
    bool done = false;

    if (!bench_wants(bench, "dequantize int4 to float16, dynamic, host cost, gathered decode"))
        return true;
    if (dynamic_case_init(bench, &g.cache)) {
        struct subject subject = {.call = call_gather,
                                  .self = &g,
                                  .bare = "bare_quantize",
                                  .args_bytes = sizeof(struct quantize_args),
                                  .num_buffers = 7,
                                  .buffers = {bench->x, bench->y, bench->y, bench->y, g.cache.places.buffer}};

        describe_gather(&g);
        memcpy(row.shape, g.cache.shape, sizeof g.cache.shape);
        bench->filled_with = -1; /* x is what is written */
        done = measure_subject(bench, &subject, &row);
    }
    dynamic_case_clear(&g.cache);
    return done;
}

bool host_cost_rows(struct bench *bench)
{
    return quantize_row(bench) && scatter_row(bench) && dynamic_scatter_row(bench) && gather_row(bench);
}
