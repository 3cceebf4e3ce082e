/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping and unmapping. */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

static const cl_map_flags map_flags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

static cl_int check(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset, size_t size)
{
    if (!stub_is(buffer, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (size == 0 || offset > buffer->size_bytes || size > buffer->size_bytes - offset ||
        flags & ~map_flags || flags == 0 ||
        (flags & CL_MAP_WRITE_INVALIDATE_REGION && flags != CL_MAP_WRITE_INVALIDATE_REGION))
        return CL_INVALID_VALUE;
    if ((flags & CL_MAP_READ && buffer->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) ||
        (flags & ~(cl_map_flags)CL_MAP_READ &&
         buffer->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* What is to be overwritten as a whole is not fetched. */
static void run_map(struct stub_command *command)
{
    const struct stub_mapping *const mapping = command->mapping;

    if (mapping->is_copy && mapping->flags != CL_MAP_WRITE_INVALIDATE_REGION)
        memcpy(mapping->bytes, command->src->bytes + mapping->offset, mapping->size_bytes);
}

static void run_unmap(struct stub_command *command)
{
    const struct stub_mapping *const mapping = command->mapping;

    if (mapping->is_copy && mapping->flags != CL_MAP_READ)
        memcpy(command->dst->bytes + mapping->offset, mapping->bytes, mapping->size_bytes);
}

void stub_mapping_free(struct stub_mapping *mapping)
{
    if (mapping != NULL && mapping->is_copy)
        free(mapping->bytes);
    free(mapping);
}

static struct stub_mapping *new_mapping(cl_mem buffer, cl_map_flags flags, size_t offset, size_t size)
{
    struct stub_mapping *const mapping = stub_allocate(sizeof *mapping);

    *mapping = (struct stub_mapping){
        .offset = offset, .size_bytes = size, .flags = flags, .is_copy = buffer->host == NULL};
    mapping->bytes = buffer->host != NULL ? buffer->bytes + offset : stub_allocate(size);
    return mapping;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, cl_map_flags flags,
                                    size_t offset, size_t size, cl_uint num_wait, const cl_event *wait,
                                    cl_event *event, cl_int *code)
{
    struct stub_command *command;
    void *bytes = NULL;
    cl_int made;

    stub_lock();
    made = stub_enqueue_check(queue, num_wait, wait);
    if (made == CL_SUCCESS)
        made = check(queue, buffer, flags, offset, size);
    if (made == CL_SUCCESS) {
        command = stub_command_new(queue, CL_COMMAND_MAP_BUFFER, num_wait, wait);
        command->run = run_map;
        command->src = stub_hold(buffer);
        command->mapping = new_mapping(buffer, flags, offset, size);
        command->mapping->next = buffer->mappings;
        buffer->mappings = command->mapping;
        bytes = command->mapping->bytes;
        made = stub_enqueue(command, blocks, event);
    }
    return stub_unlock_made(bytes, made, code);
}

static cl_int enqueue_unmap(cl_command_queue queue, cl_mem buffer, const void *bytes, cl_uint num_wait,
                            const cl_event *wait, cl_event *event)
{
    const cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;
    struct stub_mapping **at;

    if (code != CL_SUCCESS)
        return code;
    if (!stub_is(buffer, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->context != queue->context)
        return CL_INVALID_CONTEXT;
    at = &buffer->mappings;
    while (*at != NULL && (*at)->bytes != bytes)
        at = &(*at)->next;
    if (*at == NULL)
        return CL_INVALID_VALUE;
    command = stub_command_new(queue, CL_COMMAND_UNMAP_MEM_OBJECT, num_wait, wait);
    command->run = run_unmap;
    command->dst = stub_hold(buffer);
    command->mapping = *at;
    *at = (*at)->next;
    return stub_enqueue(command, false, event);
}

static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem buffer, void *bytes, cl_uint num_wait,
                                const cl_event *wait, cl_event *event)
{
    stub_lock();
    return stub_unlock(enqueue_unmap(queue, buffer, bytes, num_wait, wait, event));
}

void stub_place_maps(cl_icd_dispatch *table)
{
    table->clEnqueueMapBuffer = map_buffer;
    table->clEnqueueUnmapMemObject = unmap;
}
