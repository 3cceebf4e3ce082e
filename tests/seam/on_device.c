/* SPDX-License-Identifier: Apache-2.0 */
#include "on_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct on_device *run, struct tensor *tensor, cl_int *code)
{
    struct on_device_buffer *buffer = &run->buffers[run->count];

    if (tensor->name == NULL || tensor->memory.bytes == NULL) /* which is another's */
        return true;
    *buffer = (struct on_device_buffer){.tensor = tensor, .after = malloc(tensor->memory.size)};
    run->count++;
    buffer->buffer = clCreateBuffer(clq_context_cl(run->context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                    tensor->memory.size, tensor->memory.bytes, code);
    return buffer->after != NULL && *code == CL_SUCCESS;
}

/* What stands for the host's memory. */
static cl_mem find(const struct on_device *run, cl_mem memory)
{
    for (int i = 0; i < run->count; i++)
        if ((void *)memory == (void *)&run->buffers[i].tensor->memory)
            return run->buffers[i].buffer;
    return NULL;
}

/* The launch with the device's buffers, or once more with the host's. */
static void exchange(const struct on_device *run, struct clq__launch *launch,
                     cl_mem host[CLQ__LAUNCH_BUFFERS])
{
    for (unsigned i = 0; i < launch->num_buffers; i++) {
        host[i] = launch->buffers[i];
        launch->buffers[i] = find(run, host[i]);
    }
}

static void restore(struct clq__launch *launch, cl_mem host[CLQ__LAUNCH_BUFFERS])
{
    for (unsigned i = 0; i < launch->num_buffers; i++)
        launch->buffers[i] = host[i];
}

static unsigned add_launches(struct clq__launches *list, struct clq__launch **launches, unsigned count)
{
    for (unsigned i = 0; i < list->num_before; i++)
        launches[count++] = &list->before[i];
    for (unsigned i = 0; i < list->num_kernels; i++)
        launches[count++] = &list->kernels[i];
    return count;
}

static clq_status enqueue(struct on_device *run, struct clq__plan *plan)
{
    struct clq__launch *all[DESCRIBED_MOST_LAUNCHES];
    cl_mem host[DESCRIBED_MOST_LAUNCHES][CLQ__LAUNCH_BUFFERS];
    unsigned count = 0;
    clq_status status;

    if (plan->copies)
        all[count++] = &plan->copy.launch;
    for (unsigned i = 0; !plan->idle && i < plan->num_ahead; i++)
        count = add_launches(&plan->ahead[i], all, count);
    if (!plan->idle)
        count = add_launches(&plan->launches, all, count);
    for (unsigned i = 0; i < count; i++)
        exchange(run, all[i], host[i]);
    status = clq__plan_prepare(plan, run->context);
    if (status == CLQ_OK)
        status = clq__plan_enqueue(plan, run->context, run->queue, 0, NULL, NULL);
    clq__plan_release(plan);
    for (unsigned i = 0; i < count; i++)
        restore(all[i], host[i]);
    return status;
}

bool on_device_run(struct on_device *run, struct described *described, char *failure, size_t failure_bytes)
{
    cl_int code = CL_SUCCESS;
    clq_status status = CLQ_OK;
    bool made = true;

    run->count = 0;
    for (int t = 0; t < OPERATOR_MOST_TENSORS && made; t++)
        made = add(run, &described->call.tensors[t], &code);
    made = made && add(run, &described->call.report, &code) && add(run, &described->call.workspace, &code);
    if (made)
        status = enqueue(run, &described->plan);
    for (int i = 0; i < run->count && code == CL_SUCCESS && made; i++)
        code = clEnqueueReadBuffer(run->queue, run->buffers[i].buffer, CL_TRUE, 0,
                                   run->buffers[i].tensor->memory.size, run->buffers[i].after, 0, NULL, NULL);
    if (status != CLQ_OK)
        snprintf(failure, failure_bytes, "%s", clq_error_detail());
    else if (!made || code != CL_SUCCESS)
        snprintf(failure, failure_bytes, "OpenCL answers %s (%d)", clq_status_name(code), (int)code);
    return made && status == CLQ_OK && code == CL_SUCCESS;
}

/* Of a workspace only a table with a word for each place is the same on every device: in one of hashes
 * entries race for words, and floats that are made ready may be NaNs of any sign. */
static size_t comparable(const struct described *described, const struct tensor *tensor)
{
    const struct clq__plan *plan = &described->plan;

    if (tensor == &described->call.workspace && plan->workspace_bytes > 0 &&
        (!plan->launches.claims || plan->temporaries.num > 1 ||
         plan->launches.claim.entries.overlap == CLQ_OVERLAP_HASH))
        return tensor->dl.byte_offset;
    return tensor->memory.size;
}

bool on_device_compare(const struct on_device *run, const struct described *described, char *failure,
                       size_t failure_bytes)
{
    for (int i = 0; i < run->count; i++) {
        const struct on_device_buffer *buffer = &run->buffers[i];
        const unsigned char *host = buffer->tensor->memory.bytes;

        for (size_t b = 0; b < comparable(described, buffer->tensor); b++)
            if (buffer->after[b] != host[b]) {
                snprintf(failure, failure_bytes,
                         "byte %zu of %s is 0x%02x on the device: the arguments mean 0x%02x", b,
                         buffer->tensor->name, buffer->after[b], host[b]);
                return false;
            }
    }
    return true;
}

void on_device_clear(struct on_device *run)
{
    for (int i = 0; i < run->count; i++) {
        if (run->buffers[i].buffer != NULL)
            clReleaseMemObject(run->buffers[i].buffer);
        free(run->buffers[i].after);
    }
    run->count = 0;
}
