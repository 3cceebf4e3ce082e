/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and random values. */
#include "data.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MIB = 1 << 20, BLOCK_BYTES = 64 * MIB, PAGE_BYTES = 4096, LARGE_PAGE_BYTES = 2 * MIB };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* The bits of a float of either sign with an exponent from -6 to 2: random fraction, never NaN. */
static uint32_t random_f32(uint64_t random)
{
    return (uint32_t)(random & 0x807fffff) | (uint32_t)(121 + (random >> 32) % 9) << 23;
}

static uint32_t random_f16(uint64_t random)
{
    return (uint32_t)((random & 0x83ff) | (9 + (random >> 32) % 9) << 10);
}

static void fill_block(uint32_t *words, enum reference_type src)
{
    uint64_t state = (uint64_t)time(NULL) << 20 | 1;

    for (size_t i = 0; i < BLOCK_BYTES / sizeof *words; i++) {
        const uint64_t random = next_random(&state);

        words[i] = src == F16 ? random_f16(random) | random_f16(random >> 20) << 16
                   : src == BF16
                       ? random_f32(random) >> 16 | (random_f32(random >> 16 ^ random << 32) & 0xffff0000)
                       : random_f32(random);
    }
}

/* A block of random values, larger than caches are, over and over. */
bool data_fill(struct bench *bench, enum reference_type src)
{
    uint32_t *words = NULL;
    bool done = true;

    if (bench->filled_with == (int)src)
        return true;
    words = malloc(BLOCK_BYTES);
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
    return done && data_spoil(bench);
}

static bool map(struct bench *bench, cl_mem buffer, cl_map_flags flags, void **bytes)
{
    cl_int code = CL_SUCCESS;

    *bytes =
        clEnqueueMapBuffer(bench->queue, buffer, CL_TRUE, flags, 0, bench->x_bytes, 0, NULL, NULL, &code);
    return device_check(bench, "clEnqueueMapBuffer", code);
}

static bool unmap(struct bench *bench, cl_mem buffer, void *bytes)
{
    cl_event done = NULL;

    return device_check(bench, "clEnqueueUnmapMemObject",
                        clEnqueueUnmapMemObject(bench->queue, buffer, bytes, 0, NULL, &done)) &&
           device_wait(bench, done);
}

bool data_fill_scales(struct bench *bench, float around)
{
    uint64_t state = (uint64_t)time(NULL) | 1;
    cl_event written = NULL;

    for (size_t i = 0; i < MOST_SCALES; i++)
        bench->scale_values[i] = around * (0.5f + (float)(next_random(&state) >> 40) / 0x1p24f);
    return device_check(bench, "clEnqueueWriteBuffer",
                        clEnqueueWriteBuffer(bench->queue, bench->scales, CL_FALSE, 0,
                                             MOST_SCALES * sizeof(float), bench->scale_values, 0, NULL,
                                             &written)) &&
           device_wait(bench, written);
}

/* By 16 bytes: of 2 GiB and more, NVIDIA's driver (580.159) never ends a fill with one. */
bool data_spoil(struct bench *bench)
{
    unsigned char pattern[16];
    cl_event done = NULL;

    memset(pattern, DATA_UNWRITTEN, sizeof pattern);
    return device_check(bench, "clEnqueueFillBuffer",
                        clEnqueueFillBuffer(bench->queue, bench->y, pattern, sizeof pattern, 0,
                                            bench->x_bytes, 0, NULL, &done)) &&
           device_wait(bench, done);
}

bool data_begin_host(struct bench *bench)
{
    return map(bench, bench->x, CL_MAP_READ, &bench->x_host) &&
           map(bench, bench->y, CL_MAP_WRITE, &bench->y_host);
}

bool data_end_host(struct bench *bench)
{
    return unmap(bench, bench->x, bench->x_host) && unmap(bench, bench->y, bench->y_host);
}

size_t data_next_piece(struct bench *bench, size_t bytes)
{
    const size_t at = bench->next_piece + bytes <= bench->x_bytes ? bench->next_piece : 0;

    bench->next_piece = (at + bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    return at;
}

bool data_read(struct bench *bench, cl_mem buffer, size_t at, void *bytes, size_t size_bytes)
{
    return device_check(
        bench, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(bench->queue, buffer, CL_TRUE, at, size_bytes, bytes, 0, NULL, NULL));
}

/* What was asked for, but no more than the device's largest buffer or a third of its memory. */
static size_t input_bytes(const struct bench *bench)
{
    cl_device_id device = clq_context_device(bench->context);
    cl_ulong largest = 0, memory = 0, size_bytes = bench->options.size_bytes;

    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    largest = largest < memory / 3 ? largest : memory / 3;
    size_bytes = size_bytes < largest ? size_bytes : largest;
    return (size_t)size_bytes / MIB * MIB;
}

static void CL_CALLBACK free_pages(cl_mem buffer, void *pages)
{
    (void)buffer;
    free(pages);
}

/* A CPU's buffer stands on large pages where the system has them (docs/performance.md): with small ones, rows
 * at random places would measure the page tables. */
static bool create_on_large_pages(struct bench *bench, size_t size_bytes, cl_mem *buffer)
{
    const size_t whole_bytes = (size_bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    void *pages = aligned_alloc(LARGE_PAGE_BYTES, whole_bytes);
    cl_int code = CL_SUCCESS;

    if (!pages)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: malloc of %zu bytes for a buffer failed",
                    whole_bytes);
#ifdef MADV_HUGEPAGE
    madvise(pages, whole_bytes, MADV_HUGEPAGE);
#endif
    *buffer = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                             size_bytes, pages, &code);
    if (!device_check(bench, "clCreateBuffer", code)) {
        free(pages);
        return false;
    }
    return device_check(bench, "clSetMemObjectDestructorCallback",
                        clSetMemObjectDestructorCallback(*buffer, free_pages, pages));
}

static bool create_buffer(struct bench *bench, size_t size_bytes, cl_mem *buffer)
{
    cl_int code = CL_SUCCESS;

    if (bench->pool)
        return create_on_large_pages(bench, size_bytes, buffer);
    *buffer = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_WRITE, size_bytes, NULL, &code);
    return device_check(bench, "clCreateBuffer", code);
}

bool data_create(struct bench *bench)
{
    bench->filled_with = -1;
    bench->x_bytes = input_bytes(bench);
    bench->report.input_mib = (double)(bench->x_bytes >> 20);
    bench->scale_values = malloc(MOST_SCALES * sizeof(float));
    if (bench->x_bytes == 0 || !bench->scale_values)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: the device has no memory for a buffer of 1 MiB");
    return create_buffer(bench, bench->x_bytes, &bench->x) &&
           create_buffer(bench, bench->x_bytes, &bench->y) &&
           create_buffer(bench, MOST_SCALES * sizeof(float), &bench->scales);
}

void data_destroy(struct bench *bench)
{
    cl_mem buffers[] = {bench->x, bench->y, bench->scales};

    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    free(bench->scale_values);
}
