/* One row for each rule of quantize-and-scatter: the status and the sentence of the refusal, and nothing
 * written. */
#include "harness.h"

#include <string.h>

enum { CACHE, INDICES, UPDATES, SCALES, REPORT, WORKSPACE, BUFFERS };
enum { BYTES = 65536, N = 1024 };

/* A call that is right, for a row to spoil: cache int8 (8, 16, 4), indices int32 (1024, 2), updates float32
 * (1024, 1, 4), so that a table of last entries is needed. */
struct call {
    cl_mem buffers[BUFFERS];
    int64_t cache_shape[3], indices_shape[2], updates_shape[3], scales_shape[1];
    DLTensor cache, indices, updates, scales;
    struct clq_quantize_scatter_desc desc;
};

static DLTensor tensor(cl_mem buffer, DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.data = buffer, .device = {kDLOpenCL, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

static void make_call(struct call *c)
{
    static const unsigned char filling[BYTES];
    cl_int code = CL_SUCCESS;

    *c = (struct call){
        .cache_shape = {8, 16, 4}, .indices_shape = {N, 2}, .updates_shape = {N, 1, 4}, .scales_shape = {4}};
    for (int i = 0; i < BUFFERS; i++) {
        c->buffers[i] = clCreateBuffer(harness.cl, CL_MEM_READ_WRITE, BYTES, NULL, &code);
        expect_cl(code, "clCreateBuffer");
        expect_cl(
            clEnqueueWriteBuffer(harness.queue, c->buffers[i], CL_TRUE, 0, BYTES, filling, 0, NULL, NULL),
            "write");
    }
    c->cache = tensor(c->buffers[CACHE], CLQ_INT8, 3, c->cache_shape);
    c->indices = tensor(c->buffers[INDICES], CLQ_INT32, 2, c->indices_shape);
    c->updates = tensor(c->buffers[UPDATES], CLQ_FLOAT32, 3, c->updates_shape);
    c->scales = tensor(c->buffers[SCALES], CLQ_FLOAT32, 1, c->scales_shape);
    c->desc = (struct clq_quantize_scatter_desc){.cache = &c->cache,
                                                 .indices = &c->indices,
                                                 .updates = &c->updates,
                                                 .scales = &c->scales,
                                                 .axis = 1,
                                                 .report = c->buffers[REPORT],
                                                 .workspace = c->buffers[WORKSPACE]};
}

struct row {
    const char *name;
    void (*spoil)(struct call *c);
    clq_status status;
    const char *sentence;
};

#define SPOIL(name, statement)                                                                               \
    static void name(struct call *c)                                                                         \
    {                                                                                                        \
        statement;                                                                                           \
    }
SPOIL(cache_float, c->cache.dtype = CLQ_FLOAT32)
SPOIL(indices_float, c->indices.dtype = CLQ_FLOAT32)
SPOIL(indices_rank, c->indices.ndim = 0)
SPOIL(indices_pair, c->indices_shape[1] = 3)
SPOIL(indices_count, c->indices_shape[0] = 5)
SPOIL(starts_many, c->indices.ndim = 1)
SPOIL(axis_first, c->desc.axis = 0)
SPOIL(axis_int4, c->cache.dtype = CLQ_INT4; c->desc.axis = -1)
SPOIL(axis_high, c->desc.axis = 3)
SPOIL(updates_long, c->updates_shape[1] = 17)
SPOIL(updates_wide, c->updates_shape[2] = 5)
SPOIL(updates_rank, c->updates.ndim = 2)
SPOIL(scales_count, c->scales_shape[0] = 3)
SPOIL(range, c->desc.out_of_range = 3)
SPOIL(unique, c->desc.unique = 2)
SPOIL(mode, c->desc.mode = 2)
SPOIL(reserved, c->desc.reserved[3] = 1)
SPOIL(report_odd, c->desc.report_offset_bytes = 6)
SPOIL(report_end, c->desc.report_offset_bytes = BYTES - 12)
SPOIL(report_in_cache, c->desc.report = c->buffers[CACHE])
SPOIL(workspace_odd, c->desc.workspace_offset_bytes = 2)
SPOIL(workspace_end, c->desc.workspace_offset_bytes = BYTES - 4)
SPOIL(workspace_in_updates, c->desc.workspace = c->buffers[UPDATES])
SPOIL(cache_in_updates, c->cache.data = c->buffers[UPDATES])
SPOIL(no_indices, c->desc.indices = NULL)

static const struct row rows[] = {
    {"cache of floats", cache_float, CLQ_ERROR_TYPE,
     "cache.dtype is (code 2, bits 32, lanes 1), float32: it must be int8, uint8 or int4"},
    {"indices of floats", indices_float, CLQ_ERROR_TYPE,
     "indices.dtype is (code 2, bits 32, lanes 1), float32: it must be int32 or int64"},
    {"indices without a dimension", indices_rank, CLQ_ERROR_RANK, "indices.ndim is 0: it must be 1 or 2"},
    {"indices of triples", indices_pair, CLQ_ERROR_SHAPE,
     "indices.shape[1] is 3: it must be 2, a batch and a start"},
    {"fewer indices", indices_count, CLQ_ERROR_SHAPE,
     "indices.shape[0] is 5: it must be updates.shape[0], 1024"},
    {"more starts than batches", starts_many, CLQ_ERROR_SHAPE,
     "indices.shape[0] is 1024: with 1-D indices it must be at most cache.shape[0], 8"},
    {"axis 0", axis_first, CLQ_ERROR_AXIS,
     "axis is 0: it must be from -2 to -1 or from 1 to 2, any dimension but the first"},
    {"axis at the rank", axis_high, CLQ_ERROR_AXIS,
     "axis is 3: it must be from -2 to -1 or from 1 to 2, any dimension but the first"},
    {"axis last for int4", axis_int4, CLQ_ERROR_AXIS,
     "axis is -1: for an int4 cache it must not be the last dimension"},
    {"updates longer than the cache", updates_long, CLQ_ERROR_SHAPE,
     "updates.shape[1] is 17: it must be at most cache.shape[1], 16"},
    {"updates wider than the cache", updates_wide, CLQ_ERROR_SHAPE,
     "cache.shape[2] is 4: it must be updates.shape[2], 5"},
    {"updates of another rank", updates_rank, CLQ_ERROR_RANK,
     "cache.ndim is 3: it must be the rank of updates, 2"},
    {"too few scales", scales_count, CLQ_ERROR_SHAPE,
     "scales has 3 elements: it must have 1, or 4 as updates.shape[2]"},
    {"no such policy", range, CLQ_ERROR_VALUE,
     "out_of_range is 3: it must be CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2)"},
    {"unique is 2", unique, CLQ_ERROR_VALUE, "unique is 2: it must be 0 or 1"},
    {"no such mode", mode, CLQ_ERROR_VALUE, "mode is 2: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)"},
    {"a field of the future", reserved, CLQ_ERROR_VALUE,
     "desc.reserved[3] is not 0: this library knows no such field"},
    {"report at an odd place", report_odd, CLQ_ERROR_LAYOUT,
     "report_offset_bytes is 6: it must be a multiple of 4"},
    {"report past the end", report_end, CLQ_ERROR_SIZE,
     "report.data has 65536 bytes: shape x strides + byte_offset ask for 65540"},
    {"report in the cache", report_in_cache, CLQ_ERROR_OVERLAP,
     "report shares bytes of its buffer with cache: their byte ranges must be disjoint"},
    {"workspace at an odd place", workspace_odd, CLQ_ERROR_LAYOUT,
     "workspace_offset_bytes is 2: it must be a multiple of 4"},
    {"workspace too small", workspace_end, CLQ_ERROR_SIZE, NULL},
    {"workspace in the updates", workspace_in_updates, CLQ_ERROR_OVERLAP,
     "workspace shares bytes of its buffer with updates: their byte ranges must be disjoint"},
    {"cache in the updates", cache_in_updates, CLQ_ERROR_OVERLAP,
     "cache shares bytes of its buffer with updates: their byte ranges must be disjoint"},
    {"no indices", no_indices, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor"},
};

static void release(struct call *c)
{
    for (int i = 0; i < BUFFERS; i++)
        clReleaseMemObject(c->buffers[i]);
}

static void refuses(void **state)
{
    const struct row *row = *state;
    static unsigned char bytes[BYTES], zeros[BYTES];
    cl_event done = NULL;
    struct call c;

    make_call(&c);
    row->spoil(&c);
    expect_status(clq_quantize_scatter(harness.context, harness.queue, &c.desc, 0, NULL, &done), row->status,
                  row->name);
    if (row->sentence != NULL)
        assert_string_equal(clq_error_detail(), row->sentence);
    assert_null(done);
    for (int i = 0; i < BUFFERS; i++) {
        expect_cl(clEnqueueReadBuffer(harness.queue, c.buffers[i], CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL),
                  "read");
        assert_memory_equal(bytes, zeros, BYTES);
    }
    release(&c);
}

static void the_call_itself_is_right(void **state)
{
    struct call c;

    (void)state;
    make_call(&c);
    expect_status(clq_quantize_scatter(harness.context, harness.queue, &c.desc, 0, NULL, NULL), CLQ_OK,
                  "the call");
    expect_cl(clFinish(harness.queue), "clFinish");
    release(&c);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[COUNT(rows) + 1];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(the_call_itself_is_right);
    for (size_t i = 0; i < COUNT(rows); i++)
        tests[1 + i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = refuses, .initial_state = (void *)&rows[i]};
    return HARNESS_RUN(argc, argv, "bad_input_scatter", tests);
}
