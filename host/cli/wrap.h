/* SPDX-License-Identifier: Apache-2.0 */
/* Help for terminals of 80 columns. */
#ifndef CLQUANT_CLI_WRAP_H
#define CLQUANT_CLI_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Prints the text, a paragraph. */
void print_paragraph(FILE *to, const char *text);

/* Prints an entry of a list: a word, and its text from that column on,
 * behind the word where that leaves room. */
void print_entry(FILE *to, size_t column, const char *word, const char *text);

#endif
