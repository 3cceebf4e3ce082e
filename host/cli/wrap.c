/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of at most 80 columns, broken between words. */
#include "wrap.h"

#include <stdbool.h>
#include <string.h>

enum { COLUMNS = 80 };

/* From column `at` on; lines after the first begin at `indent`. */
static void wrap(FILE *to, size_t at, size_t indent, const char *text)
{
    bool is_first = true; /* of its line */

    while (*text) {
        const size_t length = strcspn(text, " ");

        if (!is_first && at + 1 + length > COLUMNS) {
            fprintf(to, "\n%*s", (int)indent, "");
            at = indent;
            is_first = true;
        }
        at += (size_t)fprintf(to, "%s%.*s", is_first ? "" : " ", (int)length, text);
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    fprintf(to, "\n");
}

void print_paragraph(FILE *to, const char *text)
{
    wrap(to, 0, 0, text);
}

void print_entry(FILE *to, size_t column, const char *word, const char *text)
{
    const size_t behind = (size_t)fprintf(to, "  %s", word);

    if (behind + 2 > column)
        fprintf(to, "\n%*s", (int)column, "");
    else
        fprintf(to, "%*s", (int)(column - behind), "");
    wrap(to, column, column, text);
}
