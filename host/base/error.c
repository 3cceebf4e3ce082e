/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's sentence: the only state that the library keeps outside its objects. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char detail[512];

clq_status clq_error_set(clq_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return status;
}

const char *clq_error_detail(void)
{
    return detail;
}

clq_status clq__error_within(clq_status status, const char *list, size_t number)
{
    char sentence[sizeof detail];

    memcpy(sentence, detail, sizeof detail);
    return clq_error_set(status, "%s[%zu]: %s", list, number, sentence);
}

clq_status clq__error_and(clq_status status, const char *end)
{
    char sentence[sizeof detail];

    memcpy(sentence, detail, sizeof detail);
    return clq_error_set(status, "%s%s", sentence, end);
}
