/* clquant selftest: every operator, in each form and arithmetic, a line each. */
#include "selftest.h"

#include "../commands.h"
#include "../failure.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

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

static void run_operator(struct selftest *test, const struct selftest_operator *op, const char *setting,
                         uint64_t seed, struct totals *totals)
{
    char name[128];

    for (size_t line = 0; op->name_line(line, name, sizeof name); line++) {
        bool ok = false;

        if (op->skip_line && !test->own && op->skip_line(line))
            continue;
        test->random = seed + line; /* a line does not depend on those before it */
        ok = op->run_line(test, line);
        printf("%s  %s, %s: %s%s%s\n", ok ? "pass" : "FAIL", op->name, setting, name, ok ? "" : ": ",
               ok ? "" : test->problem);
        fflush(stdout);
        totals->lines++;
        totals->failed += !ok;
    }
}

static bool run_setting(const struct setting *setting, const char *device_text, uint64_t seed,
                        struct totals *totals)
{
    const struct clq_context_desc desc = {
        .device_text = device_text, .form = setting->form, .arithmetic = setting->arithmetic};
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
            run_operator(&test, operators[i], setting->name, seed, totals);
        clReleaseCommandQueue(test.queue);
    } else {
        complain("selftest: clCreateCommandQueue failed with %s", clq_status_name(code));
    }
    totals->comparisons += test.comparisons;
    clq_context_destroy(test.context);
    return code == CL_SUCCESS;
}

static int run_all(const char *device_text, uint64_t seed)
{
    struct totals totals = {0};

    printf("seed %" PRIu64 "\n", seed);
    for (size_t i = 0; i < COUNT(settings); i++)
        if (!run_setting(&settings[i], device_text, seed, &totals))
            return STATUS_SYSTEM;
    printf("%zu lines, %zu comparisons, %zu failed\n", totals.lines, totals.comparisons, totals.failed);
    if (totals.failed == 0)
        return STATUS_DONE;
    fflush(stdout);
    complain("selftest: %zu of %zu lines failed on this device; --seed %" PRIu64 " repeats them",
             totals.failed, totals.lines, seed);
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
                                            {"seed", required_argument, NULL, 's'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    uint64_t seed = (uint64_t)time(NULL);
    const char *device_text = NULL;
    int option = 0;

    optind = 0;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'd') {
            device_text = optarg;
        } else if (option == 'h') {
            printf(
                "clquant selftest [--device N|TEXT] [--seed N]\n\nCompares every operator with the plain C "
                "reference, byte for byte, on a device: pass or fail,\na line each. Exit status 3: a line "
                "failed. The first run takes its time: it builds many kernels.\n");
            return STATUS_DONE;
        } else if (option != 's' || !parse_seed(optarg, &seed)) {
            complain("selftest: '%.100s': --device N|TEXT and --seed N are expected", argv[optind - 1]);
            return STATUS_USAGE;
        }
    }
    if (optind < argc) {
        complain("selftest: '%.100s': no argument is expected", argv[optind]);
        return STATUS_USAGE;
    }
    return run_all(device_text, seed);
}
