/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows lie: the meaning of struct clq_dim and struct clq_entries, and of the table of last entries. */
#ifndef CLQUANT_SEAM_ENTRIES_H
#define CLQUANT_SEAM_ENTRIES_H

#include "args/move_rows.h"
#include "memory.h"

/* Steps in the tensors from where they begin: x in elements, y in units, scales
 * and zero points in elements. */
struct place {
    int64_t x, y, scale, zero_point;
};

/* The row's number taken apart into the dimensions, innermost first; all of it must be used up. */
/* n / d, as kernels divide. */
int64_t divided(int64_t n, const struct clq_divisor *d);

struct place place_of(struct run *run, int64_t row, const struct clq_dim *dim, uint32_t dims);
/* The same of a slice, in which 32 bits are enough. */
struct place place_of_slice(struct run *run, int64_t number, const struct clq_dim *dim, uint32_t dims);

/* The launch's buffers that entries are about. */
struct entry_buffers {
    unsigned indices, owners, report;
};

/* Adds where the row's entry puts it; false where it is not to be written. A row that `counts` for it is told
 * in the report where it is the entry's first. */
bool entries_place(struct run *run, const struct clq_entries *entries, const struct entry_buffers *buffers,
                   int64_t row, bool counts, struct place *place);

/* Where a row comes from (x) and goes to (y), of move_rows.cl's buffers; false where it does not move. */
bool entries_move(struct run *run, const struct move_rows_args *args, int64_t row, bool counts,
                  struct place *place);

/* An entry that was dropped or clamped, in the report that begins at this word. */
void entries_report(struct run *run, unsigned buffer, int64_t offset, int64_t entry, bool clamped);

/* Executes claim.cl. */
void run_claim(struct run *run);

#endif
