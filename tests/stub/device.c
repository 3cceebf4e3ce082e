/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of the platform and of its devices. */
#include "device.h"

#include <string.h>

#define EXTENSIONS_WITH_VERSION 0x1060 /* of OpenCL 3.0 */

static cl_int CL_API_CALL platform_info(cl_platform_id platform, cl_platform_info what, size_t size,
                                        void *value, size_t *size_ret)
{
    if (platform == NULL || platform->object.kind != STUB_PLATFORM)
        return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_NAME:
        return STUB_ANSWER_TEXT(platform->name);
    case CL_PLATFORM_VENDOR:
        return STUB_ANSWER_TEXT(STUB_NAME);
    case CL_PLATFORM_VERSION:
        return STUB_ANSWER_TEXT("OpenCL 1.2 stub");
    case CL_PLATFORM_PROFILE:
        return STUB_ANSWER_TEXT("FULL_PROFILE");
    case CL_PLATFORM_EXTENSIONS:
        return STUB_ANSWER_TEXT("cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return STUB_ANSWER_TEXT("CLQ");
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                     cl_device_id *devices, cl_uint *count)
{
    cl_uint found = 0;

    if (platform == NULL || platform->object.kind != STUB_PLATFORM)
        return CL_INVALID_PLATFORM;
    if ((devices == NULL && count == NULL) || (devices != NULL && room == 0))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < platform->num_devices; i++) {
        const bool wanted = type == CL_DEVICE_TYPE_DEFAULT ? i == 0 : (platform->devices[i].type & type) != 0;

        if (wanted && devices != NULL && found < room)
            devices[found] = &platform->devices[i];
        found += wanted;
    }
    if (count != NULL)
        *count = found;
    return found > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

const struct stub_extension *stub_extension(cl_device_id device, const char *name)
{
    for (size_t i = 0; i < device->num_extensions; i++)
        if (strcmp(device->extensions[i].name, name) == 0)
            return &device->extensions[i];
    return NULL;
}

static cl_int extensions(cl_device_id device, size_t size, void *value, size_t *size_ret)
{
    char text[STUB_MOST_EXTENSIONS * (sizeof device->extensions[0].name + 1)] = "";

    for (size_t i = 0; i < device->num_extensions; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, device->extensions[i].name);
    }
    return STUB_ANSWER_TEXT(text);
}

static cl_int device_text(cl_device_id device, cl_device_info what, size_t size, void *value,
                          size_t *size_ret)
{
    switch (what) {
    case CL_DEVICE_NAME:
        return STUB_ANSWER_TEXT(device->name);
    case CL_DEVICE_VENDOR:
        return STUB_ANSWER_TEXT(device->vendor);
    case CL_DEVICE_VERSION:
        return STUB_ANSWER_TEXT(device->version);
    case CL_DRIVER_VERSION:
        return STUB_ANSWER_TEXT(device->driver);
    case CL_DEVICE_OPENCL_C_VERSION:
        return STUB_ANSWER_TEXT("OpenCL C 1.2 stub");
    case CL_DEVICE_PROFILE:
        return STUB_ANSWER_TEXT("FULL_PROFILE");
    case CL_DEVICE_EXTENSIONS:
        return extensions(device, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info what, size_t size, void *value,
                                      size_t *size_ret)
{
    if (device == NULL || device->object.kind != STUB_DEVICE)
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_DEVICE_TYPE:
        return STUB_ANSWER(cl_device_type, device->type);
    case CL_DEVICE_PLATFORM:
        return STUB_ANSWER(cl_platform_id, stub_platform());
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return STUB_ANSWER(cl_device_fp_config, device->fp);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return STUB_ANSWER(cl_device_fp_config, 0);
    case CL_DEVICE_ENDIAN_LITTLE:
        return STUB_ANSWER(cl_bool, device->little);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return STUB_ANSWER(cl_bool, device->compiler);
    case CL_DEVICE_AVAILABLE:
        return STUB_ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return STUB_ANSWER(size_t, device->groups);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return STUB_ANSWER(cl_uint, device->units);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return STUB_ANSWER(cl_ulong, device->alloc);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
        return STUB_ANSWER(cl_ulong, device->memory);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return STUB_ANSWER(cl_ulong, 1 << 15);
    case CL_DEVICE_ADDRESS_BITS:
        return STUB_ANSWER(cl_uint, 64);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return STUB_ANSWER(cl_uint, 1024); /* bits */
    case CL_DEVICE_QUEUE_PROPERTIES:
        return STUB_ANSWER(cl_command_queue_properties,
                           device->unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    case EXTENSIONS_WITH_VERSION:
        return strncmp(device->version, "OpenCL 3", 8) != 0
                   ? CL_INVALID_VALUE
                   : stub_answer(size, value, size_ret, device->extensions,
                                 device->num_extensions * sizeof device->extensions[0]);
    default:
        return device_text(device, what, size, value, size_ret);
    }
}

/* The references of a device that is no part of another are not counted. */
static cl_int CL_API_CALL keep_device(cl_device_id device)
{
    return device != NULL && device->object.kind == STUB_DEVICE ? CL_SUCCESS : CL_INVALID_DEVICE;
}

void stub_place_devices(cl_icd_dispatch *table)
{
    table->clGetPlatformInfo = platform_info;
    table->clGetDeviceIDs = device_ids;
    table->clGetDeviceInfo = device_info;
    table->clRetainDevice = keep_device;
    table->clReleaseDevice = keep_device;
}
