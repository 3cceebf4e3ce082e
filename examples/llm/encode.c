/* SPDX-License-Identifier: Apache-2.0 */
/* From a text to tokens, piece by piece, and back. */
#include "llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTROL = 3 };

/* Merges the pair of the lowest rank, the first of them, as long as there is one; returns how many tokens are
 * left. Pieces are words, so that it may look at all pairs each time. */
static size_t merge_all(const struct tokenizer *t, int32_t *tokens, size_t count)
{
    for (;;) {
        size_t best = count;
        int32_t merged = -1;
        uint32_t lowest = UINT32_MAX;

        for (size_t i = 0; i + 1 < count; i++) {
            uint32_t rank = 0;
            const int32_t token = tokenizer_merge(t, tokens[i], tokens[i + 1], &rank);

            if (token >= 0 && rank < lowest) {
                best = i;
                merged = token;
                lowest = rank;
            }
        }
        if (merged < 0)
            return count;
        tokens[best] = merged;
        memmove(tokens + best + 1, tokens + best + 2, (count - best - 2) * sizeof *tokens);
        count--;
    }
}

/* Bytes that the vocabulary has not are the unknown token; without one they are left out. */
static size_t encode_piece(const struct tokenizer *t, const char *text, size_t size, int32_t *tokens)
{
    size_t count = 0;

    for (size_t i = 0; i < size; i++)
        if (t->of_bytes[(unsigned char)text[i]] >= 0)
            tokens[count++] = t->of_bytes[(unsigned char)text[i]];
    return merge_all(t, tokens, count);
}

static bool is_control(const struct tokenizer *t, size_t token)
{
    return t->types != NULL && t->types[4 * token] == CONTROL;
}

/* The number of the control token that the text begins with, and 1; 0: with none. They look like <|this|>. */
static size_t control_at(const struct tokenizer *t, const char *text, size_t size)
{
    for (size_t i = 0; i < t->count && *text == '<'; i++)
        if (is_control(t, i) && t->tokens[i].size > 0 && t->tokens[i].size <= size &&
            memcmp(t->tokens[i].bytes, text, t->tokens[i].size) == 0)
            return i + 1;
    return 0;
}

/* Up to the next control token. */
static size_t plain_length(const struct tokenizer *t, const char *text, size_t size, bool control)
{
    size_t length = control ? 0 : size;

    while (length < size && control_at(t, text + length, size - length) == 0)
        length++;
    return length;
}

clq_status tokenizer_encode(const struct tokenizer *t, const char *text, size_t size, bool control,
                            int32_t **tokens, size_t *count)
{
    int32_t *list = malloc((size + 1) * sizeof *list); /* no token is shorter than a byte */
    size_t at = 0;

    *tokens = list;
    *count = 0;
    if (list == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the tokens of %zu bytes", size);
    while (at < size) {
        const size_t end = at + plain_length(t, text + at, size - at, control);

        while (at < end) {
            const size_t length = next_piece(text + at, end - at);

            *count += encode_piece(t, text + at, length, list + *count);
            at += length;
        }
        if (at < size) {
            const size_t token = control_at(t, text + at, size - at) - 1;

            list[(*count)++] = (int32_t)token;
            at += t->tokens[token].size;
        }
    }
    return CLQ_OK;
}

void tokenizer_print(const struct tokenizer *t, int32_t token)
{
    const struct gguf_text text = t->tokens[token];
    size_t length = 0;

    for (size_t at = 0; at < text.size && !is_control(t, (size_t)token); at += length) {
        const uint32_t point = next_code_point(text.bytes + at, text.size - at, &length);

        for (unsigned byte = 0; byte < 256; byte++)
            if (tokenizer_character(byte) == point)
                putchar((int)byte);
    }
}
