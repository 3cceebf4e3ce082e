/* SPDX-License-Identifier: Apache-2.0 */
/* Own kernels before and after clquant's, in an out-of-order queue, where nothing but events says what
 * follows what. In each step of a decode loop a kernel of ours turns the new keys by their positions (a
 * rotary embedding), clquant quantizes them into the int8 cache, and another kernel of ours computes scores
 * of a query, from the cache as it lies there:
 *
 *   turn ──▶ clq_quantize_scatter ──▶ score ──▶ read, once
 *    ▲                                  │
 *    └────────── the next step ◀────────┘
 *
 * All values are short binary fractions, so that no sum is rounded and each score equals that of a plain
 * loop. */
#include <clquant/clquant.h>
#include <math.h>
#include <stdio.h>

enum { STEPS = 24, BATCH = 4, TOKENS = 32, CHANNELS = 64, PAIRS = CHANNELS / 2 };

static const char kernels[] =
    "kernel void turn(global const float2 *keys, global const float2 *turns, global const int *places, int "
    "step,\n"
    "                 global float2 *turned)\n"
    "{\n"
    "    const size_t i = get_global_id(0), b = get_global_id(1);\n"
    "    const float2 key = keys[(step * BATCH + b) * PAIRS + i];\n"
    "    const float2 by = turns[places[step * BATCH + b] * PAIRS + i]; /* cosine, sine */\n"
    "    turned[b * PAIRS + i] = (float2)(key.x * by.x - key.y * by.y, key.x * by.y + key.y * by.x);\n"
    "}\n"
    "kernel void score(global const float *query, global const char *cache, global const float *scales,\n"
    "                  global const int *places, int step, global float *scores)\n"
    "{\n"
    "    const size_t t = get_global_id(0), b = get_global_id(1);\n"
    "    float sum = 0.0f;\n"
    "    for (int c = 0; c < CHANNELS && (int)t <= places[step * BATCH + b]; c++)\n"
    "        sum += query[c] * (convert_float(cache[(b * TOKENS + t) * CHANNELS + c]) * scales[c]);\n"
    "    scores[(step * BATCH + b) * TOKENS + t] = sum;\n"
    "}\n";

/* What lies on the device. Keys and values are alike, so there are keys alone. */
enum buffer { KEYS, TURNS, PLACES, SCALES, QUERY, TURNED, CACHE, SCORES, NUM_BUFFERS };

static float keys[STEPS][BATCH][CHANNELS], turns[TOKENS][PAIRS][2], scales[CHANNELS], query[CHANNELS];
static float got[STEPS][BATCH][TOKENS], right[STEPS][BATCH][TOKENS];
static int32_t places[STEPS][BATCH];
static const signed char empty[BATCH][TOKENS][CHANNELS];

static const struct {
    size_t size_bytes;
    const void *host; /* what is in it at first; NULL: anything */
} contents[NUM_BUFFERS] = {
    [KEYS] = {sizeof keys, keys},       [TURNS] = {sizeof turns, turns}, [PLACES] = {sizeof places, places},
    [SCALES] = {sizeof scales, scales}, [QUERY] = {sizeof query, query}, [TURNED] = {sizeof keys[0], NULL},
    [CACHE] = {sizeof empty, empty},    [SCORES] = {sizeof got, NULL},
};

struct pipeline {
    cl_context cl;
    cl_command_queue queue;
    cl_program program;
    cl_kernel turn, score;
    cl_mem buffers[NUM_BUFFERS];
    clq_context *clquant;
};

static void fill(void)
{
    for (int step = 0; step < STEPS; step++)
        for (int b = 0; b < BATCH; b++) {
            places[step][b] = 2 * b + step;
            for (int c = 0; c < CHANNELS; c++)
                keys[step][b][c] = 0.125f * (float)((7 * c + 5 * b + 3 * step) % 31 - 15);
        }
    for (int t = 0; t < TOKENS; t++)
        for (int i = 0; i < PAIRS; i++) {
            const double angle = t * pow(10000.0, -(double)i / PAIRS);

            turns[t][i][0] = (float)(nearbyint(64.0 * cos(angle)) / 64.0);
            turns[t][i][1] = (float)(nearbyint(64.0 * sin(angle)) / 64.0);
        }
    for (int c = 0; c < CHANNELS; c++) {
        scales[c] = c % 3 == 0 ? 0.03125f : 0.0625f;
        query[c] = 0.125f * (float)(c % 13 - 6);
    }
}

static cl_int create(struct pipeline *p)
{
    static const char *const text = kernels;
    char options[100];
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;

    if (clq_device_find(NULL, 1, &platform, &device) != CLQ_OK)
        return CL_DEVICE_NOT_FOUND;
    p->cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    p->queue = clCreateCommandQueue(p->cl, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES) /* a device without such queues */
        p->queue = clCreateCommandQueue(p->cl, device, 0, &code);
    for (int i = 0; i < NUM_BUFFERS && code == CL_SUCCESS; i++)
        p->buffers[i] =
            clCreateBuffer(p->cl, CL_MEM_READ_WRITE | (contents[i].host != NULL ? CL_MEM_COPY_HOST_PTR : 0),
                           contents[i].size_bytes, (void *)contents[i].host, &code);
    if (code == CL_SUCCESS)
        p->program = clCreateProgramWithSource(p->cl, 1, (const char **)&text, NULL, &code);
    snprintf(options, sizeof options, "-D BATCH=%d -D TOKENS=%d -D CHANNELS=%d -D PAIRS=%d", BATCH, TOKENS,
             CHANNELS, PAIRS);
    if (code == CL_SUCCESS)
        code = clBuildProgram(p->program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        p->turn = clCreateKernel(p->program, "turn", &code);
    if (code == CL_SUCCESS)
        p->score = clCreateKernel(p->program, "score", &code);
    return code != CL_SUCCESS ? code
                              : clq_context_create(&(struct clq_context_desc){.context = p->cl}, &p->clquant);
}

/* A kernel's arguments are the buffers in this order, with the step behind the places. */
static cl_int run(struct pipeline *p, cl_kernel kernel, size_t num_buffers, const enum buffer *buffers,
                  int step, size_t width, cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const size_t sizes[] = {width, BATCH};
    cl_int code = CL_SUCCESS;
    cl_uint argument = 0;

    for (size_t i = 0; i < num_buffers && code == CL_SUCCESS; i++) {
        code = clSetKernelArg(kernel, argument++, sizeof(cl_mem), &p->buffers[buffers[i]]);
        if (buffers[i] == PLACES && code == CL_SUCCESS)
            code = clSetKernelArg(kernel, argument++, sizeof step, &step);
    }
    return code != CL_SUCCESS
               ? code
               : clEnqueueNDRangeKernel(p->queue, kernel, 2, NULL, sizes, NULL, num_wait, wait, done);
}

/* The step's keys are cache[b][places[b]][..] = sat(rint(turned[b][..] / scales)). */
static clq_status quantize(struct pipeline *p, int step, const cl_event *turned, cl_event *done)
{
    int64_t cache_shape[] = {BATCH, TOKENS, CHANNELS}, step_shape[] = {BATCH, 1, CHANNELS};
    int64_t batch[] = {BATCH}, channels[] = {CHANNELS};
    const DLTensor cache = clq_tensor_view(p->buffers[CACHE], CLQ_INT8, 3, cache_shape);
    const DLTensor updates = clq_tensor_view(p->buffers[TURNED], CLQ_FLOAT32, 3, step_shape);
    const DLTensor scale = clq_tensor_view(p->buffers[SCALES], CLQ_FLOAT32, 1, channels);
    DLTensor indices = clq_tensor_view(p->buffers[PLACES], CLQ_INT32, 1, batch);

    indices.byte_offset = (uint64_t)step * sizeof places[0];
    return clq_quantize_scatter(
        p->clquant, p->queue,
        &(struct clq_quantize_scatter_desc){
            .cache = &cache, .updates = &updates, .indices = &indices, .scales = &scale, .axis = 1},
        1, turned, done);
}

static void release_event(cl_event event)
{
    if (event != NULL)
        clReleaseEvent(event);
}

static cl_int decode(struct pipeline *p)
{
    static const enum buffer of_turn[] = {KEYS, TURNS, PLACES, TURNED},
                             of_score[] = {QUERY, CACHE, SCALES, PLACES, SCORES};
    cl_event before = NULL; /* the step before is done with what this one writes */
    cl_int code = CL_SUCCESS;

    for (int step = 0; step < STEPS && code == CL_SUCCESS; step++) {
        cl_event turned = NULL, quantized = NULL, scored = NULL;

        code = run(p, p->turn, 4, of_turn, step, PAIRS, before != NULL, before != NULL ? &before : NULL,
                   &turned);
        if (code == CL_SUCCESS)
            code = quantize(p, step, &turned, &quantized);
        if (code == CL_SUCCESS)
            code = run(p, p->score, 5, of_score, step, TOKENS, 1, &quantized, &scored);
        release_event(before);
        release_event(turned);
        release_event(quantized);
        before = scored;
    }
    if (code == CL_SUCCESS)
        code =
            clEnqueueReadBuffer(p->queue, p->buffers[SCORES], CL_TRUE, 0, sizeof got, got, 1, &before, NULL);
    release_event(before);
    return code;
}

/* The same by a plain loop. */
static void decode_plainly(void)
{
    static float cache[BATCH][TOKENS][CHANNELS];

    for (int step = 0; step < STEPS; step++)
        for (int b = 0; b < BATCH; b++) {
            const int place = places[step][b];

            for (int c = 0; c < CHANNELS; c++) {
                const float *key = &keys[step][b][c / 2 * 2], *by = turns[place][c / 2];
                const float turned =
                    c % 2 == 0 ? key[0] * by[0] - key[1] * by[1] : key[0] * by[1] + key[1] * by[0];

                cache[b][place][c] =
                    scales[c] * fminf(fmaxf(nearbyintf(turned / scales[c]), -128.0f), 127.0f);
            }
            for (int t = 0; t <= place; t++)
                for (int c = 0; c < CHANNELS; c++)
                    right[step][b][t] += query[c] * cache[b][t][c];
        }
}

static int report(void)
{
    int wrong = 0;

    decode_plainly();
    for (int i = 0; i < STEPS * BATCH * TOKENS; i++)
        wrong += (&got[0][0][0])[i] != (&right[0][0][0])[i];
    if (wrong > 0)
        printf("%d of %d scores differ from a plain loop's\n", wrong, STEPS * BATCH * TOKENS);
    else
        printf("all %d scores of %d steps equal a plain loop's\n", STEPS * BATCH * TOKENS, STEPS);
    return wrong > 0;
}

static void release(struct pipeline *p)
{
    clq_context_destroy(p->clquant);
    for (int i = 0; i < NUM_BUFFERS; i++)
        if (p->buffers[i] != NULL)
            clReleaseMemObject(p->buffers[i]);
    if (p->turn != NULL)
        clReleaseKernel(p->turn);
    if (p->score != NULL)
        clReleaseKernel(p->score);
    if (p->program != NULL)
        clReleaseProgram(p->program);
    if (p->queue != NULL)
        clReleaseCommandQueue(p->queue);
    if (p->cl != NULL)
        clReleaseContext(p->cl);
}

int main(void)
{
    struct pipeline pipeline = {0};
    int failed = 1;

    fill();
    cl_int code = create(&pipeline);
    if (code == CL_SUCCESS)
        code = decode(&pipeline);
    if (code == CL_SUCCESS)
        failed = report();
    else
        fprintf(stderr, "own_kernels: %s %s\n", clq_status_name(code), clq_error_detail());
    release(&pipeline);
    return failed;
}
