/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what is bound and what is refused. That they leave the reference's bytes, whatever the call,
 * is harness.plans.* */
#include "harness.h"

#include <string.h>

enum { ROWS = 2, COLUMNS = 4, ELEMENTS = ROWS * COLUMNS };

struct tensors {
    DLManagedTensor *x, *scales, *y, *other_x, *other_y;
    cl_mem small;
};

static DLManagedTensor *tensor(DLDataType dtype, int rank, const int64_t *shape)
{
    DLManagedTensor *made = NULL;

    expect_status(clq_tensor_create(harness.context, dtype, rank, shape, &made), CLQ_OK, "clq_tensor_create");
    return made;
}

static void fill(DLManagedTensor *of, const void *bytes, size_t size_bytes)
{
    expect_status(clq_tensor_write(harness.queue, &of->dl_tensor, CL_TRUE, bytes, size_bytes, 0, NULL, NULL),
                  CLQ_OK, "clq_tensor_write");
}

static const float values[ELEMENTS] = {0, 1, 2, 3, -1, -2, -3, -4},
                   others[ELEMENTS] = {9, 8, 7, 6, 5, 4, 3, 2};

static struct tensors make(void)
{
    static const int64_t shape[2] = {ROWS, COLUMNS}, one[1] = {1};
    const float scale = 0.5f;
    cl_int code = CL_SUCCESS;
    struct tensors t = {tensor(CLQ_FLOAT32, 2, shape), tensor(CLQ_FLOAT32, 1, one),
                        tensor(CLQ_INT8, 2, shape),    tensor(CLQ_FLOAT32, 2, shape),
                        tensor(CLQ_INT8, 2, shape),    NULL};

    fill(t.x, values, sizeof values);
    fill(t.other_x, others, sizeof others);
    fill(t.scales, &scale, sizeof scale);
    t.small = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, ELEMENTS - 1, NULL, &code);
    expect_cl(code, "clCreateBuffer");
    return t;
}

static void clear(struct tensors *t)
{
    DLManagedTensor *all[] = {t->x, t->scales, t->y, t->other_x, t->other_y};

    for (size_t i = 0; i < COUNT(all); i++)
        clq_tensor_destroy(all[i]);
    clReleaseMemObject(t->small);
}

static clq_plan *plan_of(const struct tensors *t)
{
    clq_plan *plan = NULL;

    expect_status(clq_quantize_plan(harness.context,
                                    &(struct clq_quantize_desc){.x = &t->x->dl_tensor,
                                                                .scales = &t->scales->dl_tensor,
                                                                .y = &t->y->dl_tensor},
                                    &plan),
                  CLQ_OK, "clq_quantize_plan");
    assert_non_null(plan);
    return plan;
}

static void enqueue(clq_plan *plan, size_t count, const struct clq_binding *bindings)
{
    expect_status(clq_plan_enqueue(plan, harness.queue, count, bindings, 0, NULL, NULL), CLQ_OK,
                  "clq_plan_enqueue");
}

static void expect_y(DLManagedTensor *y, const float *x)
{
    int8_t found[ELEMENTS];

    expect_status(clq_tensor_read(harness.queue, &y->dl_tensor, CL_TRUE, found, sizeof found, 0, NULL, NULL),
                  CLQ_OK, "clq_tensor_read");
    for (size_t i = 0; i < ELEMENTS; i++)
        assert_int_equal(found[i], (int)(x[i] / 0.5f));
}

TEST(what_is_bound_stays_bound)
{
    struct tensors t = make();
    clq_plan *plan = plan_of(&t);

    enqueue(plan, 0, NULL);
    expect_y(t.y, values);
    enqueue(plan, 1, &CLQ_BIND(quantize, x, t.other_x->dl_tensor.data, 0));
    expect_y(t.y, others);
    enqueue(plan, 1, &CLQ_BIND(quantize, y, t.other_y->dl_tensor.data, 0));
    expect_y(t.other_y, others);
    enqueue(plan, 2,
            (struct clq_binding[]){CLQ_BIND(quantize, x, t.x->dl_tensor.data, 0),
                                   CLQ_BIND(quantize, x, t.x->dl_tensor.data, 0)});
    expect_y(t.other_y, values);
    clq_plan_destroy(plan);
    clear(&t);
}

/* The caller's tensors, shapes and descriptor may be gone once the plan is made. */
TEST(the_descriptor_is_copied)
{
    struct tensors t = make();
    int64_t shape[2] = {ROWS, COLUMNS}, strides[2] = {COLUMNS, 1};
    DLTensor x = t.x->dl_tensor;
    struct clq_quantize_desc desc = {.x = &x, .scales = &t.scales->dl_tensor, .y = &t.y->dl_tensor};
    clq_plan *plan = NULL;

    x.shape = shape;
    x.strides = strides;
    expect_status(clq_quantize_plan(harness.context, &desc, &plan), CLQ_OK, "clq_quantize_plan");
    memset(shape, 0xff, sizeof shape);
    memset(strides, 0xff, sizeof strides);
    memset(&x, 0xff, sizeof x);
    memset(&desc, 0xff, sizeof desc);
    enqueue(plan, 1, &CLQ_BIND(quantize, x, t.other_x->dl_tensor.data, 0));
    expect_y(t.y, others);
    clq_plan_destroy(plan);
    clear(&t);
}

static void expect_refused(clq_plan *plan, size_t count, const struct clq_binding *bindings,
                           clq_status status, const char *sentence)
{
    cl_event done = NULL;

    expect_status(clq_plan_enqueue(plan, harness.queue, count, bindings, 0, NULL, &done), status, sentence);
    assert_non_null(strstr(clq_error_detail(), sentence));
    assert_null(done);
}

/* And the plan is as it was. */
TEST(what_cannot_be_bound_is_refused)
{
    struct tensors t = make();
    clq_plan *plan = plan_of(&t);
    cl_mem x = t.x->dl_tensor.data, y = t.y->dl_tensor.data;

    expect_refused(
        plan, 1, &CLQ_BIND(quantize, zero_points, x, 0), CLQ_ERROR_VALUE,
        "bindings[0].field is 16: it must be the offset of a tensor, report or workspace that the plan's "
        "descriptor has");
    expect_refused(plan, 1, &CLQ_BIND(quantize, axis, x, 0), CLQ_ERROR_VALUE, "bindings[0].field is 32");
    expect_refused(plan, 1, &CLQ_BIND(quantize, x, NULL, 0), CLQ_ERROR_NULL, "bindings[0].buffer is NULL");
    expect_refused(plan, 2, NULL, CLQ_ERROR_NULL, "num_bindings is 2 and bindings is NULL");
    expect_refused(plan, 0, &CLQ_BIND(quantize, x, x, 0), CLQ_ERROR_NULL, "num_bindings is 0");
    expect_refused(plan, 11, &CLQ_BIND(quantize, x, x, 0), CLQ_ERROR_VALUE, "num_bindings is 11");
    expect_refused(plan, 1, &CLQ_BIND(quantize, y, t.small, 0), CLQ_ERROR_SIZE, "y");
    expect_refused(plan, 1, &CLQ_BIND(quantize, y, y, 1), CLQ_ERROR_SIZE, "y");
    expect_refused(plan, 1, &CLQ_BIND(quantize, y, x, 0), CLQ_ERROR_OVERLAP, "y");
    expect_refused(plan, 1, &CLQ_BIND(quantize, x, x, 2), CLQ_ERROR_LAYOUT, "x.byte_offset");
    expect_refused(plan, 2,
                   (struct clq_binding[]){CLQ_BIND(quantize, x, t.other_x->dl_tensor.data, 0),
                                          CLQ_BIND(quantize, y, t.small, 0)},
                   CLQ_ERROR_SIZE, "y");
    expect_status(clq_plan_enqueue(NULL, harness.queue, 0, NULL, 0, NULL, NULL), CLQ_ERROR_NULL, "no plan");
    expect_status(clq_plan_enqueue(plan, NULL, 0, NULL, 0, NULL, NULL), CLQ_ERROR_NULL, "no queue");
    enqueue(plan, 0, NULL);
    expect_y(t.y, values);
    clq_plan_destroy(plan);
    clq_plan_destroy(NULL);
    clear(&t);
}

/* What it needs of a device that records is harness.pocl.records; nothing here is a command buffer. */
TEST(what_cannot_be_recorded_is_refused)
{
    struct tensors t = make();
    clq_plan *plan = plan_of(&t);
    struct _cl_command_buffer_khr *none = (struct _cl_command_buffer_khr *)&t;
    char extensions[16384] = "";
    const cl_uint wait = 0;

    expect_status(clq_plan_record(NULL, none, 0, NULL, 0, NULL, NULL), CLQ_ERROR_NULL, "no plan");
    expect_status(clq_plan_record(plan, NULL, 0, NULL, 0, NULL, NULL), CLQ_ERROR_NULL, "no command buffer");
    expect_status(clq_plan_record(plan, none, 0, NULL, 0, &wait, NULL), CLQ_ERROR_NULL,
                  "a list of no length");
    expect_status(clq_plan_record(plan, none, 1, NULL, 0, NULL, NULL), CLQ_ERROR_NULL, "no bindings");
    clGetDeviceInfo(harness.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    if (strstr(extensions, "cl_khr_command_buffer") == NULL) {
        expect_status(clq_plan_record(plan, none, 0, NULL, 0, NULL, NULL), CLQ_ERROR_DEVICE, "no extension");
        assert_non_null(strstr(clq_error_detail(), "does not have cl_khr_command_buffer"));
    }
    enqueue(plan, 0, NULL);
    expect_y(t.y, values);
    clq_plan_destroy(plan);
    clear(&t);
}

static void expect_list_refused(size_t count, const struct clq_plan_call *calls, clq_status status,
                                const char *sentence)
{
    struct _cl_command_buffer_khr *none = (struct _cl_command_buffer_khr *)&status;
    cl_event done = NULL;
    cl_uint point = 0;

    expect_status(clq_plan_enqueue_all(harness.queue, count, calls, 0, NULL, &done), status, sentence);
    assert_non_null(strstr(clq_error_detail(), sentence));
    assert_null(done);
    expect_status(clq_plan_record_all(none, count, calls, 0, NULL, &point), status, sentence);
    assert_non_null(strstr(clq_error_detail(), sentence));
}

/* Of another context for the same buffers. */
static clq_plan *foreign_plan(const struct tensors *t, clq_context **context)
{
    clq_plan *plan = NULL;

    expect_status(clq_context_create(
                      &(struct clq_context_desc){.context = harness.cl, .device = harness.device}, context),
                  CLQ_OK, "clq_context_create");
    expect_status(clq_quantize_plan(*context,
                                    &(struct clq_quantize_desc){.x = &t->x->dl_tensor,
                                                                .scales = &t->scales->dl_tensor,
                                                                .y = &t->y->dl_tensor},
                                    &plan),
                  CLQ_OK, "clq_quantize_plan");
    return plan;
}

/* And all plans are as they were. */
TEST(what_is_wrong_in_a_list_is_named)
{
    struct tensors t = make();
    clq_plan *plan = plan_of(&t), *other = plan_of(&t);
    const struct clq_binding other_x = CLQ_BIND(quantize, x, t.other_x->dl_tensor.data, 0),
                             other_y = CLQ_BIND(quantize, y, t.other_y->dl_tensor.data, 0),
                             small = CLQ_BIND(quantize, y, t.small, 0);
    struct clq_plan_call calls[3] = {{plan, 1, &other_x}, {other, 1, &small}};
    const cl_event wait = NULL;
    clq_context *context = NULL;

    expect_list_refused(0, calls, CLQ_ERROR_VALUE, "num_calls is 0: it must be at least 1");
    expect_list_refused(2, NULL, CLQ_ERROR_NULL, "calls is NULL: it must be a list of 2");
    expect_list_refused(3, calls, CLQ_ERROR_NULL, "calls[2].plan is NULL: it must be a plan");
    expect_list_refused(2, calls, CLQ_ERROR_SIZE, "calls[1]: y.data has 7 bytes");
    calls[1].plan = foreign_plan(&t, &context);
    expect_list_refused(2, calls, CLQ_ERROR_VALUE, "calls[1].plan is of the context");
    clq_plan_destroy(calls[1].plan);
    clq_context_destroy(context);
    calls[1].plan = plan;
    expect_list_refused(2, calls, CLQ_ERROR_VALUE,
                        "calls[1]: plan is that of another one of calls: it must stand there once");
    calls[1] = (struct clq_plan_call){other, 1, &other_y};
    expect_status(clq_plan_enqueue_all(NULL, 2, calls, 0, NULL, NULL), CLQ_ERROR_NULL, "no queue");
    expect_status(clq_plan_enqueue_all(harness.queue, 2, calls, 0, &wait, NULL), CL_INVALID_EVENT_WAIT_LIST,
                  "a list of no length");
    enqueue(plan, 0, NULL);
    enqueue(other, 0, NULL);
    expect_y(t.y, values);
    expect_status(clq_plan_enqueue_all(harness.queue, 2, calls, 0, NULL, NULL), CLQ_OK,
                  "clq_plan_enqueue_all");
    expect_y(t.y, others);
    expect_y(t.other_y, values);
    clq_plan_destroy(plan);
    clq_plan_destroy(other);
    clear(&t);
}

TEST(a_wrong_descriptor_makes_no_plan)
{
    struct tensors t = make();
    clq_plan *plan = (clq_plan *)&t;
    const struct clq_quantize_desc desc = {.x = &t.x->dl_tensor, .y = &t.y->dl_tensor};

    expect_status(clq_quantize_plan(harness.context, &desc, &plan), CLQ_ERROR_NULL, "no scales");
    assert_null(plan);
    expect_status(clq_quantize_plan(harness.context, &desc, NULL), CLQ_ERROR_NULL, "no place for it");
    expect_status(clq_quantize_plan(NULL, &desc, &plan), CLQ_ERROR_NULL, "no context");
    expect_status(clq_quantize_plan(harness.context, NULL, &plan), CLQ_ERROR_NULL, "no descriptor");
    clear(&t);
}

HARNESS_MAIN("plan")
