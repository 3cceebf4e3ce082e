/* SPDX-License-Identifier: Apache-2.0 */
/* Expanding the lines of cl/variants.txt. */
#include "list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024, MOST_SETS = 16 };

bool variant_list_has(const struct variant_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->texts[i], text) == 0)
            return true;
    return false;
}

bool variant_list_add(struct variant_list *list, const char *text)
{
    if (variant_list_has(list, text))
        return false;
    list->texts = realloc(list->texts, (list->count + 1) * sizeof *list->texts);
    if (list->texts == NULL || (list->texts[list->count] = strdup(text)) == NULL)
        abort();
    list->count++;
    return true;
}

void variant_list_clear(struct variant_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->texts[i]);
    free(list->texts);
    *list = (struct variant_list){0};
}

/* What the list's head says of sets: lines "@name a|b". */
struct sets {
    char lines[MOST_SETS][LINE_BYTES];
    size_t count;
};

/* The values of a word, "a|b", or of the set that it names, "@name". */
static const char *values_of(const struct sets *sets, const char *values)
{
    const size_t length = strcspn(values, " \n");

    for (size_t i = 0; *values == '@' && i < sets->count; i++)
        if (strncmp(sets->lines[i], values, length) == 0 && sets->lines[i][length] == ' ')
            return sets->lines[i] + length + 1;
    return values;
}

/* text is a whole variant up to here; rest is what follows of the line, "NAME=a|b NAME=@set". */
static void expand(struct variant_list *list, const struct sets *sets, const char *text, const char *rest)
{
    char longer[LINE_BYTES];

    rest += strspn(rest, " \n");
    const size_t word = strcspn(rest, " \n"), name = strcspn(rest, "=");

    if (word == 0) {
        variant_list_add(list, text);
        return;
    }
    for (const char *value = values_of(sets, rest + name + 1), *end = value + strcspn(value, " \n");
         value < end;) {
        const size_t length = strcspn(value, "| \n");

        snprintf(longer, sizeof longer, "%s %.*s=%.*s", text, (int)name, rest, (int)length, value);
        expand(list, sets, longer, rest + word);
        value += length + 1;
    }
}

bool variant_list_read(struct variant_list *list, const char *path)
{
    char line[LINE_BYTES], file[LINE_BYTES];
    FILE *stream = fopen(path, "r");
    struct sets sets = {.count = 0};

    if (stream == NULL)
        return false;
    while (fgets(line, sizeof line, stream) != NULL) {
        const size_t length = strcspn(line, " \n");

        snprintf(file, sizeof file, "%.*s", (int)length, line);
        if (*line == '@' && sets.count < MOST_SETS)
            memcpy(sets.lines[sets.count++], line, sizeof line);
        else if (length > 0)
            expand(list, &sets, file, line + length);
    }
    fclose(stream);
    return true;
}
