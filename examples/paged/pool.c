/* SPDX-License-Identifier: Apache-2.0 */
/* The pool's pages: who has them, and how they move. A page of keys or values is one row of three
 * tensors, the elements, their scales and their offsets, so that it moves by one call for each. */
#include "paged.h"

int paged_take(struct paged *paged)
{
    const int page = paged->free_pages[--paged->num_free];

    paged->users[page] = 1;
    return page;
}

static int pages_of(const struct paged *paged, int sequence)
{
    return (paged->lengths[sequence] + PAGE - 1) / PAGE;
}

void paged_end(struct paged *paged, int sequence)
{
    for (int i = 0; i < pages_of(paged, sequence); i++)
        if (--paged->users[paged->table[sequence][i]] == 0)
            paged->free_pages[paged->num_free++] = paged->table[sequence][i];
    paged->lengths[sequence] = 0;
}

/* Row from[i] of the tensor to row to[i]: no page is both read and written, nor written twice. */
static clq_status move_rows(struct paged *paged, const DLManagedTensor *tensor, const DLTensor indices[2])
{
    int64_t shape[] = {1, PAGES, PAGE * tensor->dl_tensor.shape[2] * tensor->dl_tensor.shape[3]};
    DLTensor pages = tensor->dl_tensor;

    pages.ndim = 3;
    pages.shape = shape;
    pages.strides = NULL;
    return clq_move_rows(paged->context, paged->queue,
                         &(struct clq_move_rows_desc){.src = &pages,
                                                      .src_indices = &indices[0],
                                                      .dst_indices = &indices[1],
                                                      .dst = &pages,
                                                      .axis = 1,
                                                      .src_index_kind = CLQ_SLOTS,
                                                      .dst_index_kind = CLQ_SLOTS,
                                                      .unique = 1},
                         0, NULL, NULL);
}

static clq_status move_pages(struct paged *paged, const int32_t *from, const int32_t *to, int count)
{
    int64_t shape[] = {count};
    DLTensor indices[2] = {paged->page_slots[0]->dl_tensor, paged->page_slots[1]->dl_tensor};
    clq_status status = CLQ_OK;

    for (int i = 0; i < 2 && status == CLQ_OK; i++) {
        indices[i].shape = shape;
        status = clq_tensor_write(paged->queue, &indices[i], CL_TRUE, i == 0 ? from : to,
                                  (size_t)count * sizeof *from, 0, NULL, NULL);
    }
    for (int s = 0; s < 2; s++) {
        const DLManagedTensor *const tensors[] = {paged->sides[s].cache, paged->sides[s].scales,
                                                  paged->sides[s].offsets};

        for (int i = 0; i < 3 && status == CLQ_OK; i++)
            status = move_rows(paged, tensors[i], indices);
    }
    return status;
}

clq_status paged_fork(struct paged *paged, int sequence, int from)
{
    const int length = paged->lengths[from], shared = length / PAGE;
    int32_t page, copy;

    paged->lengths[sequence] = length;
    paged->of[sequence] = paged->of[from];
    for (int i = 0; i < shared; i++) {
        paged->table[sequence][i] = paged->table[from][i];
        paged->users[paged->table[from][i]]++;
    }
    if (length % PAGE == 0)
        return CLQ_OK;
    page = (int32_t)paged->table[from][shared];
    copy = (int32_t)paged_take(paged);
    paged->table[sequence][shared] = (int)copy;
    return move_pages(paged, &page, &copy, 1);
}

/* The last page in use goes to the first free one, until all that are in use stand before all that are
 * not. */
static int find_moves(struct paged *paged, int32_t *from, int32_t *to)
{
    int count = 0;

    for (int low = 0, high = PAGES - 1;; count++) {
        while (low < PAGES && paged->users[low] > 0)
            low++;
        while (high > low && paged->users[high] == 0)
            high--;
        if (high <= low)
            return count;
        from[count] = (int32_t)high;
        to[count] = (int32_t)low;
        paged->users[low] = paged->users[high];
        paged->users[high] = 0;
    }
}

clq_status paged_compact(struct paged *paged, int *moved)
{
    int32_t from[PAGES], to[PAGES];

    *moved = find_moves(paged, from, to);
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < pages_of(paged, b); i++)
            for (int m = 0; m < *moved; m++)
                if (paged->table[b][i] == from[m]) {
                    paged->table[b][i] = to[m];
                    break;
                }
    paged->num_free = 0;
    for (int page = PAGES - 1; page >= 0 && paged->users[page] == 0; page--)
        paged->free_pages[paged->num_free++] = page;
    return *moved > 0 ? move_pages(paged, from, to, *moved) : CLQ_OK;
}
