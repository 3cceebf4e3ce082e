/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-level BPE: a text's bytes are written as characters that can be seen, each a token, and of all
 * neighbours the pair that stands first in the list of merges becomes one, until there is none. */
#include "llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct gguf_text text;
    int32_t token;
};

struct merge {
    uint64_t pair; /* of two tokens, see pair_of */
    int32_t merged;
    uint32_t rank;
};

enum { CONTROL = 3 };

static int by_text(const void *a, const void *b)
{
    const struct gguf_text x = ((const struct word *)a)->text, y = ((const struct word *)b)->text;
    const int order = memcmp(x.bytes, y.bytes, x.size < y.size ? x.size : y.size);

    return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

static int by_pair(const void *a, const void *b)
{
    const uint64_t x = ((const struct merge *)a)->pair, y = ((const struct merge *)b)->pair;

    return (x > y) - (x < y);
}

static uint64_t pair_of(int32_t left, int32_t right)
{
    return (uint64_t)left << 32 | (uint32_t)right;
}

/* -1: no token is the text. */
static int32_t token_of(const struct tokenizer *t, const char *bytes, size_t size)
{
    const struct word key = {{bytes, size}, 0}, *found;

    found = bsearch(&key, t->words, t->count, sizeof key, by_text);
    return found != NULL ? found->token : -1;
}

static clq_status read_merge(const struct tokenizer *t, struct gguf_text text, size_t rank,
                             const struct gguf *file)
{
    const char *blank = memchr(text.bytes, ' ', text.size);
    const size_t left_size = blank != NULL ? (size_t)(blank - text.bytes) : 0;
    int32_t left, right, merged;
    char whole[256];

    if (blank == NULL || text.size > sizeof whole)
        return gguf_refuse(file, "merge %zu is no pair of short texts", rank);
    memcpy(whole, text.bytes, left_size);
    memcpy(whole + left_size, blank + 1, text.size - left_size - 1);
    left = token_of(t, text.bytes, left_size);
    right = token_of(t, blank + 1, text.size - left_size - 1);
    merged = token_of(t, whole, text.size - 1);
    if (left < 0 || right < 0 || merged < 0)
        return gguf_refuse(file, "merge %zu has a text that is no token", rank);
    t->merges[rank] = (struct merge){pair_of(left, right), merged, (uint32_t)rank};
    return CLQ_OK;
}

static clq_status read_merges(struct tokenizer *t, const struct gguf *file)
{
    struct gguf_text *texts = NULL;
    clq_status status = gguf_texts(file, "tokenizer.ggml.merges", &texts, &t->num_merges);

    t->merges = calloc(t->num_merges + 1, sizeof *t->merges);
    if (status == CLQ_OK && t->merges == NULL)
        status = clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu merges", t->num_merges);
    for (size_t i = 0; i < t->num_merges && status == CLQ_OK; i++)
        status = read_merge(t, texts[i], i, file);
    if (status == CLQ_OK)
        qsort(t->merges, t->num_merges, sizeof *t->merges, by_pair);
    free(texts);
    return status;
}

static clq_status read_tokens(struct tokenizer *t, const struct gguf *file)
{
    const struct gguf_value *types = gguf_find(file, "tokenizer.ggml.token_type");
    double unknown = 0.0, end = 0.0;

    TRY(gguf_texts(file, "tokenizer.ggml.tokens", &t->tokens, &t->count));
    t->words = malloc((t->count + 1) * sizeof *t->words);
    if (t->words == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu tokens", t->count);
    for (size_t i = 0; i < t->count; i++)
        t->words[i] = (struct word){t->tokens[i], (int32_t)i};
    qsort(t->words, t->count, sizeof *t->words, by_text);
    if (types != NULL && types->type == GGUF_ARRAY && types->item_type == GGUF_INT32 &&
        types->count == t->count)
        t->types = types->bytes;
    TRY(gguf_number(file, "tokenizer.ggml.unknown_token_id", -1.0, (double)t->count - 1.0, -1.0, &unknown));
    TRY(gguf_number(file, "tokenizer.ggml.eos_token_id", -1.0, (double)t->count - 1.0, -1.0, &end));
    t->unknown = (int32_t)unknown;
    t->end = (int32_t)end;
    return CLQ_OK;
}

/* The character of a byte: itself where it can be seen in Latin-1, else 256 and its number among the
 * others. */
static void read_bytes(struct tokenizer *t)
{
    uint32_t next = 256;

    for (unsigned b = 0; b < 256; b++) {
        const uint32_t point = (b >= 33 && b <= 126) || (b >= 161 && b != 173) ? b : next++;
        const char utf8[] = {(char)(0xc0 | point >> 6), (char)(0x80 | (point & 0x3f))}, ascii = (char)point;

        t->characters[b] = point;
        t->of_bytes[b] = point < 0x80 ? token_of(t, &ascii, 1) : token_of(t, utf8, 2);
        if (t->of_bytes[b] < 0)
            t->of_bytes[b] = t->unknown;
    }
}

clq_status tokenizer_create(struct tokenizer *t, const struct gguf *file)
{
    *t = (struct tokenizer){0};
    if (!gguf_says(file, "tokenizer.ggml.model", "gpt2"))
        return gguf_refuse(file, "its tokenizer is not gpt2, byte-level BPE");
    TRY(read_tokens(t, file));
    read_bytes(t);
    return read_merges(t, file);
}

void tokenizer_destroy(struct tokenizer *t)
{
    free(t->tokens);
    free(t->words);
    free(t->merges);
}

/* Merges the pair of the lowest rank, the first of them, as long as there is one; returns how many tokens are
 * left. Pieces are words, so that it may look at all pairs each time. */
static size_t merge_all(const struct tokenizer *t, int32_t *tokens, size_t count)
{
    for (;;) {
        const struct merge *best = NULL;
        size_t at = 0;

        for (size_t i = 0; i + 1 < count; i++) {
            const struct merge key = {.pair = pair_of(tokens[i], tokens[i + 1])},
                               *found = bsearch(&key, t->merges, t->num_merges, sizeof key, by_pair);

            if (found != NULL && (best == NULL || found->rank < best->rank)) {
                best = found;
                at = i;
            }
        }
        if (best == NULL)
            return count;
        tokens[at] = best->merged;
        memmove(tokens + at + 1, tokens + at + 2, (count - at - 2) * sizeof *tokens);
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

        for (int byte = 0; byte < 256; byte++)
            if (t->characters[byte] == point)
                putchar(byte);
    }
}
