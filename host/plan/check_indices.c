/* SPDX-License-Identifier: Apache-2.0 */
/* The host's check of indices. The range of bytes that the tensor spans is read in one piece, whatever its
 * strides. */
#include "plan/check_indices.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

struct indices {
    const struct clq__view *view;
    unsigned char *bytes;
};

static clq_status read_back(struct indices *indices, const struct clq__placement *placement,
                            cl_command_queue queue, cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &placement->indices;

    indices->view = view;
    indices->bytes = malloc((size_t)view->extent_bytes + 1);
    CLQ_REQUIRE(indices->bytes != NULL, CLQ_ERROR_MEMORY, "malloc of %lld bytes for %s failed",
                (long long)view->extent_bytes, view->name);
    CLQ_TRY(clq__read(queue, view->tensor->data, view->tensor->byte_offset, indices->bytes,
                      (size_t)view->extent_bytes, num_wait, wait));
end:
    return status;
}

static int64_t index_at(const struct indices *indices, int64_t row, int64_t column)
{
    const struct clq__view *view = indices->view;
    const int64_t at = row * view->stride[0] + (view->rank > 1 ? column * view->stride[1] : 0);
    int32_t narrow;
    int64_t wide;

    if (view->type == CLQ__I64) {
        memcpy(&wide, indices->bytes + at * (int64_t)sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, indices->bytes + at * (int64_t)sizeof narrow, sizeof narrow);
    return narrow;
}

/* Callers who know flat slots, batch * size + start, may have forgotten to say that these are slots. */
static const char *meaning(char text[256], const struct clq__placement *placement, int64_t entry,
                           int64_t start)
{
    const bool slot =
        placement->size > 0 && start >= placement->size && start / placement->size < placement->batches;

    snprintf(
        text, 256, "; 1-D indices are starts, entry %lld's in batch %lld%s", (long long)entry,
        (long long)entry,
        slot ? "; a slot of the whole cache is given with index_kind CLQ_SLOTS (1), or as [batch, start] in "
               "indices [N, 2]"
             : "");
    return text;
}

static clq_status check_slots(const struct indices *indices, const struct clq__placement *placement)
{
    clq_status status = CLQ_OK;
    const char *name = placement->indices.name;

    for (int64_t i = 0; placement->moves && i < placement->indices.shape[0]; i++) {
        const int64_t slot = index_at(indices, i, 0), slots = placement->batches * placement->size;

        if (slot == -1)
            continue;
        CLQ_REQUIRE(slots > 0, CLQ_ERROR_INDEX,
                    "%s[%lld] is slot %lld: the cache has no batches, for its first dimension is 0", name,
                    (long long)i, (long long)slot);
        CLQ_REQUIRE(
            slot >= 0 && slot < slots, CLQ_ERROR_INDEX,
            "%s[%lld] is slot %lld: it must be from 0 to %lld, for the cache has %lld batches of %lld "
            "on axis %d, or -1, which skips the entry",
            name, (long long)i, (long long)slot, (long long)slots - 1, (long long)placement->batches,
            (long long)placement->size, placement->axis);
    }
end:
    return status;
}

static clq_status check_entries(const struct indices *indices, const struct clq__placement *placement)
{
    clq_status status = CLQ_OK;
    const bool pairs = placement->kind == CLQ_ENTRY_PAIRS;
    char text[256];
    const int64_t last_start = placement->size - placement->length;
    const char *name = placement->indices.name;

    for (int64_t i = 0; placement->moves && i < placement->indices.shape[0]; i++) {
        const int64_t batch = pairs ? index_at(indices, i, 0) : i,
                      start = index_at(indices, i, pairs ? 1 : 0);

        CLQ_REQUIRE(placement->batches > 0, CLQ_ERROR_INDEX,
                    "%s[%lld] has batch %lld: the cache has no batches, for its first dimension is 0", name,
                    (long long)i, (long long)batch);
        CLQ_REQUIRE(
            batch >= 0 && batch < placement->batches, CLQ_ERROR_INDEX,
            "%s[%lld] has batch %lld: it must be from 0 to %lld, the cache's first dimension less one", name,
            (long long)i, (long long)batch, (long long)placement->batches - 1);
        CLQ_REQUIRE(
            start >= 0 && start <= last_start, CLQ_ERROR_INDEX,
            "%s[%lld] has start %lld: it must be from 0 to %lld, the cache's %lld on axis %d less an entry's "
            "%lld%s",
            name, (long long)i, (long long)start, (long long)last_start, (long long)placement->size,
            placement->axis, (long long)placement->length, pairs ? "" : meaning(text, placement, i, start));
    }
end:
    return status;
}

static clq_status check_groups(const struct indices *indices, const struct clq__placement *placement,
                               int64_t rows)
{
    clq_status status = CLQ_OK;
    const int64_t groups = placement->indices.shape[0];
    const char *name = placement->indices.name;
    int64_t before = 0;

    for (int64_t g = 0; g < groups; g++) {
        const int64_t end = index_at(indices, g, 0);

        CLQ_REQUIRE(end >= before, CLQ_ERROR_INDEX, "%s[%lld] is %lld: it must be at least %lld, %s", name,
                    (long long)g, (long long)end, (long long)before,
                    g == 0 ? "for rows are not negative" : "the entry before it");
        CLQ_REQUIRE(end <= rows, CLQ_ERROR_INDEX,
                    "%s[%lld] is %lld: it must be at most %lld, the number of rows", name, (long long)g,
                    (long long)end, (long long)rows);
        before = end;
    }
    CLQ_REQUIRE(before == rows, CLQ_ERROR_INDEX,
                "%s[%lld] is %lld: the last entry must be %lld, the number of rows", name,
                (long long)groups - 1, (long long)before, (long long)rows);
end:
    return status;
}

/* An index for each of the first dimensions. */
static clq_status check_nd(const struct indices *indices, const struct clq__placement *placement,
                           const struct clq__view *cache)
{
    clq_status status = CLQ_OK;
    const struct clq__view *view = &placement->indices;

    for (int64_t i = 0; placement->moves && i < view->shape[0]; i++)
        for (int d = 0; d < view->shape[1]; d++) {
            const long long at = index_at(indices, i, d), size = cache->shape[d];

            CLQ_REQUIRE(size > 0, CLQ_ERROR_INDEX,
                        "%s[%lld, %d] is %lld: there is no index, for %s.shape[%d] is 0", view->name,
                        (long long)i, d, at, cache->name, d);
            CLQ_REQUIRE(at >= 0 && at < size, CLQ_ERROR_INDEX,
                        "%s[%lld, %d] is %lld: it must be from 0 to %lld, %s.shape[%d] less one", view->name,
                        (long long)i, d, at, size - 1, cache->name, d);
        }
end:
    return status;
}

/* The ones of one placement, into this view. */
static clq_status check(cl_command_queue queue, const struct clq__checked_call *checked,
                        const struct clq__placement *placement, const struct clq__view *cache,
                        cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    struct indices indices = {0};

    CLQ_TRY(read_back(&indices, placement, queue, num_wait, wait));
    if (placement->kind == CLQ_ENTRY_GROUPS)
        CLQ_TRY(check_groups(&indices, placement, checked->x.shape[0]));
    else if (placement->kind == CLQ_ENTRY_SLOTS)
        CLQ_TRY(check_slots(&indices, placement));
    else if (placement->kind == CLQ_ENTRY_ND)
        CLQ_TRY(check_nd(&indices, placement, cache));
    else
        CLQ_TRY(check_entries(&indices, placement));
end:
    free(indices.bytes);
    return status;
}

clq_status clq__indices_check(cl_command_queue queue, const struct clq__checked_call *checked,
                              cl_uint num_wait, const cl_event *wait)
{
    clq_status status = CLQ_OK;
    const struct clq__placement *source = &checked->source, *placement = &checked->placement;

    CLQ_REQUIRE(placement->kind != CLQ_ENTRY_NONE || source->kind != CLQ_ENTRY_NONE, CLQ_ERROR_NULL,
                "indices and group_index are NULL: there is nothing to read back");
    if (source->kind != CLQ_ENTRY_NONE)
        CLQ_TRY(check(queue, checked, source, &checked->x, num_wait, wait));
    if (placement->kind != CLQ_ENTRY_NONE)
        CLQ_TRY(check(queue, checked, placement, &checked->y, num_wait, wait));
end:
    return status;
}
