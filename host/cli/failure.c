/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for people, on stderr. */
#include "failure.h"

#include "safetensors/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path of any length stands at the start and the reason at the end:
 * what does not fit is left out between them. */
static void write_sentence(char *text, size_t size_bytes, const char *format, va_list values)
{
    static const char gap[] = " ... ";
    const size_t head = size_bytes / 4;
    const size_t tail = size_bytes - head - sizeof gap; /* sizeof counts the NUL at the end too */
    va_list again;
    char *whole = NULL;
    int length = 0;

    va_copy(again, values);
    length = vsnprintf(text, size_bytes, format, values);
    if (length >= 0 && (size_t)length >= size_bytes)
        whole = malloc((size_t)length + 1);
    if (whole) {
        vsnprintf(whole, (size_t)length + 1, format, again);
        strcpy(stpcpy(text + head, gap), whole + (size_t)length - tail);
    }
    va_end(again);
    free(whole);
}

bool fail(struct failure *failure, enum exit_status status, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    write_sentence(failure->text, sizeof failure->text, format, values);
    va_end(values);
    failure->status = status;
    return false;
}

/* The character of those bytes, which are UTF-8. */
static uint32_t decode(const char *at, size_t length)
{
    uint32_t character = (unsigned char)*at & (length == 1 ? 0x7f : 0xff >> (length + 1));

    for (size_t i = 1; i < length; i++)
        character = character << 6 | ((unsigned char)at[i] & 0x3f);
    return character;
}

static bool steers(uint32_t c)
{
    const bool control = c < 0x20 || (c >= 0x7f && c <= 0x9f);
    const bool direction = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                           (c >= 0x2066 && c <= 0x2069);

    return control || direction;
}

void tame(char *text)
{
    const char *end = text + strlen(text);
    char *to = text;

    for (const char *at = text; at < end;) {
        const size_t length = utf8_length(at, end);

        if (length == 0 || steers(decode(at, length))) {
            *to++ = '?';
        } else {
            memmove(to, at, length);
            to += length;
        }
        at += length ? length : 1;
    }
    *to = '\0';
}

void complain(const char *format, ...)
{
    char text[sizeof((struct failure *)0)->text];
    va_list values;

    va_start(values, format);
    write_sentence(text, sizeof text, format, values);
    va_end(values);
    tame(text);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, text);
}

int close_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    complain("standard output cannot be written");
    return status == STATUS_DONE ? STATUS_SYSTEM : status;
}
