/* SPDX-License-Identifier: Apache-2.0 */
/* The call that every cache test makes: a context, one small quantization, its bytes compared, the context
 * gone. */
#ifndef CLQUANT_CACHE_CALL_H
#define CLQUANT_CACHE_CALL_H

#include <clquant/clquant.h>
#include <limits.h>
#include <stdbool.h>

struct call_result {
    size_t built, from_cache; /* programs; from_cache are among the built */
    char cache_dir[PATH_MAX]; /* as the context says */
    double seconds; /* from clq_context_create to the end of the kernel; of call_in, when that was */
};

/* The call alone, on a context of the caller's. */
clq_status call_in(clq_context *context, struct call_result *result);

/* The failed status, or CLQ_ERROR_VALUE where the bytes are wrong. */
clq_status single_call(const struct clq_context_desc *desc, struct call_result *result);

#endif
