/* SPDX-License-Identifier: Apache-2.0 */
/* Rows times the matrix, by CLBlast. */
#include "base/error.h"
#include "rotate/rotation.h"
#include "rotate/rows.h"

#include <clblast_c.h>
#include <pthread.h>

/* CLBlast's batched product is one for all: any other would be a second program to build, which takes PoCL as
 * long as the first (20 s). In batches of this many rows it is as fast there as the plain one: rows of 128
 * took 3.4 µs each either way. */
enum { BATCH_ROWS = 256 };

static clq_status check(const clq_context *context, cl_command_queue queue,
                        const struct clq_rotate_rows_desc *desc, struct clq__rows *x, struct clq__rows *y)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(queue != NULL, CLQ_ERROR_NULL, "queue is NULL: it must be a command queue");
    CLQ_REQUIRE(desc != NULL, CLQ_ERROR_NULL, "desc is NULL: it must be a descriptor");
    for (size_t i = 0; i < CLQ_COUNT(desc->reserved); i++)
        CLQ_REQUIRE(desc->reserved[i] == 0, CLQ_ERROR_VALUE, "reserved[%zu] is %llu: it must be 0", i,
                    (unsigned long long)desc->reserved[i]);
    CLQ_REQUIRE(desc->rotation != NULL, CLQ_ERROR_NULL, "rotation is NULL: it must be a rotation");
    CLQ_REQUIRE(desc->rotation->context == clq_context_cl(context), CLQ_ERROR_VALUE,
                "rotation is of another OpenCL context than the call's");
    CLQ_TRY(clq__rows_init(x, "x", desc->x, desc->rotation->n));
    CLQ_TRY(clq__rows_init(y, "y", desc->y, desc->rotation->n));
    CLQ_REQUIRE(desc->x->ndim == desc->y->ndim, CLQ_ERROR_SHAPE, "y.ndim is %d and x.ndim is %d",
                (int)desc->y->ndim, (int)desc->x->ndim);
    for (int d = 0; d < desc->x->ndim; d++)
        CLQ_REQUIRE(desc->x->shape[d] == desc->y->shape[d], CLQ_ERROR_SHAPE,
                    "y.shape[%d] is %lld and x.shape[%d] is %lld", d, (long long)desc->y->shape[d], d,
                    (long long)desc->x->shape[d]);
    if (x->elements > 0)
        CLQ_TRY(clq__rows_check_apart(x, y));
end:
    return status;
}

/* CLBlast 1.5.3 has a race where the first calls of two threads build the same program: it ended one of 12 runs
 * of four threads. Nothing waits for this lock longer than for that build. */
static pthread_mutex_t clblast = PTHREAD_MUTEX_INITIALIZER;

/* batches times rows rows of n, from the one at row `from`. */
static clq_status multiply(cl_command_queue queue, const clq_rotation *rotation, const struct clq__rows *x,
                           const struct clq__rows *y, size_t from, size_t rows, size_t batches,
                           cl_event *done)
{
    clq_status status = CLQ_OK;
    const size_t n = (size_t)rotation->n;

    pthread_mutex_lock(&clblast);
    status = (clq_status)CLBlastSgemmStridedBatched(
        CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, rows, n, n, 1.0f, x->buffer,
        x->first + from * n, n, rows * n, rotation->matrix, 0, n, 0, 0.0f, y->buffer, y->first + from * n, n,
        rows * n, batches, &queue, done);
    pthread_mutex_unlock(&clblast);
    CLQ_REQUIRE(status == CLQ_OK, status,
                "CLBlastSgemmStridedBatched of %zu times %zu rows of %zu failed: %d", batches, rows, n,
                (int)status);
end:
    return status;
}

static clq_status run(cl_command_queue queue, const clq_rotation *rotation, const struct clq__rows *x,
                      const struct clq__rows *y, cl_event *done)
{
    clq_status status = CLQ_OK;
    const size_t rows = x->elements / (size_t)rotation->n, rest = rows % BATCH_ROWS;
    cl_event parts[2] = {NULL, NULL};
    cl_uint num_parts = 0;

    if (rows >= BATCH_ROWS) {
        CLQ_TRY(multiply(queue, rotation, x, y, 0, BATCH_ROWS, rows / BATCH_ROWS, &parts[num_parts]));
        num_parts++;
    }
    if (rest > 0) {
        CLQ_TRY(multiply(queue, rotation, x, y, rows - rest, rest, 1, &parts[num_parts]));
        num_parts++;
    }
    if (done != NULL)
        CLQ_TRY_CL(clEnqueueMarkerWithWaitList(queue, num_parts, num_parts > 0 ? parts : NULL, done));
end:
    for (cl_uint i = 0; i < num_parts; i++)
        clReleaseEvent(parts[i]);
    return status;
}

clq_status clq_rotate_rows(clq_context *context, cl_command_queue queue,
                           const struct clq_rotate_rows_desc *desc, cl_uint num_wait, const cl_event *wait,
                           cl_event *done)
{
    clq_status status = CLQ_OK;
    struct clq__rows x, y;

    CLQ_TRY(check(context, queue, desc, &x, &y));
    CLQ_REQUIRE((num_wait == 0) == (wait == NULL), CL_INVALID_EVENT_WAIT_LIST,
                "num_wait is %u and wait is %s: a list and its length go together", (unsigned)num_wait,
                wait == NULL ? "NULL" : "given");
    if (x.elements == 0) {
        if (done != NULL)
            CLQ_TRY_CL(clEnqueueMarkerWithWaitList(queue, num_wait, wait, done));
        goto end;
    }
    if (num_wait > 0)
        CLQ_TRY_CL(clEnqueueBarrierWithWaitList(queue, num_wait, wait, NULL));
    CLQ_TRY(run(queue, desc->rotation, &x, &y, done));
end:
    return status;
}
