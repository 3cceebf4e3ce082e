/* SPDX-License-Identifier: Apache-2.0 */
/* A context that is full goes on: the oldest tokens go, and the keys of those behind them move back, to
 * earlier positions. A key was turned by its position before it was quantized, so it has to be turned
 * again by as much as it moves: its rows are gathered as floats, turned by a kernel of the program's own,
 * and quantized to where they go, in one queue, in place, for a cache of ggml's q8_0 and one of int4. At
 * the end the keys are compared with those that would be there had they been computed for their new
 * positions. */
#include "../common/values.h"

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stdio.h>

enum { LENGTH = 256, HEADS = 4, CHANNELS = 64, BLOCK = 32, KEPT = 4, DROPPED = 100 };
enum { ROW = HEADS * CHANNELS, MOVED = LENGTH - KEPT - DROPPED };

static const double base = 10000.0; /* of the rotary embedding */

/* Channel i and the one half a head further are a point, which turns about 0. */
static const char source[] =
    "kernel void turn(global float *keys, const int channels, const float positions, const float base)\n"
    "{\n"
    "    const size_t half_of = channels / 2, i = get_global_id(0), row = get_global_id(1);\n"
    "    global float *key = keys + row * channels + i;\n"
    "    const float angle = positions * pow(base, -2.0f * i / channels);\n"
    "    const float x = key[0], y = key[half_of];\n"
    "\n"
    "    key[0] = x * cos(angle) - y * sin(angle);\n"
    "    key[half_of] = x * sin(angle) + y * cos(angle);\n"
    "}\n";

/* A format of the cache: scales is NULL where blocks carry theirs. */
struct cache {
    const char *name;
    DLManagedTensor *q, *scales, *offsets;
};

struct shift {
    clq_context *context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel turn;
    DLManagedTensor *floats, *slots; /* of all tokens */
    struct cache caches[2];
    const char *failed;      /* of the program's own calls */
    float keys[LENGTH][ROW]; /* before they are turned */
};

/* The first `count` of the tokens. */
static DLTensor first(const DLManagedTensor *tensor, int64_t count, int64_t *shape)
{
    DLTensor view = tensor->dl_tensor;

    for (int d = 0; d < view.ndim; d++)
        shape[d] = view.shape[d];
    shape[0] = count;
    view.shape = shape;
    return view;
}

/* The keys as a model gives them, each turned by its position. */
static void turned_keys(const struct shift *shift, int token, int position, float *row)
{
    for (int i = 0; i < ROW; i++) {
        const int channel = i % CHANNELS, half = CHANNELS / 2, pair = channel % half;
        const double angle = position * pow(base, -2.0 * pair / CHANNELS);
        const double x = shift->keys[token][i - channel + pair],
                     y = shift->keys[token][i - channel + pair + half];

        row[i] = (float)(channel < half ? x * cos(angle) - y * sin(angle) : x * sin(angle) + y * cos(angle));
    }
}

static clq_status write_slots(struct shift *shift, int from, int count, DLTensor *slots, int64_t *shape)
{
    int32_t values[LENGTH];

    for (int t = 0; t < count; t++)
        values[t] = (int32_t)(from + t);
    *slots = first(shift->slots, count, shape);
    return clq_tensor_write(shift->queue, slots, CL_TRUE, values, (size_t)count * sizeof *values, 0, NULL,
                            NULL);
}

/* The first `count` floats to slots `to` and on. */
static clq_status put(struct shift *shift, const struct cache *cache, int to, int count)
{
    int64_t rows[4], numbers[1];
    const DLTensor updates = first(shift->floats, count, rows);
    DLTensor slots;
    const clq_status status = write_slots(shift, to, count, &slots, numbers);

    return status != CLQ_OK ? status
                            : clq_dynamic_quantize_scatter(
                                  shift->context, shift->queue,
                                  &(struct clq_dynamic_quantize_scatter_desc){
                                      .cache = &cache->q->dl_tensor,
                                      .cache_scales = cache->scales ? &cache->scales->dl_tensor : NULL,
                                      .cache_offsets = cache->offsets ? &cache->offsets->dl_tensor : NULL,
                                      .indices = &slots,
                                      .updates = &updates,
                                      .axis = 1,
                                      .unique = 1,
                                      .index_kind = CLQ_SLOTS,
                                      .block = cache->scales ? BLOCK : 0},
                                  0, NULL, NULL);
}

/* `count` tokens from slot `from` on, as floats. */
static clq_status get(struct shift *shift, const struct cache *cache, int from, int count)
{
    int64_t rows[4], numbers[1];
    const DLTensor y = first(shift->floats, count, rows);
    DLTensor slots;
    const clq_status status = write_slots(shift, from, count, &slots, numbers);

    return status != CLQ_OK
               ? status
               : clq_dequantize(shift->context, shift->queue,
                                &(struct clq_dequantize_desc){
                                    .q = &cache->q->dl_tensor,
                                    .scales = cache->scales ? &cache->scales->dl_tensor : NULL,
                                    .offsets = cache->offsets ? &cache->offsets->dl_tensor : NULL,
                                    .indices = &slots,
                                    .y = &y,
                                    .axis = 1,
                                    .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                    .index_kind = CLQ_SLOTS,
                                    .block = cache->scales ? BLOCK : 0},
                                0, NULL, NULL);
}

static clq_status opencl(struct shift *shift, cl_int code, const char *call)
{
    shift->failed = code == CL_SUCCESS ? shift->failed : call;
    return code == CL_SUCCESS ? CLQ_OK : CLQ_ERROR_DEVICE;
}

/* The queue keeps the order: the rows are floats, are turned, and are back before they are needed again. */
static clq_status move_back(struct shift *shift, const struct cache *cache)
{
    const DLTensor *floats = &shift->floats->dl_tensor;
    const cl_int channels = CHANNELS;
    const cl_float positions = -DROPPED, of = (cl_float)base;
    const size_t sizes[] = {CHANNELS / 2, (size_t)MOVED * HEADS};
    cl_mem buffer = floats->data;
    clq_status status = get(shift, cache, KEPT + DROPPED, MOVED);
    cl_int code = clSetKernelArg(shift->turn, 0, sizeof buffer, &buffer);

    code = code == CL_SUCCESS ? clSetKernelArg(shift->turn, 1, sizeof channels, &channels) : code;
    code = code == CL_SUCCESS ? clSetKernelArg(shift->turn, 2, sizeof positions, &positions) : code;
    code = code == CL_SUCCESS ? clSetKernelArg(shift->turn, 3, sizeof of, &of) : code;
    if (status == CLQ_OK)
        status = opencl(shift, code, "clSetKernelArg");
    if (status == CLQ_OK)
        status = opencl(
            shift, clEnqueueNDRangeKernel(shift->queue, shift->turn, 2, NULL, sizes, NULL, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    return status == CLQ_OK ? put(shift, cache, KEPT, MOVED) : status;
}

/* The relative error of the keys of the moved tokens, against keys of their new positions. */
static clq_status measure(struct shift *shift, const struct cache *cache, double *error)
{
    static float found[MOVED][ROW];
    double off = 0.0, all = 0.0;
    int64_t rows[4];
    const DLTensor y = first(shift->floats, MOVED, rows);
    clq_status status = get(shift, cache, KEPT, MOVED);

    if (status == CLQ_OK)
        status = clq_tensor_read(shift->queue, &y, CL_TRUE, found, sizeof found, 0, NULL, NULL);
    for (int t = 0; t < MOVED; t++) {
        float right[ROW];

        turned_keys(shift, t + KEPT + DROPPED, t + KEPT, right);
        for (int i = 0; i < ROW; i++) {
            off += ((double)found[t][i] - (double)right[i]) * ((double)found[t][i] - (double)right[i]);
            all += (double)right[i] * (double)right[i];
        }
    }
    *error = sqrt(off / all);
    return status;
}

/* All tokens from `from` on, at their own positions or as they would be had the others never been. */
static clq_status fill(struct shift *shift, const struct cache *cache, int from, int to)
{
    static float rows[LENGTH][ROW];
    int64_t shape[4];
    const int count = LENGTH - from;
    const DLTensor floats = first(shift->floats, count, shape);
    clq_status status;

    for (int t = 0; t < count; t++)
        turned_keys(shift, from + t, to + t, rows[t]);
    status =
        clq_tensor_write(shift->queue, &floats, CL_TRUE, rows, (size_t)count * sizeof rows[0], 0, NULL, NULL);
    return status == CLQ_OK ? put(shift, cache, to, count) : status;
}

static clq_status run(struct shift *shift, const struct cache *cache, bool *good)
{
    double moved = 0.0, once = 0.0;
    clq_status status = fill(shift, cache, 0, 0);

    if (status == CLQ_OK)
        status = move_back(shift, cache);
    if (status == CLQ_OK)
        status = measure(shift, cache, &moved);
    if (status == CLQ_OK)
        status = fill(shift, cache, KEPT + DROPPED, KEPT);
    if (status == CLQ_OK)
        status = measure(shift, cache, &once);
    if (status == CLQ_OK)
        printf("%s: %d tokens moved back by %d positions, keys off by %.1f %%; quantized once, by %.1f %%\n",
               cache->name, MOVED, DROPPED, 100.0 * moved, 100.0 * once);
    *good = *good && moved < 2.0 * once;
    return status;
}

static clq_status create(struct shift *shift)
{
    const int64_t floats[] = {LENGTH, 1, HEADS, CHANNELS}, slots[] = {LENGTH},
                  keys[] = {1, LENGTH, HEADS, CHANNELS}, found[] = {1, LENGTH, HEADS, CHANNELS / BLOCK};
    const int64_t blocks[] = {1, LENGTH, HEADS, CHANNELS / BLOCK};
    struct cache *int4 = &shift->caches[1];
    const char *text = source;
    cl_device_id device = clq_context_device(shift->context);
    cl_int code;
    clq_status status = clq_tensor_create(shift->context, CLQ_FLOAT32, 4, floats, &shift->floats);

    if (status == CLQ_OK)
        status = clq_tensor_create(shift->context, CLQ_INT32, 1, slots, &shift->slots);
    if (status == CLQ_OK)
        status = clq_tensor_create(shift->context, CLQ_Q8_0, 4, blocks, &shift->caches[0].q);
    if (status == CLQ_OK)
        status = clq_tensor_create(shift->context, CLQ_INT4, 4, keys, &int4->q);
    if (status == CLQ_OK)
        status = clq_tensor_create(shift->context, CLQ_FLOAT16, 4, found, &int4->scales);
    if (status == CLQ_OK)
        status = clq_tensor_create(shift->context, CLQ_FLOAT16, 4, found, &int4->offsets);
    if (status != CLQ_OK)
        return status;
    shift->program = clCreateProgramWithSource(clq_context_cl(shift->context), 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(shift->program, 1, &device, "", NULL, NULL);
    if (code == CL_SUCCESS)
        shift->turn = clCreateKernel(shift->program, "turn", &code);
    return opencl(shift, code, "turn");
}

static void destroy(struct shift *shift)
{
    for (int i = 0; i < 2; i++) {
        clq_tensor_destroy(shift->caches[i].q);
        clq_tensor_destroy(shift->caches[i].scales);
        clq_tensor_destroy(shift->caches[i].offsets);
    }
    clq_tensor_destroy(shift->floats);
    clq_tensor_destroy(shift->slots);
    if (shift->turn)
        clReleaseKernel(shift->turn);
    if (shift->program)
        clReleaseProgram(shift->program);
    clq_queue_destroy(shift->queue);
    clq_context_destroy(shift->context);
}

int main(void)
{
    static struct shift shift = {.caches = {{.name = "q8_0"}, {.name = "int4, blocks of 32"}}};
    uint64_t random = 1;
    bool good = true;
    clq_status status = clq_context_create(NULL, &shift.context);

    for (int i = 0; i < LENGTH * ROW; i++)
        ((float *)shift.keys)[i] = (float)random_normal(&random);
    if (status == CLQ_OK)
        status = clq_queue_create(shift.context, 0, &shift.queue);
    if (status == CLQ_OK)
        status = create(&shift);
    for (int i = 0; i < 2 && status == CLQ_OK; i++)
        status = run(&shift, &shift.caches[i], &good);
    if (status != CLQ_OK)
        fprintf(stderr, "k_shift: %s\n", shift.failed ? shift.failed : clq_error_detail());
    destroy(&shift);
    return status == CLQ_OK && good ? 0 : 1;
}
