/* SPDX-License-Identifier: Apache-2.0 */
/* Every call that clquant_rotate makes itself fails once, and from every call on, one after the other until none
 * is left to fail. After each: the right status, a sentence, nothing alive that was not before, and the same call
 * works. */
#include "harness.h"
#include "inject.h"
#include "layer.h"
#include "tensor.h"

#include <clquant/rotate.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, ROWS = 256 + 3 }; /* a batch of CLBlast's, and a rest */

static const struct layer *layer;
static struct tensor x, y;
static unsigned char *rotated; /* what y must be */
static cl_event ready;

struct snapshot {
    size_t live, over_released, refused;
    long blocks;
};

static struct snapshot look(void)
{
    return (struct snapshot){layer->live, layer->over_released, layer->refused, inject_live_blocks()};
}

static void expect_nothing_left(const struct snapshot *was)
{
    const struct snapshot now = look();

    assert_int_equal(now.live, was->live);
    assert_int_equal(now.over_released, was->over_released);
    assert_int_equal(now.refused, was->refused);
    assert_int_equal(now.blocks, was->blocks);
}

/* A release that fails has still been done. */
static bool is_fatal(const struct fault *fault)
{
    return fault->kind != FAULT_NONE && strncmp(fault->name, "clRelease", 9) != 0;
}

static void expect_answer(const struct fault *fault, clq_status status, size_t at)
{
    const char *detail = clq_error_detail();

    print_message("call %zu, %s\n", at, fault->kind == FAULT_NONE ? "none fails" : fault->name);
    if (!is_fatal(fault)) {
        expect_status(status, CLQ_OK, "could do without");
        return;
    }
    expect_status(status, fault->kind == FAULT_MEMORY ? CLQ_ERROR_MEMORY : (clq_status)fault->code,
                  fault->name);
    if (strstr(detail, fault->kind == FAULT_MEMORY ? "alloc" : fault->name) == NULL)
        fail_msg("the sentence does not name %s: \"%s\"", fault->name, detail);
}

static clq_status rotate(const clq_rotation *rotation, cl_event *done)
{
    return clq_rotate_rows(harness.context, harness.queue,
                           &(struct clq_rotate_rows_desc){.rotation = rotation, .x = &x.dl, .y = &y.dl}, 1,
                           &ready, done);
}

/* True while there was a call to fail. */
static bool attempt_create(enum fault_mode mode, size_t at)
{
    const struct snapshot was = look();
    clq_rotation *rotation = NULL;
    struct fault fault;
    clq_status status;

    inject_arm(mode, at);
    status = clq_rotation_create(harness.context, N, &rotation);
    clq_rotation_destroy(rotation);
    fault = inject_disarm();
    expect_answer(&fault, status, at);
    assert_true((rotation != NULL) == (status == CLQ_OK));
    expect_nothing_left(&was);
    return fault.kind != FAULT_NONE;
}

static void expect_rotated(const clq_rotation *rotation)
{
    cl_event done = NULL;

    expect_status(rotate(rotation, &done), CLQ_OK, "the next call");
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(done);
    assert_true(tensor_holds(&y, harness.queue, rotated, "y"));
}

static bool attempt_rotate(const clq_rotation *rotation, enum fault_mode mode, size_t at)
{
    const struct snapshot was = look();
    cl_event done = NULL;
    struct fault fault;
    clq_status status;

    assert_true(tensor_fill(&y, harness.queue, 0x5a));
    inject_arm(mode, at);
    status = rotate(rotation, &done);
    fault = inject_disarm();
    expect_answer(&fault, status, at);
    assert_true((done != NULL) == (status == CLQ_OK));
    if (done != NULL)
        clReleaseEvent(done);
    expect_cl(clFinish(harness.queue), "clFinish"); /* a batch may be on its way although the rest failed */
    expect_rotated(rotation);
    expect_nothing_left(&was);
    return fault.kind != FAULT_NONE;
}

static void creating(void **state)
{
    (void)state;
    for (int mode = FAULT_ONCE; mode <= FAULT_FROM; mode++) {
        size_t at = 1;

        while (attempt_create((enum fault_mode)mode, at))
            at++;
        assert_true(at > 3); /* two allocations and a buffer */
    }
}

static void rotating(void **state)
{
    clq_rotation *rotation = NULL;

    (void)state;
    expect_status(clq_rotation_create(harness.context, N, &rotation), CLQ_OK, "clq_rotation_create");
    expect_rotated(rotation); /* CLBlast's programs and kernels stay */
    for (int mode = FAULT_ONCE; mode <= FAULT_FROM; mode++) {
        size_t at = 1;

        while (attempt_rotate(rotation, (enum fault_mode)mode, at))
            at++;
        assert_true(at > 10); /* both buffers looked at, a barrier, two products, a marker */
    }
    clq_rotation_destroy(rotation);
}

static void fill(void)
{
    const int64_t shape[2] = {ROWS, N};
    const struct layout layout = layout_dense(REFERENCE_F32, 1, 2, shape);

    tensor_init(&x, &layout);
    tensor_init(&y, &layout);
    for (int64_t i = 0; i < ROWS * N; i++)
        tensor_set(&x, i, (double)(i % 37));
    assert_true(tensor_upload(&x, harness.queue) && tensor_fill(&y, harness.queue, 0x5a));
}

/* The bytes of a call that nothing disturbs: what they must be test_rotate.c says. */
static int open_world(void **state)
{
    const char *path = getenv("OPENCL_LAYERS");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    clq_rotation *rotation = NULL;
    clq_layer_function find;

    (void)state;
    if (library == NULL)
        fail_msg("the OpenCL loader did not load the layer");
    find = (clq_layer_function)dlsym(library, "clq_layer");
    assert_non_null(find);
    layer = find();
    ready = clCreateUserEvent(harness.cl, NULL);
    assert_non_null(ready);
    expect_cl(clSetUserEventStatus(ready, CL_COMPLETE), "clSetUserEventStatus");
    fill();
    expect_status(clq_rotation_create(harness.context, N, &rotation), CLQ_OK, "clq_rotation_create");
    expect_status(rotate(rotation, NULL), CLQ_OK, "clq_rotate_rows");
    expect_cl(clFinish(harness.queue), "clFinish");
    clq_rotation_destroy(rotation);
    rotated = test_malloc(y.size_bytes);
    expect_cl(clEnqueueReadBuffer(harness.queue, y.mem, CL_TRUE, 0, y.size_bytes, rotated, 0, NULL, NULL),
              "clEnqueueReadBuffer");
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    test_free(rotated);
    tensor_clear(&x);
    tensor_clear(&y);
    clReleaseEvent(ready);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(creating, open_world, close_world),
        cmocka_unit_test_setup_teardown(rotating, open_world, close_world),
    };

    return HARNESS_RUN(argc, argv, "rotate faults", tests);
}
