/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix on the device. */
#include "rotate/rotation.h"

#include "base/error.h"
#include "rotate/hadamard.h"

#include <math.h>

void clq_rotation_destroy(clq_rotation *rotation)
{
    if (rotation == NULL)
        return;
    if (rotation->matrix != NULL)
        clReleaseMemObject(rotation->matrix);
    free(rotation);
}

/* Rounded once: 1 / sqrt(n) is exact for the even powers of two. */
static void fill(float *matrix, int64_t n)
{
    const float one = (float)(1.0 / sqrt((double)n));

    for (int64_t row = 0; row < n; row++)
        for (int64_t column = 0; column < n; column++)
            matrix[row * n + column] = clq__hadamard_sign(n, row, column) > 0 ? one : -one;
}

clq_status clq_rotation_create(clq_context *context, int64_t n, clq_rotation **rotation)
{
    clq_status status = CLQ_OK;
    clq_rotation *made = NULL;
    float *matrix = NULL;
    size_t size_bytes = 0;

    CLQ_REQUIRE(rotation != NULL, CLQ_ERROR_NULL, "rotation is NULL: it must point to a clq_rotation *");
    *rotation = NULL;
    CLQ_REQUIRE(context != NULL, CLQ_ERROR_NULL, "context is NULL: it must be a context");
    CLQ_REQUIRE(clq__hadamard_has(n), CLQ_ERROR_VALUE,
                "n is %lld: it must be a power of two, or 12, 20 or 28 times one, and at most %d",
                (long long)n, CLQ__HADAMARD_MAX);
    CLQ_TRY_NEW(made);
    size_bytes = (size_t)(n * n) * sizeof *matrix;
    matrix = malloc(size_bytes);
    CLQ_REQUIRE(matrix != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for a matrix failed", size_bytes);
    fill(matrix, n);
    made->n = n;
    made->context = clq_context_cl(context);
    made->matrix =
        clCreateBuffer(made->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size_bytes, matrix, &status);
    CLQ_REQUIRE(made->matrix != NULL, status, "clCreateBuffer of %zu bytes for a matrix failed with %s (%d)",
                size_bytes, clq_status_name(status), (int)status);
    *rotation = made;
    made = NULL;
    status = CLQ_OK;
end:
    free(matrix);
    clq_rotation_destroy(made);
    return status;
}
