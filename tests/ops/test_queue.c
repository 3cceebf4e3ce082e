/* SPDX-License-Identifier: Apache-2.0 */
/* Queues that the library makes; what is no queue, event or buffer; and that the sentences of refusals are
 * their threads' own. */
#include "harness.h"

#include <pthread.h>
#include <string.h>

TEST(a_call_runs_in_the_librarys_queue)
{
    int64_t shape[2] = {2, 4}, one[1] = {1};
    float x[8] = {0, 1, 2, 3, -1, -2, -3, -4}, scale = 0.5f;
    int8_t y[8];
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    cl_device_id device = NULL;
    DLManagedTensor *tensors[3] = {NULL};

    expect_status(clq_queue_create(harness.context, 0, &queue), CLQ_OK, "clq_queue_create");
    expect_cl(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL), "context");
    expect_cl(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL), "device");
    assert_ptr_equal(context, harness.cl);
    assert_ptr_equal(device, harness.device);
    expect_status(clq_tensor_create(harness.context, CLQ_FLOAT32, 2, shape, &tensors[0]), CLQ_OK, "x");
    expect_status(clq_tensor_create(harness.context, CLQ_FLOAT32, 1, one, &tensors[1]), CLQ_OK, "scales");
    expect_status(clq_tensor_create(harness.context, CLQ_INT8, 2, shape, &tensors[2]), CLQ_OK, "y");
    expect_status(clq_tensor_write(queue, &tensors[0]->dl_tensor, CL_TRUE, x, sizeof(x), 0, NULL, NULL),
                  CLQ_OK, "write x");
    expect_status(
        clq_tensor_write(queue, &tensors[1]->dl_tensor, CL_TRUE, &scale, sizeof(scale), 0, NULL, NULL),
        CLQ_OK, "write scales");
    expect_status(clq_quantize(harness.context, queue,
                               &(struct clq_quantize_desc){.x = &tensors[0]->dl_tensor,
                                                           .scales = &tensors[1]->dl_tensor,
                                                           .y = &tensors[2]->dl_tensor,
                                                           .axis = -1},
                               0, NULL, NULL),
                  CLQ_OK, "clq_quantize");
    expect_status(clq_tensor_read(queue, &tensors[2]->dl_tensor, CL_TRUE, y, sizeof(y), 0, NULL, NULL),
                  CLQ_OK, "read y");
    for (size_t i = 0; i < COUNT(x); i++)
        assert_int_equal(y[i], (int)(x[i] / scale));
    for (size_t i = 0; i < COUNT(tensors); i++)
        clq_tensor_destroy(tensors[i]);
    clq_queue_destroy(queue);
    clq_queue_destroy(NULL);
}

TEST(the_queue_has_the_properties_that_were_asked_for)
{
    cl_command_queue_properties offered = 0, got = 0;
    const cl_command_queue_properties asked = CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue queue = NULL;

    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(offered), &offered, NULL),
              "clGetDeviceInfo");
    if (!(offered & asked))
        skip();
    expect_status(clq_queue_create(harness.context, asked, &queue), CLQ_OK, "clq_queue_create");
    expect_cl(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(got), &got, NULL), "properties");
    assert_true(got == asked);
    clq_queue_destroy(queue);
}

TEST(what_is_no_queue_is_refused)
{
    cl_command_queue queue = (cl_command_queue)&queue;

    expect_status(clq_queue_create(harness.context, 0, NULL), CLQ_ERROR_NULL, "queue");
    expect_status(clq_queue_create(NULL, 0, &queue), CLQ_ERROR_NULL, "context");
    assert_null(queue);
    queue = (cl_command_queue)&queue;
    expect_status(clq_queue_create(harness.context, (cl_command_queue_properties)1 << 40, &queue),
                  CLQ_ERROR_VALUE, "properties");
    assert_null(queue);
    assert_non_null(strstr(clq_error_detail(), "properties is 0x10000000000: it must be made of those"));
}

/* PoCL 3.1 waits for ever for an event of another context, and takes NULL for one that has ended. */
TEST(what_is_no_event_of_the_context_is_refused)
{
    static const struct clq_quantize_desc desc = {.mode = 0};
    cl_int code = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &harness.device, NULL, NULL, &code);
    cl_event events[2] = {clCreateUserEvent(harness.cl, NULL), NULL};

    expect_cl(code, "clCreateContext");
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 2, events, NULL),
                  CL_INVALID_EVENT_WAIT_LIST, "NULL");
    assert_string_equal(clq_error_detail(), "wait[1] is NULL: it must be an event");
    events[1] = clCreateUserEvent(other, NULL);
    expect_status(clq_quantize(harness.context, harness.queue, &desc, 2, events, NULL), CL_INVALID_CONTEXT,
                  "of another context");
    assert_non_null(strstr(clq_error_detail(), "it must be of the queue's"));
    for (int i = 0; i < 2; i++) {
        expect_cl(clSetUserEventStatus(events[i], CL_COMPLETE), "clSetUserEventStatus");
        clReleaseEvent(events[i]);
    }
    clReleaseContext(other);
}

/* Some drivers take it, and a kernel writes where its bytes should be. */
TEST(an_image_is_refused)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc of = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_bool has_images = CL_FALSE;
    int64_t shape[1] = {4};
    cl_int code = CL_SUCCESS;
    cl_mem image;
    DLTensor tensor;
    char bytes[4];

    clGetDeviceInfo(harness.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL);
    if (!has_images)
        skip();
    image = clCreateImage(harness.cl, CL_MEM_READ_WRITE, &format, &of, NULL, &code);
    expect_cl(code, "clCreateImage");
    tensor = clq_tensor_view(image, CLQ_INT8, 1, shape);
    expect_status(clq_tensor_read(harness.queue, &tensor, CL_TRUE, bytes, 4, 0, NULL, NULL), CLQ_ERROR_VALUE,
                  "image");
    assert_string_equal(
        clq_error_detail(),
        "tensor.data is of the type 0x10f1: it must be a buffer, CL_MEM_OBJECT_BUFFER (0x10f0)");
    clReleaseMemObject(image);
}

/* Each thread has its own sentence, and a call that succeeds elsewhere does not touch it. */
static void *refuse(void *argument)
{
    bool *good = argument;

    *good = clq_error_detail()[0] == '\0' &&
            clq_quantize(harness.context, harness.queue, NULL, 0, NULL, NULL) == CLQ_ERROR_NULL &&
            strcmp(clq_error_detail(), "desc is NULL: it must be a descriptor") == 0;
    return NULL;
}

TEST(sentences_belong_to_threads)
{
    static const struct clq_quantize_desc wrong = {.mode = 7};
    pthread_t thread;
    bool good = false;

    expect_status(clq_quantize(harness.context, harness.queue, &wrong, 0, NULL, NULL), CLQ_ERROR_VALUE,
                  "mode");
    assert_int_equal(pthread_create(&thread, NULL, refuse, &good), 0);
    pthread_join(thread, NULL);
    assert_true(good);
    assert_string_equal(clq_error_detail(), "mode is 7: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)");
}

HARNESS_MAIN("queue")
