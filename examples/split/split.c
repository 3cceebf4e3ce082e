/* SPDX-License-Identifier: Apache-2.0 */
/* A cache that is split over devices by batch. Each device keeps the keys and values of its own sequences as
 * int4, so nothing passes from device to device: in a step each gets the new tokens of its sequences and
 * their places, and quantizes and scatters them. All of them work at once. At the end the caches are compared
 * with those of one device that has the whole batch.
 *
 *   split [DEVICE...]     as CLQ_DEVICE has them; without any, all devices of the default device's platform.
 *                         On several machines PoCL-Remote makes a device of each node's (docs/scaling.md). */
#include "../common/values.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stdio.h>

enum { STEPS = 48, BATCH = 8, TOKENS = 64, HEADS = 4, CHANNELS = 64, ROW = HEADS * CHANNELS };

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const clq_status try_status = (call);                                                                \
        if (try_status != CLQ_OK)                                                                            \
            return try_status;                                                                               \
    } while (0)

/* What a model would compute, keys and values of a token of each sequence in each step, and their places. */
static uint16_t updates[2][STEPS][BATCH][ROW]; /* float16 */
static int32_t places[STEPS][BATCH];

/* Keys or values of the whole batch, as devices leave them. */
struct bytes {
    uint8_t cache[BATCH][TOKENS][ROW / 2];
    float scales[BATCH][TOKENS][HEADS], offsets[BATCH][TOKENS][HEADS];
};

/* Some sequences on one device: its context, queue, tensors, and a plan each for keys and values. */
struct part {
    int first, count;
    clq_context *context;
    cl_command_queue queue;
    DLManagedTensor *places;
    struct side {
        DLManagedTensor *updates, *cache, *scales, *offsets;
        clq_plan *plan;
    } sides[2];
};

static void fill(void)
{
    uint64_t state = 1;

    for (int step = 0; step < STEPS; step++)
        for (int b = 0; b < BATCH; b++)
            places[step][b] = 2 * b + step;
    for (int i = 0; i < 2 * STEPS * BATCH * ROW; i++)
        (&updates[0][0][0][0])[i] = float16_of_float((float)(8.0 * random_uniform(&state) - 4.0));
}

/* Zeros, so that places which are never written compare too. */
static clq_status create_zeros(const struct part *part, DLDataType dtype, int rank, const int64_t *shape,
                               DLManagedTensor **tensor)
{
    static const struct bytes zeros;
    size_t size_bytes;

    TRY(clq_tensor_create(part->context, dtype, rank, shape, tensor));
    TRY(clq_tensor_size_bytes(&(*tensor)->dl_tensor, &size_bytes));
    return clq_tensor_write(part->queue, &(*tensor)->dl_tensor, CL_TRUE, &zeros, size_bytes, 0, NULL, NULL);
}

static clq_status create_side(const struct part *part, struct side *side)
{
    const int64_t step_shape[] = {part->count, 1, HEADS, CHANNELS},
                  cache_shape[] = {part->count, TOKENS, HEADS, CHANNELS};

    TRY(clq_tensor_create(part->context, CLQ_FLOAT16, 4, step_shape, &side->updates));
    TRY(create_zeros(part, CLQ_INT4, 4, cache_shape, &side->cache));
    TRY(create_zeros(part, CLQ_FLOAT32, 3, cache_shape, &side->scales));
    TRY(create_zeros(part, CLQ_FLOAT32, 3, cache_shape, &side->offsets));
    return clq_dynamic_quantize_scatter_plan(
        part->context,
        &(struct clq_dynamic_quantize_scatter_desc){.cache = &side->cache->dl_tensor,
                                                    .cache_scales = &side->scales->dl_tensor,
                                                    .cache_offsets = &side->offsets->dl_tensor,
                                                    .indices = &part->places->dl_tensor,
                                                    .updates = &side->updates->dl_tensor,
                                                    .axis = 1,
                                                    .unique = 1},
        &side->plan);
}

static clq_status create(struct part *part, cl_device_id device, int first, int end)
{
    const int64_t count = end - first;

    part->first = first;
    part->count = end - first;
    /* a context of its own: devices of different platforms cannot share one */
    TRY(clq_context_create(&(struct clq_context_desc){.device = device}, &part->context));
    TRY(clq_queue_create(part->context, 0, &part->queue));
    TRY(clq_tensor_create(part->context, CLQ_INT32, 1, &count, &part->places));
    TRY(create_side(part, &part->sides[0]));
    return create_side(part, &part->sides[1]);
}

/* A step's tokens of a part's sequences: in an in-order queue, without waiting for anything. */
static clq_status put_step(const struct part *part, int step)
{
    const size_t places_bytes = (size_t)part->count * sizeof places[0][0],
                 updates_bytes = (size_t)part->count * sizeof updates[0][0][0];

    TRY(clq_tensor_write(part->queue, &part->places->dl_tensor, CL_FALSE, &places[step][part->first],
                         places_bytes, 0, NULL, NULL));
    for (int s = 0; s < 2; s++) {
        TRY(clq_tensor_write(part->queue, &part->sides[s].updates->dl_tensor, CL_FALSE,
                             updates[s][step][part->first], updates_bytes, 0, NULL, NULL));
        TRY(clq_plan_enqueue(part->sides[s].plan, part->queue, 0, NULL, 0, NULL, NULL));
    }
    return clFlush(part->queue);
}

static clq_status read_side(const struct part *part, const struct side *side, struct bytes *bytes)
{
    const size_t count = (size_t)part->count;

    TRY(clq_tensor_read(part->queue, &side->cache->dl_tensor, CL_TRUE, bytes->cache[part->first],
                        count * sizeof bytes->cache[0], 0, NULL, NULL));
    TRY(clq_tensor_read(part->queue, &side->scales->dl_tensor, CL_TRUE, bytes->scales[part->first],
                        count * sizeof bytes->scales[0], 0, NULL, NULL));
    return clq_tensor_read(part->queue, &side->offsets->dl_tensor, CL_TRUE, bytes->offsets[part->first],
                           count * sizeof bytes->offsets[0], 0, NULL, NULL);
}

static clq_status run(struct part *parts, int num_parts, struct bytes bytes[2], double *seconds)
{
    const double start = now_s();

    for (int step = 0; step < STEPS; step++)
        for (int p = 0; p < num_parts; p++)
            TRY(put_step(&parts[p], step));
    for (int p = 0; p < num_parts; p++)
        TRY(clFinish(parts[p].queue));
    *seconds = now_s() - start;
    for (int p = 0; p < num_parts; p++)
        for (int s = 0; s < 2; s++)
            TRY(read_side(&parts[p], &parts[p].sides[s], &bytes[s]));
    return CLQ_OK;
}

static void destroy(struct part *part)
{
    for (int s = 0; s < 2; s++) {
        clq_plan_destroy(part->sides[s].plan);
        clq_tensor_destroy(part->sides[s].updates);
        clq_tensor_destroy(part->sides[s].cache);
        clq_tensor_destroy(part->sides[s].scales);
        clq_tensor_destroy(part->sides[s].offsets);
    }
    clq_tensor_destroy(part->places);
    clq_queue_destroy(part->queue);
    clq_context_destroy(part->context);
}

/* The batch over the devices, as evenly as it goes. */
static clq_status decode(int num_devices, const cl_device_id *devices, struct bytes bytes[2], double *seconds)
{
    struct part parts[BATCH] = {0};
    clq_status status = CLQ_OK;

    for (int p = 0; p < num_devices && status == CLQ_OK; p++)
        status = create(&parts[p], devices[p], BATCH * p / num_devices, BATCH * (p + 1) / num_devices);
    if (status == CLQ_OK)
        status = run(parts, num_devices, bytes, seconds);
    for (int p = 0; p < num_devices; p++)
        destroy(&parts[p]);
    return status;
}

/* Those that are named, or the default device's platform's, at most one for each sequence. */
static clq_status find_devices(int num_names, char **names, int *num_devices, cl_device_id devices[BATCH])
{
    cl_platform_id platform;
    cl_uint count;

    *num_devices = num_names;
    for (int i = 0; i < num_names; i++)
        TRY(clq_device_find(names[i], 0, &platform, &devices[i]));
    if (num_names > 0)
        return CLQ_OK;
    TRY(clq_device_find(NULL, 1, &platform, &devices[0]));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, BATCH, devices, &count));
    *num_devices = count < BATCH ? (int)count : BATCH;
    return CLQ_OK;
}

/* FNV-1a: the same on every machine, as the bytes are. */
static uint32_t checksum(const void *data, size_t size_bytes)
{
    const uint8_t *bytes = data;
    uint32_t sum = 2166136261u;

    for (size_t i = 0; i < size_bytes; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

static bool report(int num_devices, const struct bytes *got, const struct bytes *right,
                   const double seconds[2])
{
    const bool equal = memcmp(got, right, 2 * sizeof *got) == 0;

    printf("%d steps of %d sequences over %d device%s:", STEPS, BATCH, num_devices,
           num_devices > 1 ? "s" : "");
    for (int p = 0; p < num_devices; p++)
        printf(" %d", BATCH * (p + 1) / num_devices - BATCH * p / num_devices);
    printf("\n%zu bytes of int4 caches, scales and offsets %s those of one device, checksum %08x\n",
           2 * sizeof *got, equal ? "equal" : "differ from", (unsigned)checksum(got, 2 * sizeof *got));
    printf("%.0f microseconds per step, and %.0f on the first device alone\n", 1e6 * seconds[0] / STEPS,
           1e6 * seconds[1] / STEPS);
    return equal;
}

int main(int argc, char **argv)
{
    static struct bytes got[2], right[2];
    cl_device_id devices[BATCH];
    double seconds[2] = {0};
    int num_devices = 0;
    bool good = false;

    if (argc - 1 > BATCH) {
        fprintf(stderr, "split: %d devices: at most %d, for that many sequences are in the batch\n", argc - 1,
                BATCH);
        return 2;
    }
    fill();
    clq_status status = find_devices(argc - 1, argv + 1, &num_devices, devices);
    if (status == CLQ_OK)
        status = decode(num_devices, devices, got, &seconds[0]);
    if (status == CLQ_OK)
        status = decode(1, devices, right, &seconds[1]);
    if (status == CLQ_OK)
        good = report(num_devices, got, right, seconds);
    else
        fprintf(stderr, "split: %s: %s\n", clq_status_name(status), clq_error_detail());
    return good ? 0 : 1;
}
