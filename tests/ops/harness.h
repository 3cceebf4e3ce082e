/* SPDX-License-Identifier: Apache-2.0 */
/* What every test on a device needs: the device that the environment chooses, random numbers from a printed
 * seed, and tensors whose every byte is watched. */
#ifndef CLQUANT_TEST_HARNESS_H
#define CLQUANT_TEST_HARNESS_H

#include "reference.h"
#include "tests.h"

#include <clquant/clquant.h>
#include <stdbool.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The device, opened once for a program. */
struct harness {
    clq_context *context;
    cl_context cl;
    cl_device_id device;
    cl_command_queue queue; /* in order */
    uint64_t seed;
    bool small;                   /* for a device that interprets: fewer and smaller cases, one thread */
    size_t share;                 /* one of so many combinations and repetitions */
    bool roomy;                   /* no buffer is below 4 KiB: see oclgrind.sh */
    bool told;                    /* --build-options */
    const char *only;             /* a pattern: the tests whose names match */
    size_t skipped;               /* tests that could not run here */
    struct clq_context_desc desc; /* to make another context of the same kind */
};
extern struct harness harness;

/* How many random or repeated cases: `small` on a device that interprets, else the share of `full`. */
int harness_cases(int full, int small);

/* On the stub of tests/stub kernels are executed by tests/seam.
 *
 * Reads --small, --share N, --roomy, --seed N, --only PATTERN, --form item|group and --arithmetic exact
 * (the seed also from CLQ_TEST_SEED), opens the device, prints both, runs the tests and closes. No device is
 * a failure, and so is a pattern that names no test. Returns what main returns:
 * 77 where every test was skipped. */
int harness_run(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t num_tests);
#define HARNESS_MAIN(name)                                                                                   \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        return harness_run(argc, argv, name, own_tests, num_own_tests);                                      \
    }

/* cmocka's own says nothing to those who count. */
#undef skip
#define skip() (harness.skipped++, _skip(__FILE__, __LINE__))

/* Prints the thread's error sentence and fails, unless the status is the one expected. */
void expect_status(clq_status status, clq_status expected, const char *what);
void expect_cl(cl_int status, const char *what);

/* Writes to a buffer and waits by event: Intel's CPU runtime may return from a blocking write of few bytes
 * before they are there for another queue. */
cl_int harness_write(cl_command_queue queue, cl_mem buffer, size_t offset, size_t size, const void *bytes);

/* Random numbers: a state for each thread or case. */
struct random {
    uint64_t state;
};
struct random random_of(uint64_t seed);
uint64_t random_bits(struct random *random);
/* From 0 to n - 1, and from low to high. */
int64_t random_below(struct random *random, int64_t n);
int64_t random_from(struct random *random, int64_t low, int64_t high);
double random_unit(struct random *random); /* [0, 1) */

#endif
