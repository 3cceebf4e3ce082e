/* The checks that every operator of static quantization shares. */
#include "base/error.h"
#include "ops/static_quantize.h"

clq_status clq__static_work_init(struct clq__static_work *work, uint32_t mode)
{
    clq_status status = CLQ_OK;

    work->mode = mode;
    work->axis = 0;
    work->scale.stride = work->zero_point.stride = 0;
    work->scale.row_stride = work->zero_point.row_stride = 0;
    work->scale.flatten = work->zero_point.flatten = false;
    work->placement.kind = CLQ_ENTRY_NONE;
    work->placement.unique = false;
    work->placement.range = 0;
    work->placement.length = 1;
    work->placement.report = work->placement.workspace = NULL;
    CLQ_REQUIRE(mode <= CLQ_MULTIPLY, CLQ_ERROR_VALUE,
                "mode is %u: it must be CLQ_DIVIDE (0) or CLQ_MULTIPLY (1)", mode);
end:
    return status;
}

clq_status clq__static_parameters_init(struct clq__static_work *work, const char *scales_name,
                                       const DLTensor *scales, const char *zero_points_name,
                                       const DLTensor *zero_points)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__view_init(&work->scale.view, scales_name, scales, CLQ__FLOATS));
    if (zero_points != NULL)
        CLQ_TRY(clq__view_init(&work->zero_point.view, zero_points_name, zero_points,
                               CLQ__FLOATS | CLQ__INTEGERS));
    else
        clq__view_init_absent(&work->zero_point.view, zero_points_name);
end:
    return status;
}

clq_status clq__static_check_size(const struct clq__view *y, const struct clq__view *x, int d)
{
    clq_status status = CLQ_OK;
    const int lanes = d == y->rank - 1 ? y->lanes : 1;

    CLQ_REQUIRE(y->shape[d] == x->shape[d], CLQ_ERROR_SHAPE,
                "%s.shape[%d] is %lld%s: it must be %s%s.shape[%d], %lld", y->name, d,
                (long long)y->tensor->shape[d],
                lanes == 1   ? ""
                : lanes == 2 ? ", of 2 int4 elements each"
                             : ", of 8 int4 elements each",
                lanes == 1   ? ""
                : lanes == 2 ? "a half of "
                             : "an eighth of ",
                x->name, d, (long long)x->shape[d]);
end:
    return status;
}

clq_status clq__static_check_rank(const struct clq__view *y, const struct clq__view *x)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(y->rank == x->rank, CLQ_ERROR_RANK, "%s.ndim is %d: it must be the rank of %s, %d", y->name,
                y->rank, x->name, x->rank);
end:
    return status;
}

clq_status clq__static_check_alike(const struct clq__view *x, const struct clq__view *y)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(clq__static_check_rank(y, x));
    for (int d = 0; d < x->rank; d++)
        CLQ_TRY(clq__static_check_size(y, x, d));
end:
    return status;
}

clq_status clq__static_check_words(const struct clq__static_work *work, const struct clq__view *input,
                                   const char *name, cl_mem buffer, uint64_t offset_bytes, int64_t words)
{
    clq_status status = CLQ_OK;
    struct clq__view view;
    const DLTensor tensor = {.data = buffer,
                             .device = {kDLOpenCL, 0},
                             .ndim = 1,
                             .dtype = {kDLInt, 32, 1},
                             .shape = &words,
                             .byte_offset = offset_bytes};

    if (buffer == NULL || words == 0)
        goto end;
    CLQ_REQUIRE(offset_bytes % sizeof(uint32_t) == 0, CLQ_ERROR_LAYOUT,
                "%s_offset_bytes is %llu: it must be a multiple of 4", name,
                (unsigned long long)offset_bytes);
    CLQ_TRY(clq__view_init(&view, name, &tensor, CLQ__SET(CLQ__I32)));
    CLQ_TRY(clq__memory_check_all((const struct clq__view *[]){&view, &work->y, &work->x,
                                                               &work->placement.indices, &work->scale.view,
                                                               &work->zero_point.view, input},
                                  input != NULL ? 7 : 6));
end:
    return status;
}
