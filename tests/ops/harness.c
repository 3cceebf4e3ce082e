/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the device, reads the options, and makes random numbers. */
#include "harness.h"

#include "on_stub.h"
#include "ways.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 }; /* SKIP_RETURN_CODE in CMakeLists.txt */

struct harness harness;

void expect_status(clq_status status, clq_status expected, const char *what)
{
    if (status == expected)
        return;
    fail_msg("%s: %s (%d), not %s (%d): %s", what, clq_status_name(status), (int)status,
             clq_status_name(expected), (int)expected, status == CLQ_OK ? "" : clq_error_detail());
}

void expect_cl(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fail_msg("%s: %s (%d)", what, clq_status_name(status), (int)status);
}

cl_int harness_write(cl_command_queue queue, cl_mem buffer, size_t offset, size_t size, const void *bytes)
{
    cl_event written = NULL;
    cl_int status = clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, size, bytes, 0, NULL, &written);

    if (status != CL_SUCCESS)
        return status;
    status = clWaitForEvents(1, &written);
    clReleaseEvent(written);
    return status;
}

/* splitmix64: every seed, 0 too, gives a good sequence. */
struct random random_of(uint64_t seed)
{
    return (struct random){.state = seed};
}

uint64_t random_bits(struct random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

int64_t random_below(struct random *random, int64_t n)
{
    return (int64_t)(random_bits(random) % (uint64_t)n);
}

int64_t random_from(struct random *random, int64_t low, int64_t high)
{
    return low + random_below(random, high - low + 1);
}

double random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

int harness_cases(int full, int small)
{
    const int share = full / (int)harness.share;

    return harness.small ? small : share > 0 ? share : 1;
}

static bool read_options(int argc, char **argv)
{
    const char *seed = getenv("CLQ_TEST_SEED");

    harness.seed = seed ? strtoull(seed, NULL, 0) : 1;
    harness.share = 1;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--small") == 0) {
            harness.small = true;
        } else if (strcmp(argv[i], "--roomy") == 0) {
            harness.roomy = true;
        } else if (strcmp(argv[i], "--share") == 0 && strtoull(value, NULL, 0) > 0) {
            harness.share = strtoull(value, NULL, 0);
            i++;
        } else if (strcmp(argv[i], "--seed") == 0) {
            harness.seed = strtoull(value, NULL, 0);
            i++;
        } else if (strcmp(argv[i], "--only") == 0) {
            harness.only = value;
            i++;
        } else if (strcmp(argv[i], "--form") == 0 && strcmp(value, "item") == 0) {
            harness.desc.form = CLQ_FORM_ITEM;
            i++;
        } else if (strcmp(argv[i], "--form") == 0 && strcmp(value, "group") == 0) {
            harness.desc.form = CLQ_FORM_GROUP;
            i++;
        } else if (strcmp(argv[i], "--arithmetic") == 0 && strcmp(value, "exact") == 0) {
            harness.desc.arithmetic = CLQ_ARITHMETIC_EXACT;
            i++;
        } else if (strcmp(argv[i], "--build-options") == 0) {
            harness.desc.build_options = value;
            harness.told = true;
            i++;
        } else {
            fprintf(stderr,
                    "%s: --small --share N --roomy --seed N --only PATTERN --form item|group "
                    "--arithmetic exact --build-options TEXT\n",
                    argv[0]);
            return false;
        }
    }
    return true;
}

static bool open_device(void)
{
    char name[256] = "";
    cl_platform_id platform = NULL;
    cl_int cl = CL_SUCCESS;
    clq_status status;

    if (harness.desc.build_options == NULL)
        harness.desc.build_options = processor_way_of_run()->build_options;
    status = clq_context_create(&harness.desc, &harness.context);
    if (status != CLQ_OK) {
        fprintf(stderr, "no device to test on: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    harness.cl = clq_context_cl(harness.context);
    harness.device = clq_context_device(harness.context);
    harness.queue = clCreateCommandQueue(harness.cl, harness.device, 0, &cl);
    clGetDeviceInfo(harness.device, CL_DEVICE_NAME, sizeof(name), name, NULL);
    clGetDeviceInfo(harness.device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL);
    on_stub_install(platform);
    printf("device %s, form %u, arithmetic %u, seed %" PRIu64 "%s\n", name, harness.desc.form,
           harness.desc.arithmetic, harness.seed, harness.small ? ", small" : "");
    fflush(stdout);
    return cl == CL_SUCCESS;
}

/* Runs the tests that --only names. None is no success:
 * a pattern that has gone stale would never be noticed. */
static int run_chosen(const char *name, const struct CMUnitTest *tests, size_t num_tests)
{
    struct CMUnitTest *chosen = calloc(num_tests, sizeof(*chosen));
    size_t count = 0;
    int failed = 1;

    for (size_t i = 0; chosen && i < num_tests; i++)
        if (!harness.only || fnmatch(harness.only, tests[i].name, 0) == 0)
            chosen[count++] = tests[i];
    if (count > 0)
        failed = _cmocka_run_group_tests(name, chosen, count, NULL, NULL);
    else
        fprintf(stderr, "no test of \"%s\" is named \"%s\"\n", name, harness.only);
    free(chosen);
    if (failed != 0)
        return 1;
    return harness.skipped == count ? SKIPPED : 0;
}

int harness_run(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t num_tests)
{
    int result = 1;

    if (!read_options(argc, argv))
        return 2;
    if (open_device())
        result = run_chosen(name, tests, num_tests);
    if (harness.queue)
        clReleaseCommandQueue(harness.queue);
    clq_context_destroy(harness.context);
    return result;
}
