/* Sentences for people, on stderr. */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

bool fail(struct failure *failure, enum exit_status status, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(failure->text, sizeof failure->text, format, values);
    va_end(values);
    failure->status = status;
    return false;
}

void complain(const char *format, ...)
{
    char text[sizeof((struct failure *)0)->text];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "clquant: %s\n", text);
}
