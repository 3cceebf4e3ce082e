/* SPDX-License-Identifier: Apache-2.0 */
/* The names that are nearest to a name that is not there. */
#ifndef CLQUANT_CLI_OPERATORS_SIMILAR_H
#define CLQUANT_CLI_OPERATORS_SIMILAR_H

#include <stddef.h>

enum { SIMILAR_SHOWN = 3 };

struct similar {
    const char *wanted;
    size_t count;
    const char *names[SIMILAR_SHOWN]; /* the nearest first; as they were offered */
    size_t distances[SIMILAR_SHOWN];
};

/* Keeps the name if it is near: letters that are inserted, left out or replaced count, upper and lower case
 * do not. Of a name with dots, such as layers.0.scale, the part behind the last dot may be what was meant. */
void similar_offer(struct similar *similar, const char *name);

#endif
