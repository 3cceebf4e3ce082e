/* SPDX-License-Identifier: Apache-2.0 */
/* How entries of an index tensor place the rows of a kernel. */
#ifndef CLQ_ARGS_ENTRIES_H
#define CLQ_ARGS_ENTRIES_H

#include "args/types.h"

/* The meaning of an entry of the indices. */
enum clq_entry_kind {
    CLQ_ENTRY_NONE = 0,   /* there are no indices: rows lie where the dimensions say */
    CLQ_ENTRY_GROUPS = 1, /* the end row of a group: rows of group g read scale row g */
    CLQ_ENTRY_STARTS = 2, /* entry i writes batch i from this start */
    CLQ_ENTRY_PAIRS = 3,  /* entry i writes this batch from this start */
    CLQ_ENTRY_SLOTS = 4,  /* entry i writes position batch * size + start; -1: nothing, by intent */
    CLQ_ENTRY_ND = 5, /* an index for each of the first dimensions: no kernel's but places.cl's, which makes
                       * slots of them */
};

/* The fate of a start that is out of range: the numbers of enum clq_range_policy. Slots count on at the
 * next batch, and have WRAP, which divides. */
enum clq_entry_range { CLQ_ENTRY_DROP = 0, CLQ_ENTRY_CLAMP = 1, CLQ_ENTRY_WRAP = 2 };

/* How a row learns that a later entry writes its place. */
enum clq_entry_overlap {
    CLQ_OVERLAP_NONE = 0,  /* none does: starts, or a promise */
    CLQ_OVERLAP_SCAN = 1,  /* it looks at the later entries */
    CLQ_OVERLAP_OWNER = 2, /* claim.cl has written the last entry of every place into a table */
    CLQ_OVERLAP_HASH = 3,  /* the same for entries of one position, in a table as large as they are many */
};

/* The entries are the outermost dimension of the rows; the positions of an entry are the next one inside it
 * where `positions` is above 1, and otherwise part of the row. A launch has all of the rows or a slice: some
 * entries, or of one entry some rows. */
struct clq_entries {
    clq_i64 count;                                  /* entries, those of other slices too */
    clq_i64 first, first_position;                  /* entry and position of the slice's first row */
    clq_i64 index_offset, index_stride, index_pair; /* elements; index_pair from batch to start */
    clq_i64 batches, size, length;                  /* D0, A, U: where an entry may lie */
    /* From one batch, and from one position, to the next: units of y, and elements of the scales and zero
     * points that lie beside y's rows; 0 where they lie elsewhere. */
    clq_i64 y_batch, y_start, scale_batch, scale_start, zero_point_batch, zero_point_start;
    clq_i64 positions;     /* U where it is a dimension of its own, else 1; those of the slice */
    clq_i64 rows;          /* of one entry, in the slice */
    clq_i64 scale_row;     /* GROUPS: elements from one group's scales to the next's */
    clq_i64 owner_offset;  /* words of the workspace */
    clq_i64 owner_words;   /* of the table; HASH: a power of two, twice the entries or more */
    clq_i64 report_offset; /* words of the report's buffer; -1: there is none */
    struct clq_divisor by_rows, by_position_rows, by_size; /* of one entry, of one position; of the axis */
    clq_u32 kind, range, overlap;
    clq_u32 wide; /* 1: the indices are int64 */
};
CLQ_SAME_SIZE(clq_entries, 232);

#endif
