/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 4096, DROPPED = 5, CLAMPED = 7, RESERVED = 0x5eed5eed };

cl_mem report_create(cl_command_queue queue)
{
    cl_context context = NULL;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);

    return status == CL_SUCCESS ? clCreateBuffer(context, CL_MEM_READ_WRITE, BUFFER_BYTES, NULL, &status)
                                : NULL;
}

static void image(unsigned char *bytes, const struct clq_report *report)
{
    memset(bytes, 0x3c, BUFFER_BYTES);
    memcpy(bytes + REPORT_OFFSET, report, sizeof(*report));
}

bool report_begin(cl_mem report, cl_command_queue queue, uint32_t first)
{
    unsigned char bytes[BUFFER_BYTES];

    image(bytes, &(struct clq_report){DROPPED, CLAMPED, first, RESERVED});
    return harness_write(queue, report, 0, sizeof(bytes), bytes) == CL_SUCCESS;
}

/* Of two that may be 0, none. */
static uint32_t lowest(uint32_t a, uint32_t b)
{
    return a != 0 && (b == 0 || a < b) ? a : b;
}

bool report_holds(cl_mem report, cl_command_queue queue, const struct reference_report *added, uint32_t first)
{
    const struct clq_report expected = {DROPPED + added->dropped, CLAMPED + added->clamped,
                                        lowest(added->first, first), RESERVED};
    unsigned char bytes[BUFFER_BYTES], wanted[BUFFER_BYTES];
    struct clq_report got;

    image(wanted, &expected);
    if (clEnqueueReadBuffer(queue, report, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, NULL) != CL_SUCCESS)
        return false;
    if (memcmp(bytes, wanted, sizeof(bytes)) == 0)
        return true;
    memcpy(&got, bytes + REPORT_OFFSET, sizeof(got));
    fprintf(stderr, "the report: dropped %u clamped %u first %u, not %u %u %u\n", got.dropped, got.clamped,
            got.first, expected.dropped, expected.clamped, expected.first);
    return false;
}
