/* SPDX-License-Identifier: Apache-2.0 */
/* Labels by their words. */
#include "words.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool holds_word(const char *label, const char *word, size_t length)
{
    for (const char *at = label; *at; at++)
        if ((at == label || !isalnum((unsigned char)at[-1])) && strncmp(at, word, length) == 0)
            return true;
    return false;
}

bool holds_words(const char *label, const char *text)
{
    while (*text) {
        const bool without = *text == '-';
        const bool quoted = *(text += without) == '"';
        const char *const word = text + quoted;
        const size_t length = strcspn(word, quoted ? "\"" : " ,");

        if (length > 0 && holds_word(label, word, length) == without)
            return false;
        text = word + length + (word[length] != '\0');
    }
    return true;
}
