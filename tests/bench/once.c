/* SPDX-License-Identifier: Apache-2.0 */
#include "once.h"

bool call_once(struct bench *bench, struct bench_call *c, unsigned char byte)
{
    const size_t half = row_type_bytes(c->row.dst, c->places.batches / 2 * c->places.length *
                                                       call_position_rows(c) * c->row.columns);
    cl_event done = NULL;

    if (!data_spoil(bench, byte))
        return false;
    if (c->row.placement == PAGES && !(device_check(bench, "clEnqueueCopyBuffer",
                                                    clEnqueueCopyBuffer(bench->queue, bench->x, bench->y,
                                                                        half, half, half, 0, NULL, &done)) &&
                                       device_wait(bench, done)))
        return false;
    return call_enqueue(bench, c, &done) && device_wait(bench, done);
}

bool data_read(struct bench *bench, cl_mem buffer, size_t at, void *bytes, size_t size_bytes)
{
    return device_check(
        bench, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(bench->queue, buffer, CL_TRUE, at, size_bytes, bytes, 0, NULL, NULL));
}
