/* Checking buffers against tensors. A driver's own size checks cannot be trusted with offsets that wrap. */
#include "runtime/memory.h"

#include "base/error.h"

#include <assert.h>

#define MAX_VIEWS 16

clq_status clq__memory_of(const char *name, cl_mem buffer, struct clq__memory *memory)
{
    clq_status status = CLQ_OK;
    cl_mem parent = NULL;

    *memory = (struct clq__memory){.root = buffer};
    status = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof memory->size_bytes, &memory->size_bytes, NULL);
    CLQ_REQUIRE(status == CL_SUCCESS, status,
                "%s.data is %p: it must be a cl_mem, but clGetMemObjectInfo says %s (%d)", name,
                (void *)buffer, clq_status_name(status), (int)status);
    CLQ_TRY_CL(clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    if (parent != NULL) {
        CLQ_TRY_CL(clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof memory->origin_bytes,
                                      &memory->origin_bytes, NULL));
        memory->root = parent;
    }
end:
    return status;
}

clq_status clq__memory_check(const struct clq__view *view, const struct clq__memory *memory)
{
    clq_status status = CLQ_OK;
    const uint64_t offset = view->tensor->byte_offset, extent = (uint64_t)view->extent_bytes;

    CLQ_REQUIRE(extent <= memory->size_bytes && offset <= memory->size_bytes - extent, CLQ_ERROR_SIZE,
                "%s.data has %zu bytes: shape x strides + byte_offset ask for %llu", view->name,
                memory->size_bytes, (unsigned long long)(offset + extent));
end:
    return status;
}

static bool overlap(const struct clq__view *a, const struct clq__memory *at, const struct clq__view *b,
                    const struct clq__memory *bt)
{
    const uint64_t a_begin = at->origin_bytes + a->tensor->byte_offset,
                   a_end = a_begin + (uint64_t)a->extent_bytes;
    const uint64_t b_begin = bt->origin_bytes + b->tensor->byte_offset,
                   b_end = b_begin + (uint64_t)b->extent_bytes;

    return at->root == bt->root && a_begin < b_end && b_begin < a_end;
}

static bool is_there(const struct clq__view *view)
{
    return view->tensor != NULL && view->elements > 0;
}

clq_status clq__memory_check_all(const struct clq__view *const *views, int outputs, int count)
{
    clq_status status = CLQ_OK;
    struct clq__memory memory[MAX_VIEWS];

    assert(outputs <= count && count <= MAX_VIEWS);
    for (int i = 0; i < count; i++) {
        if (!is_there(views[i]))
            continue;
        CLQ_TRY(clq__memory_of(views[i]->name, views[i]->tensor->data, &memory[i]));
        CLQ_TRY(clq__memory_check(views[i], &memory[i]));
    }
    for (int o = 0; o < outputs; o++)
        for (int i = o + 1; i < count && is_there(views[o]); i++)
            CLQ_REQUIRE(!is_there(views[i]) || !overlap(views[o], &memory[o], views[i], &memory[i]),
                        CLQ_ERROR_OVERLAP,
                        "%s shares bytes of its buffer with %s: their byte ranges must be disjoint",
                        views[o]->name, views[i]->name);
end:
    return status;
}
