/* SPDX-License-Identifier: Apache-2.0 */
/* Quantizing, timing, checking. */
#include "demo.h"

#include <stdio.h>

enum { MOST_COPIES = 64, ROUNDS = 11, GROUP = 64, CPU_RUN = 2048 };

/* Reads the bytes that a quantization reads and writes those that it writes, and computes nothing: a block is
 * READS words in and WRITES words out, each their exclusive or. A work-item does `run` blocks,
 * one behind the other. */
static const char stream_source[] =
    "kernel void stream(global const ulong8 *src, global ulong8 *dst, ulong run, ulong blocks)\n"
    "{\n"
    "    const ulong first = get_global_id(0) * run;\n"
    "    for (ulong i = first; i < min(first + run, blocks); i++) {\n"
    "        ulong8 sum = src[i * READS];\n"
    "        for (uint k = 1; k < READS; k++) sum ^= src[i * READS + k];\n"
    "        for (uint k = 0; k < WRITES; k++) dst[i * WRITES + k] = sum;\n"
    "    }\n"
    "}\n";

/* What one format needs: in host memory what the device must give; on the device as many copies of the data,
 * used in turn, as it takes that no round finds its data in a cache. */
struct run {
    const struct demo *demo;
    const struct format *format;
    const struct data *x;
    size_t elements, channels, x_bytes, y_bytes;
    float *scales;
    unsigned char *y, *expected;
    DLManagedTensor *dx[MOST_COPIES], *dy[MOST_COPIES], *dscales;
    int copies;
    cl_program program;
    cl_kernel stream;
};

static bool failed(const char *doing, clq_status status)
{
    if (status != CLQ_OK)
        fprintf(stderr, "demo: %s: %s %s\n", doing, clq_status_name(status), clq_error_detail());
    return status != CLQ_OK;
}

static float load(const struct data *x, size_t i)
{
    if (x->dtype.bits == 32)
        return ((const float *)x->values)[i];
    return x->dtype.code == kDLBfloat ? float_of_bfloat16(((const uint16_t *)x->values)[i])
                                      : float_of_float16(((const uint16_t *)x->values)[i]);
}

static void find_scales(struct run *run)
{
    for (size_t i = 0; i < run->elements; i++) {
        const float size = fabsf(load(run->x, i));

        if (isfinite(size) && size > run->scales[i % run->channels])
            run->scales[i % run->channels] = size;
    }
    for (size_t c = 0; c < run->channels; c++)
        run->scales[c] = run->scales[c] > 0.0f ? run->scales[c] / run->format->largest : 1.0f;
}

static int stored(const struct run *run, const unsigned char *y, size_t i)
{
    return run->format->dtype.bits == 8 ? (signed char)y[i] : ((y[i / 2] >> i % 2 * 4 & 15) ^ 8) - 8;
}

/* The same in plain C: y = sat(rint(x / scale)), NaN gives 0, the first of two int4 in the low half. */
static void quantize_plain(struct run *run)
{
    const float high = run->format->largest, low = -high - 1.0f;

    for (size_t i = 0; i < run->elements; i++) {
        const float scaled = load(run->x, i) / run->scales[i % run->channels];
        const int q = isnan(scaled) ? 0 : (int)nearbyintf(fminf(fmaxf(scaled, low), high));

        if (run->format->dtype.bits == 8)
            run->expected[i] = (unsigned char)q;
        else
            run->expected[i / 2] |= (unsigned char)((q & 15) << i % 2 * 4);
    }
}

static clq_status create(struct run *run)
{
    const struct demo *demo = run->demo;
    const struct data *x = run->x;
    const int64_t channels = (int64_t)run->channels;
    clq_status status = clq_tensor_create(demo->context, CLQ_FLOAT32, 1, &channels, &run->dscales);

    if (status == CLQ_OK)
        status = clq_tensor_write(demo->queue, &run->dscales->dl_tensor, CL_TRUE, run->scales,
                                  run->channels * sizeof(float), 0, NULL, NULL);
    for (int i = 0; i < run->copies && status == CLQ_OK; i++) {
        status = clq_tensor_create(demo->context, x->dtype, x->rank, x->shape, &run->dx[i]);
        if (status == CLQ_OK)
            status = clq_tensor_create(demo->context, run->format->dtype, x->rank, x->shape, &run->dy[i]);
        if (status == CLQ_OK)
            status = clq_tensor_write(demo->queue, &run->dx[i]->dl_tensor, CL_TRUE, x->values, run->x_bytes,
                                      0, NULL, NULL);
        if (status == CLQ_OK) /* first touch is slow, and is not what is timed */
            status = clq_tensor_write(demo->queue, &run->dy[i]->dl_tensor, CL_TRUE, run->y, run->y_bytes, 0,
                                      NULL, NULL);
    }
    return status;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static clq_status build_stream(struct run *run)
{
    const cl_device_id device = clq_context_device(run->demo->context);
    const size_t least = smaller(run->x_bytes, run->y_bytes);
    const char *source = stream_source;
    char options[64];
    clq_status status = CLQ_OK;

    snprintf(options, sizeof options, "-cl-std=CL1.2 -DREADS=%zu -DWRITES=%zu", run->x_bytes / least,
             run->y_bytes / least);
    run->program = clCreateProgramWithSource(clq_context_cl(run->demo->context), 1, &source, NULL, &status);
    if (status == CLQ_OK)
        status = clBuildProgram(run->program, 1, &device, options, NULL, NULL);
    if (status == CLQ_OK)
        run->stream = clCreateKernel(run->program, "stream", &status);
    return status;
}

/* A processor wants few long runs, and a GPU neighbours side by side. */
static clq_status enqueue_stream(const struct run *run, int copy, cl_event *done)
{
    cl_device_type type = 0;
    clq_status status =
        clGetDeviceInfo(clq_context_device(run->demo->context), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    const bool cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    const cl_ulong blocks = smaller(run->x_bytes, run->y_bytes) / sizeof(cl_ulong8),
                   length = cpu ? CPU_RUN : 1;
    const size_t group = cpu ? 1 : GROUP, groups = (size_t)blocks / (length * group) + 1,
                 items = groups * group;
    const struct {
        size_t size_bytes;
        const void *value;
    } arguments[] = {{sizeof(cl_mem), &run->dx[copy]->dl_tensor.data},
                     {sizeof(cl_mem), &run->dy[copy]->dl_tensor.data},
                     {sizeof length, &length},
                     {sizeof blocks, &blocks}};

    for (cl_uint i = 0; i < 4 && status == CLQ_OK; i++)
        status = clSetKernelArg(run->stream, i, arguments[i].size_bytes, arguments[i].value);
    return status != CLQ_OK ? status
                            : clEnqueueNDRangeKernel(run->demo->queue, run->stream, 1, NULL, &items, &group,
                                                     0, NULL, done);
}

static clq_status enqueue_quantize(const struct run *run, int copy, cl_event *done)
{
    return clq_quantize(run->demo->context, run->demo->queue,
                        &(struct clq_quantize_desc){.x = &run->dx[copy]->dl_tensor,
                                                    .scales = &run->dscales->dl_tensor,
                                                    .y = &run->dy[copy]->dl_tensor,
                                                    .axis = -1},
                        0, NULL, done);
}

/* One run, start to end. */
static clq_status timed(const struct run *run, clq_status (*enqueue)(const struct run *, int, cl_event *),
                        int copy, double *seconds)
{
    const double start = now_s();
    cl_event done = NULL;
    clq_status status = enqueue(run, copy % run->copies, &done);

    if (status == CLQ_OK) {
        status = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    *seconds = now_s() - start;
    return status;
}

/* Both in turn, so that a slow moment of the machine meets both. Every copy is left quantized. */
static clq_status measure(const struct run *run, double *ours_s, double *stream_s)
{
    double ours[ROUNDS], stream[ROUNDS], ignored;
    clq_status status = timed(run, enqueue_stream, 0, &ignored); /* builds the kernel */
    int copy = 0;

    for (int i = 0; i < run->copies && status == CLQ_OK; i++)
        status = timed(run, enqueue_quantize, i, &ignored);
    for (int i = 0; i < ROUNDS && status == CLQ_OK; i++) {
        status = timed(run, enqueue_stream, copy++, &stream[i]);
        if (status == CLQ_OK)
            status = timed(run, enqueue_quantize, copy++, &ours[i]);
    }
    for (int i = 0; i < run->copies && status == CLQ_OK; i++)
        status = timed(run, enqueue_quantize, i, &ignored);
    if (status == CLQ_OK) {
        *ours_s = median(ours, ROUNDS);
        *stream_s = median(stream, ROUNDS);
    }
    return status;
}

/* Every byte of the device's answers. */
static bool check(struct run *run)
{
    size_t wrong = 0;

    for (int i = 0; i < run->copies; i++) {
        if (failed("download", clq_tensor_read(run->demo->queue, &run->dy[i]->dl_tensor, CL_TRUE, run->y,
                                               run->y_bytes, 0, NULL, NULL)))
            return false;
        for (size_t byte = 0; byte < run->y_bytes; byte++)
            wrong += run->y[byte] != run->expected[byte];
    }
    if (wrong > 0)
        printf("    DIFFERS from the same in plain C in %zu bytes\n", wrong);
    else
        printf("    equals the same in plain C in all %zu bytes\n", run->y_bytes);
    return wrong == 0;
}

static double rms_percent(double noise, double signal)
{
    return noise > 0.0 ? 100.0 * sqrt(noise / signal) : 0.0;
}

static void print_saved(size_t x_bytes, size_t kept_bytes)
{
    const double mib = 1 << 20;

    printf("%.1f MiB -> %.1f MiB with its scales: saves %.1f %%", (double)x_bytes / mib,
           (double)kept_bytes / mib, 100.0 * (1.0 - (double)kept_bytes / (double)x_bytes));
}

static void report(const struct run *run, double ours_s, double stream_s, struct total *total)
{
    const double moved = (double)(run->x_bytes + run->y_bytes);
    const size_t kept_bytes = run->y_bytes + run->channels * sizeof(float);
    double most = 0.0, noise = 0.0, signal = 0.0;

    for (size_t i = 0; i < run->elements; i++) {
        const double value = load(run->x, i);
        const double error = value - stored(run, run->expected, i) * (double)run->scales[i % run->channels];

        if (!isfinite(value))
            continue;
        most = fmax(most, fabs(error));
        noise += error * error;
        signal += value * value;
    }
    printf("    %.2f ms, %.3g GB/s read and written; a kernel that moves as much and computes nothing: %.3g "
           "GB/s; "
           "ratio %.2f\n",
           1e3 * ours_s, moved / ours_s / 1e9, moved / stream_s / 1e9, stream_s / ours_s);
    printf("    ");
    print_saved(run->x_bytes, kept_bytes);
    printf("\n    error: RMS %.2f %% of the values', at most %.4g\n", rms_percent(noise, signal), most);
    *total = (struct total){.tensors = total->tensors + 1,
                            .x_bytes = total->x_bytes + run->x_bytes,
                            .kept_bytes = total->kept_bytes + kept_bytes,
                            .noise = total->noise + noise,
                            .signal = total->signal + signal};
}

void format_print_total(const struct format *format, const struct total *total)
{
    printf("  %s, %zu tensor%s: ", format->name, total->tensors, total->tensors == 1 ? "" : "s");
    print_saved(total->x_bytes, total->kept_bytes);
    printf("; error: RMS %.2f %%\n", rms_percent(total->noise, total->signal));
}

static void release(struct run *run)
{
    for (int i = 0; i < run->copies; i++) {
        clq_tensor_destroy(run->dx[i]);
        clq_tensor_destroy(run->dy[i]);
    }
    clq_tensor_destroy(run->dscales);
    if (run->stream != NULL)
        clReleaseKernel(run->stream);
    if (run->program != NULL)
        clReleaseProgram(run->program);
    free(run->expected);
    free(run->y);
    free(run->scales);
}

/* Copies that together are larger than any last-level cache. */
static int copies_of(size_t bytes)
{
    const size_t fresh_bytes = (size_t)768 << 20, wanted = fresh_bytes / (bytes + 1) + 1;

    return wanted < 2 ? 2 : wanted > MOST_COPIES ? MOST_COPIES : (int)wanted;
}

bool format_run(const struct demo *demo, const struct format *format, const struct data *x,
                struct total *total)
{
    struct run run = {.demo = demo, .format = format, .x = x, .elements = 1};
    double ours_s = 0.0, stream_s = 0.0;
    bool ok;

    printf("  %s, a scale per channel (absmax / %g)\n", format->name, (double)format->largest);
    fflush(stdout);
    for (int d = 0; d < x->rank; d++)
        run.elements *= (size_t)x->shape[d];
    run.channels = (size_t)x->shape[x->rank - 1];
    run.x_bytes = run.elements * (x->dtype.bits / 8);
    run.y_bytes = run.elements * format->dtype.bits / 8;
    run.copies = copies_of(run.x_bytes + run.y_bytes);
    run.scales = calloc(run.channels, sizeof *run.scales);
    run.y = calloc(1, run.y_bytes);
    run.expected = calloc(1, run.y_bytes);
    ok = run.scales != NULL && run.y != NULL && run.expected != NULL;
    if (!ok)
        failed("memory", CLQ_ERROR_MEMORY);
    if (ok) {
        find_scales(&run);
        quantize_plain(&run);
        ok = !failed("upload", create(&run)) && !failed("the stream kernel", build_stream(&run)) &&
             !failed("measurement", measure(&run, &ours_s, &stream_s)) && check(&run);
    }
    if (ok)
        report(&run, ours_s, stream_s, total);
    release(&run);
    return ok;
}
