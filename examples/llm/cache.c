/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of all layers in one format: clquant writes a step's rows where slots say, and attention
 * reads them as they lie. */
#include "model.h"

#include <math.h>

/* A tensor of which every token has its part. */
static clq_status create_tensor(struct cache *cache, const char *type, int rank, const int64_t *shape,
                                DLManagedTensor **tensor)
{
    size_t size_bytes = 0;

    TRY(device_tensor(cache->step->model->device, clq_dtype_parse(type), rank, shape, tensor));
    TRY(clq_tensor_size_bytes(&(*tensor)->dl_tensor, &size_bytes));
    cache->token_bytes += (double)size_bytes / (double)cache->step->positions;
    return CLQ_OK;
}

static clq_status create_tensors(struct cache *cache, int s)
{
    const struct rows *rows = &cache->format->sides[s];
    struct side *side = &cache->sides[s];
    const struct model *m = cache->step->model;
    const int64_t positions = cache->step->positions, width = m->kv_heads * m->head_size;
    const int64_t data[] = {m->num_layers, positions, m->kv_heads,
                            rows->keep == KEEP_BLOCKS ? m->head_size / 32 : m->head_size};
    const int64_t flat[] = {m->num_layers, positions, width}, fixed[] = {m->num_layers, width};
    const int64_t found[] = {m->num_layers, positions, m->kv_heads,
                             rows->block > 0 ? m->head_size / rows->block : 1};
    const int found_rank = rows->block > 0 ? 4 : 3;

    if (rows->keep == KEEP_STATIC) {
        TRY(create_tensor(cache, rows->type, 3, flat, &side->data));
        return device_tensor(m->device, CLQ_FLOAT32, 2, fixed, &side->scales);
    }
    TRY(create_tensor(cache, rows->type, 4, data, &side->data));
    if (rows->keep == KEEP_DYNAMIC)
        TRY(create_tensor(cache, rows->scales, found_rank, found, &side->scales));
    if (rows->keep == KEEP_DYNAMIC && !rows->symmetric)
        TRY(create_tensor(cache, rows->scales, found_rank, found, &side->offsets));
    return CLQ_OK;
}

/* The plan of a layer's keys or values. Slots tell the layer, so that one plan serves all of them; those of
 * the layer, and its static scales, are bound in each call. */
static clq_status create_plan(const struct cache *cache, int s, clq_plan **plan)
{
    const struct step *step = cache->step;
    const struct model *m = step->model;
    const struct rows *rows = &cache->format->sides[s];
    const struct side *side = &cache->sides[s];
    int64_t flat_shape[] = {step->batch, 1, m->kv_heads * m->head_size};
    const uint32_t rotation = rows_rotation(rows, m->head_size);
    const DLTensor *data = &side->data->dl_tensor, *updates = &step->rows[s]->dl_tensor;
    const DLTensor slots = clq_tensor_view(step->slots->dl_tensor.data, CLQ_INT32, 1, &flat_shape[0]),
                   flat = clq_tensor_view(updates->data, CLQ_FLOAT16, 3, flat_shape);
    DLTensor scales;

    switch (rows->keep) {
    case KEEP_FLOATS:
        return clq_move_rows_plan(m->device->context,
                                  &(struct clq_move_rows_desc){.src = updates,
                                                               .dst_indices = &slots,
                                                               .dst = data,
                                                               .axis = 1,
                                                               .dst_index_kind = CLQ_SLOTS,
                                                               .unique = 1},
                                  plan);
    case KEEP_STATIC:
        scales = clq_tensor_view(side->scales->dl_tensor.data, CLQ_FLOAT32, 1, &flat_shape[2]);
        return clq_quantize_scatter_plan(m->device->context,
                                         &(struct clq_quantize_scatter_desc){.cache = data,
                                                                             .indices = &slots,
                                                                             .updates = &flat,
                                                                             .scales = &scales,
                                                                             .axis = 1,
                                                                             .index_kind = CLQ_SLOTS,
                                                                             .unique = 1},
                                         plan);
    default:
        return clq_dynamic_quantize_scatter_plan(
            m->device->context,
            &(struct clq_dynamic_quantize_scatter_desc){
                .cache = data,
                .cache_scales = side->scales != NULL ? &side->scales->dl_tensor : NULL,
                .cache_offsets = side->offsets != NULL ? &side->offsets->dl_tensor : NULL,
                .indices = &slots,
                .updates = updates,
                .axis = 1,
                .symmetric = rows->symmetric,
                .unique = 1,
                .index_kind = CLQ_SLOTS,
                .rotate = rotation > 1 ? rotation : 0,
                .block = rows->block,
                .scale_rule = rows->scale_rule},
            plan);
    }
}

clq_status cache_create(struct cache *cache, const struct step *step, const struct format *format)
{
    clq_status status = CLQ_OK;

    *cache = (struct cache){.format = format, .step = step};
    for (int s = 0; s < 2; s++) {
        TRY(create_tensors(cache, s));
        TRY(create_plan(cache, s, &cache->sides[s].plan));
    }
    TRY(format_build(format, step->model, &cache->program));
    cache->attention = clCreateKernel(cache->program, "attention", &status);
    return noted(status, "clCreateKernel of attention");
}

void cache_destroy(struct cache *cache)
{
    for (int s = 0; s < 2; s++)
        clq_plan_destroy(cache->sides[s].plan);
    if (cache->attention != NULL)
        clReleaseKernel(cache->attention);
    if (cache->program != NULL)
        clReleaseProgram(cache->program);
}

bool cache_needs_scales(const struct cache *cache)
{
    return cache->format->sides[0].keep == KEEP_STATIC || cache->format->sides[1].keep == KEEP_STATIC;
}

clq_status cache_calibrate(const struct cache *cache, const struct cache *exact, int64_t positions)
{
    const struct model *m = cache->step->model;
    int64_t shape[] = {positions, m->kv_heads * m->head_size};

    for (int64_t i = 0; i < 2 * m->num_layers; i++) {
        const struct side *side = &cache->sides[i % 2];
        const uint64_t before = (uint64_t)(i / 2 * shape[1]); /* of the layers in front */
        DLTensor x = clq_tensor_view(exact->sides[i % 2].data->dl_tensor.data, CLQ_FLOAT16, 2, shape), scales;

        if (cache->format->sides[i % 2].keep != KEEP_STATIC)
            continue;
        scales = clq_tensor_view(side->scales->dl_tensor.data, CLQ_FLOAT32, 1, &shape[1]);
        x.byte_offset = before * (uint64_t)cache->step->positions * sizeof(cl_half);
        scales.byte_offset = before * sizeof(float);
        TRY(clq_find_scales(m->device->context, m->device->queue,
                            &(struct clq_find_scales_desc){
                                .x = &x, .scales = &scales, .dtype = side->data->dl_tensor.dtype, .axis = -1},
                            0, NULL, NULL));
    }
    return CLQ_OK;
}

/* A layer's keys and values are two plans of one list. */
clq_status cache_put(const struct cache *cache, int64_t layer)
{
    const struct step *step = cache->step;
    const struct model *m = step->model;
    const cl_mem slots = step->slots->dl_tensor.data;
    const uint64_t slots_at = (uint64_t)(layer * step->batch) * sizeof(int32_t),
                   scales_at = (uint64_t)(layer * m->kv_heads * m->head_size) * sizeof(float);
    struct clq_binding bindings[2][2];
    struct clq_plan_call calls[2];

    for (int s = 0; s < 2; s++) {
        const enum keep keep = cache->format->sides[s].keep;

        bindings[s][0] = keep == KEEP_FLOATS   ? CLQ_BIND(move_rows, dst_indices, slots, slots_at)
                         : keep == KEEP_STATIC ? CLQ_BIND(quantize_scatter, indices, slots, slots_at)
                                               : CLQ_BIND(dynamic_quantize_scatter, indices, slots, slots_at);
        if (keep == KEEP_STATIC)
            bindings[s][1] =
                CLQ_BIND(quantize_scatter, scales, cache->sides[s].scales->dl_tensor.data, scales_at);
        calls[s] = (struct clq_plan_call){cache->sides[s].plan, keep == KEEP_STATIC ? 2 : 1, bindings[s]};
    }
    return clq_plan_enqueue_all(m->device->queue, 2, calls, 0, NULL, NULL);
}

clq_status cache_attend(const struct cache *cache, int64_t layer, int64_t first_token, int64_t tokens)
{
    const struct step *step = cache->step;
    const struct model *m = step->model;
    const cl_uint pitch = (cl_uint)((m->heads + 2 * m->kv_heads) * m->head_size),
                  first = (cl_uint)first_token, count = (cl_uint)tokens;
    const cl_ulong before = (cl_ulong)(layer * step->positions),
                   scales_before = (cl_ulong)(layer * m->kv_heads * m->head_size);
    const float factor = 1.0f / sqrtf((float)m->head_size);
    const struct side *k = &cache->sides[0], *v = &cache->sides[1];
    const struct argument arguments[] = {BUFFER(step->qkv),
                                         VALUE(pitch),
                                         BUFFER(k->data),
                                         BUFFER(k->scales != NULL ? k->scales : k->data),
                                         BUFFER(k->offsets != NULL ? k->offsets : k->data),
                                         BUFFER(v->data),
                                         BUFFER(v->scales != NULL ? v->scales : v->data),
                                         BUFFER(v->offsets != NULL ? v->offsets : v->data),
                                         BUFFER(step->attended),
                                         VALUE(before),
                                         VALUE(scales_before),
                                         VALUE(first),
                                         VALUE(count),
                                         VALUE(factor)};
    const int64_t rows = tokens * (m->heads / m->kv_heads);

    return device_run(m->device, cache->attention, (size_t)((rows + GROUP - 1) / GROUP), (size_t)m->kv_heads,
                      arguments, sizeof arguments / sizeof *arguments);
}
