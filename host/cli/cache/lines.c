/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file of variants. */
#include "cache.h"

#include <clquant/export.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

/* Cuts off the comment and the blanks at both ends. */
static char *bare(char *line)
{
    size_t length;

    line[strcspn(line, "#")] = '\0';
    line += strspn(line, blanks);
    length = strlen(line);
    while (length > 0 && strchr(blanks, line[length - 1]) != NULL)
        line[--length] = '\0';
    return line;
}

static bool add(struct variant_lines *lines, size_t number, const char *text, struct failure *failure)
{
    struct variant_line *grown = realloc(lines->lines, (lines->count + 1) * sizeof *grown);
    char *copy = strdup(text);

    if (grown != NULL)
        lines->lines = grown;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return fail(failure, STATUS_SYSTEM, "no memory for line %zu", number);
    }
    lines->lines[lines->count++] = (struct variant_line){number, copy};
    return true;
}

static bool take(struct variant_lines *lines, const char *path, size_t number, char *line, size_t length,
                 struct failure *failure)
{
    const char *text;

    if (memchr(line, '\0', length) != NULL)
        return fail(failure, STATUS_REFUSED, "%s: line %zu has a NUL: it must be text", path, number);
    text = bare(line);
    if (*text == '\0')
        return true;
    if (clq_export_variants(text, NULL, NULL) != CLQ_OK)
        return fail(failure, STATUS_REFUSED, "%s: line %zu: %s", path, number, clq_error_detail());
    return add(lines, number, text, failure);
}

bool variant_lines_read(struct variant_lines *lines, const char *path, struct failure *failure)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    bool good = true;

    *lines = (struct variant_lines){0};
    if (file == NULL)
        return fail(failure, STATUS_REFUSED, "%s: %s", path, strerror(errno));
    for (size_t number = 1; good && (length = getline(&line, &room, file)) >= 0; number++)
        good = take(lines, path, number, line, (size_t)length, failure);
    if (good && ferror(file))
        good = fail(failure, STATUS_SYSTEM, "%s: it cannot be read: %s", path, strerror(errno));
    if (good && lines->count == 0)
        good = fail(failure, STATUS_REFUSED, "%s: it names no variant", path);
    free(line);
    fclose(file);
    return good;
}

void variant_lines_clear(struct variant_lines *lines)
{
    while (lines->count > 0)
        free(lines->lines[--lines->count].text);
    free(lines->lines);
}
