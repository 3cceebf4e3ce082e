/* SPDX-License-Identifier: Apache-2.0 */
/* clquant selftest: every operator, in each form and arithmetic, a line each. */
#include "selftest.h"

#include "../commands.h"
#include "../failure.h"
#include "../words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char help[] =
    "clquant selftest [--device KIND|N|TEXT] [--only TEXT] [--seed N]\n\n"
    "Compares every operator with the plain C reference, byte for byte, on a device: pass or fail,\n"
    "a line each. Exit status 3: a line failed. The first run takes its time: it builds many kernels.\n\n"
    "  --only TEXT  lines that hold every word of TEXT, or words that begin so; \"these two\" are one:\n"
    "               'quantize_scatter \"own form\"'\n"
    "  --seed N     of the values, the time where left out; the same for the same N\n";

static const struct selftest_operator *const operators[] = {
    &selftest_quantize,         &selftest_npu_quantize, &selftest_group_quantize, &selftest_quantize_scatter,
    &selftest_dynamic_quantize, &selftest_find_scales,  &selftest_dequantize};

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

bool selftest_fail(struct selftest *test, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(test->problem, sizeof test->problem, format, values);
    va_end(values);
    return false;
}

bool selftest_finish(struct selftest *test, const char *call, clq_status status, cl_event done)
{
    if (status != CLQ_OK)
        return selftest_fail(test, "%s failed with %s: %s", call, clq_status_name(status),
                             clq_error_detail());
    if (done) {
        status = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return status == CLQ_OK ||
           selftest_fail(test, "%s: its event failed with %s", call, clq_status_name(status));
}

/* Goes to the next line that is wanted, from *line on, and writes its label; false where there is none. */
static bool find_line(const struct setting *setting, const struct selftest_operator *op, const char *only,
                      size_t *line, char *label, size_t size_bytes)
{
    char name[128];

    for (; op->name_line(*line, name, sizeof name); ++*line) {
        snprintf(label, size_bytes, "%s, %s: %s", op->name, setting->name, name);
        if ((setting == settings || !op->skip_line || !op->skip_line(*line)) &&
            (!only || holds_words(label, only)))
            return true;
    }
    return false;
}

static bool setting_has_lines(const struct setting *setting, const char *only)
{
    char label[256];

    for (size_t i = 0; i < COUNT(operators); i++)
        if (find_line(setting, operators[i], only, &(size_t){0}, label, sizeof label))
            return true;
    return false;
}

static void run_operator(struct selftest *test, const struct selftest_operator *op,
                         const struct setting *setting, const struct request *request, struct totals *totals)
{
    char label[256];

    for (size_t line = 0; find_line(setting, op, request->only, &line, label, sizeof label); line++) {
        bool ok = false;

        test->random = request->seed + line; /* a line does not depend on those before it */
        ok = op->run_line(test, line);
        printf("%s  %s%s%s\n", ok ? "pass" : "FAIL", label, ok ? "" : ": ", ok ? "" : test->problem);
        fflush(stdout);
        totals->lines++;
        totals->failed += !ok;
    }
}

static bool run_setting(const struct setting *setting, const struct request *request, struct totals *totals)
{
    const struct clq_context_desc desc = {
        .device_text = request->device_text, .form = setting->form, .arithmetic = setting->arithmetic};
    struct selftest test = {.own = setting == settings};
    cl_int code = CL_SUCCESS;
    clq_status status = clq_context_create(&desc, &test.context);

    if (status != CLQ_OK) {
        complain("selftest: %s", clq_error_detail());
        return false;
    }
    test.queue =
        clCreateCommandQueue(clq_context_cl(test.context), clq_context_device(test.context), 0, &code);
    if (code == CL_SUCCESS) {
        for (size_t i = 0; i < COUNT(operators); i++)
            run_operator(&test, operators[i], setting, request, totals);
        clReleaseCommandQueue(test.queue);
    } else {
        complain("selftest: clCreateCommandQueue failed with %s", clq_status_name(code));
    }
    totals->comparisons += test.comparisons;
    clq_context_destroy(test.context);
    return code == CL_SUCCESS;
}

static int run_all(const struct request *request)
{
    struct totals totals = {0};
    size_t found = 0;

    for (size_t i = 0; i < COUNT(settings); i++)
        found += setting_has_lines(&settings[i], request->only);
    if (found == 0) {
        complain("selftest: --only '%.100s': no line has it", request->only);
        return STATUS_USAGE;
    }
    printf("seed %" PRIu64 "\n", request->seed);
    for (size_t i = 0; i < COUNT(settings); i++)
        if (setting_has_lines(&settings[i], request->only) && !run_setting(&settings[i], request, &totals))
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
