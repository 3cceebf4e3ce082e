/* SPDX-License-Identifier: Apache-2.0 */
/* Merging a piece's tokens. The pairs that can be merged wait in a heap, so that a piece of a megabyte takes
 * seconds. */
#include "llm.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

struct merge {
    uint64_t pair; /* of two tokens, see pair_of */
    int32_t merged;
    uint32_t rank;
};

/* A token of a piece, in a list of those that are left. */
struct symbol {
    int32_t token; /* NONE: merged into another */
    int64_t previous, next;
};

static uint64_t pair_of(int32_t left, int32_t right)
{
    return (uint64_t)left << 32 | (uint32_t)right;
}

static int by_pair(const void *a, const void *b)
{
    const uint64_t x = ((const struct merge *)a)->pair, y = ((const struct merge *)b)->pair;

    return (x > y) - (x < y);
}

static clq_status read_merge(const struct tokenizer *t, struct gguf_text text, size_t rank,
                             const struct gguf *file)
{
    const char *blank = memchr(text.bytes, ' ', text.size);
    const size_t left_size = blank != NULL ? (size_t)(blank - text.bytes) : 0;
    int32_t left, right, merged;
    char whole[LONGEST_TOKEN + 1];

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

clq_status merges_read(struct tokenizer *t, const struct gguf *file)
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

/* The heap's first entry is the least: a rank above the place of the pair's left token. */
static void push(struct merging *m, uint64_t entry)
{
    size_t at = m->count++;

    for (; at > 0 && m->heap[(at - 1) / 2] > entry; at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = entry;
}

static uint64_t pop(struct merging *m)
{
    const uint64_t least = m->heap[0], last = m->heap[--m->count];
    size_t at = 0;

    for (size_t child = 1; child < m->count; child = 2 * at + 1) {
        child += child + 1 < m->count && m->heap[child + 1] < m->heap[child];
        if (m->heap[child] >= last)
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = last;
    return least;
}

/* How the symbol and its neighbour are merged; NULL: they are not. */
static const struct merge *merge_at(const struct tokenizer *t, const struct merging *m, int64_t left)
{
    const int64_t right = left != NONE ? m->symbols[left].next : NONE;
    struct merge key;

    if (right == NONE || m->symbols[left].token == NONE)
        return NULL;
    key.pair = pair_of(m->symbols[left].token, m->symbols[right].token);
    return bsearch(&key, t->merges, t->num_merges, sizeof key, by_pair);
}

static void push_pair(const struct tokenizer *t, struct merging *m, int64_t left)
{
    const struct merge *merge = merge_at(t, m, left);

    if (merge != NULL)
        push(m, (uint64_t)merge->rank << 32 | (uint64_t)left);
}

/* Each merge takes one entry from the heap and adds two at most, so twice the tokens are room enough. */
static clq_status reserve(struct merging *m, size_t count)
{
    if (count <= m->room)
        return CLQ_OK;
    merging_free(m);
    m->room = count + count / 2;
    m->symbols = malloc(m->room * sizeof *m->symbols);
    m->heap = malloc(2 * m->room * sizeof *m->heap);
    if (m->symbols == NULL || m->heap == NULL)
        return clq_error_set(CLQ_ERROR_MEMORY, "no memory to merge a piece of %zu tokens", count);
    return CLQ_OK;
}

clq_status merge_all(const struct tokenizer *t, struct merging *m, int32_t *tokens, size_t *count)
{
    const int64_t all = (int64_t)*count;

    TRY(reserve(m, *count));
    for (int64_t i = 0; i < all; i++)
        m->symbols[i] = (struct symbol){tokens[i], i - 1, i + 1 < all ? i + 1 : NONE};
    for (int64_t i = 0; i < all; i++)
        push_pair(t, m, i);
    while (m->count > 0) {
        const uint64_t entry = pop(m);
        struct symbol *left = &m->symbols[(uint32_t)entry], *right;
        const struct merge *merge = merge_at(t, m, (uint32_t)entry);

        if (merge == NULL || merge->rank != entry >> 32)
            continue; /* another merge was first */
        right = &m->symbols[left->next];
        left->token = merge->merged;
        left->next = right->next;
        right->token = NONE;
        if (left->next != NONE)
            m->symbols[left->next].previous = (uint32_t)entry;
        push_pair(t, m, left->previous);
        push_pair(t, m, (uint32_t)entry);
    }
    *count = 0;
    for (int64_t i = all > 0 ? 0 : NONE; i != NONE; i = m->symbols[i].next)
        tokens[(*count)++] = m->symbols[i].token;
    return CLQ_OK;
}

void merging_free(struct merging *m)
{
    free(m->symbols);
    free(m->heap);
    *m = (struct merging){0};
}
