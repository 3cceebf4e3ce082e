/* The thread's sentence: the only state that the library keeps outside its objects. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

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
