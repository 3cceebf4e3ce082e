/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/npu_shape.h"

#include "base/error.h"

#include <stdbool.h>

void clq__see(struct clq__seen *seen, const DLTensor *tensor)
{
    int64_t step = 1;

    seen->tensor = *tensor;
    seen->tensor.shape = seen->shape;
    seen->tensor.strides = seen->strides;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        seen->shape[d] = tensor->shape[d];
        seen->strides[d] = tensor->strides != NULL ? tensor->strides[d] : step;
        step *= tensor->shape[d];
    }
}

static bool is_empty(const struct clq__seen *seen)
{
    for (int d = 0; d < seen->tensor.ndim; d++)
        if (seen->shape[d] == 0)
            return true;
    return false;
}

/* By so many dimensions all from number `from` on move up, or down. */
static void shift(struct clq__seen *seen, int from, int by)
{
    const int rank = seen->tensor.ndim;

    for (int i = 0; i < rank - from; i++) {
        const int d = by > 0 ? rank - 1 - i : from + i;

        seen->shape[d + by] = seen->shape[d];
        seen->strides[d + by] = seen->strides[d];
    }
    seen->tensor.ndim = rank + by;
}

clq_status clq__see_merged(struct clq__seen *seen, const char *name, int first, int count)
{
    clq_status status = CLQ_OK;
    const bool empty = is_empty(seen);
    int64_t size = 1, step = 0;

    for (int d = first + count - 1; d >= first; d--) {
        if (seen->shape[d] == 1)
            continue;
        CLQ_REQUIRE(empty || size == 1 || seen->strides[d] == step * size, CLQ_ERROR_LAYOUT,
                    "%s.strides[%d] is %lld: it must be %lld, for dimensions %d to %d are taken as one", name,
                    d, (long long)seen->strides[d], (long long)(step * size), first, first + count - 1);
        if (size == 1)
            step = seen->strides[d];
        size *= seen->shape[d];
    }
    shift(seen, first + count, 1 - count);
    seen->shape[first] = size;
    seen->strides[first] = step;
end:
    return status;
}

void clq__see_split(struct clq__seen *seen, int at, int64_t count, int64_t size)
{
    const int64_t step = seen->strides[at];

    shift(seen, at, 1);
    seen->shape[at] = count;
    seen->strides[at] = step * size;
    seen->shape[at + 1] = size;
}

void clq__see_swapped(struct clq__seen *seen, int a, int b)
{
    const int64_t size = seen->shape[a], step = seen->strides[a];

    seen->shape[a] = seen->shape[b];
    seen->strides[a] = seen->strides[b];
    seen->shape[b] = size;
    seen->strides[b] = step;
}
