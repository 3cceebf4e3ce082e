/* SPDX-License-Identifier: Apache-2.0 */
/* The stub itself: commands run when they may and not before, in an order that shows what was not asked for,
 * and move the right bytes. */
#include "test_stub.h"

#include <stdlib.h>

const struct stub_api *stub;
cl_platform_id platform;
cl_device_id devices[2];
cl_context context;
cl_command_queue queue, unordered;

static const char text[] =
    "// kernel void no(global int *x)\n"
    "struct args { int a, b; };\n"
    "CLQ_SAME_SIZE(args, 8);\n"
    "kernel void NAME(global const STORAGE(f32) *restrict x, /* , */ local float *shared,\n"
    "                 const struct args a, uint n, float4 v)\n"
    "{ x[0] = 1; }\n"
    "__kernel void none(void) {}\n";

cl_mem new_buffer(void)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);

    OK(code);
    return buffer;
}

cl_program new_program(const char *source, const char *options)
{
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);

    OK(code);
    if (options != NULL)
        OK(clBuildProgram(program, 0, NULL, options, NULL, NULL));
    return program;
}

cl_kernel new_kernel(cl_program program, const char *name)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);

    OK(code);
    return kernel;
}

static int open_stub(void **state)
{
    cl_uint count = 0;
    cl_int code;

    (void)state;
    OK(clGetPlatformIDs(1, &platform, NULL));
    stub = stub_of(platform);
    assert_non_null(stub);
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count));
    assert_int_equal(count, 2);
    context = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
    OK(code);
    queue = clCreateCommandQueue(context, devices[0], 0, &code);
    OK(code);
    unordered = clCreateCommandQueue(context, devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    OK(code);
    return 0;
}

static int close_stub(void **state)
{
    (void)state;
    OK(clReleaseCommandQueue(unordered));
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseContext(context));
    for (int kind = STUB_CONTEXT; kind < STUB_KINDS; kind++)
        assert_int_equal(stub->counts().live[kind], 0);
    assert_int_equal(stub->counts().pending, 0);
    return 0;
}

static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;

    OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void fill(cl_command_queue on, cl_mem buffer, unsigned char byte, cl_uint num_wait,
                 const cl_event *wait, cl_event *event)
{
    OK(clEnqueueFillBuffer(on, buffer, &byte, 1, 0, BYTES, num_wait, wait, event));
}

static unsigned char first_byte(cl_mem buffer)
{
    unsigned char byte;

    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL));
    return byte;
}

TEST(fresh_memory_is_full_of_a_pattern)
{
    const cl_mem buffer = new_buffer();

    assert_int_equal(first_byte(buffer), 0xcd);
    OK(clReleaseMemObject(buffer));
}

TEST(in_order_the_last_command_wins)
{
    const cl_mem buffer = new_buffer();

    fill(queue, buffer, 1, 0, NULL, NULL);
    fill(queue, buffer, 2, 0, NULL, NULL);
    assert_int_equal(first_byte(buffer), 2);
    OK(clReleaseMemObject(buffer));
}

/* The first of two that nothing ties is the last to run; tied, it is the first. */
TEST(out_of_order_a_missing_tie_shows)
{
    const cl_mem buffer = new_buffer();
    cl_event first, second;

    fill(unordered, buffer, 1, 0, NULL, NULL);
    fill(unordered, buffer, 2, 0, NULL, NULL);
    OK(clFinish(unordered));
    assert_int_equal(first_byte(buffer), 1);
    fill(unordered, buffer, 3, 0, NULL, &first);
    fill(unordered, buffer, 4, 1, &first, &second);
    OK(clWaitForEvents(1, &second));
    assert_int_equal(first_byte(buffer), 4);
    fill(unordered, buffer, 5, 0, NULL, NULL);
    OK(clEnqueueBarrierWithWaitList(unordered, 0, NULL, NULL));
    fill(unordered, buffer, 6, 0, NULL, NULL);
    OK(clFinish(unordered));
    assert_int_equal(first_byte(buffer), 6);
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseMemObject(buffer));
}

/* A call that blocks runs what it waits for before what is left in another queue. */
TEST(what_is_awaited_runs_first)
{
    const cl_mem buffer = new_buffer(), other = new_buffer();
    cl_event second;

    fill(unordered, buffer, 1, 0, NULL, NULL);
    fill(unordered, other, 2, 0, NULL, &second);
    OK(clWaitForEvents(1, &second));
    assert_int_equal(first_byte(buffer), 0xcd);
    OK(clFinish(unordered));
    assert_int_equal(first_byte(buffer), 1);
    OK(clReleaseEvent(second));
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(other));
}

/* With a seed both orders come. */
TEST(by_chance_either_order_comes)
{
    const cl_mem buffer = new_buffer();
    int first = 0;

    stub->shuffle(7);
    for (int i = 0; i < 64; i++) {
        fill(unordered, buffer, 1, 0, NULL, NULL);
        fill(unordered, buffer, 2, 0, NULL, NULL);
        OK(clFinish(unordered));
        first += first_byte(buffer) == 1;
    }
    stub->shuffle(0);
    assert_in_range(first, 16, 48);
    OK(clReleaseMemObject(buffer));
}

TEST(a_command_waits_for_a_users_event)
{
    const cl_mem buffer = new_buffer();
    cl_event gate, done, marker;
    cl_int code;

    gate = clCreateUserEvent(context, &code);
    OK(code);
    fill(queue, buffer, 1, 0, NULL, NULL);
    fill(queue, buffer, 7, 1, &gate, &done);
    OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    assert_int_equal(status_of(done), CL_QUEUED);
    OK(clFlush(queue));
    assert_true(status_of(done) > CL_COMPLETE && status_of(marker) > CL_COMPLETE);
    assert_int_equal(stub->counts().pending, 2);
    OK(clSetUserEventStatus(gate, CL_COMPLETE)); /* what was flushed goes on */
    assert_int_equal(status_of(done), CL_COMPLETE);
    assert_int_equal(status_of(marker), CL_COMPLETE);
    assert_int_equal(first_byte(buffer), 7);
    REFUSED(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(marker));
    OK(clReleaseMemObject(buffer));
}

TEST(a_command_that_waits_for_a_failure_does_not_run)
{
    const cl_mem buffer = new_buffer();
    cl_event gate, done;
    cl_int code;

    gate = clCreateUserEvent(context, &code);
    OK(code);
    fill(queue, buffer, 1, 0, NULL, NULL);
    fill(queue, buffer, 2, 1, &gate, &done);
    OK(clSetUserEventStatus(gate, -5));
    REFUSED(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(status_of(done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(first_byte(buffer), 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(buffer));
}

/* Another thread completes what this one waits for. */
static void *complete(void *event)
{
    clSetUserEventStatus((cl_event)event, CL_COMPLETE);
    return NULL;
}

TEST(a_thread_is_woken)
{
    const cl_mem buffer = new_buffer();
    pthread_t thread;
    cl_event gate, done;
    cl_int code;

    gate = clCreateUserEvent(context, &code);
    OK(code);
    fill(queue, buffer, 9, 1, &gate, &done);
    assert_int_equal(pthread_create(&thread, NULL, complete, gate), 0);
    OK(clWaitForEvents(1, &done));
    pthread_join(thread, NULL);
    assert_int_equal(first_byte(buffer), 9);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(done));
    OK(clReleaseMemObject(buffer));
}

TEST(bytes_are_copied_and_mapped)
{
    const cl_mem a = new_buffer(), b = new_buffer();
    const cl_buffer_region region = {128, 64};
    unsigned char bytes[BYTES], *mapped;
    cl_mem part;
    cl_int code;

    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)i;
    OK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, BYTES, bytes, 0, NULL, NULL));
    OK(clEnqueueCopyBuffer(queue, a, b, 0, 100, 100, 0, NULL, NULL));
    part = clCreateSubBuffer(b, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    mapped = clEnqueueMapBuffer(queue, part, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 2, 8, 0, NULL, NULL, &code);
    OK(code);
    assert_int_equal(mapped[0], 30);
    mapped[0] = 77;
    OK(clEnqueueUnmapMemObject(queue, part, mapped, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, b, CL_TRUE, 130, 2, bytes, 0, NULL, NULL));
    assert_int_equal(bytes[0], 77);
    assert_int_equal(bytes[1], 31);
    OK(clReleaseMemObject(part));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

/* The test's own function runs kernels, and sees what was set when they were enqueued. */
static void run(const struct stub_launch *launch, void *user)
{
    unsigned char *const bytes = launch->arguments[0].buffer_bytes;

    assert_string_equal(launch->kernel, "scale_f32");
    bytes[0] = (unsigned char)(*(const cl_int *)launch->arguments[2].value + *(int *)user);
}

TEST(a_kernel_is_run_by_the_test)
{
    const cl_program program = new_program(text, "-D NAME=scale_f32 -cl-std=CL1.2");
    const cl_kernel kernel = new_kernel(program, "scale_f32");
    const cl_mem buffer = new_buffer();
    const cl_int args[2] = {40, 0}, later[2] = {90, 0}, n = 3;
    const cl_float v[4] = {0};
    const size_t global = 128, local = 64;
    int added = 2;

    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 1, 64, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof args, args));
    OK(clSetKernelArg(kernel, 3, sizeof n, &n));
    OK(clSetKernelArg(kernel, 4, sizeof v, v));
    stub->run_with(run, &added);
    stub->record(true);
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clSetKernelArg(kernel, 2, sizeof later, later));
    OK(clReleaseKernel(kernel));
    assert_int_equal(first_byte(buffer), 42);
    assert_int_equal(stub->recorded(), 1);
    assert_int_equal(stub->launch(0)->global[0], global);
    assert_int_equal(stub->launch(0)->local[0], local);
    assert_int_equal(stub->launch(0)->num_arguments, 5);
    assert_int_equal(stub->launch(0)->arguments[1].kind, STUB_PARAMETER_LOCAL);
    assert_non_null(strstr(stub->launch(0)->options, "NAME=scale_f32"));
    assert_null(stub->launch(1));
    stub->record(false);
    stub->run_with(NULL, NULL);
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(buffer));
}

TEST(a_binary_comes_back)
{
    const cl_program program = new_program(text, "-D NAME=scale_f32");
    unsigned char binary[2][2048], *to[2] = {binary[0], binary[1]};
    const unsigned char *from[2] = {binary[0], binary[1]};
    size_t sizes[2];
    cl_int status[2], code;
    cl_program again;

    OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    assert_true(sizes[0] > sizeof text && sizes[0] < sizeof binary[0]);
    OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, to, NULL));
    again = clCreateProgramWithBinary(context, 2, devices, sizes, from, status, &code);
    OK(code);
    OK(clBuildProgram(again, 0, NULL, "-D NAME=scale_f32", NULL, NULL));
    OK(clReleaseKernel(new_kernel(again, "scale_f32")));
    OK(clReleaseProgram(again));
    again = clCreateProgramWithBinary(context, 2, devices, sizes, from, status, &code);
    REFUSED(clBuildProgram(again, 0, NULL, "-D NAME=other", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    OK(clReleaseProgram(again));
    binary[1][0] ^= 1;
    assert_null(clCreateProgramWithBinary(context, 2, devices, sizes, from, status, &code));
    assert_int_equal(code, CL_INVALID_BINARY);
    assert_int_equal(status[1], CL_INVALID_BINARY);
    OK(clReleaseProgram(program));
}

int main(void)
{
    const int failed = tests_run("what the stub does", open_stub, close_stub);

    return failed != 0 ? failed : objects_run(open_stub, close_stub);
}
