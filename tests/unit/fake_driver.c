/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct driver drivers[FAKE_DEVICES];
cl_uint devices_there = FAKE_DEVICES, platforms_there = 1;
static char handles[FAKE_DEVICES + 2]; /* devices, the platform, and the one that can be asked for nothing */

cl_device_id fake_device(int number)
{
    return (cl_device_id)&handles[number];
}

static cl_int answer(const void *value, size_t value_bytes, size_t size_bytes, void *out, size_t *length)
{
    if (length != NULL)
        *length = value_bytes;
    if (out != NULL && size_bytes < value_bytes)
        return CL_INVALID_VALUE;
    if (out != NULL)
        memcpy(out, value, value_bytes);
    return CL_SUCCESS;
}

static cl_int answer_text(const char *text, size_t size_bytes, void *out, size_t *length)
{
    return answer(text, strlen(text) + 1, size_bytes, out, length);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size_bytes, void *out,
                         size_t *length)
{
    assert_ptr_equal(platform, &handles[FAKE_DEVICES]);
    return answer_text(what == CL_PLATFORM_NAME ? drivers[0].platform : "OpenCL 3.0", size_bytes, out,
                       length);
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size_bytes, void *out, size_t *length)
{
    const size_t number = (size_t)((const char *)id - handles);
    const struct driver driver = drivers[number];
    const cl_platform_id platform = (cl_platform_id)&handles[FAKE_DEVICES];
    const cl_device_fp_config single = (driver.single | FAKE_LEAST) & ~driver.lacking;
    const cl_bool little = !driver.big_endian, compiler = !driver.no_compiler;
    const size_t group_items = 4096;
    const cl_uint units = 7;

    assert_true(number < FAKE_DEVICES);
    switch (what) {
    case CL_DEVICE_PLATFORM:
        return answer(&platform, sizeof platform, size_bytes, out, length);
    case CL_DEVICE_TYPE:
        return answer(&driver.type, sizeof driver.type, size_bytes, out, length);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        return answer(&single, sizeof single, size_bytes, out, length);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return answer(&driver.twice, sizeof driver.twice, size_bytes, out, length);
    case CL_DEVICE_ENDIAN_LITTLE:
        return answer(&little, sizeof little, size_bytes, out, length);
    case CL_DEVICE_COMPILER_AVAILABLE:
        return answer(&compiler, sizeof compiler, size_bytes, out, length);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return answer(&group_items, sizeof group_items, size_bytes, out, length);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return answer(&units, sizeof units, size_bytes, out, length);
    case CL_DEVICE_NAME:
        return answer_text(driver.name, size_bytes, out, length);
    case CL_DEVICE_VENDOR:
        return answer_text(driver.vendor != NULL ? driver.vendor : "any", size_bytes, out, length);
    case CL_DEVICE_VERSION:
        return answer_text(driver.version != NULL ? driver.version : "OpenCL 1.2", size_bytes, out, length);
    case CL_DRIVER_VERSION:
        return answer_text("1.0", size_bytes, out, length);
    case CL_DEVICE_PROFILE:
        return answer_text(driver.profile != NULL ? driver.profile : "FULL_PROFILE", size_bytes, out, length);
    case CL_DEVICE_EXTENSIONS:
        return answer_text(driver.extensions != NULL ? driver.extensions : "", size_bytes, out, length);
    case 0x1060: /* CL_DEVICE_EXTENSIONS_WITH_VERSION */
        return driver.versions == NULL
                   ? CL_INVALID_VALUE
                   : answer(driver.versions, driver.num_versions * sizeof *driver.versions, size_bytes, out,
                            length);
    default:
        fail_msg("asked for %#x", (unsigned)what);
        return CL_INVALID_VALUE;
    }
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    if (platforms_there == 0)
        return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
    if (count != NULL)
        *count = platforms_there;
    for (cl_uint i = 0; i < room && i < platforms_there; i++) /* the right one is the last */
        platforms[i] = (cl_platform_id)&handles[FAKE_DEVICES + platforms_there - 1 - i];
    return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *devices,
                      cl_uint *count)
{
    if (platform == (cl_platform_id)&handles[FAKE_DEVICES + 1])
        return CL_OUT_OF_HOST_MEMORY;
    assert_ptr_equal(platform, &handles[FAKE_DEVICES]);
    assert_true(type == CL_DEVICE_TYPE_ALL);
    if (devices_there == 0)
        return CL_DEVICE_NOT_FOUND;
    if (count != NULL)
        *count = devices_there;
    for (cl_uint i = 0; i < room; i++)
        devices[i] = (cl_device_id)&handles[i];
    return CL_SUCCESS;
}
