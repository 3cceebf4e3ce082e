/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that a refused call must leave alone. */
#include "refused.h"

#include <string.h>

void refused_make(struct refused_call *call, const struct refused_tensor *given, int count)
{
    static unsigned char bytes[REFUSED_BYTES];

    *call = (struct refused_call){
        .given = given, .count = count, .context = harness.context, .queue = harness.queue};
    for (int i = 0; i < count; i++) {
        cl_int code = CL_SUCCESS;

        call->buffers[i] = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, REFUSED_BYTES, NULL, &code);
        expect_cl(code, "clCreateBuffer");
        memset(bytes, given[i].filling, sizeof(bytes));
        expect_cl(harness_write(harness.queue, call->buffers[i], 0, sizeof(bytes), bytes),
                  "clEnqueueWriteBuffer");
        memcpy(call->shapes[i], given[i].shape, sizeof given[i].shape);
        call->tensors[i] = (DLTensor){.data = call->buffers[i],
                                      .device = {kDLOpenCL, 0},
                                      .ndim = given[i].rank,
                                      .dtype = given[i].dtype,
                                      .shape = call->shapes[i]};
        call->arguments[i] = &call->tensors[i];
    }
}

void refused_clear(struct refused_call *call)
{
    for (int i = 0; i < call->count; i++)
        clReleaseMemObject(call->buffers[i]);
}

bool refused_untouched(const struct refused_call *call, int tensor)
{
    static unsigned char bytes[REFUSED_BYTES];

    expect_cl(clEnqueueReadBuffer(harness.queue, call->buffers[tensor], CL_TRUE, 0, sizeof(bytes), bytes, 0,
                                  NULL, NULL),
              "clEnqueueReadBuffer");
    for (size_t i = 0; i < sizeof(bytes); i++)
        if (bytes[i] != call->given[tensor].filling)
            return false;
    return true;
}

void refused_expect(const struct refused_call *call, clq_status status, cl_event done,
                    const struct refused_row *row, const char *sentence)
{
    const size_t length = strlen(sentence);

    expect_status(status, row->status, row->name);
    if (length > 0 && sentence[length - 1] == ' ')
        assert_memory_equal(clq_error_detail(), sentence, length);
    else
        assert_string_equal(clq_error_detail(), sentence);
    assert_null(done);
    expect_cl(clFinish(harness.queue), "clFinish");
    for (int i = 0; i < call->count; i++)
        assert_true(refused_untouched(call, i));
}
