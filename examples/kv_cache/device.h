/* SPDX-License-Identifier: Apache-2.0 */
/* The device, its one queue, and the example's own kernels. */
#ifndef CLQ_KV_CACHE_DEVICE_H
#define CLQ_KV_CACHE_DEVICE_H

#include <clquant/clquant.h>

struct device {
    clq_context *context;
    cl_command_queue queue; /* in order: commands wait only where the host does */
    cl_program program;
    cl_kernel softmax, widen;
    char name[256];
};

/* text chooses, as clq_device_find has it; NULL is the default. Close accepts what is half open. */
clq_status device_open(struct device *device, const char *text);
void device_close(struct device *device);

/* rows of count scores, pitch elements apart, become weights, in place. */
clq_status device_softmax(const struct device *device, const DLTensor *scores, int64_t rows, int64_t count,
                          int64_t pitch, cl_event *done);

/* float16 rows of count elements to float32. first and pitches are in elements. */
clq_status device_widen(const struct device *device, const DLTensor *src, int64_t src_first,
                        int64_t src_pitch, const DLTensor *dst, int64_t dst_pitch, int64_t rows,
                        int64_t count, cl_event *done);

/* Says what failed, and returns the status. */
clq_status device_failed(clq_status status, const char *call);

#endif
