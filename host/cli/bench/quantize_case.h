/* SPDX-License-Identifier: Apache-2.0 */
/* One way to call clq_quantize: its tensors, and the same work for the peer. */
#ifndef CLQUANT_BENCH_QUANTIZE_CASE_H
#define CLQUANT_BENCH_QUANTIZE_CASE_H

#include "data.h"
#include "peer.h"

enum quantize_layout { PER_TENSOR, PER_LAST_AXIS, PER_OTHER_AXIS, STRIDED };

struct quantize_case {
    enum peer_src src;
    enum peer_dst dst;
    bool divide;
    enum quantize_layout layout;
    int64_t columns; /* the last dimension of x */

    int64_t shape[3], strides[3];
    int axis;
    DLTensor x, y, scales;
    struct clq_quantize_desc desc;
    struct peer_work work; /* x and y are the host's, where there are any */
    int64_t scale_count;
};

/* Fills what follows `columns` from what stands before it, as large as the bench's buffers allow. */
void quantize_case_init(struct bench *bench, struct quantize_case *c);

const char *quantize_src_name(enum peer_src src);
const char *quantize_dst_name(enum peer_dst dst);
DLDataType quantize_src_type(enum peer_src src);
DLDataType quantize_dst_type(enum peer_dst dst);
size_t quantize_src_bytes(const struct quantize_case *c);
size_t quantize_dst_bytes(const struct quantize_case *c);

/* Runs it once and waits. */
bool quantize_case_run(struct bench *bench, void *self);

/* Refuses a result whose bytes, on a sample of rows, are not the peer's: a wrong answer has no speed. */
bool quantize_case_check(struct bench *bench, const struct quantize_case *c);

#endif
