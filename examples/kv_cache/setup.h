/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of the decode loop. */
#ifndef CLQ_KV_CACHE_SETUP_H
#define CLQ_KV_CACHE_SETUP_H

#include <stddef.h>
#include <stdint.h>

struct setup {
    int64_t batch;     /* sequences */
    int64_t heads;     /* of keys and values, in each sequence */
    int64_t queries;   /* heads of queries that share a head of keys */
    int64_t head_size; /* channels of a head */
    int64_t context;   /* tokens in the caches before the first step */
    int64_t steps;     /* of decoding, a token each */
};

/* Tokens that the caches have room for: those that the whole loop writes. */
static inline int64_t setup_tokens(const struct setup *setup)
{
    return setup->context + setup->steps;
}

/* Elements of one sequence's token, of the keys or of the values. */
static inline int64_t setup_token_elements(const struct setup *setup)
{
    return setup->heads * setup->head_size;
}

static inline int64_t setup_cache_elements(const struct setup *setup)
{
    return setup->batch * setup_tokens(setup) * setup_token_elements(setup);
}

/* Rows of queries, and of what attention gives, in a step. */
static inline int64_t setup_query_rows(const struct setup *setup)
{
    return setup->batch * setup->heads * setup->queries;
}

#endif
