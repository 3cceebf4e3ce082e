/* SPDX-License-Identifier: Apache-2.0 */
/* What the scatters refuse alike. The call has cache, indices int32 (1024, 2) and updates, with a report and a
 * workspace that it needs; the cache has 8 batches of 16 positions, and axis is 1. */
#ifndef CLQUANT_TEST_REFUSED_SCATTER_H
#define CLQUANT_TEST_REFUSED_SCATTER_H

#include "refused.h"

#include <string.h>

#define SPOIL_SCATTER                                                                                        \
    SPOIL(range, c->given.out_of_range = 3)                                                                  \
    SPOIL(unique, c->given.unique = 2)                                                                       \
    SPOIL(no_cache, c->given.cache = NULL)                                                                   \
    SPOIL(no_indices, c->given.indices = NULL)                                                               \
    SPOIL(no_updates, c->given.updates = NULL)                                                               \
    SPOIL(indices_float, c->indices.dtype = CLQ_FLOAT32)                                                     \
    SPOIL(updates_int8, c->updates.dtype = CLQ_INT8)                                                         \
    SPOIL(indices_rank, c->indices.ndim = 0)                                                                 \
    SPOIL(indices_pair, c->indices_shape[1] = 3)                                                             \
    SPOIL(indices_count, c->indices_shape[0] = 5)                                                            \
    SPOIL(starts_many, c->indices.ndim = 1)                                                                  \
    SPOIL(entries_many, c->indices_shape[0] = c->updates_shape[0] = UINT32_MAX)                              \
    SPOIL(updates_long, c->updates_shape[1] = 17)                                                            \
    SPOIL(cache_in_updates, c->cache.data = c->buffers[UPDATES])                                             \
    SPOIL(report_odd, c->given.report_offset_bytes = 6)                                                      \
    SPOIL(report_end, c->given.report_offset_bytes = REFUSED_BYTES - 12)                                     \
    SPOIL(report_in_cache, c->given.report = c->buffers[CACHE])                                              \
    SPOIL(workspace_odd, c->given.workspace_offset_bytes = 2)                                                \
    SPOIL(workspace_end, c->given.workspace_offset_bytes = REFUSED_BYTES - 4)                                \
    SPOIL(workspace_in_cache, c->given.workspace = c->buffers[CACHE])                                        \
    SPOIL(workspace_in_updates, c->given.workspace = c->buffers[UPDATES])                                    \
    SPOIL(workspace_in_report, c->given.workspace = c->buffers[REPORT]; c->given.report_offset_bytes = 4)

#define ROWS_OF_SCATTER                                                                                      \
    ROW("no such policy", range, CLQ_ERROR_VALUE,                                                            \
        "out_of_range is 3: it must be CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2)"),                        \
        ROW("unique is 2", unique, CLQ_ERROR_VALUE, "unique is 2: it must be 0 or 1"),                       \
        ROW("no cache", no_cache, CLQ_ERROR_NULL, "cache is NULL: it must be a tensor"),                     \
        ROW("no indices", no_indices, CLQ_ERROR_NULL, "indices is NULL: it must be a tensor"),               \
        ROW("no updates", no_updates, CLQ_ERROR_NULL, "updates is NULL: it must be a tensor"),               \
        ROW("indices of floats", indices_float, CLQ_ERROR_TYPE,                                              \
            "indices.dtype is float32: it must be int32 or int64"),                                          \
        ROW("updates of int8", updates_int8, CLQ_ERROR_TYPE, "updates.dtype is int8: " FLOATS),              \
        ROW("indices without a dimension", indices_rank, CLQ_ERROR_RANK,                                     \
            "indices.ndim is 0: it must be 1 or 2"),                                                         \
        ROW("indices of triples", indices_pair, CLQ_ERROR_SHAPE,                                             \
            "indices.shape[1] is 3: it must be 2, a batch and a start"),                                     \
        ROW("fewer indices", indices_count, CLQ_ERROR_SHAPE,                                                 \
            "indices.shape[0] is 5: it must be updates.shape[0], 1024"),                                     \
        ROW("more starts than batches", starts_many, CLQ_ERROR_SHAPE,                                        \
            "indices.shape[0] is 1024: with 1-D indices it must be at most cache.shape[0], 8"),              \
        ROW("more entries than 32 bits tell apart", entries_many, CLQ_ERROR_SHAPE,                           \
            "indices.shape[0] is 4294967295: it must be at most 4294967294 where unique is 0, for the last " \
            "entry of a place is kept in 32 bits"),                                                          \
        ROW("updates longer than the cache", updates_long, CLQ_ERROR_SHAPE,                                  \
            "updates.shape[1] is 17: it must be at most cache.shape[1], 16"),                                \
        ROW("cache in the updates", cache_in_updates, CLQ_ERROR_OVERLAP, DISJOINT("cache", "updates")),      \
        ROW("report at an odd place", report_odd, CLQ_ERROR_LAYOUT,                                          \
            "report_offset_bytes is 6: it must be a multiple of 4"),                                         \
        ROW("report past the end", report_end, CLQ_ERROR_SIZE, SHORT("report") "65540"),                     \
        ROW("report in the cache", report_in_cache, CLQ_ERROR_OVERLAP, DISJOINT("report", "cache")),         \
        ROW("workspace at an odd place", workspace_odd, CLQ_ERROR_LAYOUT,                                    \
            "workspace_offset_bytes is 2: it must be a multiple of 4"),                                      \
        ROW("workspace too small", workspace_end, CLQ_ERROR_SIZE, SHORT("workspace")),                       \
        ROW("workspace in the cache", workspace_in_cache, CLQ_ERROR_OVERLAP,                                 \
            DISJOINT("workspace", "cache")),                                                                 \
        ROW("workspace in the updates", workspace_in_updates, CLQ_ERROR_OVERLAP,                             \
            DISJOINT("workspace", "updates")),                                                               \
        ROW("workspace in the report", workspace_in_report, CLQ_ERROR_OVERLAP,                               \
            DISJOINT("workspace", "report"))

/* The workspace is not looked at where its size is asked for. */
static inline bool refused_for_its_workspace(const struct refused_row *row)
{
    return strncmp(row->sentence, "workspace", strlen("workspace")) == 0;
}

#endif
