/* SPDX-License-Identifier: Apache-2.0 */
/* clq_npu_scatter_pa_kv_cache: the documented call, its rules, over rows that move, twice. */
#include <clquant/npu_moves.h>

#include "base/error.h"
#include "base/view.h"
#include "ops/npu_shape.h"
#include "ops/operators.h"

#include <clquant/move_rows.h>
#include <string.h>

static const struct clq__names names[2] = {{"key", "key_cache", "slot_mapping", NULL, true, false},
                                           {"value", "value_cache", "slot_mapping", NULL, true, false}};

/* The arguments, and of the keys and of the values the general operator's call. */
struct documented {
    const DLTensor *rows[2], *caches[2], *slot_mapping, *compress_lens, *compress_seq_offsets, *seq_lens;
    const char *cache_mode;
    struct clq__seen seen[2][2];
    struct clq_move_rows_desc general[2];
};

static clq_status check_compressed(const char *name, const DLTensor *tensor)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(tensor == NULL, CLQ_ERROR_VALUE,
                "%s is given: it must be NULL, for the compressed form of the cache is not known here", name);
end:
    return status;
}

static clq_status check_ranks(const struct clq__view *rows, const struct clq__view *cache)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(rows->rank == 3, CLQ_ERROR_RANK,
                "%s.ndim is %d: it must be 3, [N, heads, size]; the compressed form of 4 is not known here",
                rows->name, rows->rank);
    CLQ_REQUIRE(cache->rank == 4, CLQ_ERROR_RANK, "%s.ndim is %d: it must be 4", cache->name, cache->rank);
end:
    return status;
}

/* [blocks, block_size, heads, size]. */
static clq_status check_norm(const struct clq__view *rows, const struct clq__view *cache)
{
    clq_status status = CLQ_OK;

    for (int d = 1; d < 3; d++)
        CLQ_REQUIRE(rows->shape[d] == cache->shape[d + 1], CLQ_ERROR_SHAPE,
                    "%s.shape[%d] is %lld: with cache_mode Norm it must be %s.shape[%d], %lld", rows->name, d,
                    (long long)rows->tensor->shape[d], cache->name, d + 1,
                    (long long)cache->tensor->shape[d + 1]);
end:
    return status;
}

/* [blocks, count, block_size, last], of which an entry has count * last elements. */
static clq_status see_nz(const struct clq__view *rows, const struct clq__view *cache,
                         struct clq__seen seen[2])
{
    clq_status status = CLQ_OK;
    const int64_t count = cache->shape[1], last = cache->shape[3];
    int64_t wanted;

    CLQ_REQUIRE(!clq__view_shares_bytes(cache) && !clq__view_has_blocks(cache), CLQ_ERROR_TYPE,
                "%s.dtype is %s: with cache_mode PA_NZ its elements must be of whole bytes", cache->name,
                clq__type_name(cache->type));
    CLQ_REQUIRE(
        !__builtin_mul_overflow(count, last, &wanted) && rows->shape[1] * rows->shape[2] == wanted,
        CLQ_ERROR_SHAPE,
        "%s has %lld elements an entry: with cache_mode PA_NZ it must have %s.shape[1] * %s.shape[3], "
        "%lld * %lld",
        rows->name, (long long)(rows->shape[1] * rows->shape[2]), cache->name, cache->name, (long long)count,
        (long long)last);
    CLQ_TRY(clq__see_merged(&seen[0], rows->name, 1, 2));
    clq__see_split(&seen[0], 1, count, last);
    clq__see_swapped(&seen[1], 1, 2);
end:
    return status;
}

static clq_status make_general(struct documented *call, int i, bool nz)
{
    clq_status status = CLQ_OK;
    struct clq__seen *seen = call->seen[i];
    struct clq__view rows, cache;

    CLQ_TRY(clq__view_init(&rows, names[i].x, call->rows[i], CLQ__ANY));
    CLQ_TRY(clq__view_init(&cache, names[i].y, call->caches[i], CLQ__ANY));
    CLQ_REQUIRE(rows.type == cache.type, CLQ_ERROR_TYPE, "%s.dtype is %s: it must be that of %s, %s",
                rows.name, clq__type_name(rows.type), cache.name, clq__type_name(cache.type));
    CLQ_TRY(check_ranks(&rows, &cache));
    clq__see(&seen[0], call->rows[i]);
    clq__see(&seen[1], call->caches[i]);
    if (nz)
        CLQ_TRY(see_nz(&rows, &cache, seen));
    else
        CLQ_TRY(check_norm(&rows, &cache));
    call->general[i] = (struct clq_move_rows_desc){.src = &seen[0].tensor,
                                                   .dst_indices = call->slot_mapping,
                                                   .dst = &seen[1].tensor,
                                                   .axis = 1,
                                                   .dst_index_kind = CLQ_SLOTS};
end:
    return status;
}

static clq_status make_both(struct documented *call)
{
    clq_status status = CLQ_OK;
    const char *mode = call->cache_mode != NULL ? call->cache_mode : "PA_NZ";
    const bool nz = strcmp(mode, "PA_NZ") == 0;
    struct clq__view slots;

    CLQ_REQUIRE(nz || strcmp(mode, "Norm") == 0, CLQ_ERROR_VALUE,
                "cache_mode is \"%s\": it must be \"Norm\" or \"PA_NZ\"", mode);
    CLQ_TRY(check_compressed("compress_lens", call->compress_lens));
    CLQ_TRY(check_compressed("compress_seq_offsets", call->compress_seq_offsets));
    CLQ_TRY(check_compressed("seq_lens", call->seq_lens));
    CLQ_TRY(clq__view_init(&slots, "slot_mapping", call->slot_mapping, CLQ__INDICES));
    CLQ_REQUIRE(slots.rank == 1, CLQ_ERROR_RANK, "slot_mapping.ndim is %d: it must be 1", slots.rank);
    for (int i = 0; i < 2; i++)
        CLQ_TRY(make_general(call, i, nz));
end:
    return status;
}

clq_status clq_npu_scatter_pa_kv_cache(clq_context *context, cl_command_queue queue, const DLTensor *key,
                                       const DLTensor *value, const DLTensor *key_cache,
                                       const DLTensor *value_cache, const DLTensor *slot_mapping,
                                       const DLTensor *compress_lens, const DLTensor *compress_seq_offsets,
                                       const DLTensor *seq_lens, const char *cache_mode, cl_uint num_wait,
                                       const cl_event *wait, cl_event *done)
{
    clq_status status = CLQ_OK;
    struct documented call = {.rows = {key, value},
                              .caches = {key_cache, value_cache},
                              .slot_mapping = slot_mapping,
                              .compress_lens = compress_lens,
                              .compress_seq_offsets = compress_seq_offsets,
                              .seq_lens = seq_lens,
                              .cache_mode = cache_mode};
    const struct clq__call calls[2] = {{&names[0], &call.general[0]}, {&names[1], &call.general[1]}};

    CLQ_TRY(make_both(&call));
    CLQ_TRY(clq__operator_run_both(context, queue, &clq__move_rows, calls, num_wait, wait, done));
end:
    return status;
}

clq_status clq_npu_scatter_pa_kv_cache_check(const DLTensor *key, const DLTensor *value,
                                             const DLTensor *key_cache, const DLTensor *value_cache,
                                             const DLTensor *slot_mapping, const DLTensor *compress_lens,
                                             const DLTensor *compress_seq_offsets, const DLTensor *seq_lens,
                                             const char *cache_mode)
{
    clq_status status = CLQ_OK;
    struct documented call = {.rows = {key, value},
                              .caches = {key_cache, value_cache},
                              .slot_mapping = slot_mapping,
                              .compress_lens = compress_lens,
                              .compress_seq_offsets = compress_seq_offsets,
                              .seq_lens = seq_lens,
                              .cache_mode = cache_mode};

    CLQ_TRY(make_both(&call));
    for (int i = 0; i < 2; i++)
        CLQ_TRY(clq__operator_check(&clq__move_rows, &names[i], &call.general[i]));
end:
    return status;
}
