/* SPDX-License-Identifier: Apache-2.0 */
/* The device that is measured, its buffers with random values, and kernels of bench.cl. */
#include "bench.h"

#include "../build_log.h"

#include <operator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Written by CMakeLists.txt from bench.cl. */
static const char source[] = {
#include "bench_cl.inc"
};

bool library_check(struct bench *bench, clq_status status)
{
    bench->failure.code = status;
    return status == CLQ_OK || fail(&bench->failure, STATUS_SYSTEM, "bench: %s", clq_error_detail());
}

bool device_check(struct bench *bench, const char *call, cl_int code)
{
    return code == CL_SUCCESS ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: %s failed with %s", call, clq_status_name(code));
}

bool device_wait(struct bench *bench, cl_event done)
{
    const cl_int code = clWaitForEvents(1, &done);

    clReleaseEvent(done);
    return device_check(bench, "clWaitForEvents", code);
}

bool device_kernel(struct bench *bench, const char *name, size_t reads, size_t writes, cl_kernel *kernel)
{
    cl_device_id device = clq_context_device(bench->context);
    const char *text = source;
    const size_t length = sizeof source;
    char options[128];
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(clq_context_cl(bench->context), 1, &text, &length, &code);

    if (!device_check(bench, "clCreateProgramWithSource", code))
        return false;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DREADS=%zu -DWRITES=%zu", reads, writes);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (device_check(bench, "clBuildProgram of bench.cl", code)) {
        *kernel = clCreateKernel(program, name, &code);
        device_check(bench, "clCreateKernel of bench.cl", code);
    } else {
        bench->log = take_program_log(program, device);
    }
    clReleaseProgram(program);
    return code == CL_SUCCESS;
}

enum { MIB = 1 << 20, BLOCK_BYTES = 64 * MIB, PAGE_BYTES = 4096, LARGE_PAGE_BYTES = 2 * MIB };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

/* Finite values of either sign between 2^-6 and 4: the sign, three bits of the exponent and the fraction are
 * random. */
static void fill_block(uint32_t *words, enum reference_type src)
{
    const uint32_t random = src == F16    ? 0x9fff9fff
                            : src == BF16 ? 0x83ff83ff
                                          : 0x83ffffff,
                   least = src == F16    ? 0x24002400
                           : src == BF16 ? 0x3c803c80
                                         : 0x3c800000;
    uint64_t state = 1;

    for (size_t i = 0; i < BLOCK_BYTES / sizeof *words; i++)
        words[i] = (next_random(&state) & random) + least;
}

/* A block of random values, larger than caches are, over and over. */
bool data_fill(struct bench *bench, enum reference_type src)
{
    const bool is_there = bench->filled_with == (int)src;
    uint32_t *words = is_there ? NULL : malloc(BLOCK_BYTES);
    bool done = true;

    if (is_there)
        return true;
    if (!words)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for random values");
    fill_block(words, src);
    for (size_t at = 0; at < bench->x_bytes && done; at += BLOCK_BYTES) {
        const size_t left = bench->x_bytes - at;

        done =
            device_check(bench, "clEnqueueWriteBuffer",
                         clEnqueueWriteBuffer(bench->queue, bench->x, CL_TRUE, at,
                                              left < BLOCK_BYTES ? left : BLOCK_BYTES, words, 0, NULL, NULL));
    }
    free(words);
    bench->filled_with = done ? (int)src : -1;
    return done && data_spoil(bench, 0);
}

bool data_fill_scales(struct bench *bench, float around)
{
    static float values[MOST_SCALES];
    uint64_t state = 1;

    for (size_t i = 0; i < MOST_SCALES; i++)
        values[i] = around * (0.5f + (float)next_random(&state) / 0x1p32f);
    return device_check(
        bench, "clEnqueueWriteBuffer",
        clEnqueueWriteBuffer(bench->queue, bench->scales, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
}

/* By 16 bytes: of 2 GiB and more, NVIDIA's driver (580.159) never ends a fill with one. */
bool data_spoil(struct bench *bench, unsigned char byte)
{
    unsigned char pattern[16];
    cl_event done = NULL;

    memset(pattern, byte, sizeof pattern);
    return device_check(bench, "clEnqueueFillBuffer",
                        clEnqueueFillBuffer(bench->queue, bench->y, pattern, sizeof pattern, 0,
                                            bench->x_bytes, 0, NULL, &done)) &&
           device_wait(bench, done);
}

bool data_begin_host(struct bench *bench)
{
    cl_int x = CL_SUCCESS, y = CL_SUCCESS;

    bench->x_host = clEnqueueMapBuffer(bench->queue, bench->x, CL_TRUE, CL_MAP_READ, 0, bench->x_bytes, 0,
                                       NULL, NULL, &x);
    bench->y_host = clEnqueueMapBuffer(bench->queue, bench->y, CL_TRUE, CL_MAP_WRITE, 0, bench->x_bytes, 0,
                                       NULL, NULL, &y);
    return device_check(bench, "clEnqueueMapBuffer", x != CL_SUCCESS ? x : y);
}

bool data_end_host(struct bench *bench)
{
    cl_int code = clEnqueueUnmapMemObject(bench->queue, bench->x, bench->x_host, 0, NULL, NULL);

    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(bench->queue, bench->y, bench->y_host, 0, NULL, NULL);
    return device_check(bench, "clEnqueueUnmapMemObject", code == CL_SUCCESS ? clFinish(bench->queue) : code);
}

size_t data_next_piece(struct bench *bench, size_t bytes)
{
    const size_t at = bench->next_piece + bytes <= bench->x_bytes ? bench->next_piece : 0;

    bench->next_piece = (at + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return at;
}

/* What was asked for, but no more than the device's largest buffer or a third of its memory. */
static size_t input_bytes(const struct bench *bench)
{
    cl_device_id device = clq_context_device(bench->context);
    cl_ulong largest = 0, memory = 0, size_bytes = bench->size_bytes;

    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    largest = largest < memory / 3 ? largest : memory / 3;
    size_bytes = size_bytes < largest ? size_bytes : largest;
    return (size_t)size_bytes / MIB * MIB;
}

/* A CPU's buffer stands on large pages where the system has them (docs/performance.md): with small ones, rows
 * at random places would measure the page tables. */
static bool create_buffer(struct bench *bench, size_t size_bytes, cl_mem *buffer, void **pages)
{
    const size_t whole_bytes = (size_bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    cl_int code = CL_SUCCESS;

    if (bench->on_host) {
        flags |= CL_MEM_USE_HOST_PTR;
        *pages = aligned_alloc(LARGE_PAGE_BYTES, whole_bytes);
        if (!*pages)
            return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for a buffer of %zu bytes",
                        whole_bytes);
        madvise(*pages, whole_bytes, MADV_HUGEPAGE);
    }
    *buffer = clCreateBuffer(clq_context_cl(bench->context), flags, size_bytes, *pages, &code);
    return device_check(bench, "clCreateBuffer", code);
}

static bool create_buffers(struct bench *bench)
{
    bench->filled_with = -1;
    bench->x_bytes = input_bytes(bench);
    if (bench->x_bytes == 0)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: the device has no memory for a buffer of 1 MiB");
    return create_buffer(bench, bench->x_bytes, &bench->x, &bench->pages[0]) &&
           create_buffer(bench, bench->x_bytes, &bench->y, &bench->pages[1]) &&
           create_buffer(bench, MOST_SCALES * sizeof(float), &bench->scales, &bench->pages[2]);
}

bool bench_open(struct bench *bench)
{
    const struct clq_context_desc desc = {.device_text = bench->device_text};
    cl_device_type type = 0;

    if (!library_check(bench, clq_context_create(&desc, &bench->context)) ||
        !library_check(bench, clq_queue_create(bench->context, 0, &bench->queue)))
        return false;
    bench->library = (struct library){.context = bench->context, .error_detail = clq_error_detail};
    for (int i = 0; i < OPERATIONS; i++)
        bench->library.calls[i] = operator_find(operation_rows[i].name)->enqueue;
    clGetDeviceInfo(clq_context_device(bench->context), CL_DEVICE_TYPE, sizeof type, &type, NULL);
    bench->on_host = type & CL_DEVICE_TYPE_CPU;
    if (bench->on_host && !pool_start())
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no thread for every processor");
    return create_buffers(bench);
}

void bench_close(struct bench *bench)
{
    cl_mem buffers[] = {bench->x, bench->y, bench->scales};

    if (bench->queue)
        clFinish(bench->queue);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
        free(bench->pages[i]);
    }
    pool_stop();
    clq_queue_destroy(bench->queue);
    clq_context_destroy(bench->context);
}
