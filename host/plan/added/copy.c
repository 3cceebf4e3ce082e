/* SPDX-License-Identifier: Apache-2.0 */
/* The folded copy: dense tensors go by the driver's own copy, all others by a kernel that copies rows of
 * bytes. */
#include "plan/added/copy.h"

#include "args/copy.h"
#include "base/error.h"
#include "base/fold.h"
#include "plan/shares/divisor.h"
#include "plan/shares/pieces.h"

enum { DST, SRC }; /* the tensors of the fold */

/* In bytes: a cell is a dimension of its own, which merges with the others where they are dense. */
static void fold_bytes(struct clq__fold *fold, const struct clq__view *dst, const struct clq__view *src)
{
    const int64_t bytes = (int64_t)clq__storage_bytes(dst->tensor->dtype);

    clq__fold_add(fold, true, bytes, (int64_t[]){1, 1, 0, 0});
    for (int d = dst->rank - 1; d >= 0; d--) {
        const int64_t size = clq__view_cells(dst, d);

        if (size > 1) /* a stride along one element may be anything, and its multiples overflow */
            clq__fold_add(fold, false, size,
                          (int64_t[]){clq__view_cell_stride(dst, d) * bytes,
                                      clq__view_cell_stride(src, d) * bytes, 0, 0});
    }
    clq__fold_sort(fold, 1, DST);
    clq__fold_merge(fold);
}

void clq__copy_describe(struct clq__copy *copy, const struct clq__view *dst, const struct clq__view *src,
                        const struct clq__traits *traits)
{
    struct copy_args *args = &copy->args;
    struct clq__launch *launch = &copy->launch;
    struct clq__fold fold = {0};

    fold_bytes(&fold, dst, src);
    *args = (struct copy_args){.src_offset = (int64_t)src->tensor->byte_offset,
                               .dst_offset = (int64_t)dst->tensor->byte_offset,
                               .pieces = {.row_units = fold.dim[0].size, .rows = clq__fold_count(&fold, 1)},
                               .outer = (uint32_t)(fold.dims - 1)};
    launch->buffers[0] = src->tensor->data;
    launch->buffers[1] = dst->tensor->data;
    launch->num_buffers = 2;
    launch->kept = NULL;
    launch->slices = 1;
    copy->bytes = fold.dims == 1 ? fold.dim[0].size : 0;
    if (copy->bytes > 0)
        return;
    for (int d = 1; d < fold.dims; d++)
        args->dim[d - 1] = (struct clq_dim){
            .size = fold.dim[d].size, .x = fold.dim[d].stride[SRC], .y = fold.dim[d].stride[DST]};
    clq__divide_dims(args->dim, args->outer);
    clq__pieces_cut(&args->pieces, args->outer, 0, traits, launch);
    clq__variant_begin(&launch->variant, CLQ__COPY_CL);
    clq__variant_define(&launch->variant, CLQ__FORM, traits->group_form);
    launch->args = args;
    launch->args_bytes = sizeof *args;
}

clq_status clq__copy_enqueue(const struct clq__copy *copy, clq_context *context, cl_command_queue queue,
                             cl_uint num_wait, const cl_event *wait, cl_event *done)
{
    const cl_mem *buffers = copy->launch.buffers;

    if (copy->bytes == 0)
        return clq__launch(context, queue, &copy->launch, num_wait, wait, done);
    return clq__copy_bytes(queue, buffers[0], (size_t)copy->args.src_offset, buffers[1],
                           (size_t)copy->args.dst_offset, (size_t)copy->bytes, num_wait, wait, done);
}

clq_status clq__copy_build(const struct clq__copy *copy, clq_context *context)
{
    return copy->bytes == 0 ? clq__launch_build(context, &copy->launch) : CLQ_OK;
}
