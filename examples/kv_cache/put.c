/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens into a cache: a call each for keys and values, in the caller's queue. */
#include "cache.h"

static clq_status copy(const struct cache *cache, const struct cache_side *side, const DLTensor *source,
                       int64_t from, int64_t count, cl_event *done)
{
    const struct setup *s = cache->loop->setup;
    const size_t token = (size_t)setup_token_elements(s) * sizeof(uint16_t);
    const size_t origin[] = {(size_t)from * token, 0, 0},
                 region[] = {(size_t)count * token, (size_t)s->batch, 1};
    const size_t pitch = (size_t)setup_tokens(s) * token;

    return device_failed(clEnqueueCopyBufferRect(cache->loop->device.queue, source->data,
                                                 side->data->dl_tensor.data, origin, origin, region, pitch, 0,
                                                 pitch, 0, 0, NULL, done),
                         "clEnqueueCopyBufferRect");
}

static clq_status put_static(const struct cache *cache, const struct cache_side *side,
                             struct tokens_view *updates, const DLTensor *starts, cl_event *done)
{
    tokens_view_flatten(updates);
    return clq_quantize_scatter(cache->loop->device.context, cache->loop->device.queue,
                                &(struct clq_quantize_scatter_desc){.cache = &side->data->dl_tensor,
                                                                    .indices = starts,
                                                                    .updates = &updates->tensor,
                                                                    .scales = &side->scale->dl_tensor,
                                                                    .axis = 1},
                                0, NULL, done);
}

/* Dense, as a rotation wants it: widened into one of the loop's tensors, rotated into the other. Both are free
 * until the caches are read. */
static clq_status rotate(const struct cache *cache, const DLTensor *source, int64_t from, int64_t count,
                         struct tokens_view *updates)
{
    const struct loop *loop = cache->loop;
    const int64_t token = setup_token_elements(loop->setup), pitch = setup_tokens(loop->setup) * token;
    DLTensor wide = loop->wide[0]->dl_tensor, turned = loop->wide[1]->dl_tensor;
    clq_status status = device_widen(&loop->device, source, from * token, pitch, &wide, count * token,
                                     loop->setup->batch, count * token, NULL);

    wide.shape = turned.shape = updates->shape;
    if (status == CLQ_OK)
        status = clq_rotate_rows(
            loop->device.context, loop->device.queue,
            &(struct clq_rotate_rows_desc){.rotation = loop->rotation, .x = &wide, .y = &turned}, 0, NULL,
            NULL);
    turned.strides = NULL;
    updates->tensor = turned;
    return status;
}

static clq_status put_dynamic(const struct cache *cache, const struct cache_side *side,
                              const DLTensor *updates, const DLTensor *starts, cl_event *done)
{
    return clq_dynamic_quantize_scatter(cache->loop->device.context, cache->loop->device.queue,
                                        &(struct clq_dynamic_quantize_scatter_desc){
                                            .cache = &side->data->dl_tensor,
                                            .cache_scales = &side->scale->dl_tensor,
                                            .cache_offsets = side->offset ? &side->offset->dl_tensor : NULL,
                                            .indices = starts,
                                            .updates = updates,
                                            .axis = 1,
                                            .symmetric = cache->format->symmetric},
                                        0, NULL, done);
}

static clq_status put_side(const struct cache *cache, int which, int64_t from, int64_t count, cl_event *done)
{
    const struct loop *loop = cache->loop;
    const struct cache_side *side = &cache->sides[which];
    const DLTensor *source = which == 0 ? &loop->keys->dl_tensor : &loop->values->dl_tensor;
    struct tokens_view updates;
    DLTensor starts = loop->starts->dl_tensor;
    clq_status status = CLQ_OK;

    tokens_view(&updates, source, from, count);
    starts.ndim = 1;
    starts.shape = &starts.shape[1];
    starts.byte_offset = (uint64_t)(from * loop->setup->batch) * sizeof(int32_t);
    if (cache->format->keep == KEEP_FLOAT16)
        return copy(cache, side, source, from, count, done);
    if (cache->format->keep == KEEP_STATIC)
        return put_static(cache, side, &updates, &starts, done);
    if (cache->format->rotated)
        status = rotate(cache, source, from, count, &updates);
    return status == CLQ_OK ? put_dynamic(cache, side, &updates.tensor, &starts, done) : status;
}

clq_status cache_put(const struct cache *cache, int64_t from, int64_t count, cl_event *done)
{
    const clq_status status = put_side(cache, 0, from, count, NULL);

    return status == CLQ_OK ? put_side(cache, 1, from, count, done) : status;
}
