/* SPDX-License-Identifier: Apache-2.0 */
/* clquant bench: the options, and the rows in their order. */
#include "bench.h"

#include "../arguments.h"
#include "../build_log.h"
#include "../commands.h"
#include "../output_file.h"
#include "../progress.h"
#include "../words.h"
#include "call.h"
#include "limit.h"

#include <inttypes.h>
#include <stdio.h>

enum { LEAST_SHARE = 32 /* of x */, DEFAULT_MIB = 1024, MOST_MIB = 1 << 20, MOST_SECONDS = 1000000 };

static const char help[] = "clquant bench [--device KIND|N|TEXT] [--only TEXT] [--size MIB] [--seconds N]\n"
                           "              [--json FILE] [--plot FILE.svg]\n\n"
                           "Measures every operator beside what the device's memory allows: a loop that\n"
                           "reads and writes the same bytes and computes nothing.\n\n"
                           "  --only TEXT  rows that hold every word of TEXT, or words that begin so:\n"
                           "               \"float16 int4 multiply\"; without those behind a -:\n"
                           "               \"float16 -multiply\"\n"
                           "  --size MIB   of input, 1024 where left out; no more than the device's largest\n"
                           "               buffer is used. What fits into the caches says nothing about\n"
                           "               memory\n"
                           "  --seconds N  begins no row once N seconds are over, and says how many are\n"
                           "               left; FILE is written after each row, so that a row that fails\n"
                           "               or never ends leaves those before it\n"
                           "  --json FILE  the results as JSON\n"
                           "  --plot FILE  the shares of the stream loop as bars, an SVG\n";

/* A run of the command. */
struct session {
    struct bench bench;
    const char *only; /* words that a row's label must hold; NULL: every row */
    const char *json_path, *plot_path;
    uint64_t seconds; /* after which no row begins; 0: without end */
    double end_s;     /* of now_s, where they are over */
    size_t rows_found, rows_done;
    struct progress progress;
    struct limit limit;
    struct report report;
};

static bool is_wanted(const struct session *session, const struct row *row, char label[ROW_LABEL])
{
    row_label(row, label);
    return !session->only || holds_words(label, session->only);
}

static bool count_row(void *user, const struct row *row)
{
    struct session *session = user;
    char label[ROW_LABEL];

    session->rows_found += is_wanted(session, row, label);
    return true;
}

/* A scatter of entries of one position, no two of a call at the same place, beside a loop at these places. On
 * a CPU a kernel of one loop is no measure. */
static bool has_places(const struct bench *bench, const struct bench_call *c)
{
    return !bench->on_host && c->places.pairs && !c->places.slots && c->row.placement != PAGES &&
           c->row.operation != DEQUANTIZE;
}

/* What allows it, where a call takes much of x: the rest stays in the caches. */
static bool race_call(struct session *session, struct bench_call *c, struct limit_mix *at_places,
                      struct report_row *result)
{
    struct bench *bench = &session->bench;
    const int64_t elements = call_position_rows(c) * c->row.columns;
    const bool has_share = c->src_bytes >= bench->x_bytes / LEAST_SHARE;
    struct race race = {0};

    race_add(&race, &(struct contestant){.run = call_run,
                                         .self = c,
                                         .bytes = (double)(c->src_bytes + c->dst_bytes + c->other_bytes) *
                                                  c->row.calls});
    if ((has_share && !limit_add(bench, &session->limit, &race, c->src_bytes, c->dst_bytes)) ||
        (has_share && has_places(bench, c) &&
         !limit_places_add(bench, &race, at_places, &c->places, row_type_bytes(c->row.src, elements),
                           row_type_bytes(c->row.dst, elements))) ||
        !race_run(bench, &race))
        return false;
    call_describe(c, result);
    result->bytes = race.list[0].bytes / c->row.calls;
    result->median_s = race_median(&race, 0) / c->row.calls;
    result->gbps = result->bytes / result->median_s * 1e-9;
    result->share_of_stream = has_share ? race_share(&race, 1) : 0;
    result->peer = race.count > 2 ? "stream-at-places" : NULL;
    result->ratio = race.count > 2 ? race_share(&race, 2) : 0;
    return true;
}

static bool measure(struct session *session, const struct row *row, struct report_row *result)
{
    struct bench *bench = &session->bench;
    struct bench_call call = {0};
    struct limit_mix at_places = {0};
    const bool done = call_fill(bench, row) && call_begin(bench, &call, row, &bench->library) &&
                      race_call(session, &call, &at_places, result);

    limit_mix_clear(&at_places);
    call_end(&call);
    return done;
}

static bool run_row(void *user, const struct row *row)
{
    struct session *session = user;
    struct failure *failure = &session->bench.failure;
    struct report_row result;
    char label[ROW_LABEL];

    if (!is_wanted(session, row, label))
        return true;
    if (session->seconds > 0 && now_s() >= session->end_s) {
        session->report.not_run++;
        return true;
    }
    progress_show(&session->progress, label, session->rows_done++, session->rows_found);
    if (!measure(session, row, &result))
        return false;
    progress_end(&session->progress);
    report_print_row(&result);
    if (!report_add(&session->report, &result, failure))
        return false;
    return session->seconds == 0 || !session->json_path ||
           report_write_json(&session->report, session->json_path, failure);
}

static void describe_device(struct session *session)
{
    struct report *report = &session->report;
    cl_device_id device = clq_context_device(session->bench.context);
    cl_device_type type = 0;

    clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof report->device, report->device, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof report->driver, report->driver, NULL);
    report->type = type & CL_DEVICE_TYPE_CPU ? "CPU" : type & CL_DEVICE_TYPE_GPU ? "GPU" : "accelerator";
    report->input_mib = (double)(session->bench.x_bytes >> 20);
}

static bool run(struct session *session)
{
    struct bench *bench = &session->bench;
    const char *json = session->json_path, *plot = session->plot_path;

    session->end_s = now_s() + (double)session->seconds;
    rows_visit(count_row, session);
    if (session->rows_found == 0)
        return fail(&bench->failure, STATUS_USAGE, "bench: --only '%.100s': no row has it", session->only);
    if ((json && !output_file_possible("--json", json, &bench->failure)) ||
        (plot && !output_file_possible("--plot", plot, &bench->failure)) || !bench_open(bench))
        return false;
    describe_device(session);
    report_print_head(&session->report);
    if (!rows_visit(run_row, session))
        return false;
    if (session->report.not_run > 0)
        printf("\n%zu rows not run: %" PRIu64 " seconds were over\n", session->report.not_run,
               session->seconds);
    return (!json || report_write_json(&session->report, json, &bench->failure)) &&
           (!plot || report_plot(&session->report, plot, &bench->failure));
}

static bool parse_options(int argc, char **argv, struct session *session, bool *wants_help)
{
    uint64_t mib = DEFAULT_MIB;
    const struct argument table[] = {
        {"device", ARGUMENT_TEXT, .to = &session->bench.device_text},
        {"only", ARGUMENT_TEXT, .to = &session->only},
        {"size", ARGUMENT_NUMBER, &mib, .least = 1, .most = MOST_MIB},
        {"seconds", ARGUMENT_NUMBER, &session->seconds, .least = 1, .most = MOST_SECONDS},
        {"json", ARGUMENT_TEXT, .to = &session->json_path},
        {"plot", ARGUMENT_TEXT, .to = &session->plot_path},
        {"help", ARGUMENT_FLAG, wants_help, .letter = 'h'},
        {.name = NULL}};
    const bool done = arguments_parse("bench", table, NULL, argc, argv, &session->bench.failure);

    session->bench.size_bytes = (size_t)mib << 20;
    return done;
}

int bench_main(int argc, char **argv)
{
    struct session session = {0};
    struct bench *bench = &session.bench;
    bool wants_help = false, done = parse_options(argc, argv, &session, &wants_help);

    if (!done)
        complain("%s", bench->failure.text);
    if (wants_help)
        fputs(help, stdout);
    if (!done || wants_help)
        return (int)bench->failure.status;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a long run may be read from a file while it goes on, or be ended */
    progress_begin(&session.progress);
    done = run(&session);
    progress_end(&session.progress);
    if (!done && !bench->log)
        bench->log = take_build_log(bench->failure.code, bench->failure.text, bench->context);
    if (!done)
        complain("%s", bench->failure.text);
    say_log(bench->log);
    limit_clear(&session.limit);
    bench_close(bench);
    report_clear(&session.report);
    return done ? STATUS_DONE : (int)bench->failure.status;
}
