/* SPDX-License-Identifier: Apache-2.0 */
/* What the OpenCL loader looks for in a driver's file (cl_khr_icd): the platform,
 * and the table of its functions. */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_icd_dispatch table;
const cl_icd_dispatch *const stub_dispatch = &table;

/* In the place of all that the library and its tests do not call. */
static void missing(void)
{
    fprintf(stderr, "stub: this OpenCL function is not there: add it to tests/stub, or use another driver\n");
    abort();
}

static const struct stub_api *face(void)
{
    return &stub_api;
}

static void *find(const char *name)
{
    void *found = NULL;

    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
        *(clIcdGetPlatformIDsKHR_fn *)&found = clIcdGetPlatformIDsKHR;
    else if (strcmp(name, STUB_FUNCTION) == 0)
        *(stub_function *)&found = face;
    else
        found = stub_find_of_commands(name);
    return found;
}

static void *CL_API_CALL find_for_platform(cl_platform_id platform, const char *name)
{
    return platform == stub_platform() && name != NULL ? find(name) : NULL;
}

static void place_all(void)
{
    void (*const none)(void) = missing;

    for (size_t i = 0; i < sizeof table / sizeof none; i++)
        memcpy((char *)&table + i * sizeof none, &none, sizeof none);
    stub_place_devices(&table);
    stub_place_contexts(&table);
    stub_place_queues(&table);
    stub_place_events(&table);
    stub_place_buffers(&table);
    stub_place_transfers(&table);
    stub_place_maps(&table);
    stub_place_programs(&table);
    stub_place_kernels(&table);
    stub_place_launches(&table);
    table.clGetExtensionFunctionAddressForPlatform = find_for_platform;
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
                                                       cl_uint *count)
{
    if ((platforms == NULL && count == NULL) || (platforms != NULL && room == 0))
        return CL_INVALID_VALUE;
    stub_lock();
    if (table.clGetPlatformInfo == NULL)
        place_all();
    if (platforms != NULL)
        platforms[0] = stub_platform();
    if (count != NULL)
        *count = 1;
    return stub_unlock(CL_SUCCESS);
}

/* The loader asks for these by name. */
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return name != NULL ? find(name) : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                                  void *value, size_t *size_ret)
{
    return table.clGetPlatformInfo(platform, what, size, value, size_ret);
}
