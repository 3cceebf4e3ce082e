/* SPDX-License-Identifier: Apache-2.0 */
/* What the stub refuses, as OpenCL does, and what it counts. */
#include "test_stub.h"

static const char text[] = "struct args { int a, b; };\n"
                           "CLQ_SAME_SIZE(args, 8);\n"
                           "kernel void NAME(global int *x, const struct args a) {}\n";

TEST(a_range_past_the_buffer_is_refused)
{
    const cl_mem buffer = new_buffer();
    unsigned char bytes[BYTES + 1];

    REFUSED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, BYTES + 1, bytes, 0, NULL, NULL),
            CL_INVALID_VALUE);
    REFUSED(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, SIZE_MAX, 2, bytes, 0, NULL, NULL),
            CL_INVALID_VALUE);
    REFUSED(clEnqueueFillBuffer(queue, buffer, bytes, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    REFUSED(clEnqueueFillBuffer(queue, buffer, bytes, 4, 2, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    REFUSED(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 9, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    REFUSED(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, bytes, 1, NULL, NULL),
            CL_INVALID_EVENT_WAIT_LIST);
    OK(clReleaseMemObject(buffer));
}

static cl_int code_of_buffer(cl_mem_flags flags, size_t size, void *host)
{
    cl_int code;

    assert_null(clCreateBuffer(context, flags, size, host, &code));
    return code;
}

TEST(a_wrong_buffer_is_refused)
{
    const cl_mem buffer = new_buffer();
    const cl_buffer_region past = {128, 129}, odd = {4, 8};
    cl_int code;

    assert_int_equal(code_of_buffer(0, 0, NULL), CL_INVALID_BUFFER_SIZE);
    assert_int_equal(code_of_buffer(0, (size_t)1 << 29, NULL), CL_INVALID_BUFFER_SIZE);
    assert_int_equal(code_of_buffer(CL_MEM_COPY_HOST_PTR, 8, NULL), CL_INVALID_HOST_PTR);
    assert_int_equal(code_of_buffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL), CL_INVALID_VALUE);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &past, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &code));
    assert_int_equal(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    OK(clReleaseMemObject(buffer));
}

TEST(wrong_arguments_are_refused)
{
    const cl_program program = new_program(text, "-D NAME=k");
    const cl_kernel kernel = new_kernel(program, "k");
    const cl_mem buffer = new_buffer();
    const cl_int args[3] = {0};
    const size_t one = 1, odd = 96, local = 64, most = 128;
    cl_int code;

    assert_null(clCreateKernel(program, "NAME", &code));
    assert_int_equal(code, CL_INVALID_KERNEL_NAME);
    REFUSED(clSetKernelArg(kernel, 2, 4, args), CL_INVALID_ARG_INDEX);
    REFUSED(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    REFUSED(clSetKernelArg(kernel, 1, sizeof args, args), CL_INVALID_ARG_SIZE);
    REFUSED(clSetKernelArg(kernel, 0, sizeof buffer, &queue), CL_INVALID_MEM_OBJECT);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    REFUSED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
            CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(kernel, 1, 8, args));
    REFUSED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &odd, &local, 0, NULL, NULL),
            CL_INVALID_WORK_GROUP_SIZE);
    REFUSED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &most, &most, 0, NULL, NULL),
            CL_INVALID_WORK_ITEM_SIZE);
    OK(clReleaseMemObject(buffer));
    REFUSED(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
            CL_INVALID_KERNEL_ARGS);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

TEST(wrong_options_are_refused)
{
    const cl_program program = new_program(text, NULL);
    char log[256];
    cl_int code;

    assert_null(clCreateKernel(program, "k", &code));
    assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
    REFUSED(clBuildProgram(program, 0, NULL, "-fast", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    REFUSED(clBuildProgram(program, 0, NULL, "-D A=1 -D B=2 -D A=3", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    OK(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_string_equal(log, "stub: the options define A=1 and A=3");
    OK(clReleaseProgram(program));
}

TEST(what_a_device_has_not_is_refused)
{
    cl_int code;

    assert_null(clCreateCommandQueue(context, devices[1], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code));
    assert_int_equal(code, CL_INVALID_QUEUE_PROPERTIES);
}

TEST(a_released_object_is_recognized)
{
    const cl_mem buffer = new_buffer();
    const size_t before = stub->counts().released_uses, live = stub->counts().live[STUB_BUFFER];

    OK(clRetainMemObject(buffer));
    OK(clReleaseMemObject(buffer));
    assert_int_equal(stub->counts().live[STUB_BUFFER], live);
    OK(clReleaseMemObject(buffer));
    assert_int_equal(stub->counts().live[STUB_BUFFER], live - 1);
    REFUSED(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    REFUSED(clGetMemObjectInfo(buffer, CL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    assert_int_equal(stub->counts().released_uses, before + 2);
}

/* A queue that is given back with a command in it runs it. */
TEST(a_command_holds_what_it_needs)
{
    const cl_mem buffer = new_buffer();
    const unsigned char bytes[2] = {5, 5};
    unsigned char got = 0;
    cl_command_queue other;
    cl_event done;
    cl_int code;

    other = clCreateCommandQueue(context, devices[0], 0, &code);
    OK(code);
    OK(clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, 2, bytes, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(other, buffer, CL_FALSE, 1, 1, &got, 0, NULL, &done));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseCommandQueue(other));
    OK(clWaitForEvents(1, &done));
    assert_int_equal(got, 5);
    OK(clReleaseEvent(done));
}

static void *set_first(void *kernel)
{
    const cl_mem none = NULL;

    clSetKernelArg((cl_kernel)kernel, 0, sizeof none, &none);
    return NULL;
}

TEST(mistakes_are_counted)
{
    const cl_program program = new_program(text, "-D NAME=k");
    const cl_kernel kernel = new_kernel(program, "k");
    const struct stub_counts before = stub->counts();
    const cl_int args[2] = {0}, pattern = 0;
    const cl_mem none = NULL, buffer = new_buffer();
    const size_t one = 1;
    pthread_t thread;
    cl_event first, second;

    OK(clSetKernelArg(kernel, 0, sizeof none, &none));
    OK(clSetKernelArg(kernel, 1, sizeof args, args));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(stub->counts().shared_kernels, before.shared_kernels);
    assert_int_equal(pthread_create(&thread, NULL, set_first, kernel), 0);
    pthread_join(thread, NULL);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_int_equal(stub->counts().shared_kernels, before.shared_kernels + 1);
    assert_int_equal(stub->counts().kept_arguments, before.kept_arguments + 1);
    OK(clSetKernelArg(kernel, 1, sizeof args, args));
    OK(clReleaseKernel(kernel));
    OK(clFinish(queue));
    assert_int_equal(stub->counts().unused_arguments, before.unused_arguments + 1);
    /* a wait across queues, of which the first is not flushed */
    OK(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 0, 4, 0, NULL, &first));
    OK(clEnqueueFillBuffer(unordered, buffer, &pattern, 4, 0, 4, 1, &first, &second));
    OK(clWaitForEvents(1, &second));
    assert_int_equal(stub->counts().unflushed_waits, before.unflushed_waits + 1);
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseProgram(program));
}

int objects_run(CMFixtureFunction start, CMFixtureFunction end)
{
    return tests_run("what the stub refuses", start, end);
}
