/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case of a scatter, and compares every byte and the report. */
#include "scatter_case.h"

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A workspace lies inside of its buffer. */
enum { WORKSPACE_OFFSET = 36, WORKSPACE_BEHIND = 64 };

static cl_mem new_buffer(cl_command_queue queue, size_t size_bytes)
{
    cl_context context = NULL;
    cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);

    return status == CL_SUCCESS ? clCreateBuffer(context, CL_MEM_READ_WRITE, size_bytes, NULL, &status)
                                : NULL;
}

bool scatter_tensors_upload(struct scatter_tensors *t, const struct scatter_case *c, cl_command_queue queue)
{
    const struct parts parts = scatter_parts(t, c);
    size_t bytes = 0;

    if (!parts_upload(&parts, queue))
        return false;
    if (c->reports && !t->report)
        t->report = report_create(queue);
    t->report_offset = t->report ? REPORT_OFFSET : 0;
    if (c->borrows && !t->workspace) {
        if (scatter_workspace(t, c, harness.context, &bytes) != CLQ_OK) {
            fprintf(stderr, "the workspace: %s\n", clq_error_detail());
            return false;
        }
        t->workspace_bytes = bytes;
        t->workspace = new_buffer(queue, WORKSPACE_OFFSET + bytes + WORKSPACE_BEHIND);
        t->workspace_offset = WORKSPACE_OFFSET;
    }
    return true;
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

static bool write_all(cl_command_queue queue, cl_mem mem, const void *bytes, size_t size)
{
    return harness_write(queue, mem, 0, size, bytes) == CL_SUCCESS;
}

static bool run_once(struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct parts parts = scatter_parts(t, c);
    const size_t workspace_size = WORKSPACE_OFFSET + t->workspace_bytes + WORKSPACE_BEHIND;
    const uint32_t first = filling == 0x5a ? 0 : 3;
    unsigned char *workspace = malloc(workspace_size);
    struct reference_report expected;
    cl_event done = NULL;
    clq_status status;
    bool good;

    if (!workspace)
        abort();
    memset(workspace, filling, workspace_size);
    good = parts_fill(&parts, queue, filling) && (!t->report || report_begin(t->report, queue, first)) &&
           (!t->workspace || write_all(queue, t->workspace, workspace, workspace_size));
    status = scatter_call(t, c, context, queue, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "the call: %s: %s\n", clq_status_name(status), clq_error_detail());
        free(workspace);
        return false;
    }
    expected = scatter_tensors_expect(t, c, filling);
    good = parts_hold_after(&parts, queue, done) && good;
    good = (!t->report || report_holds(t->report, queue, &expected, first)) && good;
    if (t->workspace)
        good = bytes_are(queue, t->workspace, 0, workspace, WORKSPACE_OFFSET, "before the workspace") &&
               bytes_are(queue, t->workspace, WORKSPACE_OFFSET + t->workspace_bytes, workspace,
                         WORKSPACE_BEHIND, "behind the workspace") &&
               good;
    free(workspace);
    return good;
}

bool scatter_tensors_match(struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                           cl_command_queue queue)
{
    const struct parts parts = scatter_parts(t, c);
    int fillings[2];
    const int runs = harness_fillings(parts_written_bytes(&parts), fillings);
    bool good = scatter_tensors_upload(t, c, queue);

    for (int i = 0; good && i < runs; i++)
        good = run_once(t, c, context, queue, fillings[i]);
    if (good && parts_hold(&parts, queue, false))
        return true;
    fprintf(stderr, "case \"%s\": %s%s, axis %d, range %d, unique %d, slots %d, places %d, seed %llu\n",
            c->name,
            c->dynamic    ? c->symmetric ? "symmetric" : "dynamic"
            : c->multiply ? "multiply"
                          : "divide",
            c->round_first ? ", rounded first" : "", c->axis, (int)c->range, c->unique, c->slots,
            (int)c->places, (unsigned long long)c->seed);
    parts_print(&parts);
    return false;
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
