/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the self-test: random calls of an operator, on the device and by the reference. */
#ifndef CLQUANT_CLI_SELFTEST_LINE_H
#define CLQUANT_CLI_SELFTEST_LINE_H

#include "documented.h"
#include "match.h"

struct line {
    const struct operator_row *op;            /* one of these two */
    const struct documented_call *documented; /* of all types */
    int src, dst;     /* the types that it reads and writes, an enum reference_type each */
    int multiply;     /* as a wish has it; -1: its calls divide and multiply in turn */
    const char *mode; /* NULL: there is one line for the two types */
};

/* Lines by number, from 0 to LINES - 1: a pair of types each, the documented calls, and the modes of pairs
 * that have a line for each. */
enum { LINES_OF_PAIRS = OPERATORS * REFERENCE_TYPES * REFERENCE_TYPES, LINES_OF_MODES = 6 };
enum { LINES = LINES_OF_PAIRS + DOCUMENTED_CALLS + LINES_OF_MODES };

/* False where there is no line of the number. Each pair of types in each mode is a kernel or several, which
 * take their time to build: away from the device's own form and arithmetic (`own`), where it is the same code
 * with other parameters, there is a spread of pairs, which has each type and both modes. A cache is read back
 * by the kernels of int8 and int4 to float16: these have a line for each of their modes. */
bool line_find(int number, bool own, struct line *line);
void line_name(const struct line *line, const char *setting, char *name, size_t name_bytes);

/* Runs its calls, which depend on the seed and the number alone, until one fails: then false, with a
 * sentence, and the call on standard error. Adds to *comparisons. */
bool line_run(const struct line *line, int number, uint64_t seed, const struct device *device,
              size_t *comparisons, char *failure, size_t failure_bytes);

#endif
