/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-level BPE: a text's bytes are written as characters that can be seen, each a token, and of all
 * neighbours the pair that stands first in the list of merges becomes one, until there is none. Tokens that a
 * user of the vocabulary defined are taken as they stand in the text, before that. */
#include "llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of tokenizer.ggml.token_type. */
enum token_type { TEXT = 1, UNKNOWN = 2, CONTROL = 3, USER_DEFINED = 4 };

static int by_text(const void *a, const void *b)
{
    const struct gguf_text x = ((const struct word *)a)->text, y = ((const struct word *)b)->text;
    const int order = memcmp(x.bytes, y.bytes, x.size < y.size ? x.size : y.size);

    return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

int32_t token_of(const struct tokenizer *t, const char *bytes, size_t size)
{
    const struct word key = {{bytes, size}, 0}, *found;

    found = bsearch(&key, t->words, t->count, sizeof key, by_text);
    return found != NULL ? found->token : -1;
}

static clq_status read_types(struct tokenizer *t, const struct gguf *file)
{
    const struct gguf_value *types = gguf_find(file, "tokenizer.ggml.token_type");

    if (types != NULL &&
        (types->type != GGUF_ARRAY || types->item_type != GGUF_INT32 || types->count != t->count))
        return gguf_refuse(file, "value 'tokenizer.ggml.token_type' must be %zu numbers of type int32",
                           t->count);
    t->types = types != NULL ? types->bytes : NULL;
    return CLQ_OK;
}

static enum token_type type_of(const struct tokenizer *t, int32_t token)
{
    return t->types != NULL ? t->types[4 * (size_t)token] : TEXT;
}

static bool is_control(const struct tokenizer *t, int32_t token)
{
    return type_of(t, token) == CONTROL || type_of(t, token) == UNKNOWN;
}

/* Both lists: of all tokens, and of those that a text has as they are. */
static clq_status sort_tokens(struct tokenizer *t, const struct gguf *file)
{
    t->words = malloc((t->count + 1) * sizeof *t->words);
    t->whole = malloc((t->count + 1) * sizeof *t->whole);
    if (t->words == NULL || t->whole == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu tokens", t->count);
    for (size_t i = 0; i < t->count; i++) {
        t->words[i] = (struct word){t->tokens[i], (int32_t)i};
        if (t->tokens[i].size > LONGEST_TOKEN)
            return gguf_refuse(file, "token %zu has more than %d bytes", i, LONGEST_TOKEN);
    }
    qsort(t->words, t->count, sizeof *t->words, by_text);
    for (size_t i = 0; i < t->count; i++) {
        const struct word word = t->words[i];

        if (word.text.size == 0 || !(is_control(t, word.token) || type_of(t, word.token) == USER_DEFINED))
            continue;
        t->whole[t->num_whole++] = word;
        t->begins_whole[(unsigned char)*word.text.bytes] = true;
        t->longest_whole = word.text.size > t->longest_whole ? word.text.size : t->longest_whole;
    }
    return CLQ_OK;
}

static clq_status read_token(const struct tokenizer *t, const struct gguf *file, const char *name,
                             bool required, int32_t *token)
{
    double number = 0.0;

    TRY(gguf_number(file, name, required ? 0.0 : -1.0, (double)t->count - 1.0,
                    required ? GGUF_REQUIRED : -1.0, &number));
    *token = (int32_t)number;
    return CLQ_OK;
}

static clq_status read_tokens(struct tokenizer *t, const struct gguf *file)
{
    bool begins = false, ends = false;

    TRY(gguf_texts(file, "tokenizer.ggml.tokens", &t->tokens, &t->count));
    TRY(read_types(t, file));
    TRY(sort_tokens(t, file));
    TRY(gguf_flag(file, "tokenizer.ggml.add_bos_token", t->cut->begins, &begins));
    TRY(gguf_flag(file, "tokenizer.ggml.add_eos_token", false, &ends));
    if (ends)
        return gguf_refuse(file,
                           "its texts end with a token (tokenizer.ggml.add_eos_token): none is added here");
    TRY(read_token(t, file, "tokenizer.ggml.unknown_token_id", false, &t->unknown));
    TRY(read_token(t, file, "tokenizer.ggml.eos_token_id", false, &t->end));
    TRY(read_token(t, file, "tokenizer.ggml.bos_token_id", begins, &t->begin));
    t->begin = begins ? t->begin : -1;
    return CLQ_OK;
}

/* The UTF-8 of a code point below U+0800, and its length. */
static size_t write_character(uint32_t point, char *utf8)
{
    if (point < 0x80) {
        utf8[0] = (char)point;
        return 1;
    }
    utf8[0] = (char)(0xc0 | point >> 6);
    utf8[1] = (char)(0x80 | (point & 0x3f));
    return 2;
}

/* The character of a byte: itself where it can be seen in Latin-1, else 256 and its number among the
 * others. */
static void read_bytes(struct tokenizer *t)
{
    uint32_t next = 256;

    for (unsigned b = 0; b < 256; b++) {
        char utf8[2];

        t->characters[b] = (b >= 33 && b <= 126) || (b >= 161 && b != 173) ? b : next++;
        t->of_bytes[b] = token_of(t, utf8, write_character(t->characters[b], utf8));
        if (t->of_bytes[b] < 0)
            t->of_bytes[b] = t->unknown;
    }
}

clq_status tokenizer_create(struct tokenizer *t, const struct gguf *file)
{
    *t = (struct tokenizer){0};
    if (!gguf_says(file, "tokenizer.ggml.model", "gpt2"))
        return gguf_refuse(file, "its tokenizer is not gpt2, byte-level BPE");
    TRY(cut_of(file, &t->cut));
    TRY(read_tokens(t, file));
    read_bytes(t);
    return merges_read(t, file);
}

void tokenizer_destroy(struct tokenizer *t)
{
    free(t->tokens);
    free(t->words);
    free(t->whole);
    free(t->merges);
}

/* The token that the piece is; -1: none. */
static int32_t token_of_piece(const struct tokenizer *t, const char *text, size_t size)
{
    char word[2 * LONGEST_TOKEN];
    size_t length = 0;

    if (size > LONGEST_TOKEN)
        return -1;
    for (size_t i = 0; i < size; i++)
        length += write_character(t->characters[(unsigned char)text[i]], word + length);
    return token_of(t, word, length);
}

/* Bytes that the vocabulary has not are the unknown token; without one they are left out. */
static clq_status encode_piece(const struct tokenizer *t, struct merging *merging, const char *text,
                               size_t size, int32_t *tokens, size_t *count)
{
    const int32_t whole = t->cut->whole_words ? token_of_piece(t, text, size) : -1;
    size_t added = 0;

    for (size_t i = 0; i < size && whole < 0; i++)
        if (t->of_bytes[(unsigned char)text[i]] >= 0)
            tokens[*count + added++] = t->of_bytes[(unsigned char)text[i]];
    if (whole >= 0)
        tokens[*count + added++] = whole;
    TRY(merge_all(t, merging, tokens + *count, &added));
    *count += added;
    return CLQ_OK;
}

/* The longest token that the text begins with as it is; NULL: none. */
static const struct word *whole_at(const struct tokenizer *t, const char *text, size_t size, bool control)
{
    size_t length = size < t->longest_whole ? size : t->longest_whole;

    for (; length > 0 && t->begins_whole[(unsigned char)*text]; length--) {
        const struct word key = {{text, length}, 0},
                          *found = bsearch(&key, t->whole, t->num_whole, sizeof key, by_text);

        if (found != NULL && (control || !is_control(t, found->token)))
            return found;
    }
    return NULL;
}

static clq_status encode(const struct tokenizer *t, struct merging *merging, struct gguf_text text,
                         bool control, int32_t *tokens, size_t *count)
{
    const struct word *whole = whole_at(t, text.bytes, text.size, control);
    size_t at = 0;

    if (t->begin >= 0 && (whole == NULL || whole->token != t->begin))
        tokens[(*count)++] = t->begin;
    while (at < text.size) {
        size_t end = at;

        while (end < text.size && (whole = whole_at(t, text.bytes + end, text.size - end, control)) == NULL)
            end++;
        while (at < end) {
            const size_t length = next_piece(t->cut, text.bytes + at, end - at);

            TRY(encode_piece(t, merging, text.bytes + at, length, tokens, count));
            at += length;
        }
        if (at < text.size) {
            tokens[(*count)++] = whole->token;
            at += whole->text.size;
        }
    }
    return CLQ_OK;
}

clq_status tokenizer_encode(const struct tokenizer *t, const char *text, size_t size, bool control,
                            int32_t **tokens, size_t *count)
{
    struct merging merging = {0};
    clq_status status;

    if (size > UINT32_MAX)
        return clq_error_set(CLQ_ERROR_VALUE, "a text of %zu bytes: 4 GiB at most can be cut into tokens",
                             size);
    *count = 0;
    *tokens = malloc((size + 1) * sizeof **tokens); /* one before the text, and none is shorter than a byte */
    if (*tokens == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory for the tokens of %zu bytes", size);
    status = encode(t, &merging, (struct gguf_text){text, size}, control, *tokens, count);
    merging_free(&merging);
    return status;
}

void tokenizer_print(const struct tokenizer *t, int32_t token)
{
    const struct gguf_text text = t->tokens[token];
    size_t length = 0;

    if (type_of(t, token) == USER_DEFINED)
        fwrite(text.bytes, 1, text.size, stdout);
    else
        for (size_t at = 0; at < text.size && !is_control(t, token); at += length) {
            const uint32_t point = next_code_point(text.bytes + at, text.size - at, &length);

            for (int byte = 0; byte < 256; byte++)
                if (t->characters[byte] == point)
                    putchar(byte);
        }
}
