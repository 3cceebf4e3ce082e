/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/extension.h"

#include <stdlib.h>
#include <string.h>

#define EXTENSIONS_WITH_VERSION                                                                              \
    0x1060u /* of OpenCL 3.0, and with this number of cl_khr_extended_versioning */

struct versioned_name {
    cl_uint version;
    char name[64];
};

/* The device's answer with a zero behind it; NULL where there is none. The caller frees it. */
static void *ask(cl_device_id device, cl_device_info what, size_t *size_bytes)
{
    void *answer = NULL;

    if (clGetDeviceInfo(device, what, 0, NULL, size_bytes) == CL_SUCCESS)
        answer = calloc(1, *size_bytes + 1);
    if (answer == NULL || clGetDeviceInfo(device, what, *size_bytes, answer, NULL) == CL_SUCCESS)
        return answer;
    free(answer);
    return NULL;
}

bool clq__extension_exists(cl_device_id device, const char *name)
{
    size_t size_bytes = 0;
    const size_t length = strlen(name);
    char *names = ask(device, CL_DEVICE_EXTENSIONS, &size_bytes);
    bool exists = false;

    for (const char *at = names; at != NULL && !exists && *at != '\0'; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");

        exists = word == length && memcmp(at, name, length) == 0;
        at += word;
    }
    free(names);
    return exists;
}

cl_uint clq__extension_version(cl_device_id device, const char *name)
{
    size_t size_bytes = 0;
    struct versioned_name *all = ask(device, EXTENSIONS_WITH_VERSION, &size_bytes);
    cl_uint version = 0;

    for (size_t i = 0; all != NULL && i < size_bytes / sizeof *all; i++)
        if (strncmp(all[i].name, name, sizeof all[i].name) == 0)
            version = all[i].version;
    free(all);
    return version;
}
