/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that move bytes: read, write, fill and copy. */
#include "queue.h"

#include <string.h>

static cl_int check_range(cl_command_queue queue, cl_mem buffer, size_t offset, size_t size)
{
    if (!stub_is(buffer, STUB_BUFFER))
        return CL_INVALID_MEM_OBJECT;
    if (buffer->context != queue->context)
        return CL_INVALID_CONTEXT;
    return size == 0 || offset > buffer->size_bytes || size > buffer->size_bytes - offset ? CL_INVALID_VALUE
                                                                                          : CL_SUCCESS;
}

static void run_copy(struct stub_command *command)
{
    const unsigned char *const src =
        command->src != NULL ? command->src->bytes + command->src_offset : command->host_src;
    unsigned char *const dst =
        command->dst != NULL ? command->dst->bytes + command->dst_offset : command->host_dst;

    memmove(dst, src, command->size_bytes);
}

/* Between a buffer and the host's memory, which is one of the two last ones. */
static cl_int enqueue_host(cl_command_queue queue, cl_mem buffer, bool blocks, size_t offset, size_t size,
                           const void *from, void *to, cl_uint num_wait, const cl_event *wait,
                           cl_event *event)
{
    const cl_mem_flags against = to != NULL ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY;
    cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;

    if (code == CL_SUCCESS)
        code = check_range(queue, buffer, offset, size);
    if (code == CL_SUCCESS && from == NULL && to == NULL)
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS && buffer->flags & (against | CL_MEM_HOST_NO_ACCESS))
        code = CL_INVALID_OPERATION;
    if (code != CL_SUCCESS)
        return code;
    command = stub_command_new(queue, to != NULL ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER, num_wait,
                               wait);
    command->run = run_copy;
    command->host_src = from;
    command->host_dst = to;
    *(to != NULL ? &command->src : &command->dst) = stub_hold(buffer);
    *(to != NULL ? &command->src_offset : &command->dst_offset) = offset;
    command->size_bytes = size;
    return stub_enqueue(command, blocks, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                                      size_t size, void *host, cl_uint num_wait, const cl_event *wait,
                                      cl_event *event)
{
    stub_lock();
    return stub_unlock(enqueue_host(queue, buffer, blocks, offset, size, NULL, host, num_wait, wait, event));
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset,
                                       size_t size, const void *host, cl_uint num_wait, const cl_event *wait,
                                       cl_event *event)
{
    stub_lock();
    return stub_unlock(enqueue_host(queue, buffer, blocks, offset, size, host, NULL, num_wait, wait, event));
}

/* In the buffer that is nobody's part. */
static bool overlap(cl_mem src, size_t src_offset, cl_mem dst, size_t dst_offset, size_t size)
{
    const unsigned char *const from = src->bytes + src_offset, *const to = dst->bytes + dst_offset;

    return from < to + size && to < from + size;
}

cl_int stub_make_copy(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset, size_t dst_offset,
                      size_t size, cl_uint num_wait, const cl_event *wait, struct stub_command **made)
{
    cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;

    if (code == CL_SUCCESS)
        code = check_range(queue, src, src_offset, size);
    if (code == CL_SUCCESS)
        code = check_range(queue, dst, dst_offset, size);
    if (code == CL_SUCCESS && overlap(src, src_offset, dst, dst_offset, size))
        code = CL_MEM_COPY_OVERLAP;
    if (code != CL_SUCCESS)
        return code;
    command = stub_command_new(queue, CL_COMMAND_COPY_BUFFER, num_wait, wait);
    command->run = run_copy;
    command->src = stub_hold(src);
    command->src_offset = src_offset;
    command->dst = stub_hold(dst);
    command->dst_offset = dst_offset;
    command->size_bytes = size;
    *made = command;
    return code;
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset,
                                      size_t dst_offset, size_t size, cl_uint num_wait, const cl_event *wait,
                                      cl_event *event)
{
    struct stub_command *command;
    cl_int code;

    stub_lock();
    code = stub_make_copy(queue, src, dst, src_offset, dst_offset, size, num_wait, wait, &command);
    return stub_unlock(code == CL_SUCCESS ? stub_enqueue(command, false, event) : code);
}

static void run_fill(struct stub_command *command)
{
    unsigned char *const dst = command->dst->bytes + command->dst_offset;

    for (size_t at = 0; at < command->size_bytes; at += command->pattern_bytes)
        memcpy(dst + at, command->pattern, command->pattern_bytes);
}

cl_int stub_make_fill(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                      size_t offset, size_t size, cl_uint num_wait, const cl_event *wait,
                      struct stub_command **made)
{
    cl_int code = stub_enqueue_check(queue, num_wait, wait);
    struct stub_command *command;

    if (code == CL_SUCCESS)
        code = check_range(queue, buffer, offset, size);
    if (code == CL_SUCCESS &&
        (pattern == NULL || pattern_bytes == 0 || pattern_bytes > sizeof command->pattern ||
         (pattern_bytes & (pattern_bytes - 1)) != 0 || offset % pattern_bytes != 0 ||
         size % pattern_bytes != 0))
        code = CL_INVALID_VALUE;
    if (code != CL_SUCCESS)
        return code;
    command = stub_command_new(queue, CL_COMMAND_FILL_BUFFER, num_wait, wait);
    command->run = run_fill;
    command->dst = stub_hold(buffer);
    command->dst_offset = offset;
    command->size_bytes = size;
    command->pattern_bytes = pattern_bytes;
    memcpy(command->pattern, pattern, pattern_bytes);
    *made = command;
    return code;
}

static cl_int CL_API_CALL fill_buffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                      size_t pattern_bytes, size_t offset, size_t size, cl_uint num_wait,
                                      const cl_event *wait, cl_event *event)
{
    struct stub_command *command;
    cl_int code;

    stub_lock();
    code = stub_make_fill(queue, buffer, pattern, pattern_bytes, offset, size, num_wait, wait, &command);
    return stub_unlock(code == CL_SUCCESS ? stub_enqueue(command, false, event) : code);
}

void stub_place_transfers(cl_icd_dispatch *table)
{
    table->clEnqueueReadBuffer = read_buffer;
    table->clEnqueueWriteBuffer = write_buffer;
    table->clEnqueueCopyBuffer = copy_buffer;
    table->clEnqueueFillBuffer = fill_buffer;
}
