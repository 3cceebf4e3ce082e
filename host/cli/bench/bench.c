/* SPDX-License-Identifier: Apache-2.0 */
/* clquant bench: the options, and the rows in their order. */
#include "bench.h"

#include "../build_log.h"
#include "../commands.h"
#include "../output_file.h"
#include "../words.h"
#include "data.h"
#include "limit.h"
#include "timing.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_MIB = 1024, MOST_MIB = 1 << 20, MOST_SECONDS = 1000000 };

static bool (*const groups[])(struct bench *bench) = {first_call_rows, host_cost_rows, layers_cost_rows,
                                                      measure_rows};

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
                           "  --plot FILE  the shares of the stream loop as bars, an SVG drawn by gnuplot\n";

bool bench_wants(struct bench *bench, const char *label)
{
    if (bench->options.only && !holds_words(label, bench->options.only))
        return false;
    if (bench->counting) {
        bench->rows_found++;
        return false;
    }
    if (bench->options.seconds > 0 && now_s() >= bench->end_s) {
        bench->report.not_run++;
        return false;
    }
    progress_show(&bench->progress, label, bench->rows_done, bench->rows_found);
    return true;
}

bool bench_add(struct bench *bench, const struct report_row *row)
{
    progress_end(&bench->progress);
    bench->rows_done++;
    report_print_row(row);
    if (!report_add(&bench->report, row))
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a row");
    return bench->options.seconds == 0 || !bench->options.json_path ||
           report_write_json(&bench->report, bench->options.json_path, &bench->failure);
}

static bool run_groups(struct bench *bench)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!groups[i](bench))
            return false;
    return true;
}

static bool count_rows(struct bench *bench)
{
    bench->counting = true;
    run_groups(bench);
    bench->counting = false;
    return bench->rows_found > 0 ||
           fail(&bench->failure, STATUS_USAGE, "bench: --only '%.100s': no row has it", bench->options.only);
}

static bool write_results(struct bench *bench)
{
    const struct bench_options *options = &bench->options;

    return (!options->json_path || report_write_json(&bench->report, options->json_path, &bench->failure)) &&
           (!options->plot_path || report_plot(&bench->report, options->plot_path, &bench->failure));
}

static bool can_write_results(struct bench *bench)
{
    const struct bench_options *options = &bench->options;

    return (!options->json_path || output_file_possible("--json", options->json_path, &bench->failure)) &&
           (!options->plot_path || report_can_plot(options->plot_path, &bench->failure));
}

static bool run(struct bench *bench)
{
    bench->end_s = now_s() + (double)bench->options.seconds;
    if (!count_rows(bench) || !can_write_results(bench) || !bench_open_device(bench) || !data_create(bench) ||
        !data_fill(bench, F32) || !limit_measure_copies(bench))
        return false;
    report_print_head(&bench->report);
    if (!run_groups(bench))
        return false;
    if (bench->report.not_run > 0)
        printf("\n%zu rows not run: %zu seconds were over\n", bench->report.not_run, bench->options.seconds);
    return write_results(bench);
}

static bool parse_number(const char *text, unsigned long most, size_t *number)
{
    char *end = NULL;
    unsigned long parsed = 0;

    errno = 0;
    parsed = strtoul(text, &end, 10);
    *number = (size_t)parsed;
    return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && parsed >= 1 && parsed <= most;
}

static bool parse_size(const char *text, size_t *size_bytes)
{
    size_t mib = 0;
    const bool good = parse_number(text, MOST_MIB, &mib);

    *size_bytes = mib << 20;
    return good;
}

/* Returns -1 where the run goes on, else the exit status. */
static int parse_options(int argc, char **argv, struct bench_options *options, bool *first_call)
{
    static const struct option known[] = {{"device", required_argument, NULL, 'd'},
                                          {"only", required_argument, NULL, 'o'},
                                          {"size", required_argument, NULL, 's'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"plot", required_argument, NULL, 'p'},
                                          {"first-call", no_argument, NULL, 'f'},
                                          {"seconds", required_argument, NULL, 't'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    int option = 0;

    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        if (option == 'd') {
            options->device_text = optarg;
        } else if (option == 'o') {
            options->only = optarg;
        } else if (option == 'j') {
            options->json_path = optarg;
        } else if (option == 'p') {
            options->plot_path = optarg;
        } else if (option == 'f') {
            *first_call = true;
        } else if (option == 'h') {
            fputs(help, stdout);
            return STATUS_DONE;
        } else if (option == 't' ? !parse_number(optarg, MOST_SECONDS, &options->seconds)
                                 : option != 's' || !parse_size(optarg, &options->size_bytes)) {
            complain("bench: %s'%.100s': see clquant bench --help; --size is from 1 to %d, --seconds to %d",
                     option == 's'   ? "--size "
                     : option == 't' ? "--seconds "
                                     : "",
                     argv[optind - 1], MOST_MIB, MOST_SECONDS);
            return STATUS_USAGE;
        }
    }
    if (optind == argc)
        return -1;
    complain("bench: '%.100s': no argument is expected", argv[optind]);
    return STATUS_USAGE;
}

int bench_main(int argc, char **argv)
{
    struct limit limit = {0};
    struct bench bench = {.options = {.size_bytes = (size_t)DEFAULT_MIB << 20}, .limit = &limit};
    bool first_call = false, done = false;
    const int status = parse_options(argc, argv, &bench.options, &first_call);

    if (status >= 0)
        return status;
    if (first_call)
        return first_call_main(bench.options.device_text);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a long run may be read from a file while it goes on, or be ended */
    progress_begin(&bench.progress);
    done = run(&bench);
    progress_end(&bench.progress);
    if (!done && !bench.log)
        bench.log = take_build_log(bench.failure.code, bench.failure.text, bench.context);
    if (!done)
        complain("%s", bench.failure.text);
    say_log(bench.log);
    limit_clear(&limit);
    data_destroy(&bench);
    bench_close_device(&bench);
    report_clear(&bench.report);
    return done ? STATUS_DONE : (int)bench.failure.status;
}
