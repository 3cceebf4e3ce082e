/* SPDX-License-Identifier: Apache-2.0 */
/* A cache's tokens as float32. */
#include "cache.h"

static clq_status get_side(const struct cache *cache, int which, int64_t tokens, cl_event *done)
{
    const struct loop *loop = cache->loop;
    const struct setup *s = loop->setup;
    const struct cache_side *side = &cache->sides[which];
    const bool is_static = cache->format->keep == KEEP_STATIC;
    const DLTensor *wide = &loop->wide[which]->dl_tensor;
    const int64_t token = setup_token_elements(s), pitch = setup_tokens(s) * token;
    struct tokens_view q, scale, offset, y;

    if (cache->format->keep == KEEP_FLOAT16)
        return device_widen(&loop->device, &side->data->dl_tensor, 0, pitch, wide, pitch, s->batch,
                            tokens * token, done);
    tokens_view(&q, &side->data->dl_tensor, 0, tokens);
    tokens_view(&y, wide, 0, tokens);
    if (is_static)
        tokens_view_flatten(&y);
    else
        tokens_view(&scale, &side->scale->dl_tensor, 0, tokens);
    if (side->offset != NULL)
        tokens_view(&offset, &side->offset->dl_tensor, 0, tokens);
    return clq_dequantize(
        loop->device.context, loop->device.queue,
        &(struct clq_dequantize_desc){.q = &q.tensor,
                                      .scales = is_static ? &side->scale->dl_tensor : &scale.tensor,
                                      .offsets = side->offset != NULL ? &offset.tensor : NULL,
                                      .y = &y.tensor,
                                      .axis = -1,
                                      .mode = is_static ? CLQ_DEQUANTIZE_DIVIDE : CLQ_DEQUANTIZE_DYNAMIC},
        0, NULL, done);
}

clq_status cache_get(const struct cache *cache, int64_t tokens, cl_event *done)
{
    const clq_status status = get_side(cache, 0, tokens, NULL);

    return status == CLQ_OK ? get_side(cache, 1, tokens, done) : status;
}
