/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, and what moves their bytes. */
#ifndef CLQUANT_STUB_BUFFER_H
#define CLQUANT_STUB_BUFFER_H

#include "object.h"

/* The bytes of a mapped buffer are a copy, as on a device of its own memory,
 * unless the caller gave the memory. */
struct stub_mapping {
    struct stub_mapping *next;
    unsigned char *bytes;
    size_t offset, size_bytes;
    cl_map_flags flags;
    bool is_copy;
};

struct stub_callback {
    struct stub_callback *next;
    void(CL_CALLBACK *call)(cl_mem, void *);
    void *user;
};

struct _cl_mem {
    struct stub_object object;
    cl_context context;
    cl_mem parent;
    cl_mem_flags flags;
    size_t size_bytes, origin; /* origin: in the parent */
    unsigned char *bytes;
    void *host; /* the caller's memory, with CL_MEM_USE_HOST_PTR */
    struct stub_mapping *mappings;
    struct stub_callback *callbacks;
};

void stub_mapping_free(struct stub_mapping *mapping);

void stub_place_buffers(cl_icd_dispatch *table);
void stub_place_transfers(cl_icd_dispatch *table);
void stub_place_maps(cl_icd_dispatch *table);

#endif
