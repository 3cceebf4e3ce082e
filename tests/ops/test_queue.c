/* SPDX-License-Identifier: Apache-2.0 */
/* Queues that the library makes, and that the sentences of refusals are their threads' own. */
#include "harness.h"

#include <pthread.h>
#include <string.h>

static void a_call_runs_in_the_librarys_queue(void **state)
{
    int64_t shape[2] = {2, 4}, one[1] = {1};
    float x[8] = {0, 1, 2, 3, -1, -2, -3, -4}, scale = 0.5f;
    int8_t y[8];
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    cl_device_id device = NULL;
    DLManagedTensor *tensors[3] = {NULL};

    (void)state;
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

static void the_queue_has_the_properties_that_were_asked_for(void **state)
{
    cl_command_queue_properties offered = 0, got = 0;
    const cl_command_queue_properties asked = CL_QUEUE_PROFILING_ENABLE;
    cl_command_queue queue = NULL;

    (void)state;
    expect_cl(clGetDeviceInfo(harness.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(offered), &offered, NULL),
              "clGetDeviceInfo");
    if (!(offered & asked))
        skip();
    expect_status(clq_queue_create(harness.context, asked, &queue), CLQ_OK, "clq_queue_create");
    expect_cl(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(got), &got, NULL), "properties");
    assert_true(got == asked);
    clq_queue_destroy(queue);
}

static void what_is_no_queue_is_refused(void **state)
{
    cl_command_queue queue = (cl_command_queue)&queue;

    (void)state;
    expect_status(clq_queue_create(harness.context, 0, NULL), CLQ_ERROR_NULL, "queue");
    expect_status(clq_queue_create(NULL, 0, &queue), CLQ_ERROR_NULL, "context");
    assert_null(queue);
    queue = (cl_command_queue)&queue;
    expect_status(clq_queue_create(harness.context, (cl_command_queue_properties)1 << 40, &queue),
                  CLQ_ERROR_VALUE, "properties");
    assert_null(queue);
    assert_non_null(strstr(clq_error_detail(), "properties is 0x10000000000: it must be made of those"));
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

static void sentences_belong_to_threads(void **state)
{
    static const struct clq_quantize_desc wrong = {.mode = 7};
    pthread_t thread;
    bool good = false;

    (void)state;
    expect_status(clq_quantize(harness.context, harness.queue, &wrong, 0, NULL, NULL), CLQ_ERROR_VALUE,
                  "mode");
    assert_int_equal(pthread_create(&thread, NULL, refuse, &good), 0);
    pthread_join(thread, NULL);
    assert_true(good);
    assert_string_equal(clq_error_detail(), "mode is 7: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_runs_in_the_librarys_queue),
        cmocka_unit_test(the_queue_has_the_properties_that_were_asked_for),
        cmocka_unit_test(what_is_no_queue_is_refused),
        cmocka_unit_test(sentences_belong_to_threads),
    };

    return HARNESS_RUN(argc, argv, "queue", tests);
}
