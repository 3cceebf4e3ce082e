/* SPDX-License-Identifier: Apache-2.0 */
/* What a string of a JSON text spells. */
#ifndef CLQUANT_CLI_JSON_TEXT_H
#define CLQUANT_CLI_JSON_TEXT_H

#include <stddef.h>

/* string, with its quotes, is one that json_walk has passed. to needs room for as many bytes. Returns how
 * many bytes were written, a NUL at their end not counted; an escape may be a NUL among them. */
size_t json_text(const char *string, size_t string_bytes, char *to);

#endif
