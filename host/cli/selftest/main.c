/* SPDX-License-Identifier: Apache-2.0 */
/* clquant selftest: every operator, in each form and arithmetic, a line each. */
#include "line.h"

#include "../build_log.h"
#include "../commands.h"
#include "../failure.h"
#include "../words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char help[] = "clquant selftest [--device KIND|N|TEXT] [--only TEXT] [--seed N]\n\n"
                           "Compares every operator with the plain C reference, byte for byte, on a device:\n"
                           "pass or fail, a line each, which is random calls that read one type and write\n"
                           "another. What fails is shown on stderr. Exit status 3: a line failed. The first\n"
                           "run takes its time: it builds many kernels.\n\n"
                           "  --only TEXT  lines that hold every word of TEXT, or words that begin so;\n"
                           "               \"these two\" are one: 'quantize_scatter \"own form\"'\n"
                           "  --seed N     of the values, the time where left out; the same for the same N\n";

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
};

struct totals {
    size_t lines, failed, comparisons;
};

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

static void run_lines(const struct device *device, const struct setting *setting,
                      const struct request *request, struct totals *totals)
{
    char name[256], failure[1024] = "";
    struct line line;

    for (int number = 0; number < LINES; number++) {
        char *log = NULL;
        bool good;

        if (!is_wanted(setting, request->only, number, &line, name, sizeof name))
            continue;
        good = line_run(&line, number, request->seed, device, &totals->comparisons, failure, sizeof failure);
        if (!good)
            log = take_build_log(failure, device->context);
        printf("%s  %s%s%s\n", good ? "pass" : "FAIL", name, good ? "" : ": ", good ? "" : failure);
        fflush(stdout);
        say_log(log);
        if (!good)
            say_how_to_repeat(request, name);
        totals->lines++;
        totals->failed += !good;
    }
}

static bool run_setting(const struct setting *setting, const struct request *request, struct totals *totals)
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
        run_lines(&device, setting, request, totals);
    else
        complain("selftest: OpenCL refuses a queue");
    device_close(&device);
    return good;
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
    for (size_t i = 0; i < COUNT(settings); i++)
        if (has_lines(&settings[i], request->only) && !run_setting(&settings[i], request, &totals))
            return STATUS_SYSTEM;
    printf("%zu lines, %zu comparisons, %zu failed\n", totals.lines, totals.comparisons, totals.failed);
    if (totals.failed == 0)
        return STATUS_DONE;
    fflush(stdout);
    complain("selftest: %zu of %zu lines failed on this device; --seed %" PRIu64 " repeats them",
             totals.failed, totals.lines, request->seed);
    return STATUS_SYSTEM;
}

static bool parse_seed(const char *text, uint64_t *seed)
{
    char *end = NULL;

    errno = 0;
    *seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

int selftest_main(int argc, char **argv)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct request request = {.seed = (uint64_t)time(NULL)};
    int option = 0;

    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'd') {
            request.device_text = optarg;
        } else if (option == 'o') {
            request.only = optarg;
        } else if (option == 'h') {
            fputs(help, stdout);
            return STATUS_DONE;
        } else if (option == 's') {
            if (parse_seed(optarg, &request.seed))
                continue;
            complain("selftest: --seed '%.100s': a whole number is expected", optarg);
            return STATUS_USAGE;
        } else {
            complain("selftest: '%.100s': --device KIND|N|TEXT, --only TEXT and --seed N are expected",
                     argv[optind - 1]);
            return STATUS_USAGE;
        }
    }
    if (optind < argc) {
        complain("selftest: '%.100s': no argument is expected", argv[optind]);
        return STATUS_USAGE;
    }
    return run_all(&request);
}
