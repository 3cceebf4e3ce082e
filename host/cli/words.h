/* SPDX-License-Identifier: Apache-2.0 */
/* What --only asks of a label. */
#ifndef CLQUANT_CLI_WORDS_H
#define CLQUANT_CLI_WORDS_H

#include <stdbool.h>

/* True where the label holds every word of the text, or words that begin so: float16 is not found in
 * bfloat16. A word behind a - is one that the label does not hold. Words stand between spaces or commas; what
 * stands between quotation marks is one. */
bool holds_words(const char *label, const char *text);

#endif
