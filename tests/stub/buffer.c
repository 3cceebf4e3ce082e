/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and their parts. Fresh memory is full of a pattern, for nothing may depend on it. */
#include "queue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xcd, ALIGNMENT = 128 };

static size_t allocated; /* bytes, of all buffers */

static bool one_at_most(cl_mem_flags flags, cl_mem_flags of)
{
    return ((flags & of) & ((flags & of) - 1)) == 0;
}

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
                          host_flags = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
                          memory_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static cl_int check(cl_context context, cl_mem_flags flags, size_t size, const void *host)
{
    cl_ulong most = 0, memory = 0;

    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (flags & ~(access_flags | host_flags | memory_flags) || !one_at_most(flags, access_flags) ||
        !one_at_most(flags, host_flags) ||
        (flags & CL_MEM_USE_HOST_PTR && flags & memory_flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < context->num_devices; i++) {
        most = context->devices[i]->alloc > most ? context->devices[i]->alloc : most;
        memory = context->devices[i]->memory > memory ? context->devices[i]->memory : memory;
    }
    if (size == 0 || size > most)
        return CL_INVALID_BUFFER_SIZE;
    if ((host != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
        return CL_INVALID_HOST_PTR;
    return allocated + size > memory ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_SUCCESS;
}

static cl_mem CL_API_CALL create(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                 cl_int *code)
{
    cl_mem buffer = NULL;
    cl_int made;

    stub_lock();
    made = check(context, flags, size, host);
    if (made == CL_SUCCESS) {
        buffer = stub_new(STUB_BUFFER, sizeof *buffer);
        buffer->context = stub_hold(context);
        buffer->flags = flags & access_flags ? flags : flags | CL_MEM_READ_WRITE;
        buffer->size_bytes = size;
        buffer->host = flags & CL_MEM_USE_HOST_PTR ? host : NULL;
        buffer->bytes = buffer->host;
        allocated += size;
        if (buffer->host == NULL) {
            if (posix_memalign((void **)&buffer->bytes, ALIGNMENT, size) != 0)
                abort();
            if (host != NULL)
                memcpy(buffer->bytes, host, size);
            else
                memset(buffer->bytes, FRESH, size);
        }
    }
    return stub_unlock_made(buffer, made, code);
}

static cl_int check_part(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                         const cl_buffer_region *region)
{
    const cl_mem_flags access = flags & access_flags;

    if (!stub_is(parent, STUB_BUFFER) || parent->parent != NULL)
        return CL_INVALID_MEM_OBJECT;
    if (flags & ~(access_flags | host_flags) || !one_at_most(flags, access_flags) ||
        !one_at_most(flags, host_flags))
        return CL_INVALID_VALUE;
    if ((parent->flags & CL_MEM_WRITE_ONLY && access & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) ||
        (parent->flags & CL_MEM_READ_ONLY && access & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
        return CL_INVALID_VALUE;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || region == NULL || region->origin > parent->size_bytes ||
        region->size > parent->size_bytes - region->origin)
        return CL_INVALID_VALUE;
    if (region->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    return region->origin % ALIGNMENT != 0 ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

static cl_mem CL_API_CALL create_part(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                      const void *create, cl_int *code)
{
    const cl_buffer_region *const region = create;
    cl_mem part = NULL;
    cl_int made;

    stub_lock();
    made = check_part(parent, flags, type, region);
    if (made == CL_SUCCESS) {
        part = stub_new(STUB_BUFFER, sizeof *part);
        part->context = stub_hold(parent->context);
        part->parent = stub_hold(parent);
        part->flags = flags | (flags & access_flags ? 0 : parent->flags & access_flags) |
                      (flags & host_flags ? 0 : parent->flags & host_flags) | (parent->flags & memory_flags);
        part->origin = region->origin;
        part->size_bytes = region->size;
        part->bytes = parent->bytes + region->origin;
        part->host = parent->host == NULL ? NULL : (unsigned char *)parent->host + region->origin;
    }
    return stub_unlock_made(part, made, code);
}

/* Without the lock: a callback may call OpenCL. The last one that was set is the first. */
static void call_back(cl_mem buffer)
{
    struct stub_callback *callback = buffer->callbacks;

    if (callback == NULL)
        return;
    stub_unlock(CL_SUCCESS);
    while (callback != NULL) {
        struct stub_callback *const called = callback;

        callback = called->next;
        called->call(buffer, called->user);
        free(called);
    }
    stub_lock();
}

void stub_end_buffer(cl_mem buffer)
{
    stub_counts.mapped_releases += buffer->mappings != NULL;
    while (buffer->mappings != NULL) {
        struct stub_mapping *const mapping = buffer->mappings;

        buffer->mappings = mapping->next;
        stub_mapping_free(mapping);
    }
    call_back(buffer);
    if (buffer->parent == NULL) {
        allocated -= buffer->size_bytes;
        if (buffer->host == NULL)
            free(buffer->bytes);
    }
    buffer->bytes = NULL;
    stub_drop(buffer->parent);
    stub_drop(buffer->context);
}

static cl_int set_callback(cl_mem buffer, void(CL_CALLBACK *call)(cl_mem, void *), void *user)
{
    struct stub_callback *callback;

    if (!stub_is(buffer, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    if (call == NULL)
        return CL_INVALID_VALUE;
    callback = stub_allocate(sizeof *callback);
    *callback = (struct stub_callback){buffer->callbacks, call, user};
    buffer->callbacks = callback;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_destructor(cl_mem buffer, void(CL_CALLBACK *call)(cl_mem, void *), void *user)
{
    stub_lock();
    return stub_unlock(set_callback(buffer, call, user));
}

static cl_int answer(cl_mem buffer, cl_mem_info what, size_t size, void *value, size_t *size_ret)
{
    cl_uint maps = 0;

    if (!stub_is(buffer, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE:
        return STUB_ANSWER(cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return STUB_ANSWER(cl_mem_flags, buffer->flags);
    case CL_MEM_SIZE:
        return STUB_ANSWER(size_t, buffer->size_bytes);
    case CL_MEM_HOST_PTR:
        return STUB_ANSWER(void *, buffer->host);
    case CL_MEM_MAP_COUNT:
        for (const struct stub_mapping *mapping = buffer->mappings; mapping != NULL; mapping = mapping->next)
            maps++;
        return STUB_ANSWER(cl_uint, maps);
    case CL_MEM_REFERENCE_COUNT:
        return STUB_ANSWER(cl_uint, (cl_uint)buffer->object.references);
    case CL_MEM_CONTEXT:
        return STUB_ANSWER(cl_context, buffer->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return STUB_ANSWER(cl_mem, buffer->parent);
    case CL_MEM_OFFSET:
        return STUB_ANSWER(size_t, buffer->origin);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL info(cl_mem buffer, cl_mem_info what, size_t size, void *value, size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer(buffer, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_mem buffer)
{
    stub_lock();
    return stub_unlock(stub_retain(buffer, STUB_BUFFER, CL_INVALID_MEM_OBJECT));
}

static cl_int CL_API_CALL release(cl_mem buffer)
{
    stub_lock();
    return stub_unlock(stub_release(buffer, STUB_BUFFER, CL_INVALID_MEM_OBJECT));
}

void stub_place_buffers(cl_icd_dispatch *table)
{
    table->clCreateBuffer = create;
    table->clCreateSubBuffer = create_part;
    table->clRetainMemObject = retain;
    table->clReleaseMemObject = release;
    table->clGetMemObjectInfo = info;
    table->clSetMemObjectDestructorCallback = set_destructor;
}
