/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values in one of the formats. */
#ifndef CLQ_KV_CACHE_CACHE_H
#define CLQ_KV_CACHE_CACHE_H

#include "loop.h"

#include <stdbool.h>

enum keep {
    KEEP_FLOAT16, /* as they come: a copy */
    KEEP_STATIC,  /* a scale per head and channel, found once, from the prompt */
    KEEP_DYNAMIC, /* a scale per token and head, found while it is written, and beside it */
};

struct format {
    const char *name;
    enum keep keep;
    DLDataType dtype;
    bool symmetric; /* dynamic: no offset */
    bool rotated;   /* by loop->rotation, before they are quantized */
};

enum { NUM_FORMATS = 5 };
extern const struct format formats[NUM_FORMATS]; /* the exact one first */

struct cache {
    const struct loop *loop;
    const struct format *format;
    struct cache_side {
        DLManagedTensor *data;   /* [batch, tokens, heads, head size]; static: the last two as one */
        DLManagedTensor *scale;  /* dynamic [batch, tokens, heads]; static [heads * head size] */
        DLManagedTensor *offset; /* dynamic, where it is not symmetric */
    } sides[2];                  /* keys, values */
};

/* Also finds the static scales. Destroy accepts what is half made. */
clq_status cache_create(struct cache *cache, const struct loop *loop, const struct format *format);
void cache_destroy(struct cache *cache);

/* What a token of one sequence takes: all its heads, keys and values, and the scales that are kept with it. */
clq_status cache_token_bytes(const struct cache *cache, size_t *bytes);

/* Writes the loop's tokens from .. from + count - 1 to their places; uses loop->wide where they are rotated. */
clq_status cache_put(const struct cache *cache, int64_t from, int64_t count, cl_event *done);
/* The first tokens, as float32, into loop->wide. */
clq_status cache_get(const struct cache *cache, int64_t tokens, cl_event *done);

#endif
