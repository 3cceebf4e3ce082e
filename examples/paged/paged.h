/* SPDX-License-Identifier: Apache-2.0 */
/* A paged cache and its pool of pages. */
#ifndef CLQ_EXAMPLES_PAGED_H
#define CLQ_EXAMPLES_PAGED_H

#include <clquant/clquant.h>
#include <stdbool.h>
#include <stdint.h>

enum { BATCH = 6, STEPS = 96, HEADS = 4, CHANNELS = 64, BLOCK = 32, PAGE = 16, PAGES = 40 };
enum { ROW = HEADS * CHANNELS, SLOTS = PAGES * PAGE, MOST_PAGES = (STEPS + PAGE - 1) / PAGE };

/* Keys or values. */
struct side {
    uint16_t updates[STEPS][BATCH][ROW]; /* float16, what a model would compute in each step */
    DLManagedTensor *device_updates, *cache, *scales, *offsets;
};

struct paged {
    clq_context *context;
    cl_command_queue queue;
    int lengths[BATCH];              /* tokens until the sequence ends */
    int of[BATCH];                   /* whose tokens a sequence has: its own, until it is a fork */
    int table[BATCH][MOST_PAGES];    /* the block table */
    int users[PAGES];                /* sequences that have the page */
    int free_pages[PAGES], num_free; /* the pool, a stack */
    int32_t slots[STEPS][BATCH];
    DLManagedTensor *device_slots, *gather_slots, *page_slots[2], *gathered;
    struct side sides[2];
    bool wrong; /* attention was off by more than quantization explains */
};

/* A page of the pool. */
int paged_take(struct paged *paged);

/* A sequence is over: pages that no other has go back to the pool. */
void paged_end(struct paged *paged, int sequence);

/* One that is over begins again as a fork of another: whole pages are shared, the last one, which both
 * will go on writing, is copied. */
clq_status paged_fork(struct paged *paged, int sequence, int from);

/* Pages in use move to the front of the pool, in place, so that the rest is one piece. Returns how many
 * moved by *moved. */
clq_status paged_compact(struct paged *paged, int *moved);

#endif
