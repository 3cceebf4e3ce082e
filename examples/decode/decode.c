/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a decode loop: in every step each sequence of a batch gets one token, whose keys and values
 * are quantized and written to the sequence's next place in the int8 caches, in device memory, with one call
 * each on the caller's queue. Nothing waits until the last step. The bytes are compared with those of a plain
 * loop in C. */
#include "../common/values.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stdio.h>

enum { STEPS = 256, BATCH = 8, TOKENS = 512, HEADS = 8, CHANNELS = 128 };
enum { STEP_ELEMENTS = BATCH * HEADS * CHANNELS, CACHE_BYTES = BATCH * TOKENS * HEADS * CHANNELS };

static const int64_t cache_shape[] = {BATCH, TOKENS, HEADS, CHANNELS};
static const int64_t step_shape[] = {BATCH, 1, HEADS, CHANNELS};
static const int64_t all_shape[] = {STEPS * BATCH, 1, HEADS, CHANNELS};
static const int64_t position_shape[] = {STEPS, BATCH};
static const int64_t scale_shape[] = {CHANNELS};

/* Keys or values: what a model would compute in each step, and the cache. */
struct side {
    uint16_t updates[STEPS][STEP_ELEMENTS]; /* float16 */
    float scales[CHANNELS];
    int8_t got[CACHE_BYTES], right[CACHE_BYTES];
    DLManagedTensor *device_updates, *device_scales, *device_cache;
};

struct decode {
    clq_context *context;
    cl_command_queue queue;
    int32_t positions[STEPS][BATCH];
    DLManagedTensor *device_positions, *device_report;
    struct side sides[2];
};

/* Sequences have prompts of different lengths, and grow by a token a step. */
static void fill(struct decode *decode)
{
    uint32_t random = 1;

    for (int step = 0; step < STEPS; step++)
        for (int b = 0; b < BATCH; b++)
            decode->positions[step][b] = 31 * b + step;
    for (int s = 0; s < 2; s++) {
        for (int c = 0; c < CHANNELS; c++)
            decode->sides[s].scales[c] = 0.01f + 0.0005f * (float)c;
        for (int i = 0; i < STEPS * STEP_ELEMENTS; i++) {
            random = random * 1664525u + 1013904223u;
            decode->sides[s].updates[i / STEP_ELEMENTS][i % STEP_ELEMENTS] =
                float16_of_float((float)(random >> 8) / (float)(1 << 22) - 2.0f);
        }
    }
}

static clq_status upload(struct decode *decode, DLDataType dtype, int rank, const int64_t *shape,
                         const void *bytes, size_t size_bytes, DLManagedTensor **tensor)
{
    const clq_status status = clq_tensor_create(decode->context, dtype, rank, shape, tensor);

    return status != CLQ_OK ? status
                            : clq_tensor_write(decode->queue, &(*tensor)->dl_tensor, CL_TRUE, bytes,
                                               size_bytes, 0, NULL, NULL);
}

static clq_status upload_all(struct decode *decode)
{
    static const struct clq_report none;
    clq_status status = upload(decode, CLQ_INT32, 2, position_shape, decode->positions,
                               sizeof decode->positions, &decode->device_positions);

    if (status == CLQ_OK)
        status = upload(decode, CLQ_UINT8, 1, (const int64_t[]){sizeof none}, &none, sizeof none,
                        &decode->device_report);
    for (int s = 0; s < 2 && status == CLQ_OK; s++) {
        struct side *side = &decode->sides[s];

        status = upload(decode, CLQ_FLOAT16, 4, all_shape, side->updates, sizeof side->updates,
                        &side->device_updates);
        if (status == CLQ_OK)
            status = upload(decode, CLQ_FLOAT32, 1, scale_shape, side->scales, sizeof side->scales,
                            &side->device_scales);
        if (status == CLQ_OK)
            status =
                upload(decode, CLQ_INT8, 4, cache_shape, side->got, sizeof side->got, &side->device_cache);
    }
    return status;
}

/* The step's own part of the positions and updates is a view; the caches are written in place. */
static clq_status put_step(struct decode *decode, const struct side *side, int step, bool build_only)
{
    DLTensor positions = decode->device_positions->dl_tensor, updates = side->device_updates->dl_tensor;
    const struct clq_quantize_scatter_desc desc = {
        .cache = &side->device_cache->dl_tensor,
        .indices = &positions,
        .updates = &updates,
        .scales = &side->device_scales->dl_tensor,
        .report = decode->device_report->dl_tensor.data,
        .axis = 1,
    };

    positions.ndim = 1;
    positions.shape = (int64_t[]){BATCH};
    positions.strides = NULL;
    positions.byte_offset += (uint64_t)step * sizeof decode->positions[0];
    updates.shape = (int64_t *)step_shape;
    updates.strides = NULL;
    updates.byte_offset += (uint64_t)step * sizeof side->updates[0];
    return build_only ? clq_quantize_scatter_build(decode->context, &desc)
                      : clq_quantize_scatter(decode->context, decode->queue, &desc, 0, NULL, NULL);
}

static clq_status run(struct decode *decode, double *seconds)
{
    clq_status status = put_step(decode, &decode->sides[0], 0, true);
    const double start = now_s();

    for (int step = 0; step < STEPS && status == CLQ_OK; step++) {
        status = put_step(decode, &decode->sides[0], step, false);
        if (status == CLQ_OK)
            status = put_step(decode, &decode->sides[1], step, false);
    }
    if (status == CLQ_OK)
        status = clFinish(decode->queue);
    *seconds = now_s() - start;
    for (int s = 0; s < 2 && status == CLQ_OK; s++)
        status = clq_tensor_read(decode->queue, &decode->sides[s].device_cache->dl_tensor, CL_TRUE,
                                 decode->sides[s].got, CACHE_BYTES, 0, NULL, NULL);
    return status;
}

/* cache[b][position][..] = sat(rint(update / scale)); the values are finite. */
static void run_plain(struct decode *decode)
{
    for (int s = 0; s < 2; s++)
        for (int step = 0; step < STEPS; step++)
            for (int i = 0; i < STEP_ELEMENTS; i++) {
                struct side *side = &decode->sides[s];
                const int batch = i / (HEADS * CHANNELS), inside = i % (HEADS * CHANNELS);
                const int place = batch * TOKENS + decode->positions[step][batch];
                const float scaled =
                    float_of_float16(side->updates[step][i]) / side->scales[inside % CHANNELS];

                side->right[place * HEADS * CHANNELS + inside] =
                    (int8_t)nearbyintf(fminf(fmaxf(scaled, -128.0f), 127.0f));
            }
}

static bool report(struct decode *decode, double seconds)
{
    struct clq_report counts = {0};
    size_t wrong = 0;
    const clq_status status = clq_tensor_read(decode->queue, &decode->device_report->dl_tensor, CL_TRUE,
                                              &counts, sizeof counts, 0, NULL, NULL);

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < CACHE_BYTES; i++)
            wrong += decode->sides[s].got[i] != decode->sides[s].right[i];
    printf("decode: %d steps, batch %d, int8 keys and values of %d tokens, %d heads, %d channels\n", STEPS,
           BATCH, TOKENS, HEADS, CHANNELS);
    if (wrong > 0)
        printf("%zu bytes differ from the plain loop's\n", wrong);
    else
        printf("all %d bytes equal a plain loop's in C, %u entries dropped\n", 2 * CACHE_BYTES,
               (unsigned)counts.dropped);
    printf("%d bytes saved: float16 would take %d\n", 2 * CACHE_BYTES, 4 * CACHE_BYTES);
    printf("%.1f microseconds per step\n", 1e6 * seconds / STEPS);
    return status == CLQ_OK && wrong == 0 && counts.dropped == 0;
}

static void release(struct decode *decode)
{
    DLManagedTensor *const tensors[] = {
        decode->device_positions,       decode->device_report,         decode->sides[0].device_updates,
        decode->sides[0].device_scales, decode->sides[0].device_cache, decode->sides[1].device_updates,
        decode->sides[1].device_scales, decode->sides[1].device_cache,
    };

    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        clq_tensor_destroy(tensors[i]);
    clq_queue_destroy(decode->queue);
    clq_context_destroy(decode->context);
}

int main(void)
{
    static struct decode decode; /* too large for a stack */
    double seconds = 0;
    bool ok = false;
    clq_status status = clq_context_create(NULL, &decode.context);

    fill(&decode);
    if (status == CLQ_OK)
        status = clq_queue_create(decode.context, 0, &decode.queue);
    if (status == CLQ_OK)
        status = upload_all(&decode);
    if (status == CLQ_OK)
        status = run(&decode, &seconds);
    if (status == CLQ_OK) {
        run_plain(&decode);
        ok = report(&decode, seconds);
    } else {
        fprintf(stderr, "decode: %s: %s\n", clq_status_name(status), clq_error_detail());
    }
    release(&decode);
    return ok ? 0 : 1;
}
