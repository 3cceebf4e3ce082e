/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie, or find their scales, where an index tensor says: the rules of its shapes, and the
 * kernels' arguments for it. The operators that read indices share it. */
#ifndef CLQ_PLAN_BELONGS_PLACEMENT_H
#define CLQ_PLAN_BELONGS_PLACEMENT_H

#include "args/entries.h"
#include "base/fold.h"
#include "base/view.h"

#include <clquant/report.h>
#include <clquant/tensor.h>

struct clq__checked_call;

/* A buffer beside the tensors, from a byte on; NULL where there is none. */
struct clq__beside {
    cl_mem buffer;
    uint64_t offset_bytes;
};

struct clq__placement {
    struct clq__view indices; /* view.tensor is NULL where there are none */
    enum clq_entry_kind kind;
    int64_t batches, size, length; /* of a cache: D0, A and U */
    int axis;                      /* the one of A and U */
    uint32_t range;                /* enum clq_range_policy */
    bool may_overlap;              /* entries may write the same place */
    bool moves;                    /* entries have elements: else indices are not looked at */
    struct clq__beside report, workspace;
};

/* No indices, of this name. */
void clq__placement_init(struct clq__placement *placement, const char *name);

/* Slots are dropped alone. `side` stands before the names of the fields. */
clq_status clq__slots_check(const char *side, uint32_t index_kind, uint32_t out_of_range);

/* The rules of a cache, y [D0, .., A, ..], and what moves in or out of it, x [N, .., U, ..], in one piece per
 * entry of the indices. Sets all but report and workspace. */
struct clq__placement_rules {
    const DLTensor *indices;
    const char *side; /* what stands before index_kind and out_of_range in their names */
    int axis;
    int least_rank;
    bool last_is_whole;  /* axis is not the last dimension either */
    bool between_caches; /* the pieces are no tensor of the caller's */
    uint32_t out_of_range, unique, index_kind;
};
clq_status clq__placement_check(struct clq__checked_call *checked, const struct clq__placement_rules *rules);
/* The same of any cache and pieces, once the rules' numbers were checked and the indices are a view. */
clq_status clq__placement_check_between(struct clq__placement *placement, const struct clq__view *cache,
                                        const struct clq__view *pieces,
                                        const struct clq__placement_rules *rules);
/* If entries may overlap, they are few enough to be kept in 32 bits. */
clq_status clq__placement_check_count(const struct clq__placement *placement);

/* With slots an entry has one position on axis. Pieces that leave this dimension out, [N, H, D] for a cache
 * [P, A, H, D], say the same as [N, 1, H, D], and become this. Right behind the views of both, before any
 * rule of their ranks. */
void clq__placement_insert(const struct clq__view *cache, struct clq__view *pieces,
                           const struct clq__placement_rules *rules);

/* Whether there are entries that place rows; and whether a position of theirs is a row of its own, for it is
 * kept or dropped, and placed, alone. */
bool clq__placement_is_placed(const struct clq__placement *placement);
bool clq__placement_has_positions(const struct clq__placement *placement);

/* Whether dimension d is an entry's, or a position's that is placed alone: then it is not folded with the
 * others, but added outside of them, positions first, by clq__placement_fold. */
bool clq__placement_takes(const struct clq__placement *placement, int d);
/* sizes are those of the pieces; strides step along its axis and along its first dimension. Tensors at the
 * entry's place are stepped by the kernel, and by 0 here. */
void clq__placement_fold(const struct clq__placement *placement, struct clq__fold *fold, int64_t count,
                         const int64_t position_stride[CLQ__FOLD_TENSORS],
                         const int64_t entry_stride[CLQ__FOLD_TENSORS]);

/* Sets all but the strides of what is placed, in entries that are all zeros. rows is the number of rows in
 * all, of so many entries, or in groups of so many rows. If entries may overlap it also says how a row
 * learns of it, with owner_words for the table. */
void clq__placement_describe(const struct clq__placement *placement, int64_t count, int64_t rows,
                             struct clq_entries *entries);
/* How a row learns of later entries, of the entries' count, batches, size and length. */
void clq__placement_choose_overlap(struct clq_entries *entries, int64_t rows);

/* From batch to batch, and from position to position, of a tensor [D0, .., A, ..], in units. */
void clq__placement_steps(const struct clq__placement *placement, const struct clq__view *cache,
                          int64_t *batch, int64_t *start);

#endif
