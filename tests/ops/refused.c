/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that a refused call must leave alone. */
#include "refused.h"

#include <string.h>

void refused_make(cl_mem *buffers, const unsigned char *fillings, int count)
{
    static unsigned char bytes[REFUSED_BYTES];

    for (int i = 0; i < count; i++) {
        cl_int code = CL_SUCCESS;

        buffers[i] = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, REFUSED_BYTES, NULL, &code);
        expect_cl(code, "clCreateBuffer");
        memset(bytes, fillings[i], sizeof(bytes));
        expect_cl(harness_write(harness.queue, buffers[i], 0, sizeof(bytes), bytes), "clEnqueueWriteBuffer");
    }
}

void refused_release(cl_mem *buffers, int count)
{
    for (int i = 0; i < count; i++)
        clReleaseMemObject(buffers[i]);
}

DLTensor refused_tensor(cl_mem buffer, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = buffer, .device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

bool refused_untouched(cl_mem buffer, unsigned char filling)
{
    static unsigned char bytes[REFUSED_BYTES];

    expect_cl(clEnqueueReadBuffer(harness.queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    for (size_t i = 0; i < sizeof(bytes); i++)
        if (bytes[i] != filling)
            return false;
    return true;
}

void refused_expect(clq_status status, clq_status expected, const char *sentence, const char *name)
{
    const size_t length = strlen(sentence);

    expect_status(status, expected, name);
    if (length > 0 && sentence[length - 1] == ' ')
        assert_memory_equal(clq_error_detail(), sentence, length);
    else
        assert_string_equal(clq_error_detail(), sentence);
}

void refused_expect_nothing(const cl_event *done, const cl_mem *buffers, const unsigned char *fillings,
                            int count)
{
    assert_null(*done);
    expect_cl(clFinish(harness.queue), "clFinish");
    for (int i = 0; i < count; i++)
        assert_true(refused_untouched(buffers[i], fillings[i]));
}
