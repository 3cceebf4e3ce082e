/* SPDX-License-Identifier: Apache-2.0 */
/* clquant selftest: every operator, in each form and arithmetic, a line each. */
#include "line.h"

#include "../arguments.h"
#include "../build_log.h"
#include "../commands.h"
#include "../failure.h"
#include "../words.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char help[] =
    "clquant selftest [--device KIND|N|TEXT] [--only TEXT] [--seed N]\n"
    "                 [--seconds N]\n\n"
    "Compares every operator with the plain C reference, byte for byte, on a device:\n"
    "pass or fail, a line each, which is random calls that read one type and write\n"
    "another. What fails is shown on stderr. Exit status 3: a line failed. The first\n"
    "run takes its time: it builds many kernels.\n\n"
    "  --only TEXT  lines that hold every word of TEXT, or words that begin so;\n"
    "               \"these two\" are one: 'quantize_scatter \"own form\"'; without\n"
    "               those behind a -: 'quantize_scatter -\"own form\"'\n"
    "  --seed N     of the values, the time where left out; the same for the same N\n"
    "  --seconds N  ends within N seconds, if no line takes longer than those before;\n"
    "               lines of all operators in turn, from where the seed says; each\n"
    "               form has its share of the time. What was not run is summed up\n";

static const struct setting {
    const char *name;
    enum clq_form form;
    enum clq_arithmetic arithmetic;
} settings[] = {
    {"own form, own arithmetic", CLQ_FORM_AUTO, CLQ_ARITHMETIC_AUTO},
    {"item form, own arithmetic", CLQ_FORM_ITEM, CLQ_ARITHMETIC_AUTO},
    {"group form, own arithmetic", CLQ_FORM_GROUP, CLQ_ARITHMETIC_AUTO},
    {"item form, exact arithmetic", CLQ_FORM_ITEM, CLQ_ARITHMETIC_EXACT},
    {"group form, exact arithmetic", CLQ_FORM_GROUP, CLQ_ARITHMETIC_EXACT},
};

struct request {
    const char *device_text;
    const char *only; /* words that a line must hold; NULL: every line */
    uint64_t seed;
    uint64_t seconds; /* 0: without end */
};

/* Lines of an operator, or of the documented calls, which are the last. */
struct counts {
    size_t run, left_out;
};

struct totals {
    size_t lines, failed, comparisons, left_out;
    int64_t walked; /* of the lines' numbers, in all settings */
    struct counts by[OPERATORS + 1];
    double longest; /* of the lines, in seconds */
};

static double seconds_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Whether the line of the number is wanted; its name too. */
static bool is_wanted(const struct setting *setting, const char *only, int number, struct line *line,
                      char *name, size_t name_bytes)
{
    if (!line_find(number, setting == settings, line))
        return false;
    line_name(line, setting->name, name, name_bytes);
    return only == NULL || holds_words(name, only);
}

static bool has_lines(const struct setting *setting, const char *only)
{
    struct line line;
    char name[256];

    for (int number = 0; number < LINES; number++)
        if (is_wanted(setting, only, number, &line, name, sizeof name))
            return true;
    return false;
}

static void say_how_to_repeat(const struct request *request, const char *name)
{
    fprintf(stderr, "once more: clquant selftest --seed %" PRIu64 " --only '\"%s\"'", request->seed, name);
    if (request->device_text != NULL)
        fprintf(stderr, " --device '%s'", request->device_text);
    fprintf(stderr, "\n");
}

static void run_line(const struct device *device, const struct request *request, const struct line *line,
                     int number, const char *name, struct totals *totals)
{
    char failure[1024] = "", *log = NULL;
    const double begin = seconds_now();
    const bool good =
        line_run(line, number, request->seed, device, &totals->comparisons, failure, sizeof failure);
    const double took = seconds_now() - begin;

    if (!good)
        log = take_build_log(CLQ_ERROR_BUILD, failure, device->context); /* no names of others stand there */
    printf("%s  %s%s%s\n", good ? "pass" : "FAIL", name, good ? "" : ": ", good ? "" : failure);
    fflush(stdout);
    say_log(log);
    if (!good)
        say_how_to_repeat(request, name);
    totals->lines++;
    totals->failed += !good;
    totals->longest = took > totals->longest ? took : totals->longest;
}

static struct counts *counts_of(struct totals *totals, const struct line *line)
{
    size_t op = 0;

    while (op < OPERATORS && (line->documented != NULL || line->op != operators[op]))
        op++;
    return &totals->by[op];
}

/* Prime to their number, so that it meets all, and far enough to be at another operator each time. */
static int step_of_lines(void)
{
    for (int step = LINES * 5 / 8;; step++) {
        int a = LINES, b = step;

        while (b != 0) {
            const int rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1)
            return step;
    }
}

/* In the order of their numbers; where there is an end, from one of them on by that step, and in each setting
 * behind the last line of the one before. A line is begun where one as long as the longest before it would
 * end in time. */
static void run_lines(const struct device *device, const struct setting *setting,
                      const struct request *request, double end, struct totals *totals)
{
    const int64_t step = request->seconds > 0 ? step_of_lines() : 1,
                  first = request->seconds > 0 ? (int64_t)(request->seed % LINES) + totals->walked * step : 0;
    int walked = 0;
    char name[256];
    struct line line;

    for (int i = 0; i < LINES; i++) {
        const int number = (int)((first + i * step) % LINES);

        if (!is_wanted(setting, request->only, number, &line, name, sizeof name))
            continue;
        if (request->seconds == 0 || seconds_now() + totals->longest < end) {
            run_line(device, request, &line, number, name, totals);
            counts_of(totals, &line)->run++;
            walked = i + 1;
        } else {
            counts_of(totals, &line)->left_out++;
            totals->left_out++;
        }
    }
    totals->walked += walked;
}

static bool run_setting(const struct setting *setting, const struct request *request, double end,
                        struct totals *totals)
{
    const struct clq_context_desc desc = {
        .device_text = request->device_text, .form = setting->form, .arithmetic = setting->arithmetic};
    struct device device;
    clq_context *context;
    bool good;

    if (clq_context_create(&desc, &context) != CLQ_OK) {
        complain("selftest: %s", clq_error_detail());
        return false;
    }
    good = device_of(&device, context);
    if (good)
        run_lines(&device, setting, request, end, totals);
    else
        complain("selftest: OpenCL refuses a queue");
    device_close(&device);
    return good;
}

/* Those that have a line, the first ones first; each has an equal share of the time that those before it
 * left. */
static bool run_settings(const struct request *request, struct totals *totals)
{
    const double end = seconds_now() + (double)request->seconds;
    int left = 0;

    for (size_t i = 0; i < COUNT(settings); i++)
        left += has_lines(&settings[i], request->only);
    for (size_t i = 0; i < COUNT(settings); i++) {
        const double now = seconds_now();

        if (!has_lines(&settings[i], request->only))
            continue;
        if (!run_setting(&settings[i], request, now + (end - now) / left--, totals))
            return false;
    }
    return true;
}

/* On one line. */
static void say_left_out(const struct totals *totals)
{
    const char *between = "not run: ";

    for (size_t op = 0; op <= OPERATORS; op++) {
        const struct counts *counts = &totals->by[op];

        if (counts->left_out == 0)
            continue;
        printf("%s%zu of %zu lines of %s", between, counts->left_out, counts->left_out + counts->run,
               op < OPERATORS ? operators[op]->name : "the documented calls");
        between = ", ";
    }
    printf("\n");
}

static int run_all(const struct request *request)
{
    struct totals totals = {0};
    bool found = false;

    for (size_t i = 0; i < COUNT(settings) && !found; i++)
        found = has_lines(&settings[i], request->only);
    if (!found) {
        complain("selftest: --only '%.100s': no line has it", request->only);
        return STATUS_USAGE;
    }
    printf("seed %" PRIu64 "\n", request->seed);
    if (!run_settings(request, &totals))
        return STATUS_SYSTEM;
    if (totals.left_out > 0)
        say_left_out(&totals);
    printf("%zu lines, %zu comparisons, %zu failed", totals.lines, totals.comparisons, totals.failed);
    if (totals.left_out > 0)
        printf("; %zu lines not run: %" PRIu64 " seconds were over", totals.left_out, request->seconds);
    printf("\n");
    if (totals.failed == 0)
        return STATUS_DONE;
    fflush(stdout);
    complain("selftest: %zu of %zu lines failed on this device; --seed %" PRIu64 " repeats them",
             totals.failed, totals.lines, request->seed);
    return STATUS_SYSTEM;
}

int selftest_main(int argc, char **argv)
{
    struct failure failure = {.status = STATUS_DONE};
    struct request request = {.seed = (uint64_t)time(NULL)};
    bool wants_help = false;
    const struct argument table[] = {
        {"device", ARGUMENT_TEXT, .to = &request.device_text},
        {"only", ARGUMENT_TEXT, .to = &request.only},
        {"seed", ARGUMENT_NUMBER, &request.seed, .most = UINT64_MAX},
        {"seconds", ARGUMENT_NUMBER, &request.seconds, .least = 1, .most = 1000000},
        {"help", ARGUMENT_FLAG, &wants_help, .letter = 'h'},
        {.name = NULL}};

    if (!arguments_parse("selftest", table, NULL, argc, argv, &failure)) {
        complain("%s", failure.text);
        return (int)failure.status;
    }
    if (!wants_help)
        return run_all(&request);
    fputs(help, stdout);
    return STATUS_DONE;
}
