/* SPDX-License-Identifier: Apache-2.0 */
/* A paged cache: keys and values lie in pages of 16 tokens, which sequences take from one pool as they
 * grow, in any order. A block table says which pages a sequence has; a token's slot is page * 16 + its
 * place in the page. In each step every sequence that still runs gets a token, whose keys and values
 * become int4 in blocks of 32 channels with float16 scales and go to their slots with one call each; one
 * that has ended has slot -1, which skips it. Then some end and leave holes, one is forked, and the pages
 * in use move together (pool.c). Each time each sequence's tokens are gathered by their slots, and
 * attention over them is compared with that over the floats they came from. */
#include "paged.h"

#include "../common/values.h"

#include <stdio.h>

static const int64_t pool_shape[] = {PAGES, PAGE, HEADS, CHANNELS};
static const int64_t found_shape[] = {PAGES, PAGE, HEADS, CHANNELS / BLOCK};
static const int64_t updates_shape[] = {STEPS * BATCH, 1, HEADS, CHANNELS};
static const int64_t slots_shape[] = {STEPS * BATCH};

static uint32_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(state >> 8) * below) >> 24);
}

/* A page is taken when a sequence reaches its end of the one before. */
static int32_t next_slot(struct paged *paged, int sequence, int token)
{
    if (token >= paged->lengths[sequence])
        return -1;
    if (token % PAGE == 0)
        paged->table[sequence][token / PAGE] = paged_take(paged);
    return (int32_t)(paged->table[sequence][token / PAGE] * PAGE + token % PAGE);
}

static void fill(struct paged *paged)
{
    for (int p = 0; p < PAGES; p++) {
        const int other = (int)draw((uint32_t)p + 1);

        paged->free_pages[p] = paged->free_pages[other];
        paged->free_pages[other] = p;
    }
    paged->num_free = PAGES;
    for (int b = 0; b < BATCH; b++) {
        paged->lengths[b] = STEPS - 13 * b;
        paged->of[b] = b;
    }
    for (int step = 0; step < STEPS; step++)
        for (int b = 0; b < BATCH; b++)
            paged->slots[step][b] = next_slot(paged, b, step);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < STEPS * BATCH * ROW; i++) {
            const float value = (float)draw(1 << 20) / (float)(1 << 19) - 1.0f;

            ((uint16_t *)paged->sides[s].updates)[i] = float16_of_float(value);
        }
}

static clq_status upload(struct paged *paged, DLDataType dtype, int rank, const int64_t *shape,
                         const void *bytes, size_t size_bytes, DLManagedTensor **tensor)
{
    const clq_status status = clq_tensor_create(paged->context, dtype, rank, shape, tensor);

    return status != CLQ_OK ? status
                            : clq_tensor_write(paged->queue, &(*tensor)->dl_tensor, CL_TRUE, bytes,
                                               size_bytes, 0, NULL, NULL);
}

static clq_status create(struct paged *paged)
{
    const int64_t most = STEPS, pages = PAGES, gathered_shape[] = {STEPS, 1, HEADS, CHANNELS};
    clq_status status =
        upload(paged, CLQ_INT32, 1, slots_shape, paged->slots, sizeof paged->slots, &paged->device_slots);

    if (status == CLQ_OK)
        status = clq_tensor_create(paged->context, CLQ_INT32, 1, &most, &paged->gather_slots);
    if (status == CLQ_OK)
        status = clq_tensor_create(paged->context, CLQ_FLOAT32, 4, gathered_shape, &paged->gathered);
    for (int i = 0; i < 2 && status == CLQ_OK; i++)
        status = clq_tensor_create(paged->context, CLQ_INT32, 1, &pages, &paged->page_slots[i]);
    for (int s = 0; s < 2 && status == CLQ_OK; s++) {
        struct side *side = &paged->sides[s];

        status = upload(paged, CLQ_FLOAT16, 4, updates_shape, side->updates, sizeof side->updates,
                        &side->device_updates);
        if (status == CLQ_OK)
            status = clq_tensor_create(paged->context, CLQ_INT4, 4, pool_shape, &side->cache);
        if (status == CLQ_OK)
            status = clq_tensor_create(paged->context, CLQ_FLOAT16, 4, found_shape, &side->scales);
        if (status == CLQ_OK)
            status = clq_tensor_create(paged->context, CLQ_FLOAT16, 4, found_shape, &side->offsets);
    }
    return status;
}

/* The step's own part of slots and updates is a view; the pool is written in place. */
static clq_status put_step(struct paged *paged, const struct side *side, int step)
{
    int64_t batch[] = {BATCH}, shape[] = {BATCH, 1, HEADS, CHANNELS};
    DLTensor slots = paged->device_slots->dl_tensor, updates = side->device_updates->dl_tensor;

    slots.shape = batch;
    slots.byte_offset += (uint64_t)step * sizeof paged->slots[0];
    updates.shape = shape;
    updates.byte_offset += (uint64_t)step * sizeof side->updates[0];
    return clq_dynamic_quantize_scatter(
        paged->context, paged->queue,
        &(struct clq_dynamic_quantize_scatter_desc){.cache = &side->cache->dl_tensor,
                                                    .cache_scales = &side->scales->dl_tensor,
                                                    .cache_offsets = &side->offsets->dl_tensor,
                                                    .indices = &slots,
                                                    .updates = &updates,
                                                    .axis = 1,
                                                    .unique = 1,
                                                    .index_kind = CLQ_SLOTS,
                                                    .block = BLOCK},
        0, NULL, NULL);
}

/* A sequence's tokens, one behind the other, as floats: the block table as slots. */
static clq_status gather(struct paged *paged, const struct side *side, int sequence, float *tokens)
{
    const int length = paged->lengths[sequence];
    int64_t count[] = {length}, shape[] = {length, 1, HEADS, CHANNELS};
    DLTensor slots = paged->gather_slots->dl_tensor, y = paged->gathered->dl_tensor;
    int32_t of_tokens[STEPS];
    clq_status status;

    for (int t = 0; t < length; t++)
        of_tokens[t] = (int32_t)(paged->table[sequence][t / PAGE] * PAGE + t % PAGE);
    slots.shape = count;
    y.shape = shape;
    status = clq_tensor_write(paged->queue, &slots, CL_TRUE, of_tokens, (size_t)length * sizeof *of_tokens, 0,
                              NULL, NULL);
    if (status == CLQ_OK)
        status = clq_dequantize(paged->context, paged->queue,
                                &(struct clq_dequantize_desc){.q = &side->cache->dl_tensor,
                                                              .scales = &side->scales->dl_tensor,
                                                              .offsets = &side->offsets->dl_tensor,
                                                              .indices = &slots,
                                                              .y = &y,
                                                              .axis = 1,
                                                              .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                                              .index_kind = CLQ_SLOTS,
                                                              .block = BLOCK},
                                0, NULL, NULL);
    return status != CLQ_OK ? status
                            : clq_tensor_read(paged->queue, &y, CL_TRUE, tokens,
                                              (size_t)length * ROW * sizeof *tokens, 0, NULL, NULL);
}

/* softmax(query · keys / sqrt(channels)) · values of one head. */
static void attend(const float *query, const float *keys, const float *values, int length, double *output)
{
    double weights[STEPS], sum = 0.0;

    for (int t = 0; t < length; t++) {
        double score = 0.0;

        for (int c = 0; c < CHANNELS; c++)
            score += (double)query[c] * (double)keys[t * ROW + c];
        weights[t] = exp(score / sqrt((double)CHANNELS));
        sum += weights[t];
    }
    for (int c = 0; c < CHANNELS; c++) {
        output[c] = 0.0;
        for (int t = 0; t < length; t++)
            output[c] += weights[t] / sum * (double)values[t * ROW + c];
    }
}

/* The squares of what attention over the cache is off by, and of what it is. */
static clq_status compare(struct paged *paged, int sequence, double squares[2])
{
    static float found[2][STEPS * ROW], right[2][STEPS * ROW];
    const int length = paged->lengths[sequence];

    for (int s = 0; s < 2; s++) {
        const clq_status status = gather(paged, &paged->sides[s], sequence, found[s]);

        if (status != CLQ_OK)
            return status;
        for (int t = 0; t < length; t++)
            for (int i = 0; i < ROW; i++)
                right[s][t * ROW + i] = float_of_float16(paged->sides[s].updates[t][paged->of[sequence]][i]);
    }
    for (int head = 0; head < HEADS; head++) {
        double got[CHANNELS], exact[CHANNELS];
        float query[CHANNELS];

        for (int c = 0; c < CHANNELS; c++)
            query[c] = (float)draw(1 << 20) / (float)(1 << 19) - 1.0f;
        attend(query, found[0] + head * CHANNELS, found[1] + head * CHANNELS, length, got);
        attend(query, right[0] + head * CHANNELS, right[1] + head * CHANNELS, length, exact);
        for (int c = 0; c < CHANNELS; c++) {
            squares[0] += (got[c] - exact[c]) * (got[c] - exact[c]);
            squares[1] += exact[c] * exact[c];
        }
    }
    return CLQ_OK;
}

static clq_status compare_all(struct paged *paged, const char *when)
{
    double squares[2] = {0.0, 0.0};
    int tokens = 0, last = 0;
    clq_status status = CLQ_OK;

    state = 1; /* the same queries each time */
    for (int b = 0; b < BATCH && status == CLQ_OK; b++)
        status = compare(paged, b, squares);
    for (int b = 0; b < BATCH; b++)
        tokens += paged->lengths[b];
    for (int p = 0; p < PAGES; p++)
        last = paged->users[p] > 0 ? p : last;
    if (status == CLQ_OK)
        printf("%s: %d tokens in %d of %d pages, the last one in page %d; attention is off by %.1f %%\n",
               when, tokens, PAGES - paged->num_free, PAGES, last, 100.0 * sqrt(squares[0] / squares[1]));
    paged->wrong |= !(squares[0] < 0.15 * 0.15 * squares[1]);
    return status;
}

/* Two sequences end, and leave holes; one of them begins again as a fork of the first, whose last page is
 * half full. */
static clq_status go_on(struct paged *paged)
{
    int moved = 0;
    clq_status status;

    paged->lengths[0] -= PAGE / 2;
    paged_end(paged, 1);
    paged_end(paged, 4);
    status = paged_fork(paged, 1, 0);
    if (status == CLQ_OK)
        status = compare_all(paged, "two ended, one forked");
    if (status == CLQ_OK)
        status = paged_compact(paged, &moved);
    if (status == CLQ_OK)
        printf("%d pages moved\n", moved);
    return status == CLQ_OK ? compare_all(paged, "compacted") : status;
}

static clq_status run(struct paged *paged)
{
    clq_status status = CLQ_OK;

    for (int step = 0; step < STEPS && status == CLQ_OK; step++) {
        status = put_step(paged, &paged->sides[0], step);
        if (status == CLQ_OK)
            status = put_step(paged, &paged->sides[1], step);
    }
    if (status == CLQ_OK)
        status = compare_all(paged, "filled");
    return status == CLQ_OK ? go_on(paged) : status;
}

static void destroy(struct paged *paged)
{
    for (int s = 0; s < 2; s++) {
        clq_tensor_destroy(paged->sides[s].device_updates);
        clq_tensor_destroy(paged->sides[s].cache);
        clq_tensor_destroy(paged->sides[s].scales);
        clq_tensor_destroy(paged->sides[s].offsets);
    }
    clq_tensor_destroy(paged->device_slots);
    clq_tensor_destroy(paged->gather_slots);
    clq_tensor_destroy(paged->page_slots[0]);
    clq_tensor_destroy(paged->page_slots[1]);
    clq_tensor_destroy(paged->gathered);
    clq_queue_destroy(paged->queue);
    clq_context_destroy(paged->context);
}

int main(void)
{
    static struct paged paged;
    clq_status status = clq_context_create(NULL, &paged.context);

    fill(&paged);
    if (status == CLQ_OK)
        status = clq_queue_create(paged.context, 0, &paged.queue);
    if (status == CLQ_OK)
        status = create(&paged);
    if (status == CLQ_OK)
        status = run(&paged);
    if (status != CLQ_OK)
        fprintf(stderr, "paged: %s\n", clq_error_detail());
    destroy(&paged);
    return status == CLQ_OK && !paged.wrong ? 0 : 1;
}
