/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of clq_quantize_scatter on the bench's data: float16 updates, an int8 cache in y, axis 1, one scale
 * for each index of the last axis. */
#ifndef CLQUANT_BENCH_SCATTER_CASE_H
#define CLQUANT_BENCH_SCATTER_CASE_H

#include "data.h"
#include "places.h"

enum { SCATTER_SETS = 16, SCATTER_RANK = 4 };

struct scatter_case {
    const char *note;
    int ndim;
    int64_t cache_shape[SCATTER_RANK], updates_shape[SCATTER_RANK];
    bool pairs, unique;
    int calls; /* of a run: they are enqueued together and waited for once */

    struct places places; /* SCATTER_SETS sets */
    int64_t indices_shape[2], scale_count;
    size_t next; /* call: it takes its set of indices */
    DLTensor cache, updates, indices_tensor, scales;
    struct clq_quantize_scatter_desc desc;
};

/* Fills what follows `calls`: the shapes shrink where the bench's buffers are smaller. Places are random;
 * with pairs no two entries of a set share one. The descriptor points into the case. */
bool scatter_case_init(struct bench *bench, struct scatter_case *c);
void scatter_case_clear(struct scatter_case *c);

size_t scatter_update_elements(const struct scatter_case *c);

/* Enqueues the next call. */
bool scatter_case_call(struct bench *bench, struct scatter_case *c, cl_event *done);

/* Runs the case's calls and waits. */
bool scatter_case_run(struct bench *bench, void *self);

/* Refuses a call whose bytes, for a sample of entries, are not the peer's, or that writes a place of no
 * entry. */
bool scatter_case_check(struct bench *bench, struct scatter_case *c);

#endif
