/* SPDX-License-Identifier: Apache-2.0 */
/* Edit distance (Levenshtein), with a limit: a file may have a million names. */
#include "similar.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 255 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t difference(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* More than limit where it is more, or where a name is too long. */
static size_t distance_of(const char *a, const char *b, size_t limit)
{
    const size_t rows = strlen(a), columns = strlen(b);
    size_t line[LONGEST + 1];

    if (rows > LONGEST || columns > LONGEST || difference(rows, columns) > limit)
        return limit + 1;
    for (size_t j = 0; j <= columns; j++)
        line[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t diagonal = line[0], nearest = i;

        line[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

            diagonal = line[j];
            line[j] = least(replaced, least(line[j - 1], line[j]) + 1);
            nearest = least(nearest, line[j]);
        }
        if (nearest > limit)
            return limit + 1;
    }
    return line[columns];
}

void similar_offer(struct similar *similar, const char *name)
{
    const size_t length = strlen(similar->wanted), limit = (length + 2) / 3;
    const char *dot = strrchr(name, '.');
    size_t distance = distance_of(similar->wanted, name, limit);
    size_t at = 0;

    if (dot)
        distance = least(distance, distance_of(similar->wanted, dot + 1, limit));
    if (distance > limit ||
        distance >= length + (distance == 0)) /* a letter instead of the only one is not near */
        return;
    while (at < similar->count && similar->distances[at] <= distance && strcmp(similar->names[at], name) != 0)
        at++;
    if (at == SIMILAR_SHOWN || (at < similar->count && strcmp(similar->names[at], name) == 0))
        return;
    similar->count += similar->count < SIMILAR_SHOWN;
    for (size_t i = similar->count - 1; i > at; i--) {
        similar->names[i] = similar->names[i - 1];
        similar->distances[i] = similar->distances[i - 1];
    }
    similar->names[at] = name;
    similar->distances[at] = distance;
}
