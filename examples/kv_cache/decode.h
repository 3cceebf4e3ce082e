/* SPDX-License-Identifier: Apache-2.0 */
/* The decode loop over one format, timed. */
#ifndef CLQ_KV_CACHE_DECODE_H
#define CLQ_KV_CACHE_DECODE_H

#include "cache.h"

struct result {
    const struct format *format;
    size_t token_bytes;
    double max_error, rms_error;        /* of all outputs, against the first format's */
    double put_us, get_us, products_us; /* medians over the steps */
};

/* outputs gets what every step's attention gave: [steps, batch, heads, queries, head size]. */
clq_status decode_run(const struct loop *loop, const struct format *format, float *outputs,
                      struct result *result);

#endif
