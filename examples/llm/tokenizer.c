/* SPDX-License-Identifier: Apache-2.0 */
/* Byte-level BPE: a text's bytes are written as characters that can be seen, each a token, and of all
 * neighbours the pair that stands first in the list of merges becomes one, until there is none. */
#include "llm.h"

#include <stdlib.h>
#include <string.h>

struct merge {
    int32_t left, right, merged;
    uint32_t rank_and_1; /* 0: the place is free */
};

enum { MOST_TOKENS = 1 << 22 };

/* The character of a byte: itself where it can be seen in Latin-1, else 256 and its number among the
 * others. */
uint32_t tokenizer_character(unsigned byte)
{
    uint32_t others = 0;

    for (unsigned b = 0; b <= byte; b++) {
        const bool seen = (b >= 33 && b <= 126) || (b >= 161 && b != 173);

        if (b == byte)
            return seen ? byte : 256 + others;
        others += !seen;
    }
    return 0;
}

static uint64_t hash_of(const char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

static size_t id_place(const struct tokenizer *t, const char *bytes, size_t size)
{
    size_t at = (size_t)hash_of(bytes, size) & t->id_mask;

    while (t->ids[at] != 0 && (t->tokens[t->ids[at] - 1].size != size ||
                               memcmp(t->tokens[t->ids[at] - 1].bytes, bytes, size) != 0))
        at = (at + 1) & t->id_mask;
    return at;
}

static int32_t id_of(const struct tokenizer *t, const char *bytes, size_t size)
{
    return (int32_t)t->ids[id_place(t, bytes, size)] - 1;
}

static struct merge *merge_place(const struct tokenizer *t, int32_t left, int32_t right)
{
    const int32_t pair[] = {left, right};
    size_t at = (size_t)hash_of((const char *)pair, sizeof pair) & t->merge_mask;

    while (t->merges[at].rank_and_1 != 0 && (t->merges[at].left != left || t->merges[at].right != right))
        at = (at + 1) & t->merge_mask;
    return &t->merges[at];
}

int32_t tokenizer_merge(const struct tokenizer *t, int32_t left, int32_t right, uint32_t *rank)
{
    const struct merge *merge = merge_place(t, left, right);

    *rank = merge->rank_and_1 - 1;
    return merge->rank_and_1 != 0 ? merge->merged : -1;
}

/* A table of at least twice as many places as it will hold. */
static clq_status table(size_t count, size_t item_bytes, void **items, size_t *mask)
{
    size_t size = 16;

    if (count > MOST_TOKENS)
        return clq_error_set(CLQ_ERROR_VALUE, "a vocabulary of %zu tokens or merges is too large", count);
    while (size < 2 * count)
        size *= 2;
    *items = calloc(size, item_bytes);
    *mask = size - 1;
    return *items != NULL ? CLQ_OK : clq_error_set(CLQ_ERROR_MEMORY, "no memory for %zu tokens", count);
}

static clq_status read_merge(struct tokenizer *t, struct gguf_text text, size_t rank, const char *path)
{
    const char *blank = memchr(text.bytes, ' ', text.size);
    const size_t left = blank != NULL ? (size_t)(blank - text.bytes) : 0;
    char whole[256];
    struct merge merge = {.rank_and_1 = (uint32_t)rank + 1}, *place;

    if (blank == NULL || text.size > sizeof whole)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: merge %zu is no pair of short texts", path, rank);
    memcpy(whole, text.bytes, left);
    memcpy(whole + left, blank + 1, text.size - left - 1);
    merge.left = id_of(t, text.bytes, left);
    merge.right = id_of(t, blank + 1, text.size - left - 1);
    merge.merged = id_of(t, whole, text.size - 1);
    if (merge.left < 0 || merge.right < 0 || merge.merged < 0)
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: merge %zu has a text that is no token", path, rank);
    place = merge_place(t, merge.left, merge.right);
    if (place->rank_and_1 == 0)
        *place = merge;
    return CLQ_OK;
}

static clq_status read_merges(struct tokenizer *t, const struct gguf *file)
{
    struct gguf_text *texts = NULL;
    size_t count = 0;
    clq_status status = gguf_texts(file, "tokenizer.ggml.merges", &texts, &count);

    if (status == CLQ_OK)
        status = table(count, sizeof *t->merges, (void **)&t->merges, &t->merge_mask);
    for (size_t i = 0; i < count && status == CLQ_OK; i++)
        status = read_merge(t, texts[i], i, file->path);
    free(texts);
    return status;
}

static clq_status read_tokens(struct tokenizer *t, const struct gguf *file)
{
    const struct gguf_value *types = gguf_find(file, "tokenizer.ggml.token_type");
    double number = 0.0;

    TRY(gguf_texts(file, "tokenizer.ggml.tokens", &t->tokens, &t->count));
    TRY(table(t->count, sizeof *t->ids, (void **)&t->ids, &t->id_mask));
    for (size_t i = 0; i < t->count; i++) {
        const size_t at = id_place(t, t->tokens[i].bytes, t->tokens[i].size);

        t->ids[at] = t->ids[at] == 0 ? (uint32_t)i + 1 : t->ids[at];
    }
    if (types != NULL && types->is_array && types->type == GGUF_INT32 && types->count == t->count)
        t->types = types->bytes;
    TRY(gguf_number(file, "tokenizer.ggml.unknown_token_id", -1.0, (double)t->count - 1.0, 0.0, &number));
    t->unknown = gguf_find(file, "tokenizer.ggml.unknown_token_id") != NULL ? (int32_t)number : -1;
    TRY(gguf_number(file, "tokenizer.ggml.eos_token_id", -1.0, (double)t->count - 1.0, 0.0, &number));
    t->end = gguf_find(file, "tokenizer.ggml.eos_token_id") != NULL ? (int32_t)number : -1;
    return CLQ_OK;
}

static size_t write_character(uint32_t point, char bytes[2])
{
    bytes[0] = (char)(point < 0x80 ? point : 0xc0 | point >> 6);
    bytes[1] = (char)(0x80 | (point & 0x3f));
    return point < 0x80 ? 1 : 2;
}

clq_status tokenizer_create(struct tokenizer *t, const struct gguf *file)
{
    *t = (struct tokenizer){0};
    if (!gguf_says(file, "tokenizer.ggml.model", "gpt2"))
        return clq_error_set(CLQ_ERROR_VALUE, "%.200s: its tokenizer is not gpt2, byte-level BPE",
                             file->path);
    TRY(read_tokens(t, file));
    TRY(read_merges(t, file));
    for (unsigned b = 0; b < 256; b++) {
        char bytes[2];
        const size_t size = write_character(tokenizer_character(b), bytes);
        const int32_t id = id_of(t, bytes, size);

        t->of_bytes[b] = id >= 0 ? id : t->unknown;
    }
    return CLQ_OK;
}

void tokenizer_destroy(struct tokenizer *t)
{
    free(t->tokens);
    free(t->ids);
    free(t->merges);
}
