/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs the host once its kernel is built, beside the bare OpenCL calls that it must make:
 *
 *   host_cost [--only TEXT] [--json FILE]
 *
 * The queue is held back meanwhile: the device's threads would otherwise compete for the processors, and
 * identical code then differs by a third from itself. */
#include "args/dynamic_quantize.h"
#include "args/quantize.h"
#include "call.h"
#include "race.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <words.h>

/* Written by CMakeLists.txt from bare.cl. */
static const char source[] = {
#include "bare_cl.inc"
};

enum { ROUNDS = 41, ENQUEUES = 128, LAYERS = 64 /* keys and values of 32 */, MIB = 1 << 20 };
enum way { BY_CALL, BY_PLAN, BY_PLAN_THAT_BINDS, BY_LIST, WAYS };

static const char *const notes[WAYS] = {"a call", "a plan", "a plan, another place of x",
                                        "64 plans by one call"};

struct subject {
    struct bench_call call;
    enum way way;
    struct clq_plan_call plans[LAYERS];
    cl_kernel bare;
    cl_uint buffers; /* of the bare kernel, and the bytes of its arguments */
    size_t args_bytes;
};

static bool enqueue_bare(struct bench *bench, const struct subject *subject)
{
    static const char args[sizeof(struct quantize_args) + sizeof(struct dynamic_quantize_args)];
    const size_t one = 1;
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < subject->buffers && code == CL_SUCCESS; i++)
        code = clSetKernelArg(subject->bare, i, sizeof(cl_mem), i % 2 ? &bench->y : &bench->x);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(subject->bare, subject->buffers, subject->args_bytes, args);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(bench->queue, subject->bare, 1, NULL, &one, &one, 0, NULL, NULL);
    return device_check(bench, "a bare enqueue", code);
}

static bool enqueue_ours(struct bench *bench, struct subject *subject)
{
    struct bench_call *c = &subject->call;
    const enum role moved = c->row.operation == DEQUANTIZE ? OUT : IN;
    const bool binds = subject->way == BY_PLAN_THAT_BINDS;
    struct clq_binding x;

    if (subject->way == BY_CALL)
        return call_enqueue(bench, c, NULL);
    if (subject->way == BY_LIST)
        return library_check(bench,
                             clq_plan_enqueue_all(bench->queue, LAYERS, subject->plans, 0, NULL, NULL));
    call_next(bench, c);
    x = (struct clq_binding){call_field_at(c, operation_rows[c->row.operation].tensors[moved]),
                             c->tensors[moved].data, c->tensors[moved].byte_offset};
    return library_check(
        bench, clq_plan_enqueue(subject->plans->plan, bench->queue, binds, binds ? &x : NULL, 0, NULL, NULL));
}

/* The host's seconds for as many kernels of either. */
static bool time_block(struct bench *bench, struct subject *subject, bool bare, double *seconds)
{
    const int step = subject->way == BY_LIST && !bare ? LAYERS : 1;
    const double start = now_s();

    for (int i = 0; i < ENQUEUES; i += step)
        if (bare ? !enqueue_bare(bench, subject) : !enqueue_ours(bench, subject))
            return false;
    *seconds = (now_s() - start) / ENQUEUES;
    return true;
}

/* A block of each behind a gate, the other one first in every second round. */
static bool time_round(struct bench *bench, struct subject *subject, int round, double seconds[2])
{
    cl_int code = CL_SUCCESS;
    cl_event gate = clCreateUserEvent(clq_context_cl(bench->context), &code), done = NULL;
    bool right;

    if (code == CL_SUCCESS)
        code = clEnqueueBarrierWithWaitList(bench->queue, 1, &gate, NULL);
    right = device_check(bench, "holding the queue back", code);
    for (int turn = 0; turn < 2 && right; turn++) {
        const bool bare = (turn + round) % 2;

        right = time_block(bench, subject, bare, &seconds[bare]);
    }
    code = clEnqueueMarkerWithWaitList(bench->queue, 0, NULL, &done);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    return device_check(bench, "clEnqueueMarkerWithWaitList", code) && device_wait(bench, done) && right;
}

static bool time_all(struct bench *bench, struct subject *subject, struct report_row *row)
{
    double ours[ROUNDS], ratios[ROUNDS];

    for (int round = -1; round < ROUNDS; round++) {
        double seconds[2] = {0};

        if (!time_round(bench, subject, round + 1, seconds))
            return false;
        if (round >= 0) {
            ours[round] = seconds[0];
            ratios[round] = seconds[0] / seconds[1];
        }
    }
    call_describe(&subject->call, row);
    row->median_s = median(ours, ROUNDS);
    row->peer = "bare-enqueue";
    row->ratio = median(ratios, ROUNDS);
    return true;
}

/* As many buffers and bytes of arguments as the kernel of rows that find their scales has, or that of all
 * others. */
static bool make_bare(struct bench *bench, struct subject *subject)
{
    const bool dynamic = subject->call.row.operation == DYNAMIC_SCATTER;
    cl_device_id device = clq_context_device(bench->context);
    const char *text = source;
    const size_t length = sizeof source;
    char options[64];
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(clq_context_cl(bench->context), 1, &text, &length, &code);

    subject->buffers = dynamic ? 8 : 7;
    subject->args_bytes = dynamic ? sizeof(struct dynamic_quantize_args) : sizeof(struct quantize_args);
    snprintf(options, sizeof options, "-DBUFFERS=%u -DLONGS=%zu", subject->buffers, subject->args_bytes / 8);
    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        subject->bare = clCreateKernel(program, "bare", &code);
    clReleaseProgram(program);
    return device_check(bench, "the bare kernel", code);
}

static bool make_plans(struct bench *bench, struct subject *subject)
{
    const struct operator_row *of = operator_find(operation_rows[subject->call.row.operation].name);
    const int count = subject->way == BY_CALL ? 0 : subject->way == BY_LIST ? LAYERS : 1;

    for (int i = 0; i < count; i++) {
        call_next(bench, &subject->call);
        if (!library_check(bench,
                           of->plan(bench->context, subject->call.desc.bytes, &subject->plans[i].plan)))
            return false;
    }
    return true;
}

static bool measure(struct bench *bench, const struct row *row, enum way way, struct report_row *result)
{
    struct subject subject = {.way = way};
    const bool done = call_fill(bench, row) && call_begin(bench, &subject.call, row, &bench->library) &&
                      make_plans(bench, &subject) && make_bare(bench, &subject) &&
                      time_all(bench, &subject, result);

    for (int i = 0; i < LAYERS; i++)
        clq_plan_destroy(subject.plans[i].plan);
    if (subject.bare)
        clReleaseKernel(subject.bare);
    call_end(&subject.call);
    return done;
}

struct session {
    struct bench bench;
    struct report report;
    const char *only;
};

/* The rows of a step of decoding, which are one kernel each. */
static bool run_row(void *user, const struct row *of)
{
    struct session *session = user;
    struct row row = *of;
    struct report_row result;
    char label[ROW_LABEL], note[64];

    for (int way = 0; way < WAYS && strcmp(of->note, "decode, each call waited for") == 0; way++) {
        snprintf(note, sizeof note, "host cost of %s", notes[way]);
        row.note = note;
        row_label(&row, label);
        if (session->only && !holds_words(label, session->only))
            continue;
        if (!measure(&session->bench, &row, (enum way)way, &result))
            return false;
        printf("%8.2f us, %5.2f of the bare calls  %s\n", 1e6 * result.median_s, result.ratio, label);
        fflush(stdout);
        if (!report_add(&session->report, &result, &session->bench.failure))
            return false;
    }
    return true;
}

static bool run(struct session *session, const char *json)
{
    struct failure *failure = &session->bench.failure;

    if (!bench_open(&session->bench) || !rows_visit(run_row, session))
        return false;
    if (session->report.count == 0)
        return fail(failure, STATUS_USAGE, "host_cost: --only '%.100s': no row has it", session->only);
    return !json || report_write_json(&session->report, json, failure);
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"only", required_argument, NULL, 'o'}, {"json", required_argument, NULL, 'j'}, {0}};
    struct session session = {.bench = {.size_bytes = 256 * (size_t)MIB}, .report = {.type = ""}};
    struct bench *bench = &session.bench;
    const char *json = NULL;
    bool done;
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == '?') {
            complain("host_cost: [--only TEXT] [--json FILE]");
            return STATUS_USAGE;
        }
        *(option == 'o' ? &session.only : &json) = optarg;
    }
    done = run(&session, json);
    if (!done)
        complain("%s", bench->failure.text);
    bench_close(bench);
    report_clear(&session.report);
    return done ? STATUS_DONE : (int)bench->failure.status;
}
