/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, with what its header wants before it, and tests that add themselves to their program: one that is
 * there is run, in the order of the file. */
#ifndef CLQUANT_TESTS_H
#define CLQUANT_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct CMUnitTest own_tests[200];
static size_t num_own_tests;

static inline void tests_add(struct CMUnitTest test)
{
    if (num_own_tests == sizeof own_tests / sizeof *own_tests)
        abort();
    own_tests[num_own_tests++] = test;
}

static inline int tests_run(const char *title, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    return _cmocka_run_group_tests(title, own_tests, num_own_tests, setup, teardown);
}

/* A program of these tests alone. */
#define TESTS_MAIN(title)                                                                                    \
    int main(void)                                                                                           \
    {                                                                                                        \
        return tests_run(title, NULL, NULL);                                                                 \
    }

/* TEST(name) { … }, with functions before and after it or without them; `state` is cmocka's. */
#define TEST(name) TEST_BETWEEN(name, NULL, NULL)
#define TEST_BETWEEN(name, setup, teardown)                                                                  \
    static void name(void **state);                                                                          \
    __attribute__((constructor(1000 + __COUNTER__))) static void name##_add(void)                            \
    {                                                                                                        \
        tests_add((struct CMUnitTest){#name, name, setup, teardown, NULL});                                  \
    }                                                                                                        \
    static void name(void **state __attribute__((unused)))

/* A test for each row of a table, whose state it is and which has its name. */
#define TEST_OF_ROWS(function, rows, row_name)                                                               \
    __attribute__((constructor(1000 + __COUNTER__))) static void rows##_add(void)                            \
    {                                                                                                        \
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)                                              \
            tests_add((struct CMUnitTest){rows[i].row_name, function, NULL, NULL, (void *)&rows[i]});        \
    }

#endif
