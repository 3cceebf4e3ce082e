/* SPDX-License-Identifier: Apache-2.0 */
/* Build logs on stderr, line by line as the driver wrote them. */
#include "build_log.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 18 };

char *take_build_log(clq_status status, char *sentence, clq_context *context)
{
    static const char for_callers[] = "clq_context_build_log has the driver's log";
    const char *ours = "the driver's log follows", *rest = NULL;
    char *at = NULL, *log = NULL;

    if (status == CLQ_ERROR_BUILD) /* before the library's words may stand names that hold the same */
        for (char *next = sentence; (next = strstr(next, for_callers)) != NULL; next++)
            at = next;
    if (at)
        log = calloc(1, MOST_BYTES);
    if (!log)
        return NULL;
    rest = at + strlen(for_callers);
    clq_context_build_log(context, log, MOST_BYTES);
    if (*log == '\0')
        ours = "the driver wrote no log";
    memcpy(at, ours, strlen(ours)); /* which is shorter */
    memmove(at + strlen(ours), rest, strlen(rest) + 1);
    return log;
}

char *take_program_log(cl_program program, cl_device_id device)
{
    size_t size_bytes = 0;
    char *log = NULL;

    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size_bytes);
    log = calloc(1, size_bytes + 1);
    if (log)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size_bytes, log, NULL);
    return log;
}

/* What stands in a log comes from sources and options too, so it is tamed as sentences are. */
void say_log(char *log)
{
    for (char *line = log, *next; line && *line != '\0'; line = next) {
        const size_t length = strcspn(line, "\n");

        next = line + length + (line[length] != '\0');
        line[length] = '\0';
        for (char *tab = line; (tab = strchr(tab, '\t')) != NULL;)
            *tab = ' ';
        tame(line);
        fprintf(stderr, "%s\n", line);
    }
    free(log);
}
