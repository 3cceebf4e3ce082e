/* SPDX-License-Identifier: Apache-2.0 */
/* fresh=BYTE: what a fresh buffer is.
 *
 * It ends where its page does, with nothing behind it: a CPU's kernel that reads or writes further ends the
 * process, also on the paths that Oclgrind does not run. The bytes before it in its first page are guards,
 * and so are those behind it where it has no whole number of words: it begins where one does,
 * as OpenCL asks of what holds elements.
 *
 * It is full of this byte, so that a result which depends on what a buffer held before it was
 * written shows. Fresh memory is often 0, which hides it. */
#include "layer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GUARD_BYTE = 0x3c, WORD = 8 };

struct region {
    unsigned char *pages;
    size_t size_bytes, before, size; /* of all pages; from the first to the buffer; of that */
};

static struct region *region_create(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (size + page - 1) / page * page;
    struct region *region = malloc(sizeof *region);

    if (region == NULL)
        abort();
    *region =
        (struct region){.size_bytes = whole + page, .before = (whole - size) / WORD * WORD, .size = size};
    region->pages =
        mmap(NULL, region->size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region->pages == MAP_FAILED || mprotect(region->pages + whole, page, PROT_NONE) != 0)
        abort();
    memset(region->pages, GUARD_BYTE, whole);
    memset(region->pages + region->before, (int)strtoul(layer_option("fresh"), NULL, 0), size);
    return region;
}

static void CL_CALLBACK region_end(cl_mem buffer, void *user)
{
    struct region *region = user;

    (void)buffer;
    for (size_t i = 0; i < region->before; i++)
        if (region->pages[i] != GUARD_BYTE) {
            fprintf(stderr, "a kernel wrote %zu bytes before a buffer\n", region->before - i);
            abort();
        }
    for (const unsigned char *p = region->pages + region->before + region->size; (uintptr_t)p % WORD != 0;
         p++)
        if (*p != GUARD_BYTE) {
            fprintf(stderr, "a kernel wrote behind a buffer\n");
            abort();
        }
    munmap(region->pages, region->size_bytes);
    free(region);
}

static cl_mem CL_API_CALL create(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                 cl_int *code)
{
    struct region *region;
    cl_mem buffer;

    if (size == 0 || (flags & CL_MEM_USE_HOST_PTR))
        return layer_below.clCreateBuffer(context, flags, size, host, code);
    region = region_create(size);
    if (host != NULL)
        memcpy(region->pages + region->before, host, size);
    flags &= ~(cl_mem_flags)(CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR);
    buffer = layer_below.clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, size,
                                        region->pages + region->before, code);
    if (buffer == NULL)
        region_end(NULL, region);
    else if (layer_below.clSetMemObjectDestructorCallback(buffer, region_end, region) != CL_SUCCESS)
        abort();
    return buffer;
}

void layer_place_fresh(cl_icd_dispatch *above)
{
    if (layer_option("fresh") != NULL)
        above->clCreateBuffer = create;
}
