/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels' sources, whose includes are resolved: a driver's log names the line of the file that it is in. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/source.h"
#include "tests.h"

static size_t length_of(const char *line, const char *end)
{
    const char *newline = memchr(line, '\n', (size_t)(end - line));

    return newline != NULL ? (size_t)(newline + 1 - line) : (size_t)(end - line);
}

/* A line of a kernel file, the first is 1; NULL behind its end. */
static const char *line_of(const char *name, size_t number, size_t *length)
{
    for (size_t i = 0; i < clq__num_files; i++) {
        const char *line = (const char *)clq__files[i].data, *end = line + clq__files[i].size_bytes;

        for (; strcmp(clq__files[i].name, name) == 0 && line < end; line += *length) {
            *length = length_of(line, end);
            if (--number == 0)
                return line;
        }
    }
    return NULL;
}

static size_t check_lines(const char *source, size_t size_bytes)
{
    const char *end = source + size_bytes;
    char name[256] = "";
    size_t number = 0, wanted_bytes = 0, lines = 0;

    for (const char *line = source; line < end; line += length_of(line, end)) {
        const char *wanted;

        if (sscanf(line, "#line %zu \"%255[^\"]\"", &number, name) == 2)
            continue;
        wanted = line_of(name, number, &wanted_bytes);
        if (wanted == NULL || wanted_bytes != length_of(line, end) || memcmp(line, wanted, wanted_bytes) != 0)
            fail_msg("%s:%zu is not: %.*s", name, number, (int)length_of(line, end), line);
        number++;
        lines++;
    }
    return lines;
}

TEST(every_line_is_where_it_says)
{
    for (size_t i = 0; i < clq__num_files; i++) {
        const char *name = strchr(clq__files[i].name, '/') + 1; /* as variants name it */
        char *source = NULL;
        size_t size_bytes = 0;

        assert_int_equal(clq__source(name, &source, &size_bytes), CLQ_OK);
        assert_true(check_lines(source, size_bytes) > 1);
        free(source);
    }
}

TEST(no_such_file)
{
    char *source = NULL;
    size_t size_bytes = 0;

    assert_int_equal(clq__source("nonesuch.cl", &source, &size_bytes), CLQ_ERROR_VALUE);
    assert_null(source);
    assert_string_equal(clq_error_detail(), "no kernel file \"nonesuch.cl\"");
}

TESTS_MAIN("source")
