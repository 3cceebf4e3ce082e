/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a context's log. */
#include "runtime/context.h"

#include <stdarg.h>
#include <stdio.h>

void clq__log(const clq_context *context, const char *format, ...)
{
    char line[1024];
    va_list arguments;

    if (context->log == NULL && !context->log_stderr)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (context->log != NULL)
        context->log(context->log_user, line);
    for (char *at = line; *at != '\0'; at++) /* what a driver writes must not steer the terminal */
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    if (context->log_stderr)
        fprintf(stderr, "clquant: %s\n", line);
}
