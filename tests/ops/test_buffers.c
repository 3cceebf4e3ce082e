/* SPDX-License-Identifier: Apache-2.0 */
/* Whose buffers a call takes, and with which access: each argument of each operator once from another context, once without
 * the access that kernels need, and once as a part of such a buffer. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16, MOST_ARGS = 9, ROWS = 4, COLS = 16, ENTRIES = 256, CACHED = 8 };

/* What kernels do with an argument. */
enum use { READ = 1, WRITTEN, BOTH };

struct operands {
    cl_mem buffers[MOST_ARGS];
    DLTensor tensors[MOST_ARGS];
};

struct operator
{
    const char *name;
    clq_status (*call)(const struct operands *o, cl_event *done);
    struct {
        const char *name; /* NULL: there are no more */
        enum use use;
        DLDataType dtype;
        int rank; /* of the report and the workspace, which are no tensors: 0 */
        int64_t shape[3];
    } args[MOST_ARGS];
};

static clq_status quantize(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_quantize(harness.context, harness.queue,
                        &(struct clq_quantize_desc){
                            .x = &t[0], .scales = &t[1], .zero_points = &t[2], .y = &t[3], .axis = -1},
                        0, NULL, done);
}

static clq_status scatter(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_quantize_scatter(harness.context, harness.queue,
                                &(struct clq_quantize_scatter_desc){.input = &t[0],
                                                                    .indices = &t[1],
                                                                    .updates = &t[2],
                                                                    .scales = &t[3],
                                                                    .zero_points = &t[4],
                                                                    .cache = &t[5],
                                                                    .report = o->buffers[6],
                                                                    .workspace = o->buffers[7],
                                                                    .axis = 1},
                                0, NULL, done);
}

static clq_status group_quantize(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_group_quantize(harness.context, harness.queue,
                              &(struct clq_group_quantize_desc){.x = &t[0],
                                                                .scales = &t[1],
                                                                .group_index = &t[2],
                                                                .zero_points = &t[3],
                                                                .y = &t[4],
                                                                .report = o->buffers[5]},
                              0, NULL, done);
}

static clq_status dynamic_quantize(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_dynamic_quantize(
        harness.context, harness.queue,
        &(struct clq_dynamic_quantize_desc){
            .x = &t[0], .smooth_scales = &t[1], .y = &t[2], .scales = &t[3], .offsets = &t[4]},
        0, NULL, done);
}

static clq_status dynamic_scatter(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_dynamic_quantize_scatter(
        harness.context, harness.queue,
        &(struct clq_dynamic_quantize_scatter_desc){.indices = &t[0],
                                                    .updates = &t[1],
                                                    .smooth_scales = &t[2],
                                                    .cache = &t[3],
                                                    .cache_scales = &t[4],
                                                    .cache_offsets = &t[5],
                                                    .report = o->buffers[6],
                                                    .workspace = o->buffers[7],
                                                    .axis = 1},
        0, NULL, done);
}

static clq_status dequantize(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_dequantize(harness.context, harness.queue,
                          &(struct clq_dequantize_desc){.q = &t[0],
                                                        .scales = &t[1],
                                                        .zero_points = &t[2],
                                                        .indices = &t[3],
                                                        .y = &t[4],
                                                        .report = o->buffers[5],
                                                        .axis = 1},
                          0, NULL, done);
}

static clq_status find_scales(const struct operands *o, cl_event *done)
{
    const DLTensor *t = o->tensors;

    return clq_find_scales(
        harness.context, harness.queue,
        &(struct clq_find_scales_desc){
            .x = &t[0], .scales = &t[1], .zero_points = &t[2], .dtype = CLQ_UINT8, .axis = -1},
        0, NULL, done);
}

#define F32                                                                                                  \
    {                                                                                                        \
        kDLFloat, 32, 1                                                                                      \
    }
#define I8                                                                                                   \
    {                                                                                                        \
        kDLInt, 8, 1                                                                                         \
    }
#define I32                                                                                                  \
    {                                                                                                        \
        kDLInt, 32, 1                                                                                        \
    }
#define REPORT                                                                                               \
    {                                                                                                        \
        "report", BOTH, I32, 0,                                                                              \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }
#define SPACE                                                                                                \
    {                                                                                                        \
        "workspace", BOTH, I32, 0,                                                                           \
        {                                                                                                    \
            0                                                                                                \
        }                                                                                                    \
    }

static const struct operator operators[] = {
    {"quantize",
     quantize,
     {{"x", READ, F32, 2, {ROWS, COLS}},
      {"scales", READ, F32, 1, {COLS}},
      {"zero_points", READ, I32, 1, {COLS}},
      {"y", WRITTEN, I8, 2, {ROWS, COLS}}}},
    {"quantize_scatter",
     scatter,
     {{"input", READ, I8, 3, {2, CACHED, COLS}},
      {"indices", READ, I32, 2, {ENTRIES, 2}},
      {"updates", READ, F32, 3, {ENTRIES, 1, COLS}},
      {"scales", READ, F32, 1, {COLS}},
      {"zero_points", READ, I32, 1, {COLS}},
      {"cache", WRITTEN, I8, 3, {2, CACHED, COLS}},
      REPORT,
      SPACE}},
    {"group_quantize",
     group_quantize,
     {{"x", READ, F32, 2, {ROWS, COLS}},
      {"scales", READ, F32, 2, {1, COLS}},
      {"group_index", READ, I32, 1, {1}},
      {"zero_points", READ, F32, 1, {1}},
      {"y", WRITTEN, I8, 2, {ROWS, COLS}},
      REPORT}},
    {"dynamic_quantize",
     dynamic_quantize,
     {{"x", READ, F32, 2, {ROWS, COLS}},
      {"smooth_scales", READ, F32, 1, {COLS}},
      {"y", WRITTEN, I8, 2, {ROWS, COLS}},
      {"scales", WRITTEN, F32, 1, {ROWS}},
      {"offsets", WRITTEN, F32, 1, {ROWS}}}},
    {"dynamic_quantize_scatter",
     dynamic_scatter,
     {{"indices", READ, I32, 2, {ENTRIES, 2}},
      {"updates", READ, F32, 3, {ENTRIES, 1, COLS}},
      {"smooth_scales", READ, F32, 1, {COLS}},
      {"cache", WRITTEN, I8, 3, {2, CACHED, COLS}},
      {"cache_scales", WRITTEN, F32, 2, {2, CACHED}},
      {"cache_offsets", WRITTEN, F32, 2, {2, CACHED}},
      REPORT,
      SPACE}},
    {"dequantize",
     dequantize,
     {{"q", READ, I8, 3, {2, CACHED, COLS}},
      {"scales", READ, F32, 1, {COLS}},
      {"zero_points", READ, I32, 1, {COLS}},
      {"indices", READ, I32, 2, {ROWS, 2}},
      {"y", WRITTEN, F32, 3, {ROWS, 1, COLS}},
      REPORT}},
    {"find_scales",
     find_scales,
     {{"x", READ, F32, 2, {ROWS, COLS}},
      {"scales", WRITTEN, F32, 1, {COLS}},
      {"zero_points", WRITTEN, {kDLUInt, 8, 1}, 1, {COLS}}}},
};

static cl_mem buffer_in(cl_context context, cl_mem_flags flags)
{
    static unsigned char zeros[BUFFER_BYTES];
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, BUFFER_BYTES, zeros, &code);

    expect_cl(code, "clCreateBuffer");
    return buffer;
}

static cl_mem part_of_buffer(cl_mem_flags flags)
{
    const cl_buffer_region whole = {0, BUFFER_BYTES};
    const cl_mem parent = buffer_in(harness.cl, flags);
    cl_int code = CL_SUCCESS;
    const cl_mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &whole, &code);

    expect_cl(code, "clCreateSubBuffer");
    return part;
}

/* And its parent, if it is a part. */
static void release_buffer(cl_mem buffer)
{
    cl_mem parent = NULL;

    expect_cl(clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL),
              "clGetMemObjectInfo");
    clReleaseMemObject(buffer);
    if (parent != NULL)
        clReleaseMemObject(parent);
}

static int count_args(const struct operator* operator)
{
    int count = 0;

    while (count < MOST_ARGS && operator->args[count].name != NULL)
        count++;
    return count;
}

/* The least access that each argument needs. */
static void make(struct operands *o, const struct operator* operator)
{
    static const cl_mem_flags least[] = {
        [READ] = CL_MEM_READ_ONLY, [WRITTEN] = CL_MEM_WRITE_ONLY, [BOTH] = CL_MEM_READ_WRITE};

    for (int i = 0; i < count_args(operator); i++) {
        o->buffers[i] = buffer_in(harness.cl, least[operator->args[i].use]);
        o->tensors[i] = clq_tensor_view(o->buffers[i], operator->args[i].dtype, operator->args[i].rank,
                                        (int64_t *)operator->args[i].shape);
    }
}

static void release(struct operands *o, const struct operator* operator)
{
    expect_cl(clFinish(harness.queue), "clFinish");
    for (int i = 0; i < count_args(operator); i++)
        clReleaseMemObject(o->buffers[i]);
}

/* With another buffer for one argument. Takes the buffer. */
static void refuses(const struct operands *o, const struct operator* operator, int arg, cl_mem buffer,
                    const char *sentence)
{
    struct operands spoiled = *o;
    cl_event done = NULL;
    char wanted[256];

    spoiled.buffers[arg] = spoiled.tensors[arg].data = buffer;
    snprintf(wanted, sizeof wanted, "%s.data %s", operator->args[arg].name, sentence);
    expect_status(operator->call(&spoiled, &done), CLQ_ERROR_VALUE, operator->name);
    assert_memory_equal(clq_error_detail(), wanted, strlen(wanted));
    assert_null(done);
    release_buffer(buffer);
}

static void the_least_access_is_enough(void **state)
{
    const struct operator* operator= * state;
    struct operands o;
    cl_event done = NULL;

    make(&o, operator);
    expect_status(operator->call(&o, &done), CLQ_OK, operator->name);
    expect_cl(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(done);
    release(&o, operator);
}

static void a_buffer_of_another_context_is_refused(void **state)
{
    const struct operator* operator= * state;
    struct operands o;
    cl_int code = CL_SUCCESS;
    cl_context other = clCreateContext(NULL, 1, &harness.device, NULL, NULL, &code);

    expect_cl(code, "clCreateContext");
    make(&o, operator);
    for (int i = 0; i < count_args(operator); i++) {
        const cl_mem buffer = buffer_in(other, CL_MEM_READ_WRITE);
        char sentence[128];

        snprintf(sentence, sizeof sentence,
                 "is %p, of the cl_context %p: it must be of the one that the call runs in, %p",
                 (void *)buffer, (void *)other, (void *)harness.cl);
        refuses(&o, operator, i, buffer, sentence);
    }
    release(&o, operator);
    clReleaseContext(other);
}

static void a_buffer_without_access_is_refused(void **state)
{
    const struct operator* operator= * state;
    static const char no_write[] = "was created with CL_MEM_READ_ONLY: kernels must be allowed to write it";
    static const char no_read[] = "was created with CL_MEM_WRITE_ONLY: kernels must be allowed to read it";
    struct operands o;

    make(&o, operator);
    for (int i = 0; i < count_args(operator); i++) {
        if (operator->args[i].use & WRITTEN) {
            refuses(&o, operator, i, buffer_in(harness.cl, CL_MEM_READ_ONLY), no_write);
            refuses(&o, operator, i, part_of_buffer(CL_MEM_READ_ONLY), no_write);
        }
        if (operator->args[i].use & READ) {
            refuses(&o, operator, i, buffer_in(harness.cl, CL_MEM_WRITE_ONLY), no_read);
            refuses(&o, operator, i, part_of_buffer(CL_MEM_WRITE_ONLY), no_read);
        }
    }
    release(&o, operator);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        CMUnitTestFunction test;
    } rules[] = {{"takes the least access", the_least_access_is_enough},
                 {"refuses a buffer of another context", a_buffer_of_another_context_is_refused},
                 {"refuses a buffer without access", a_buffer_without_access_is_refused}};
    static char names[COUNT(operators) * COUNT(rules)][80];
    struct CMUnitTest tests[COUNT(operators) * COUNT(rules)];

    for (size_t i = 0; i < COUNT(tests); i++) {
        const struct operator* operator= & operators[i / COUNT(rules)];

        snprintf(names[i], sizeof names[i], "%s %s", operator->name, rules[i % COUNT(rules)].name);
        tests[i] = (struct CMUnitTest){
            .name = names[i], .test_func = rules[i % COUNT(rules)].test, .initial_state = (void *)operator};
    }
    return HARNESS_RUN(argc, argv, "buffers", tests);
}
