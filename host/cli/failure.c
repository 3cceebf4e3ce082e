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
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* U+0080 to U+009f, control characters too */
            c[0] = c[1] = '?';
        if (c[0] < 0x20 || c[0] == 0x7f)
            c[0] = '?';
    }
    fprintf(stderr, "clquant: %s\n", text);
}
