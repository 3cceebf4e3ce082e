/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of one's own that reads the cache, by clquant's device header. Its scores are compared with those
 * of the keys that clq_dequantize gives. */
#include "kv_cache.h"

#include <stdio.h>

enum { REPEATS = 9, MOST_ROWS = 64 };

static const char header[] = {
#include "clquant_clh.inc"
};
static const char source[] = {
#include "kv_cache_fused_cl.inc"
};

bool fused_can(const struct format *format)
{
    return format->keep == KEEP_DYNAMIC && format->block == 0 && !format->rotated &&
           format->dtype.code == kDLInt;
}

/* A device that has subnormals multiplies as clquant does. */
static const char *arithmetic_of(cl_device_id device)
{
    cl_device_fp_config single = 0;

    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL);
    return single & CL_FP_DENORM ? "-D CLQ_NATIVE" : "";
}

static clq_status build(const struct cache *cache, cl_program *program, cl_kernel *kernel)
{
    const struct options *o = cache->loop->options;
    const cl_device_id device = clq_context_device(cache->loop->context);
    const char *texts[] = {header, source};
    const size_t lengths[] = {sizeof header, sizeof source};
    const int bits = cache->format->dtype.bits;
    char log[256] = "", options[256];
    clq_status status = CLQ_OK;

    snprintf(options, sizeof options,
             "-cl-std=CL1.2 -D LOAD=clq_load_int%d -D LOAD8=clq_load8_int%d -D SIZE=%d -D BITS=%d -D "
             "QUERIES=%d %s",
             bits, bits, (int)o->head_size, bits, (int)o->queries, arithmetic_of(device));
    *program = clCreateProgramWithSource(clq_context_cl(cache->loop->context), 2, texts, lengths, &status);
    TRY(noted(status, "clCreateProgramWithSource"));
    status = clBuildProgram(*program, 1, &device, options, NULL, NULL);
    if (status != CLQ_OK) {
        clGetProgramBuildInfo(*program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        return clq_error_set(status, "fused.cl does not build: %s", log);
    }
    *kernel = clCreateKernel(*program, "fused_scores", &status);
    return noted(status, "clCreateKernel of fused_scores");
}

static clq_status set_arguments(const struct cache *cache, cl_kernel kernel, int64_t step)
{
    const struct loop *loop = cache->loop;
    const struct options *o = loop->options;
    const struct cache_side *keys = &cache->sides[0];
    const DLManagedTensor *added = keys->offset != NULL ? keys->offset : keys->scale;
    const cl_uint has_offsets = keys->offset != NULL, heads = (cl_uint)o->heads,
                  tokens = (cl_uint)(o->context + step + 1);
    const cl_ulong first = (cl_ulong)(step * query_rows(o) * o->head_size), room = (cl_ulong)tokens_of(o);
    const float factor = 1.0f / sqrtf((float)o->head_size);
    const struct {
        size_t size_bytes;
        const void *value;
    } arguments[] = {{sizeof(cl_mem), &keys->data->dl_tensor.data},
                     {sizeof(cl_mem), &keys->scale->dl_tensor.data},
                     {sizeof(cl_mem), &added->dl_tensor.data},
                     {sizeof has_offsets, &has_offsets},
                     {sizeof(cl_mem), &loop->queries->dl_tensor.data},
                     {sizeof first, &first},
                     {sizeof(cl_mem), &loop->scores->dl_tensor.data},
                     {sizeof heads, &heads},
                     {sizeof tokens, &tokens},
                     {sizeof room, &room},
                     {sizeof factor, &factor}};

    for (cl_uint i = 0; i < sizeof arguments / sizeof *arguments; i++)
        TRY(noted(clSetKernelArg(kernel, i, arguments[i].size_bytes, arguments[i].value), "clSetKernelArg"));
    return CLQ_OK;
}

/* The first run compiles, on PoCL, and is left out. */
static clq_status time_runs(const struct cache *cache, cl_kernel kernel, double *seconds)
{
    const struct options *o = cache->loop->options;
    const size_t global[] = {(size_t)tokens_of(o), (size_t)(o->batch * o->heads)};
    double taken[REPEATS];

    for (int i = -1; i < REPEATS; i++) {
        const double start = now_s();
        cl_event done = NULL;

        TRY(noted(clEnqueueNDRangeKernel(cache->loop->queue, kernel, 2, NULL, global, NULL, 0, NULL, &done),
                  "clEnqueueNDRangeKernel of fused_scores"));
        TRY(noted(clWaitForEvents(1, &done), "clWaitForEvents"));
        clReleaseEvent(done);
        if (i >= 0)
            taken[i] = now_s() - start;
    }
    *seconds = median(taken, REPEATS);
    return CLQ_OK;
}

/* Of a row of queries: how far its scores are from those of the dequantized keys, and from what rounding
 * explains: each product, sum and factor is rounded once. */
static clq_status check_row(const struct cache *cache, int64_t step, int64_t row, const float *query,
                            const float *keys, const float *scores, double *worst)
{
    const struct options *o = cache->loop->options;
    const int64_t head = row / o->queries % o->heads, sequence = row / o->queries / o->heads;

    for (int64_t t = 0; t <= o->context + step; t++) {
        const float *key = keys + ((sequence * tokens_of(o) + t) * o->heads + head) * o->head_size;
        double score = 0.0, magnitudes = 0.0, error;

        for (int64_t c = 0; c < o->head_size; c++) {
            const double term = (double)query[c] * (double)key[c] / sqrt((double)o->head_size);

            score += term;
            magnitudes += fabs(term);
        }
        error = fabs((double)scores[row * tokens_of(o) + t] - score);
        *worst = error <= *worst ? *worst : error;
        if (!(error <= (double)(o->head_size + 4) * 0x1p-24 * magnitudes))
            return clq_error_set(CLQ_ERROR_SYSTEM, "%s: a score that was read from the cache is off by %.3g",
                                 cache->format->name, error);
    }
    return CLQ_OK;
}

/* The keys of the step are in loop->wide. */
static clq_status check(const struct cache *cache, int64_t step, double *worst)
{
    const struct loop *loop = cache->loop;
    const struct options *o = loop->options;
    const size_t keys_bytes = (size_t)(o->batch * tokens_of(o) * token_elements(o)) * sizeof(float),
                 scores_bytes = (size_t)(query_rows(o) * tokens_of(o)) * sizeof(float),
                 queries_bytes = (size_t)(query_rows(o) * o->head_size) * sizeof(float);
    float *keys = malloc(keys_bytes), *scores = malloc(scores_bytes), *queries = malloc(queries_bytes);
    const int64_t rows = query_rows(o), every = (rows + MOST_ROWS - 1) / MOST_ROWS;
    clq_status status = keys != NULL && scores != NULL && queries != NULL
                            ? CLQ_OK
                            : clq_error_set(CLQ_ERROR_MEMORY, "no memory for the scores");

    if (status == CLQ_OK)
        status = clEnqueueReadBuffer(loop->queue, loop->wide[0]->dl_tensor.data, CL_TRUE, 0, keys_bytes, keys,
                                     0, NULL, NULL);
    if (status == CLQ_OK)
        status = clEnqueueReadBuffer(loop->queue, loop->scores->dl_tensor.data, CL_TRUE, 0, scores_bytes,
                                     scores, 0, NULL, NULL);
    if (status == CLQ_OK)
        status = clEnqueueReadBuffer(loop->queue, loop->queries->dl_tensor.data, CL_TRUE,
                                     (size_t)step * queries_bytes, queries_bytes, queries, 0, NULL, NULL);
    for (int64_t row = 0; row < rows && status == CLQ_OK; row += every)
        status = check_row(cache, step, row, queries + row * o->head_size, keys, scores, worst);
    free(queries);
    free(scores);
    free(keys);
    return status;
}

clq_status fused_run(const struct cache *cache, struct fused *fused)
{
    const int64_t step = cache->loop->options->steps - 1;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    clq_status status = build(cache, &program, &kernel);

    *fused = (struct fused){.format = cache->format};
    if (status == CLQ_OK)
        status = set_arguments(cache, kernel, step);
    if (status == CLQ_OK)
        status = time_runs(cache, kernel, &fused->seconds);
    if (status == CLQ_OK)
        status = check(cache, step, &fused->worst);
    if (kernel != NULL)
        clReleaseKernel(kernel);
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

void fused_print(const struct fused *fused)
{
    printf("scores read from the %s cache, with clquant.clh: %.0f µs; from those of the dequantized keys at "
           "most %.1e\n",
           fused->format->name, 1e6 * fused->seconds, fused->worst);
}
