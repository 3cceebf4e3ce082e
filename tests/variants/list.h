/* SPDX-License-Identifier: Apache-2.0 */
/* cl/variants.txt, expanded: every variant there is, as text. */
#ifndef CLQ_TESTS_VARIANTS_LIST_H
#define CLQ_TESTS_VARIANTS_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct variant_list {
    char **texts;
    size_t count;
};

/* Appends a copy; false where it is there already. Ends the program where memory is out. */
bool variant_list_add(struct variant_list *list, const char *text);
bool variant_list_has(const struct variant_list *list, const char *text);
void variant_list_clear(struct variant_list *list);

/* Reads the file: a kernel file a line, each name with its values, "NAME=a|b". False where it cannot be read.
 */
bool variant_list_read(struct variant_list *list, const char *path);

#endif
