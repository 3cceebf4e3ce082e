/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizing, timing, checking. */
#include "format.h"

#include "measure.h"
#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool failed(const char *doing, clq_status status)
{
    fprintf(stderr, "demo: %s: %s %s\n", doing, clq_status_name(status), clq_error_detail());
    return false;
}

/* Everything that one format needs: in host memory, what the device must give; on the device, as many copies
 * as it takes that no round finds its data in a cache. */
struct run {
    const struct demo *demo;
    const struct format *format;
    const struct reference_tensor *x;
    size_t x_bytes, y_bytes;
    float *scales;
    unsigned char *y, *expected;
    DLManagedTensor *dx[MEASURE_COPIES], *dy[MEASURE_COPIES], *dscales;
    int copies;
};

static void release(struct run *run)
{
    for (int i = 0; i < run->copies; i++) {
        clq_tensor_destroy(run->dx[i]);
        clq_tensor_destroy(run->dy[i]);
    }
    clq_tensor_destroy(run->dscales);
    free(run->expected);
    free(run->y);
    free(run->scales);
}

static bool upload(struct run *run, DLDataType x_dtype)
{
    clq_context *context = run->demo->context;
    cl_command_queue queue = run->demo->queue;
    const int rank = run->x->rank;
    const int64_t channels = run->x->shape[rank - 1];
    clq_status status = clq_tensor_create(context, CLQ_FLOAT32, 1, &channels, &run->dscales);

    for (int i = 0; i < run->copies && status == CLQ_OK; i++) {
        status = clq_tensor_create(context, x_dtype, rank, run->x->shape, &run->dx[i]);
        if (status == CLQ_OK)
            status = clq_tensor_create(context, run->format->dtype, rank, run->x->shape, &run->dy[i]);
        if (status == CLQ_OK)
            status = clq_tensor_write(queue, &run->dx[i]->dl_tensor, CL_TRUE, run->x->data, run->x_bytes, 0,
                                      NULL, NULL);
        if (status == CLQ_OK) /* first touch is slow, and is not what is timed */
            status =
                clq_tensor_write(queue, &run->dy[i]->dl_tensor, CL_TRUE, run->y, run->y_bytes, 0, NULL, NULL);
    }
    if (status == CLQ_OK)
        status = clq_tensor_write(queue, &run->dscales->dl_tensor, CL_TRUE, run->scales,
                                  (size_t)channels * sizeof(float), 0, NULL, NULL);
    return status == CLQ_OK || failed("upload", status);
}

/* One quantization, start to end. Called by measure. */
static bool quantize(void *user, int copy)
{
    struct run *run = user;
    cl_event done = NULL;
    clq_status status = clq_quantize(run->demo->context, run->demo->queue,
                                     &(struct clq_quantize_desc){.x = &run->dx[copy]->dl_tensor,
                                                                 .scales = &run->dscales->dl_tensor,
                                                                 .y = &run->dy[copy]->dl_tensor,
                                                                 .axis = -1},
                                     0, NULL, &done);

    if (status == CLQ_OK) {
        status = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return status == CLQ_OK || failed("quantize", status);
}

/* Every byte of the device's answer against the plain C reference. */
static bool check(struct run *run)
{
    const struct reference_tensor y =
        reference_dense(run->format->type, 1, run->x->rank, run->x->shape, run->expected);
    const int64_t channels = run->x->shape[run->x->rank - 1];
    const struct reference_tensor scales = reference_dense(REFERENCE_F32, 1, 1, &channels, run->scales);
    size_t wrong = 0;

    reference_quantize(
        &(struct reference_quantize_desc){.x = run->x, .scales = &scales, .y = &y, .axis = run->x->rank - 1});
    for (int i = 0; i < run->copies; i++) {
        const clq_status status = clq_tensor_read(run->demo->queue, &run->dy[i]->dl_tensor, CL_TRUE, run->y,
                                                  run->y_bytes, 0, NULL, NULL);

        if (status != CLQ_OK)
            return failed("download", status);
        for (size_t byte = 0; byte < run->y_bytes; byte++)
            wrong += run->y[byte] != run->expected[byte];
    }
    if (wrong > 0)
        printf("    DIFFERS from the plain C reference in %zu bytes\n", wrong);
    else
        printf("    equals the plain C reference in all %zu bytes\n", run->y_bytes);
    return wrong == 0;
}

static void report(const struct run *run, const struct measure *measure)
{
    const struct reference_tensor q =
        reference_dense(run->format->type, 1, run->x->rank, run->x->shape, run->expected);
    const struct statistics error = statistics_error(run->x, &q, run->scales);
    const double moved = (double)(run->x_bytes + run->y_bytes), mib = 1 << 20;
    const size_t kept = run->y_bytes + (size_t)run->x->shape[run->x->rank - 1] * sizeof(float);

    printf("    %.2f ms, %.1f GB/s read and written: %.2f of %s (%.1f GB/s)\n", 1e3 * measure->ours_s,
           moved / measure->ours_s / 1e9, measure->share, measure->stream, moved / measure->stream_s / 1e9);
    printf("    %.1f MiB -> %.1f MiB with its scales: saves %.1f %%\n", (double)run->x_bytes / mib,
           (double)kept / mib, 100.0 * (1.0 - (double)kept / (double)run->x_bytes));
    printf("    error: at most %.4g, RMS %.4g, signal to noise %.1f dB\n", error.max_error, error.rms_error,
           error.signal_to_noise_db);
}

bool format_run(const struct demo *demo, const struct format *format, DLDataType x_dtype,
                const struct reference_tensor *x)
{
    const int64_t elements = reference_count(x), channels = x->shape[x->rank - 1];
    struct run run = {.demo = demo, .format = format, .x = x};
    struct measure measure = {0};
    bool ok;

    printf("  %s, a scale per channel (absmax / %g)\n", format->name, (double)format->largest);
    fflush(stdout);
    run.x_bytes = (size_t)elements * (x_dtype.bits / 8);
    run.y_bytes = (size_t)elements * format->dtype.bits / 8;
    run.copies = measure_copies(run.x_bytes + run.y_bytes);
    run.scales = calloc((size_t)channels, sizeof *run.scales);
    run.y = calloc(1, run.y_bytes);
    run.expected = calloc(1, run.y_bytes);
    ok = (run.scales != NULL && run.y != NULL && run.expected != NULL) || failed("memory", CLQ_ERROR_MEMORY);
    if (ok)
        statistics_scales(x, format->largest, run.scales);
    ok = ok && upload(&run, x_dtype) &&
         measure_run(demo, &(struct measure_work){run.dx, run.dy, run.copies, quantize, &run}, &measure) &&
         check(&run);
    if (ok)
        report(&run, &measure);
    release(&run);
    return ok;
}
