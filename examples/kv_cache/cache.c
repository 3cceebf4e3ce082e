/* SPDX-License-Identifier: Apache-2.0 */
/* What clquant does here: tokens into a cache and back, a call each for keys and values,
 * in the caller's queue. */
#include "kv_cache.h"

const struct format formats[NUM_FORMATS] = {
    {"float16", KEEP_FLOAT16, {kDLFloat, 16, 1}, false, 0, false, false},
    {"int8 static", KEEP_STATIC, {kDLInt, 8, 1}, false, 0, false, false},
    {"int8 dynamic", KEEP_DYNAMIC, {kDLInt, 8, 1}, true, 0, false, false},
    {"float8 dynamic", KEEP_DYNAMIC, {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}, true, 0, false, false},
    {"int4 dynamic", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, 0, false, false},
    {"int4, blocks of 64", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, 64, false, false},
    {"int4, blocks of 32", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, 32, false, false},
    {"int4 dynamic, rotated", KEEP_DYNAMIC, {kDLInt, 4, 1}, false, 0, true, false},
    {"uint4 in slots", KEEP_DYNAMIC, {kDLUInt, 4, 1}, false, 0, false, true},
};

uint32_t cache_rotation(const struct options *options)
{
    uint32_t rotation = 1;

    while (rotation < 1024 && options->head_size % (2 * rotation) == 0)
        rotation *= 2;
    return rotation;
}

static int64_t scales_of_head(const struct cache *cache)
{
    const int64_t size = cache->loop->options->head_size, block = cache->format->block;

    return block > 0 ? (size + block - 1) / block : 1;
}

/* Tokens from .. from + count - 1 of a dense tensor [batch, tokens, ..]. tensor points into the view itself.
 * */
struct view {
    DLTensor tensor;
    int64_t shape[4], strides[4];
};

static void view(struct view *view, const DLTensor *whole, int64_t from, int64_t count)
{
    int64_t stride = 1;

    view->tensor = *whole;
    view->tensor.shape = view->shape;
    view->tensor.strides = view->strides;
    for (int d = whole->ndim - 1; d >= 0; d--) {
        view->shape[d] = whole->shape[d];
        view->strides[d] = stride;
        stride *= whole->shape[d];
    }
    view->shape[1] = count;
    view->tensor.byte_offset += (uint64_t)(from * view->strides[1]) * whole->dtype.bits / 8;
}

/* Heads and channels as one dimension. */
static void flatten(struct view *view)
{
    view->tensor.ndim = 3;
    view->shape[2] *= view->shape[3];
    view->strides[2] = 1;
}

/* Of the prompt alone: the scales have to do for the tokens to come. */
static clq_status find_scales(const struct cache *cache, int side)
{
    const struct loop *loop = cache->loop;
    struct view prompt;

    view(&prompt, &loop->source[side]->dl_tensor, 0, loop->options->context);
    flatten(&prompt);
    return clq_find_scales(loop->context, loop->queue,
                           &(struct clq_find_scales_desc){.x = &prompt.tensor,
                                                          .scales = &cache->sides[side].scale->dl_tensor,
                                                          .dtype = cache->format->dtype,
                                                          .axis = -1},
                           0, NULL, NULL);
}

/* A scale or an offset for each head of each token, or for each block of it. */
static clq_status create_found(const struct cache *cache, DLManagedTensor **found)
{
    const struct options *o = cache->loop->options;
    const bool blocks = cache->format->block > 0;
    const int64_t shape[] = {o->batch, tokens_of(o), o->heads, scales_of_head(cache)};

    return clq_tensor_create(cache->loop->context, blocks ? CLQ_FLOAT16 : CLQ_FLOAT32, blocks ? 4 : 3, shape,
                             found);
}

static clq_status create_side(struct cache *cache, int which)
{
    const struct options *o = cache->loop->options;
    const bool flat = cache->format->keep == KEEP_STATIC, dynamic = cache->format->keep == KEEP_DYNAMIC;
    const int64_t row = token_elements(o);
    const int64_t shape[] = {o->batch, tokens_of(o), flat ? row : o->heads, o->head_size};
    clq_context *context = cache->loop->context;
    struct cache_side *side = &cache->sides[which];

    TRY(clq_tensor_create(context, cache->format->dtype, flat ? 3 : 4, shape, &side->data));
    if (flat) {
        TRY(clq_tensor_create(context, CLQ_FLOAT32, 1, &row, &side->scale));
        TRY(find_scales(cache, which));
    }
    if (dynamic)
        TRY(create_found(cache, &side->scale));
    if (dynamic && !cache->format->symmetric)
        TRY(create_found(cache, &side->offset));
    return CLQ_OK;
}

clq_status cache_create(struct cache *cache, const struct loop *loop, const struct format *format)
{
    *cache = (struct cache){.loop = loop, .format = format};
    TRY(create_side(cache, 0));
    return create_side(cache, 1);
}

void cache_destroy(struct cache *cache)
{
    for (int side = 0; side < 2; side++) {
        clq_tensor_destroy(cache->sides[side].data);
        clq_tensor_destroy(cache->sides[side].scale);
        clq_tensor_destroy(cache->sides[side].offset);
    }
}

size_t cache_token_bytes(const struct cache *cache)
{
    const struct options *o = cache->loop->options;
    const bool kept = cache->format->keep == KEEP_DYNAMIC; /* static scales are kept once */
    const size_t found = kept ? cache->format->symmetric ? 1 : 2 : 0;
    const size_t each = cache->format->block > 0 ? sizeof(uint16_t) : sizeof(float);

    return 2 * (size_t)o->heads *
           ((size_t)o->head_size * cache->format->dtype.bits / 8 +
            found * (size_t)scales_of_head(cache) * each);
}

static clq_status copy(const struct cache *cache, int side, int64_t from, int64_t count, cl_event *done)
{
    const struct options *o = cache->loop->options;
    const size_t token = (size_t)token_elements(o) * sizeof(uint16_t), pitch = (size_t)tokens_of(o) * token;
    const size_t origin[] = {(size_t)from * token, 0, 0},
                 region[] = {(size_t)count * token, (size_t)o->batch, 1};

    return noted(clEnqueueCopyBufferRect(cache->loop->queue, cache->loop->source[side]->dl_tensor.data,
                                         cache->sides[side].data->dl_tensor.data, origin, origin, region,
                                         pitch, 0, pitch, 0, 0, NULL, done),
                 "clEnqueueCopyBufferRect");
}

static clq_status put_dynamic(const struct cache *cache, const struct cache_side *side,
                              const DLTensor *updates, const DLTensor *places, cl_event *done)
{
    const struct loop *loop = cache->loop;
    const struct format *format = cache->format;

    return clq_dynamic_quantize_scatter(loop->context, loop->queue,
                                        &(struct clq_dynamic_quantize_scatter_desc){
                                            .cache = &side->data->dl_tensor,
                                            .cache_scales = &side->scale->dl_tensor,
                                            .cache_offsets = side->offset ? &side->offset->dl_tensor : NULL,
                                            .indices = places,
                                            .updates = updates,
                                            .axis = 1,
                                            .symmetric = format->symmetric,
                                            .unique = 1, /* no place is told twice */
                                            .index_kind = format->slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE,
                                            .block = format->block,
                                            .rotate = format->rotated ? cache_rotation(loop->options) : 0},
                                        0, NULL, done);
}

/* Each token is an entry of its own, and its slot a number: the tokens of a sequence,
 * or one of every sequence. */
static clq_status put_slots(const struct cache *cache, int which, int64_t from, int64_t count, cl_event *done)
{
    const struct options *o = cache->loop->options;
    const int64_t room = tokens_of(o), token = token_elements(o);
    const int64_t calls = count == 1 ? 1 : o->batch, entries = count == 1 ? o->batch : count,
                  step = count == 1 ? room : 1; /* from entry to entry */
    const DLTensor *source = &cache->loop->source[which]->dl_tensor;

    for (int64_t call = 0; call < calls; call++) {
        const int64_t first = call * room + from;
        int64_t shape[] = {entries, 1, o->heads, o->head_size},
                strides[] = {step * token, token, o->head_size, 1}, slots_shape[] = {entries},
                slots_step[] = {step};
        DLTensor updates = *source, slots = cache->loop->slots->dl_tensor;

        updates.shape = shape;
        updates.strides = strides;
        updates.byte_offset = (uint64_t)(first * token) * sizeof(uint16_t);
        slots.ndim = 1;
        slots.shape = slots_shape;
        slots.strides = slots_step;
        slots.byte_offset = (uint64_t)first * sizeof(int32_t);
        TRY(put_dynamic(cache, &cache->sides[which], &updates, &slots, call + 1 == calls ? done : NULL));
    }
    return CLQ_OK;
}

static clq_status put_side(const struct cache *cache, int which, int64_t from, int64_t count, cl_event *done)
{
    const struct loop *loop = cache->loop;
    const struct format *format = cache->format;
    const struct cache_side *side = &cache->sides[which];
    DLTensor starts = loop->starts->dl_tensor;
    struct view updates;

    if (format->keep == KEEP_FLOAT16)
        return copy(cache, which, from, count, done);
    if (format->slots)
        return put_slots(cache, which, from, count, done);
    starts.ndim = 1;
    starts.shape = &starts.shape[1];
    starts.byte_offset = (uint64_t)(from * loop->options->batch) * sizeof(int32_t);
    view(&updates, &loop->source[which]->dl_tensor, from, count);
    if (format->keep == KEEP_STATIC) {
        flatten(&updates);
        return clq_quantize_scatter(loop->context, loop->queue,
                                    &(struct clq_quantize_scatter_desc){.cache = &side->data->dl_tensor,
                                                                        .indices = &starts,
                                                                        .updates = &updates.tensor,
                                                                        .scales = &side->scale->dl_tensor,
                                                                        .axis = 1},
                                    0, NULL, done);
    }
    return put_dynamic(cache, side, &updates.tensor, &starts, done);
}

static clq_status get_side(const struct cache *cache, int which, int64_t tokens, cl_event *done)
{
    const struct loop *loop = cache->loop;
    const struct cache_side *side = &cache->sides[which];
    const bool is_static = cache->format->keep == KEEP_STATIC;
    const DLTensor *wide = &loop->wide[which]->dl_tensor;
    const int64_t token = token_elements(loop->options), pitch = tokens_of(loop->options) * token;
    struct view q, scale, offset, y;

    if (cache->format->keep == KEEP_FLOAT16)
        return loop_widen(loop, &side->data->dl_tensor, 0, pitch, wide, pitch, tokens * token, done);
    view(&q, &side->data->dl_tensor, 0, tokens);
    view(&y, wide, 0, tokens);
    if (is_static)
        flatten(&y);
    else
        view(&scale, &side->scale->dl_tensor, 0, tokens);
    if (side->offset != NULL)
        view(&offset, &side->offset->dl_tensor, 0, tokens);
    return clq_dequantize(
        loop->context, loop->queue,
        &(struct clq_dequantize_desc){.q = &q.tensor,
                                      .scales = is_static ? &side->scale->dl_tensor : &scale.tensor,
                                      .offsets = side->offset != NULL ? &offset.tensor : NULL,
                                      .y = &y.tensor,
                                      .axis = -1,
                                      .mode = is_static ? CLQ_DEQUANTIZE_DIVIDE : CLQ_DEQUANTIZE_DYNAMIC,
                                      .block = cache->format->block,
                                      .rotate = cache->format->rotated ? cache_rotation(loop->options) : 0},
        0, NULL, done);
}

clq_status cache_put(const struct cache *cache, int64_t from, int64_t count, cl_event *done)
{
    TRY(put_side(cache, 0, from, count, NULL));
    return put_side(cache, 1, from, count, done);
}

clq_status cache_get(const struct cache *cache, int64_t tokens, cl_event *done)
{
    TRY(get_side(cache, 0, tokens, NULL));
    return get_side(cache, 1, tokens, done);
}
