/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of clq_dynamic_quantize and clq_dynamic_quantize_scatter on the bench's data, and the same work for the
 * peer. q, scale and offset lie one after the other in y, so that what is written is a stream of so many bytes. */
#ifndef CLQUANT_BENCH_DYNAMIC_CASE_H
#define CLQUANT_BENCH_DYNAMIC_CASE_H

#include "data.h"
#include "dynamic_peer.h"
#include "places.h"

struct dynamic_case {
    const char *note;
    enum peer_src src;
    enum peer_dst dst; /* PEER_I8 or PEER_I4 */
    bool symmetric;
    int64_t columns;

    bool scatters, unique;
    struct places places; /* up to `sets`; entries of 0: as many as x has, into a cache that they fill */
    int64_t heads;        /* rows of a position */
    int calls;            /* of a run: they are enqueued together and waited for once */

    size_t rows, places_rows;               /* of x in one call, of q */
    size_t scale_at, offset_at, size_bytes; /* in y: where they begin, and where all ends */
    int64_t shape[4], updates_shape[4], scale_shape[3], indices_shape[2];
    size_t next; /* call that scatters */
    DLTensor x, q, scale, offset, indices;
    struct clq_dynamic_quantize_desc desc;
    struct clq_dynamic_quantize_scatter_desc scatter;
    struct dynamic_work work; /* x, q, scale and offset are the host's, where there are any */
};

/* Fills what follows `calls`, as large as the bench's buffers allow. The descriptors point into the case. */
bool dynamic_case_init(struct bench *bench, struct dynamic_case *c);
void dynamic_case_clear(struct dynamic_case *c);

/* What a call reads of x, and writes. */
size_t dynamic_src_bytes(const struct dynamic_case *c);
size_t dynamic_dst_bytes(const struct dynamic_case *c);

/* Enqueues the next call; done may be NULL. */
bool dynamic_case_call(struct bench *bench, struct dynamic_case *c, cl_event *done);

/* Runs the case's calls and waits. */
bool dynamic_case_run(struct bench *bench, void *self);

/* The host's pointers, between data_begin_host and data_end_host, and the places of the next call. */
void dynamic_case_on_host(struct bench *bench, struct dynamic_case *c);

/* Refuses what the last call left, where a sample of rows has not the peer's bytes, or a place of no entry was
 * written since y was spoiled. */
bool dynamic_case_check(struct bench *bench, struct dynamic_case *c);

#endif
