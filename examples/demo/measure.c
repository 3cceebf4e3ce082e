/* SPDX-License-Identifier: Apache-2.0 */
/* Timing in turn. On a CPU the stream is the benchmark's loop on the very bytes of the device's buffers,
 * mapped; on any other device it is the driver's copy of as many bytes. */
#include "measure.h"

#include <pool.h>
#include <stdio.h>
#include <stream.h>
#include <timing.h>

enum { ROUNDS = 11 };

struct stream {
    const struct demo *demo;
    const struct measure_work *work;
    struct pool *pool; /* NULL: the device is no CPU */
    struct stream_way way;
    size_t x_bytes, y_bytes;
};

int measure_copies(size_t bytes)
{
    const size_t fresh_bytes = (size_t)768 << 20, wanted = fresh_bytes / (bytes + 1) + 1;

    return wanted < 2 ? 2 : wanted > MEASURE_COPIES ? MEASURE_COPIES : (int)wanted;
}

/* Seconds of one pass of the loop over a copy, or below 0. With find the fastest way is found on it instead.
 */
static double pass_on_host(struct stream *stream, int copy, bool find)
{
    const DLTensor *x = &stream->work->x[copy]->dl_tensor, *y = &stream->work->y[copy]->dl_tensor;
    cl_command_queue queue = stream->demo->queue;
    void *src = NULL, *dst = NULL;
    double seconds = -1.0;

    if (clq_tensor_map(queue, x, CL_TRUE, CL_MAP_READ, &src, 0, NULL, NULL) == CLQ_OK &&
        clq_tensor_map(queue, y, CL_TRUE, CL_MAP_WRITE, &dst, 0, NULL, NULL) == CLQ_OK) {
        const struct stream_bytes bytes = {
            .src = src, .dst = dst, .src_bytes = stream->x_bytes, .dst_bytes = stream->y_bytes};

        if (find)
            stream->way = stream_find_way(stream->pool, &bytes);
        const double start = now_s();
        stream_run(stream->pool, &stream->way, &bytes);
        seconds = now_s() - start;
    }
    if (dst != NULL && clq_tensor_unmap(queue, y, dst, 0, NULL, NULL) != CLQ_OK)
        seconds = -1.0;
    if (src != NULL && clq_tensor_unmap(queue, x, src, 0, NULL, NULL) != CLQ_OK)
        seconds = -1.0;
    return clFinish(queue) == CL_SUCCESS ? seconds : -1.0;
}

/* The driver's copy, from one copy of x to the next, scaled to the bytes that ours moves. */
static double pass_on_device(struct stream *stream, int copy)
{
    const int next = (copy + 1) % stream->work->copies;
    const double start = now_s();
    cl_event done = NULL;
    cl_int code =
        clEnqueueCopyBuffer(stream->demo->queue, stream->work->x[copy]->dl_tensor.data,
                            stream->work->x[next]->dl_tensor.data, 0, 0, stream->x_bytes, 0, NULL, &done);

    if (code == CL_SUCCESS) {
        code = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return code != CL_SUCCESS ? -1.0
                              : (now_s() - start) * (double)(stream->x_bytes + stream->y_bytes) /
                                    (2.0 * (double)stream->x_bytes);
}

static double pass(struct stream *stream, int copy)
{
    return stream->pool != NULL ? pass_on_host(stream, copy, false) : pass_on_device(stream, copy);
}

static bool open_stream(struct stream *stream, struct measure *measure)
{
    cl_device_type type = 0;

    if (clq_tensor_size_bytes(&stream->work->x[0]->dl_tensor, &stream->x_bytes) != CLQ_OK ||
        clq_tensor_size_bytes(&stream->work->y[0]->dl_tensor, &stream->y_bytes) != CLQ_OK ||
        clGetDeviceInfo(clq_context_device(stream->demo->context), CL_DEVICE_TYPE, sizeof type, &type,
                        NULL) != CL_SUCCESS)
        return false;
    measure->stream = "what the device's own copy moves";
    if (type & CL_DEVICE_TYPE_CPU) {
        measure->stream = "what the device can stream";
        stream->pool = pool_create();
        return stream->pool != NULL && pass_on_host(stream, 0, true) >= 0.0;
    }
    return true;
}

bool measure_run(const struct demo *demo, const struct measure_work *work, struct measure *measure)
{
    struct stream stream = {.demo = demo, .work = work};
    double ours[ROUNDS], streamed[ROUNDS], share[ROUNDS];
    bool ok = open_stream(&stream, measure);
    int copy = 0;

    for (int i = 0; i < work->copies && ok; i++) /* builds the kernel, and leaves every copy quantized */
        ok = work->run(work->user, i);
    for (int round = 0; round < ROUNDS && ok; round++) {
        streamed[round] = pass(&stream, copy++ % work->copies);
        const double start = now_s();
        ok = streamed[round] >= 0.0 && work->run(work->user, copy++ % work->copies);
        ours[round] = now_s() - start;
        share[round] = streamed[round] / ours[round];
    }
    for (int i = 0; i < work->copies && ok; i++) /* the stream wrote over some */
        ok = work->run(work->user, i);
    pool_destroy(stream.pool);
    if (!ok) {
        fprintf(stderr, "demo: the measurement failed: %s\n", clq_error_detail());
        return false;
    }
    measure->ours_s = median(ours, ROUNDS);
    measure->stream_s = median(streamed, ROUNDS);
    measure->share = median(share, ROUNDS);
    return true;
}
