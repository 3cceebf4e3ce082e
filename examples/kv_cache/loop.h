/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors of the decode loop, on the device: what a model would give, and what every format uses in turn. */
#ifndef CLQ_KV_CACHE_LOOP_H
#define CLQ_KV_CACHE_LOOP_H

#include "activations.h"
#include "device.h"

#include <clquant/rotate.h>

struct loop {
    const struct setup *setup;
    struct device device;
    DLManagedTensor *keys, *values; /* float16 [batch, tokens, heads, head size], as activations have them */
    DLManagedTensor *queries;       /* float32 [steps, batch, heads, queries, head size] */
    DLManagedTensor *starts;        /* int32 [tokens, batch]: in row t everybody's next place is t */
    DLManagedTensor *wide[2]; /* float32, keys and values out of a cache: [batch, tokens, heads, head size] */
    DLManagedTensor *scores;  /* float32 [batch, heads, queries, tokens] */
    DLManagedTensor *outputs; /* float32 [batch, heads, queries, head size] */
    DLManagedTensor *turned[2]; /* the step's queries and outputs, rotated */
    clq_rotation *rotation;     /* NULL: there is no Hadamard matrix of the head's size */
};

/* Destroy accepts what is half made. */
clq_status loop_create(struct loop *loop, const struct setup *setup, const struct activations *activations,
                       const char *device);
void loop_destroy(struct loop *loop);

/* Tokens from .. from + count - 1 of a dense tensor [batch, tokens, ..]. tensor points into the view itself. */
struct tokens_view {
    DLTensor tensor;
    int64_t shape[4], strides[4];
};
void tokens_view(struct tokens_view *view, const DLTensor *whole, int64_t from, int64_t count);
/* Heads and channels as one dimension. */
void tokens_view_flatten(struct tokens_view *view);

#endif
