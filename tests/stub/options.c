/* SPDX-License-Identifier: Apache-2.0 */
/* The options of clBuildProgram. */
#include "device.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next -D NAME=VALUE or -DNAME=VALUE; *text moves behind it. False at the end. */
static bool next_define(const char **text, const char **define, size_t *length)
{
    const char *at = *text;

    for (;;) {
        at += strspn(at, " ");
        if (*at == '\0')
            return false;
        if (strncmp(at, "-D", 2) == 0)
            break;
        at += strcspn(at, " ");
    }
    at += 2;
    at += strspn(at, " ");
    *define = at;
    *length = strcspn(at, " ");
    *text = at + *length;
    return *length > 0;
}

bool stub_option(const char *options, const char *name, char *value, size_t room)
{
    const size_t name_length = strlen(name);
    const char *define;
    size_t length;

    while (next_define(&options, &define, &length))
        if (length > name_length && memcmp(define, name, name_length) == 0 && define[name_length] == '=') {
            snprintf(value, room, "%.*s", (int)(length - name_length - 1), define + name_length + 1);
            return true;
        }
    return false;
}

/* A compiler would warn, and take one of the two: who builds so has lost count of its parameters. */
static bool defines_twice(const char *options, char log[512])
{
    const char *define, *other;
    size_t length, other_length;

    while (next_define(&options, &define, &length)) {
        const size_t name = strcspn(define, "= ");

        for (const char *rest = options; next_define(&rest, &other, &other_length);)
            if (strcspn(other, "= ") == name && memcmp(define, other, name) == 0 &&
                (length != other_length || memcmp(define, other, length) != 0)) {
                snprintf(log, 512, "stub: the options define %.*s and %.*s", (int)length, define,
                         (int)other_length, other);
                return true;
            }
    }
    return false;
}

/* An option of Intel's own driver, which others refuse. */
static const char large_buffers[] = "-cl-intel-greater-than-4GB-buffer-required";

static bool is_for_intel(void)
{
    return strncmp(stub_platform()->name, "Intel", 5) == 0;
}

static bool is_intels(const char *option)
{
    return is_for_intel() && strncmp(option, large_buffers, strlen(large_buffers)) == 0;
}

cl_int stub_options_check(const char *options, char log[512])
{
    static const char *const known[] = {"-cl-std=CL1.",
                                        "-cl-fp32-correctly-rounded-divide-sqrt",
                                        "-cl-opt-disable",
                                        "-cl-kernel-arg-info",
                                        "-w",
                                        "-Werror"};
    const char *at = options + strspn(options, " ");

    while (*at != '\0') {
        size_t i = 0;

        if (strncmp(at, "-D", 2) == 0 || strncmp(at, "-I", 2) == 0) {
            if (at[2] == ' ')
                at += 2 + strspn(at + 2, " ");
        } else {
            while (i < sizeof known / sizeof known[0] && strncmp(at, known[i], strlen(known[i])) != 0)
                i++;
            if (i == sizeof known / sizeof known[0] && !is_intels(at)) {
                snprintf(log, 512, "stub: it does not know the option %.*s", (int)strcspn(at, " "), at);
                return CL_INVALID_BUILD_OPTIONS;
            }
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (is_for_intel() && strstr(options, large_buffers) == NULL) {
        snprintf(log, 512, "stub: places past 4 GiB would be wrong without %s", large_buffers);
        return CL_BUILD_PROGRAM_FAILURE;
    }
    return defines_twice(options, log) ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}
