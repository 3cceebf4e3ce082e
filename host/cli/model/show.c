/* SPDX-License-Identifier: Apache-2.0 */
/* How far a run is. */
#include "model.h"

#include <stdio.h>

void model_show(struct model *model, const struct model_shard *shard, uint64_t bytes)
{
    struct timespec now;
    char what[512];
    double seconds = 0, rate = 0;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (model->began.tv_sec == 0 && model->began.tv_nsec == 0)
        model->began = now;
    else
        model->read_bytes += bytes;
    model->done_bytes += bytes;
    seconds =
        (double)(now.tv_sec - model->began.tv_sec) + (double)(now.tv_nsec - model->began.tv_nsec) * 1e-9;
    rate = seconds > 0 ? (double)model->read_bytes / seconds : 0;
    snprintf(what, sizeof what, "%.100s, %.2f of %.2f GB, %.0f MB/s, %.0f s left", shard->name,
             (double)model->done_bytes * 1e-9, (double)model->total_bytes * 1e-9, rate * 1e-6,
             rate > 0 ? (double)(model->total_bytes - model->done_bytes) / rate : 0);
    tame(what);
    if (model->options.progress_fd)
        dprintf(model->options.progress_fd, "%ju %ju\n", (uintmax_t)model->done_bytes,
                (uintmax_t)model->total_bytes);
    progress_show(&model->progress, what, model->done_bytes, model->total_bytes);
}
