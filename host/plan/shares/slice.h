/* SPDX-License-Identifier: Apache-2.0 */
/* The portable kernels number rows, and add up how far a row lies from the first one, in 32 bits, for many
 * GPUs have no more. For a call that is larger each launch does a slice: a part of each dimension outside the
 * rows. All choices of parts are all slices. */
#ifndef CLQ_PLAN_SHARES_SLICE_H
#define CLQ_PLAN_SHARES_SLICE_H

#include "args/dynamic_quantize.h"
#include "args/find_scales.h"
#include "args/quantize.h"
#include "runtime/launch.h"

/* The distances from index to index: tensors, and among the tiles of a run the number of a step. */
enum clq__slice_way {
    CLQ__SLICE_X,
    CLQ__SLICE_Y,
    CLQ__SLICE_SCALE,
    CLQ__SLICE_ZERO_POINT,
    CLQ__SLICE_STEP,
    CLQ__SLICE_WAYS
};

struct clq__slices {
    int64_t most;  /* rows of a slice, and how far it reaches in each way */
    bool in_order; /* a slice's rows follow one another */
    uint32_t dims;
    struct clq__slice_dim {
        int64_t size, part; /* indices; the last part may be smaller */
        int64_t stride[CLQ__SLICE_WAYS];
    } dim[CLQ_FIND_DIMS + 1]; /* innermost first: one more are the tiles of a run */
};

struct clq__slice {
    int64_t first[CLQ_FIND_DIMS + 1], size[CLQ_FIND_DIMS + 1]; /* indices */
    int64_t move[CLQ__SLICE_WAYS];                             /* from the first row of all to its own */
};

/* For no dimension yet. */
void clq__slices_init(struct clq__slices *slices, int64_t most);
void clq__slices_add(struct clq__slices *slices, const struct clq_dim *dim, uint32_t dims);
/* Returns how many slices there are. */
int64_t clq__slices_cut(struct clq__slices *slices);
struct clq__slice clq__slice_at(const struct clq__slices *slices, int64_t number);

/* Its dimensions from number `from` on are these. Returns their rows. */
int64_t clq__slice_dims(const struct clq__slice *slice, uint32_t from, struct clq_dim *dim, uint32_t dims);
/* Its entries, which are the outermost of these dimensions. */
void clq__slice_entries(const struct clq__slice *slice, uint32_t from, uint32_t dims,
                        struct clq_entries *entries);

/* Slice a launch of a portable kernel, whose arguments are set: struct quantize_args, dynamic_quantize_args
 * and find_scales_args. (slice_steps.c, slice_rows.c, slice_find.c) */
void clq__slice_steps(struct clq__launch *launch, int64_t most);
void clq__slice_rows(struct clq__launch *launch, int64_t most);
void clq__slice_find(struct clq__launch *launch, int64_t most);
/* Parts of the steps in so many slices of rows, or in all that there are. */
int64_t clq__slice_parts(const struct find_scales_args *args, int64_t most, int64_t slices);

#endif
