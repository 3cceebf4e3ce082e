/* SPDX-License-Identifier: Apache-2.0 */
/* Checking buffers against tensors. A driver's own size checks cannot be trusted with offsets that wrap. */
#include "runtime/memory.h"

#include "base/error.h"
#include "runtime/context.h"
#include "runtime/interleave.h"

#include <assert.h>

#define MAX_VIEWS 16

static clq_status find_root(struct clq__memory *memory)
{
    clq_status status = CLQ_OK;
    cl_mem parent = NULL;

    memory->root = memory->buffer;
    CLQ_TRY_CL(clGetMemObjectInfo(memory->buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    if (parent != NULL) {
        CLQ_TRY_CL(clGetMemObjectInfo(memory->buffer, CL_MEM_OFFSET, sizeof memory->origin_bytes,
                                      &memory->origin_bytes, NULL));
        memory->root = parent;
    }
end:
    return status;
}

clq_status clq__memory_of(const char *name, cl_mem buffer, struct clq__memory *memory)
{
    clq_status status = CLQ_OK;
    cl_mem_object_type type = 0;

    *memory = (struct clq__memory){.buffer = buffer};
    status = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
    CLQ_REQUIRE(status == CL_SUCCESS, status,
                "%s.data is %p: it must be a cl_mem, but clGetMemObjectInfo says %s (%d)", name,
                (void *)buffer, clq_status_name(status), (int)status);
    CLQ_REQUIRE(type == CL_MEM_OBJECT_BUFFER, CLQ_ERROR_VALUE,
                "%s.data is of the type 0x%x: it must be a buffer, CL_MEM_OBJECT_BUFFER (0x%x)", name,
                (unsigned)type, CL_MEM_OBJECT_BUFFER);
    CLQ_TRY_CL(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof memory->size_bytes, &memory->size_bytes, NULL));
    CLQ_TRY(find_root(memory));
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

/* The sentence for a flag that is in the way. */
static clq_status refuse_flag(const char *name, cl_mem_flags flag)
{
    static const struct {
        cl_mem_flags flag;
        const char *name, *rule;
    } rules[] = {
        {CL_MEM_READ_ONLY, "CL_MEM_READ_ONLY", "kernels must be allowed to write it"},
        {CL_MEM_WRITE_ONLY, "CL_MEM_WRITE_ONLY", "kernels must be allowed to read it"},
        {CL_MEM_HOST_NO_ACCESS, "CL_MEM_HOST_NO_ACCESS", "the host must be allowed to access it"},
        {CL_MEM_HOST_READ_ONLY, "CL_MEM_HOST_READ_ONLY", "the host must be allowed to write it"},
        {CL_MEM_HOST_WRITE_ONLY, "CL_MEM_HOST_WRITE_ONLY", "the host must be allowed to read it"},
    };
    size_t i = 0;

    while (i + 1 < CLQ_COUNT(rules) && !(rules[i].flag & flag))
        i++;
    return clq_error_set(CLQ_ERROR_VALUE, "%s.data was created with %s: %s", name, rules[i].name,
                         rules[i].rule);
}

clq_status clq__memory_check_use(const char *name, cl_mem buffer, cl_context context, cl_mem_flags forbidden)
{
    clq_status status = CLQ_OK;
    cl_context owner = NULL;
    cl_mem_flags flags = 0; /* of a sub-buffer, what it inherits is among them */

    CLQ_TRY_CL(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof owner, &owner, NULL));
    CLQ_REQUIRE(owner == context, CLQ_ERROR_VALUE,
                "%s.data is %p, of the cl_context %p: it must be of the one that the call runs in, %p", name,
                (void *)buffer, (void *)owner, (void *)context);
    CLQ_TRY_CL(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    if (flags & forbidden)
        status = refuse_flag(name, flags & forbidden);
end:
    return status;
}

/* A view's bytes in the buffer that is nobody's part. */
struct range {
    const struct clq__view *view;
    cl_mem root;
    uint64_t begin, end;
};

/* The ways in which kernels use a buffer. KNOWN: it was looked at before. */
enum use { OUTPUT, INPUT, BOTH, KNOWN };

static clq_status find_range(const clq_context *context, const struct clq__view *view, enum use use,
                             struct range *range)
{
    static const cl_mem_flags forbidden[] = {[OUTPUT] = CL_MEM_READ_ONLY,
                                             [INPUT] = CL_MEM_WRITE_ONLY,
                                             [BOTH] = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY};
    clq_status status = CLQ_OK;
    struct clq__memory memory;

    CLQ_REQUIRE(view->tensor->data != NULL, CLQ_ERROR_NULL, "%s.data is NULL: it must be a cl_mem",
                view->name);
    if (use == KNOWN) {
        memory = (struct clq__memory){.buffer = view->tensor->data};
        CLQ_TRY(find_root(&memory));
    } else {
        CLQ_TRY(clq__memory_of(view->name, view->tensor->data, &memory));
        CLQ_TRY(clq__memory_check_use(view->name, memory.buffer, context->cl, forbidden[use]));
        CLQ_TRY(clq__memory_check(view, &memory));
    }
    range->view = view;
    range->root = memory.root;
    range->begin = memory.origin_bytes + view->tensor->byte_offset;
    range->end = range->begin + (uint64_t)view->extent_bytes;
end:
    return status;
}

/* Whether bytes are of both, as far as can be told. */
static bool share(const struct range *a, const struct range *b, bool outputs)
{
    return a->root == b->root && a->begin < b->end && b->begin < a->end &&
           !(outputs && clq__views_interleave(a->view, a->begin, b->view, b->begin));
}

/* The first views are of one use, the others of another; the first are apart from all. */
static clq_status check_views(const clq_context *context, const struct clq__view *const *views, int first,
                              int count, enum use first_use, enum use other_use, bool *in_place)
{
    clq_status status = CLQ_OK;
    struct range ranges[MAX_VIEWS];
    int found = 0, found_first = 0;

    assert(first <= count && count <= MAX_VIEWS);
    for (int i = 0; i < count; i++) {
        if (views[i]->tensor == NULL || views[i]->elements == 0)
            continue;
        CLQ_TRY(find_range(context, views[i], i < first ? first_use : other_use, &ranges[found++]));
        found_first += i < first;
    }
    for (int o = 0; o < found_first; o++) {
        const struct range *out = &ranges[o];

        for (const struct range *other = out + 1; other < ranges + found; other++) {
            const bool shares = share(out, other, first_use == OUTPUT);

            if (in_place != NULL && out->view == views[0] && other->view == views[1]) {
                *in_place = shares;
                continue;
            }
            CLQ_REQUIRE(!shares, CLQ_ERROR_OVERLAP,
                        "%s shares bytes of its buffer with %s: their byte ranges must be disjoint",
                        out->view->name, other->view->name);
        }
    }
end:
    return status;
}

clq_status clq__memory_check_all(const clq_context *context, const struct clq__view *const *views,
                                 int outputs, int count, bool *in_place)
{
    return check_views(context, views, outputs, count, OUTPUT, INPUT, in_place);
}

clq_status clq__memory_check_sides(const clq_context *context, const struct clq__view *const *views,
                                   int sides, int count)
{
    return check_views(context, views, sides, count, BOTH, KNOWN, NULL);
}
