/* SPDX-License-Identifier: Apache-2.0 */
/* Bounded text, and the one hash. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct clq__text clq__text(char *data, size_t size_bytes)
{
    data[0] = '\0';
    return (struct clq__text){.data = data, .size = size_bytes};
}

void clq__text_add_part(struct clq__text *text, const char *more, size_t length)
{
    const size_t room = text->size - 1 - text->length;

    if (length > room) {
        text->full = true;
        length = room;
    }
    memcpy(text->data + text->length, more, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void clq__text_add(struct clq__text *text, const char *more)
{
    clq__text_add_part(text, more, strlen(more));
}

void clq__text_format(struct clq__text *text, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        text->full = true;
    clq__text_add(text, line);
}

uint64_t clq__hash(uint64_t state, const void *data, size_t size_bytes)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size_bytes; i++)
        state = (state ^ byte[i]) * 0x100000001b3u;
    return state;
}
