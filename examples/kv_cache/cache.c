/* SPDX-License-Identifier: Apache-2.0 */
/* Making a cache; what it takes. */
#include "cache.h"

/* Of the prompt alone: the scales have to do for the tokens to come. */
static clq_status find_scales(const struct cache *cache, int side)
{
    const struct loop *loop = cache->loop;
    struct tokens_view prompt;

    tokens_view(&prompt, side == 0 ? &loop->keys->dl_tensor : &loop->values->dl_tensor, 0,
                loop->setup->context);
    tokens_view_flatten(&prompt);
    return clq_find_scales(loop->device.context, loop->device.queue,
                           &(struct clq_find_scales_desc){.x = &prompt.tensor,
                                                          .scales = &cache->sides[side].scale->dl_tensor,
                                                          .dtype = cache->format->dtype,
                                                          .axis = -1},
                           0, NULL, NULL);
}

static clq_status create_side(struct cache *cache, int side)
{
    const struct setup *s = cache->loop->setup;
    const struct format *format = cache->format;
    const bool flat = format->keep == KEEP_STATIC;
    const int64_t row = setup_token_elements(s);
    const int64_t shape[] = {s->batch, setup_tokens(s), flat ? row : s->heads, s->head_size};
    clq_context *context = cache->loop->device.context;
    struct cache_side *made = &cache->sides[side];
    clq_status status = clq_tensor_create(context, format->dtype, flat ? 3 : 4, shape, &made->data);

    if (status == CLQ_OK && format->keep == KEEP_STATIC) {
        status = clq_tensor_create(context, CLQ_FLOAT32, 1, &row, &made->scale);
        if (status == CLQ_OK)
            status = find_scales(cache, side);
    }
    if (status == CLQ_OK && format->keep == KEEP_DYNAMIC)
        status = clq_tensor_create(context, CLQ_FLOAT32, 3, shape, &made->scale);
    if (status == CLQ_OK && format->keep == KEEP_DYNAMIC && !format->symmetric)
        status = clq_tensor_create(context, CLQ_FLOAT32, 3, shape, &made->offset);
    return status;
}

clq_status cache_create(struct cache *cache, const struct loop *loop, const struct format *format)
{
    clq_status status;

    *cache = (struct cache){.loop = loop, .format = format};
    status = create_side(cache, 0);
    return status == CLQ_OK ? create_side(cache, 1) : status;
}

void cache_destroy(struct cache *cache)
{
    for (int side = 0; side < 2; side++) {
        DLManagedTensor *const tensors[] = {cache->sides[side].data, cache->sides[side].scale,
                                            cache->sides[side].offset};

        for (int i = 0; i < 3; i++)
            clq_tensor_destroy(tensors[i]);
    }
}

clq_status cache_token_bytes(const struct cache *cache, size_t *bytes)
{
    const struct setup *s = cache->loop->setup;
    const bool scales = cache->format->keep == KEEP_DYNAMIC; /* static ones are kept once */
    clq_status status = CLQ_OK;
    size_t all = 0;

    for (int side = 0; side < 2 && status == CLQ_OK; side++) {
        DLManagedTensor *const tensors[] = {cache->sides[side].data, cache->sides[side].scale,
                                            cache->sides[side].offset};

        for (int i = 0; i < (scales ? 3 : 1) && status == CLQ_OK; i++)
            if (tensors[i] != NULL) {
                size_t size = 0;

                status = clq_tensor_size_bytes(&tensors[i]->dl_tensor, &size);
                all += size;
            }
    }
    *bytes = all / (size_t)(s->batch * setup_tokens(s));
    return status;
}
