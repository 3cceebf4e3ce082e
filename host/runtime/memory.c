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

/* A view's bytes in the buffer that is nobody's part. */
struct range {
    const struct clq__view *view;
    cl_mem root;
    uint64_t begin, end;
};

static clq_status find_range(const struct clq__view *view, struct range *range)
{
    clq_status status = CLQ_OK;
    struct clq__memory memory;

    CLQ_REQUIRE(view->tensor->data != NULL, CLQ_ERROR_NULL, "%s.data is NULL: it must be a cl_mem",
                view->name);
    CLQ_TRY(clq__memory_of(view->name, view->tensor->data, &memory));
    CLQ_TRY(clq__memory_check(view, &memory));
    range->view = view;
    range->root = memory.root;
    range->begin = memory.origin_bytes + view->tensor->byte_offset;
    range->end = range->begin + (uint64_t)view->extent_bytes;
end:
    return status;
}

clq_status clq__memory_check_all(const struct clq__view *const *views, int outputs, int count)
{
    clq_status status = CLQ_OK;
    struct range ranges[MAX_VIEWS];
    int found = 0, found_outputs = 0;

    assert(outputs <= count && count <= MAX_VIEWS);
    for (int i = 0; i < count; i++) {
        if (views[i]->tensor == NULL || views[i]->elements == 0)
            continue;
        CLQ_TRY(find_range(views[i], &ranges[found++]));
        found_outputs += i < outputs;
    }
    for (int o = 0; o < found_outputs; o++) {
        const struct range *out = &ranges[o];

        for (const struct range *other = out + 1; other < ranges + found; other++)
            CLQ_REQUIRE(out->root != other->root || out->begin >= other->end || other->begin >= out->end,
                        CLQ_ERROR_OVERLAP,
                        "%s shares bytes of its buffer with %s: their byte ranges must be disjoint",
                        out->view->name, other->view->name);
    }
end:
    return status;
}
