/* Runs a case of quantize-and-scatter, and compares every byte and the report. */
#include "scatter_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A report and a workspace lie inside of their buffers. */
enum { REPORT_BYTES = 4096, REPORT_OFFSET = 20, WORKSPACE_OFFSET = 36, WORKSPACE_BEHIND = 64 };

static cl_mem new_buffer(cl_command_queue queue, size_t size_bytes)
{
    cl_context context = NULL;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);

    return status == CL_SUCCESS ? clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, NULL, &status)
                                : NULL;
}

bool scatter_tensors_upload(struct scatter_tensors *t, const struct scatter_case *c, cl_command_queue queue)
{
    size_t bytes = 0;

    if (!tensor_upload(&t->cache, queue) || !tensor_upload(&t->indices, queue) ||
        !tensor_upload(&t->updates, queue) || !tensor_upload(&t->scales, queue) ||
        (c->copies && !tensor_upload(&t->input, queue)) ||
        (c->has_zero_points && !tensor_upload(&t->zero_points, queue)))
        return false;
    if (c->reports && !t->report)
        t->report = new_buffer(queue, REPORT_BYTES);
    if (c->borrows && !t->workspace) {
        const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);

        if (clq_quantize_scatter_workspace(harness.context, &desc, &bytes) != CLQ_OK) {
            fprintf(stderr, "clq_quantize_scatter_workspace: %s\n", clq_error_detail());
            return false;
        }
        t->workspace_bytes = bytes;
        t->workspace = new_buffer(queue, WORKSPACE_OFFSET + bytes + WORKSPACE_BEHIND);
    }
    return true;
}

struct clq_quantize_scatter_desc scatter_desc_of(const struct scatter_tensors *t,
                                                 const struct scatter_case *c)
{
    return (struct clq_quantize_scatter_desc){
        .input = c->copies ? &t->input.dl : NULL,
        .cache = &t->cache.dl,
        .indices = &t->indices.dl,
        .updates = &t->updates.dl,
        .scales = &t->scales.dl,
        .zero_points = c->has_zero_points ? &t->zero_points.dl : NULL,
        .report = t->report,
        .report_offset_bytes = t->report ? REPORT_OFFSET : 0,
        .workspace = t->workspace,
        .workspace_offset_bytes = t->workspace ? WORKSPACE_OFFSET : 0,
        .axis = c->axis,
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
        .out_of_range = c->range,
        .unique = c->unique,
    };
}

struct reference_report scatter_tensors_expect(const struct scatter_tensors *t, const struct scatter_case *c,
                                               unsigned char *image)
{
    const struct reference_tensor cache = tensor_reference(&t->cache, image);
    const struct reference_tensor indices = tensor_reference(&t->indices, t->indices.image);
    const struct reference_tensor updates = tensor_reference(&t->updates, t->updates.image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image);
    struct reference_tensor zero_points, input;
    struct reference_quantize_scatter_desc desc = {.cache = &cache,
                                                   .indices = &indices,
                                                   .updates = &updates,
                                                   .scales = &scales,
                                                   .axis = c->axis,
                                                   .multiply = c->multiply,
                                                   .range = (enum reference_range)c->range};

    if (c->has_zero_points) {
        zero_points = tensor_reference(&t->zero_points, t->zero_points.image);
        desc.zero_points = &zero_points;
    }
    if (c->copies) {
        input = tensor_reference(&t->input, t->input.image);
        reference_copy_int(&input, &cache);
    }
    return reference_quantize_scatter(&desc);
}

static bool bytes_are(cl_command_queue queue, cl_mem mem, size_t offset, const void *expected, size_t size,
                      const char *what)
{
    unsigned char *bytes = malloc(size);
    bool same;

    if (!bytes)
        abort();
    same = clEnqueueReadBuffer(queue, mem, CL_TRUE, offset, size, bytes, 0, NULL, NULL) == CL_SUCCESS &&
           memcmp(bytes, expected, size) == 0;
    if (!same)
        fprintf(stderr, "%s differs\n", what);
    free(bytes);
    return same;
}

/* The report's buffer before a call: calls add to what is there, and the maximum is kept. */
static void report_before(unsigned char *bytes, uint32_t first)
{
    const struct clq_report report = {5, 7, first, 0x5eed5eed};

    memset(bytes, 0x3c, REPORT_BYTES);
    memcpy(bytes + REPORT_OFFSET, &report, sizeof(report));
}

static bool write_all(cl_command_queue queue, cl_mem mem, const void *bytes, size_t size)
{
    return clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, size, bytes, 0, NULL, NULL) == CL_SUCCESS;
}

static bool report_is(const struct scatter_tensors *t, cl_command_queue queue, struct reference_report report,
                      uint32_t first)
{
    unsigned char bytes[REPORT_BYTES];
    struct clq_report expected = {5 + report.dropped, 7 + report.moved,
                                  report.first > first ? report.first : first, 0x5eed5eed};
    struct clq_report got = {0};

    report_before(bytes, first);
    memcpy(bytes + REPORT_OFFSET, &expected, sizeof(expected));
    if (bytes_are(queue, t->report, 0, bytes, sizeof(bytes), "the report's buffer"))
        return true;
    clEnqueueReadBuffer(queue, t->report, CL_TRUE, REPORT_OFFSET, sizeof(got), &got, 0, NULL, NULL);
    fprintf(stderr, "dropped %u moved %u first %u, not %u %u %u\n", got.dropped, got.moved, got.first,
            expected.dropped, expected.moved, expected.first);
    return false;
}

static bool run_once(struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct clq_quantize_scatter_desc desc = scatter_desc_of(t, c);
    const size_t workspace_size = WORKSPACE_OFFSET + t->workspace_bytes + WORKSPACE_BEHIND;
    const uint32_t first = filling == 0x5a ? 0 : UINT32_MAX - 3;
    unsigned char report[REPORT_BYTES], *workspace = malloc(workspace_size);
    struct reference_report expected;
    cl_event done = NULL;
    clq_status status;
    bool good;

    if (!workspace)
        abort();
    report_before(report, first);
    memset(workspace, filling, workspace_size);
    memset(t->cache.image, filling, t->cache.size_bytes);
    good = tensor_upload(&t->cache, queue) &&
           (!t->report || write_all(queue, t->report, report, sizeof(report))) &&
           (!t->workspace || write_all(queue, t->workspace, workspace, workspace_size));
    status = clq_quantize_scatter(context, queue, &desc, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "clq_quantize_scatter: %s: %s\n", clq_status_name(status), clq_error_detail());
        free(workspace);
        return false;
    }
    good = clWaitForEvents(1, &done) == CL_SUCCESS && good;
    clReleaseEvent(done);
    expected = scatter_tensors_expect(t, c, t->cache.image);
    good = tensor_holds(&t->cache, queue, t->cache.image, "cache") && good;
    good = (!t->report || report_is(t, queue, expected, first)) && good;
    if (t->workspace)
        good = bytes_are(queue, t->workspace, 0, workspace, WORKSPACE_OFFSET, "before the workspace") &&
               bytes_are(queue, t->workspace, WORKSPACE_OFFSET + t->workspace_bytes, workspace,
                         WORKSPACE_BEHIND, "behind the workspace") &&
               good;
    free(workspace);
    return good;
}

static void print_layout(const char *name, const struct layout *layout)
{
    fprintf(stderr, "  %s: %s lanes %d, shape (", name, type_name(layout->type), layout->lanes);
    for (int d = 0; d < layout->rank; d++)
        fprintf(stderr, " %lld", (long long)layout->shape[d]);
    fprintf(stderr, " ), strides (");
    for (int d = 0; d < layout->rank && layout->strided; d++)
        fprintf(stderr, " %lld", (long long)layout->strides[d]);
    fprintf(stderr, " ), %lld elements before\n", (long long)layout->before);
}

static void print_case(const struct scatter_case *c)
{
    fprintf(stderr, "case \"%s\": %s, axis %d, range %d, unique %d, places %d, seed %llu\n", c->name,
            c->multiply ? "multiply" : "divide", c->axis, (int)c->range, c->unique, (int)c->places,
            (unsigned long long)c->seed);
    print_layout("cache", &c->cache);
    if (c->copies)
        print_layout("input", &c->input);
    print_layout("indices", &c->indices);
    print_layout("updates", &c->updates);
    print_layout("scales", &c->scales);
    if (c->has_zero_points)
        print_layout("zero_points", &c->zero_points);
}

bool scatter_tensors_match(struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                           cl_command_queue queue)
{
    const bool good =
        scatter_tensors_upload(t, c, queue) && run_once(t, c, context, queue, 0x5a) &&
        run_once(t, c, context, queue, 0xa5) &&
        (!c->copies || tensor_holds(&t->input, queue, t->input.image, "input")) &&
        tensor_holds(&t->indices, queue, t->indices.image, "indices") &&
        tensor_holds(&t->updates, queue, t->updates.image, "updates") &&
        tensor_holds(&t->scales, queue, t->scales.image, "scales") &&
        (!c->has_zero_points || tensor_holds(&t->zero_points, queue, t->zero_points.image, "zero_points"));

    if (!good)
        print_case(c);
    return good;
}

bool scatter_case_matches(const struct scatter_case *c, clq_context *context, cl_command_queue queue)
{
    struct scatter_tensors t;
    bool good;

    scatter_tensors_init(&t, c);
    scatter_tensors_fill(&t, c);
    good = scatter_tensors_match(&t, c, context, queue);
    scatter_tensors_clear(&t);
    return good;
}

void expect_scatter(const struct scatter_case *c)
{
    if (!scatter_case_matches(c, harness.context, harness.queue))
        fail_msg("\"%s\" differs from the reference; run again with --seed %llu", c->name,
                 (unsigned long long)harness.seed);
}
