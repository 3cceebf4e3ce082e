/* SPDX-License-Identifier: Apache-2.0 */
/* A step of decoding as one command: the plans of all layers' caches, and a kernel of the caller's own behind
 * them, are recorded into a command buffer (cl_khr_command_buffer) once, and each step replays it. The same
 * steps are done by single calls and by a list of plans, which a device without the extension has too. */
#define CL_ENABLE_BETA_EXTENSIONS /* without it CL/cl_ext.h of 2025 and 2026 leaves command buffers out */
#include "../common/values.h"

#include <CL/cl_ext.h>
#include <clquant/clquant.h>
#include <stdbool.h>
#include <stdio.h>

enum {
    CACHES = 64,
    STEPS = 32,
    BATCH = 2,
    TOKENS = 64,
    HEADS = 4,
    CHANNELS = 64
}; /* keys and values of 32 layers */
enum { ROW = HEADS * CHANNELS, STEP_ELEMENTS = BATCH * ROW, CACHE_BYTES = BATCH * TOKENS * ROW };

/* The functions of the extension, which the OpenCL loader does not export. */
struct extension {
    clCreateCommandBufferKHR_fn create;
    clCommandNDRangeKernelKHR_fn ndrange;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
};

struct record {
    clq_context *context;
    cl_command_queue queue;
    cl_kernel advance;
    DLManagedTensor *updates, *places, *scales, *caches[CACHES];
    DLTensor steps[CACHES]; /* a cache's own of the updates */
    clq_plan *plans[CACHES];
    struct extension extension;
    cl_command_buffer_khr commands; /* NULL: the device has no such thing */
};

static int8_t got[CACHE_BYTES], right[CACHES][CACHE_BYTES];
static uint16_t values[STEPS][CACHES][STEP_ELEMENTS]; /* float16: what a model computes in each step */
static float scale_values[CHANNELS];

static const int64_t cache_shape[] = {BATCH, TOKENS, HEADS, CHANNELS},
                     step_shape[] = {BATCH, 1, HEADS, CHANNELS},
                     updates_shape[] = {CACHES, BATCH, 1, HEADS, CHANNELS}, batch_shape[] = {BATCH},
                     scales_shape[] = {CHANNELS};

/* What the caches must hold, by a plain loop. */
static void fill(void)
{
    uint32_t random = 1;

    for (int c = 0; c < CHANNELS; c++)
        scale_values[c] = 0.01f + 0.0005f * (float)c;
    for (int i = 0; i < STEPS * CACHES * STEP_ELEMENTS; i++) {
        const int step = i / (CACHES * STEP_ELEMENTS), cache = i / STEP_ELEMENTS % CACHES;
        const int at = i % STEP_ELEMENTS, place = at / ROW * TOKENS + 7 * (at / ROW) + step;
        float scaled;

        random = random * 1664525u + 1013904223u;
        values[step][cache][at] = float16_of_float((float)(random >> 8) / (float)(1 << 22) - 2.0f);
        scaled = float_of_float16(values[step][cache][at]) / scale_values[at % CHANNELS];
        right[cache][place * ROW + at % ROW] = (int8_t)nearbyintf(fminf(fmaxf(scaled, -128.0f), 127.0f));
    }
}

static struct clq_quantize_scatter_desc desc_of(const struct record *record, int cache)
{
    return (struct clq_quantize_scatter_desc){.cache = &record->caches[cache]->dl_tensor,
                                              .indices = &record->places->dl_tensor,
                                              .updates = &record->steps[cache],
                                              .scales = &record->scales->dl_tensor,
                                              .axis = 1};
}

/* The caller's own kernel: the next token goes one place further. */
static clq_status build_advance(struct record *record)
{
    const char *source = "kernel void advance(global int *places) { places[get_global_id(0)]++; }";
    const cl_device_id device = clq_context_device(record->context);
    clq_status status = CLQ_OK;
    cl_program program =
        clCreateProgramWithSource(clq_context_cl(record->context), 1, &source, NULL, &status);

    if (status == CLQ_OK)
        status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status == CLQ_OK)
        record->advance = clCreateKernel(program, "advance", &status);
    if (status == CLQ_OK)
        status = clSetKernelArg(record->advance, 0, sizeof(cl_mem), &record->places->dl_tensor.data);
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

static clq_status create(struct record *record)
{
    clq_context *clq = record->context;
    clq_status status = clq_queue_create(clq, 0, &record->queue);

    if (status == CLQ_OK)
        status = clq_tensor_create(clq, CLQ_FLOAT16, 5, updates_shape, &record->updates);
    if (status == CLQ_OK)
        status = clq_tensor_create(clq, CLQ_INT32, 1, batch_shape, &record->places);
    if (status == CLQ_OK)
        status = clq_tensor_create(clq, CLQ_FLOAT32, 1, scales_shape, &record->scales);
    if (status == CLQ_OK)
        status = clq_tensor_write(record->queue, &record->scales->dl_tensor, CL_TRUE, scale_values,
                                  sizeof scale_values, 0, NULL, NULL);
    for (int i = 0; i < CACHES && status == CLQ_OK; i++) {
        struct clq_quantize_scatter_desc desc;

        record->steps[i] =
            clq_tensor_view(record->updates->dl_tensor.data, CLQ_FLOAT16, 4, (int64_t *)step_shape);
        record->steps[i].byte_offset = (uint64_t)i * sizeof values[0][0];
        status = clq_tensor_create(clq, CLQ_INT8, 4, cache_shape, &record->caches[i]);
        if (status == CLQ_OK) {
            desc = desc_of(record, i);
            status = clq_quantize_scatter_plan(clq, &desc, &record->plans[i]);
        }
    }
    return status == CLQ_OK ? build_advance(record) : status;
}

/* ISO C converts no pointer to an object into one to a function: its bytes are copied. */
static void look_up(cl_platform_id platform, const char *name, void *function)
{
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);

    memcpy(function, &found, sizeof found);
}

static bool find_extension(cl_device_id device, struct extension *extension)
{
    static char names[16384];
    cl_platform_id platform = NULL;

    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names - 1, names, NULL);
    if (strstr(names, "cl_khr_command_buffer") == NULL)
        return false;
    look_up(platform, "clCreateCommandBufferKHR", &extension->create);
    look_up(platform, "clCommandNDRangeKernelKHR", &extension->ndrange);
    look_up(platform, "clFinalizeCommandBufferKHR", &extension->finalize);
    look_up(platform, "clEnqueueCommandBufferKHR", &extension->enqueue);
    look_up(platform, "clReleaseCommandBufferKHR", &extension->release);
    return extension->create && extension->ndrange && extension->finalize && extension->enqueue &&
           extension->release;
}

static void list_calls(const struct record *record, struct clq_plan_call calls[CACHES])
{
    for (int i = 0; i < CACHES; i++)
        calls[i] = (struct clq_plan_call){.plan = record->plans[i]};
}

/* All plans, which may run at the same time, and the caller's kernel behind them:
 * sync points take the place of events. */
static clq_status record_step(struct record *record)
{
    const struct extension *extension = &record->extension;
    const size_t batch = BATCH;
    struct clq_plan_call calls[CACHES];
    cl_sync_point_khr written;
    clq_status status = CLQ_OK;

    list_calls(record, calls);
    record->commands = extension->create(1, &record->queue, NULL, &status);
    if (status == CLQ_OK)
        status = clq_plan_record_all(record->commands, CACHES, calls, 0, NULL, &written);
    if (status == CLQ_OK)
        status = extension->ndrange(record->commands, NULL, NULL, record->advance, 1, NULL, &batch, NULL, 1,
                                    &written, NULL, NULL);
    return status == CLQ_OK ? extension->finalize(record->commands) : status;
}

static clq_status step_by_calls(struct record *record)
{
    const size_t batch = BATCH;
    clq_status status = CLQ_OK;

    for (int i = 0; i < CACHES && status == CLQ_OK; i++) {
        const struct clq_quantize_scatter_desc desc = desc_of(record, i);

        status = clq_quantize_scatter(record->context, record->queue, &desc, 0, NULL, NULL);
    }
    return status != CLQ_OK
               ? status
               : clEnqueueNDRangeKernel(record->queue, record->advance, 1, NULL, &batch, NULL, 0, NULL, NULL);
}

static clq_status step_by_plans(struct record *record)
{
    const size_t batch = BATCH;
    struct clq_plan_call calls[CACHES];
    clq_status status;

    list_calls(record, calls);
    status = clq_plan_enqueue_all(record->queue, CACHES, calls, 0, NULL, NULL);
    return status != CLQ_OK
               ? status
               : clEnqueueNDRangeKernel(record->queue, record->advance, 1, NULL, &batch, NULL, 0, NULL, NULL);
}

static clq_status step_by_replay(struct record *record)
{
    return record->extension.enqueue(0, NULL, record->commands, 0, NULL, NULL);
}

static clq_status empty_caches(struct record *record)
{
    static const int8_t zeros[CACHE_BYTES];
    int32_t places[BATCH];
    clq_status status = CLQ_OK;

    for (int b = 0; b < BATCH; b++)
        places[b] = 7 * b;
    for (int i = 0; i < CACHES && status == CLQ_OK; i++)
        status = clq_tensor_write(record->queue, &record->caches[i]->dl_tensor, CL_TRUE, zeros, sizeof zeros,
                                  0, NULL, NULL);
    return status != CLQ_OK ? status
                            : clq_tensor_write(record->queue, &record->places->dl_tensor, CL_TRUE, places,
                                               sizeof places, 0, NULL, NULL);
}

/* A step ends before the next begins, as the next token comes of it; so a command buffer is never enqueued
 * twice at a time, which it need not allow. */
static clq_status run(struct record *record, clq_status (*enqueue_step)(struct record *), const char *name)
{
    double enqueued[STEPS], done[STEPS];
    size_t wrong = 0;
    clq_status status = empty_caches(record);

    for (int step = 0; step < STEPS && status == CLQ_OK; step++) {
        double start;

        status = clq_tensor_write(record->queue, &record->updates->dl_tensor, CL_TRUE, values[step],
                                  sizeof values[step], 0, NULL, NULL);
        start = now_s();
        if (status == CLQ_OK)
            status = enqueue_step(record);
        enqueued[step] = now_s() - start;
        if (status == CLQ_OK)
            status = clFinish(record->queue);
        done[step] = now_s() - start;
    }
    for (int i = 0; i < CACHES && status == CLQ_OK; i++) {
        status = clq_tensor_read(record->queue, &record->caches[i]->dl_tensor, CL_TRUE, got, sizeof got, 0,
                                 NULL, NULL);
        for (int byte = 0; byte < CACHE_BYTES; byte++)
            wrong += got[byte] != right[i][byte];
    }
    if (status != CLQ_OK)
        return status;
    printf("%s: %zu bytes of %d caches differ from a plain loop's\n", name, wrong, CACHES);
    printf("%s: %.0f microseconds to enqueue a step, %.0f to its end\n", name, 1e6 * median(enqueued, STEPS),
           1e6 * median(done, STEPS));
    return wrong == 0 ? CLQ_OK : clq_error_set(CLQ_ERROR_VALUE, "%zu bytes are wrong", wrong);
}

static clq_status run_all(struct record *record)
{
    const cl_device_id device = clq_context_device(record->context);
    char name[256] = "";
    clq_status status = create(record);

    if (status == CLQ_OK)
        status = run(record, step_by_calls, "calls");
    if (status == CLQ_OK)
        status = run(record, step_by_plans, "plans");
    if (status == CLQ_OK && !find_extension(device, &record->extension)) {
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        printf("replay: left out, for the device %s does not have cl_khr_command_buffer\n", name);
        return CLQ_OK;
    }
    if (status == CLQ_OK)
        status = record_step(record);
    return status == CLQ_OK ? run(record, step_by_replay, "replay") : status;
}

/* The command buffer goes before the plans whose kernels are in it. */
static void release(struct record *record)
{
    if (record->commands != NULL)
        record->extension.release(record->commands);
    for (int i = 0; i < CACHES; i++) {
        clq_plan_destroy(record->plans[i]);
        clq_tensor_destroy(record->caches[i]);
    }
    if (record->advance != NULL)
        clReleaseKernel(record->advance);
    clq_tensor_destroy(record->updates);
    clq_tensor_destroy(record->places);
    clq_tensor_destroy(record->scales);
    clq_queue_destroy(record->queue);
    clq_context_destroy(record->context);
}

int main(void)
{
    struct record record = {0};
    clq_status status = clq_context_create(NULL, &record.context);

    fill();
    if (status == CLQ_OK)
        status = run_all(&record);
    if (status != CLQ_OK)
        fprintf(stderr, "record: %s: %s\n", clq_status_name(status), clq_error_detail());
    release(&record);
    return status == CLQ_OK ? 0 : 1;
}
