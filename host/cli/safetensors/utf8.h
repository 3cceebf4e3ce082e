/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are UTF-8. */
#ifndef CLQUANT_CLI_UTF8_H
#define CLQUANT_CLI_UTF8_H

#include <stddef.h>

/* The length of the character that begins at `at`, 1 to 4; 0 where none does: a stray or missing
 * continuation, a form longer than needed, a surrogate, or a value above 0x10ffff. */
size_t utf8_length(const char *at, const char *end);

#endif
