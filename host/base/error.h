/* SPDX-License-Identifier: Apache-2.0 */
/* How calls fail inside the library: a status, and the thread's sentence. All leave by `end`. */
#ifndef CLQ_BASE_ERROR_H
#define CLQ_BASE_ERROR_H

#include <clquant/status.h>
#include <stdint.h>
#include <stdlib.h>

/* Begins the thread's sentence with the element of a list that it is about; and ends it so. */
clq_status clq__error_within(clq_status status, const char *list, size_t number);
clq_status clq__error_and(clq_status status, const char *end);

#define CLQ_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Refuses unless the condition holds: the sentence names the argument, its value and the rule. */
#define CLQ_REQUIRE(condition, code, ...)                                                                    \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            status = clq_error_set((code), __VA_ARGS__);                                                     \
            goto end;                                                                                        \
        }                                                                                                    \
    } while (0)

/* Passes a failed status on. */
#define CLQ_TRY(call)                                                                                        \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != CLQ_OK)                                                                                \
            goto end;                                                                                        \
    } while (0)

/* The same for an OpenCL call, which leaves no sentence of its own. */
#define CLQ_TRY_CL(call)                                                                                     \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != CLQ_OK) {                                                                              \
            clq_error_set(status, "%s failed with %s (%d)", #call, clq_status_name(status), (int)status);    \
            goto end;                                                                                        \
        }                                                                                                    \
    } while (0)

/* Allocates zeroed memory for what pointer points to. */
#define CLQ_TRY_NEW(pointer)                                                                                 \
    do {                                                                                                     \
        (pointer) = calloc(1, sizeof *(pointer));                                                            \
        CLQ_REQUIRE((pointer) != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for %s failed",                \
                    sizeof *(pointer), #pointer);                                                            \
    } while (0)

#endif
