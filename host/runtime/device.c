/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a device's traits. */
#include "runtime/device.h"

#include "base/error.h"
#include "runtime/extension.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the device, or where that is NULL of the platform. */
static clq_status ask(cl_device_id device, cl_platform_id platform, cl_uint what, size_t size_bytes,
                      void *value, size_t *length)
{
    clq_status status = CLQ_OK;

    if (device != NULL)
        CLQ_TRY_CL(clGetDeviceInfo(device, what, size_bytes, value, length));
    else
        CLQ_TRY_CL(clGetPlatformInfo(platform, what, size_bytes, value, length));
end:
    return status;
}

/* Longer names are cut: they only tell devices apart in messages and in the cache's key. */
static clq_status read_text(cl_device_id device, cl_platform_id platform, cl_uint what, char *text,
                            size_t size_bytes)
{
    clq_status status = CLQ_OK;
    char *whole = NULL;
    size_t length = 0;

    CLQ_TRY(ask(device, platform, what, 0, NULL, &length));
    whole = calloc(1, length + 1);
    CLQ_REQUIRE(whole != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for a %s's name failed", length + 1,
                device != NULL ? "device" : "platform");
    CLQ_TRY(ask(device, platform, what, length, whole, NULL));
    strncpy(text, whole, size_bytes - 1);
    text[size_bytes - 1] = '\0';
end:
    free(whole);
    return status;
}

static clq_status read_names(struct clq__device *device)
{
    clq_status status = CLQ_OK;

    CLQ_TRY_CL(
        clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof device->platform, &device->platform, NULL));
    CLQ_TRY(read_text(NULL, device->platform, CL_PLATFORM_NAME, device->platform_name,
                      sizeof device->platform_name));
    CLQ_TRY(read_text(NULL, device->platform, CL_PLATFORM_VERSION, device->platform_version,
                      sizeof device->platform_version));
    CLQ_TRY(read_text(device->id, NULL, CL_DEVICE_NAME, device->name, sizeof device->name));
    CLQ_TRY(read_text(device->id, NULL, CL_DEVICE_VENDOR, device->vendor, sizeof device->vendor));
    CLQ_TRY(read_text(device->id, NULL, CL_DEVICE_VERSION, device->version, sizeof device->version));
    CLQ_TRY(read_text(device->id, NULL, CL_DRIVER_VERSION, device->driver, sizeof device->driver));
end:
    return status;
}

/* The rounding of cl/base needs these, and a full profile has at least them. */
static const cl_device_fp_config least = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;

/* Kernels are built as OpenCL C 1.2. */
static bool is_recent(const char *version)
{
    unsigned major = 0, minor = 0;

    return sscanf(version, "OpenCL %u.%u", &major, &minor) == 2 && (major > 1 || (major == 1 && minor >= 2));
}

/* For the embedded profile they are an extension. */
static bool has_int64(cl_device_id id, const char *profile)
{
    return strcmp(profile, "EMBEDDED_PROFILE") != 0 || clq__extension_exists(id, "cles_khr_int64");
}

#define ALLOW_UNRESTRICTED_SIZE_INTEL (1u << 23) /* of Intel's compute runtime, in no header of Khronos */

cl_mem_flags clq__device_buffer_flags(const struct clq__device *device, size_t size_bytes)
{
    const bool large = device->large_buffers && size_bytes > UINT32_MAX;

    return CL_MEM_READ_WRITE | (large ? ALLOW_UNRESTRICTED_SIZE_INTEL : 0);
}

/* The promises that kernels need, as the driver answers. */
struct promises {
    char version[256], profile[64];
    cl_device_fp_config single;
    cl_bool little;
};

/* If kernels would not compute what they must: the rule that the device breaks. */
static const char *broken_rule(cl_device_id id, const struct promises *of)
{
    return !is_recent(of->version)         ? "be OpenCL 1.2 or later"
           : !of->little                   ? "be little-endian"
           : (of->single & least) != least ? "round float32 to nearest, with infinities and NaN"
           : !has_int64(id, of->profile)   ? "have integers of 64 bits (cles_khr_int64)"
                                           : NULL;
}

bool clq__device_runs(cl_device_id id)
{
    struct promises of = {.version = ""};

    return clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof of.version, of.version, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(id, CL_DEVICE_PROFILE, sizeof of.profile, of.profile, NULL) == CL_SUCCESS &&
           clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof of.single, &of.single, NULL) ==
               CL_SUCCESS &&
           clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof of.little, &of.little, NULL) == CL_SUCCESS &&
           broken_rule(id, &of) == NULL;
}

bool clq__device_compiles(cl_device_id id)
{
    cl_bool compiler = CL_FALSE;

    return clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL) ==
               CL_SUCCESS &&
           compiler;
}

/* A GPU by Intel's own driver. The ones that have no float64 have no quotients in hardware either. */
static clq_status init_intels(struct clq__device *device)
{
    clq_status status = CLQ_OK;
    cl_device_fp_config twice = 0;

    CLQ_TRY_CL(clGetDeviceInfo(device->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof twice, &twice, NULL));
    device->division = twice != 0 ? CLQ__DIVIDES_AT_ONCE : CLQ__DIVIDES_AT_LENGTH;
    device->large_buffers = true;
end:
    return status;
}

clq_status clq__device_init(struct clq__device *device, cl_device_id id, uint32_t form, uint32_t arithmetic)
{
    clq_status status = CLQ_OK;
    const cl_device_fp_config promised = CL_FP_DENORM | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    struct promises of = {.version = ""};
    cl_device_fp_config single;
    cl_device_type type = 0;
    cl_bool compiler = CL_FALSE;
    const char *rule = NULL;

    *device = (struct clq__device){.id = id};
    CLQ_TRY(read_names(device));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_PROFILE, sizeof of.profile, of.profile, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof of.single, &of.single, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_ENDIAN_LITTLE, sizeof of.little, &of.little, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device->max_group_items,
                               &device->max_group_items, NULL));
    CLQ_TRY_CL(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->compute_units,
                               &device->compute_units, NULL));
    memcpy(of.version, device->version, sizeof device->version);
    rule = broken_rule(id, &of);
    CLQ_REQUIRE(rule == NULL, CLQ_ERROR_DEVICE, "device \"%s\", version \"%s\": it must %s", device->name,
                device->version, rule);
    single = of.single;
    device->compiler = compiler != CL_FALSE;
    device->group_form = form == CLQ_FORM_AUTO ? !(type & CL_DEVICE_TYPE_CPU) : form == CLQ_FORM_GROUP;
    device->native_arithmetic = arithmetic == CLQ_ARITHMETIC_AUTO && (single & promised) == promised;
    device->subnormals = arithmetic == CLQ_ARITHMETIC_AUTO && (single & CL_FP_DENORM) != 0;
    device->fma = arithmetic == CLQ_ARITHMETIC_AUTO && (single & CL_FP_FMA) != 0;
    /* Measured on PoCL: 17 to 22 % faster. It ends the process on rusticl and is an error on Oclgrind, and
     * PoCL has GPUs too, whose compilers may not take it. */
    device->prefetch = (type & CL_DEVICE_TYPE_CPU) != 0 && strcmp(device->platform_name, CLQ__POCL) == 0;
    device->amd = device->prefetch && strstr(device->vendor, "AMD") != NULL;
    device->takes_null = device->prefetch; /* not tried with PoCL's GPUs */
    if ((type & CL_DEVICE_TYPE_GPU) != 0 && strncmp(device->platform_name, "Intel(R) OpenCL", 15) == 0)
        CLQ_TRY(init_intels(device));
    device->retains_buffers =
        strcmp(device->platform_name, "rusticl") == 0; /* and buffers outlive their owners */
    device->ends_loops = strstr(device->name, "llvmpipe") != NULL;
    device->takes_its_groups =
        device->ends_loops; /* Mesa 22.3 says 32 of every kernel, and runs groups of 1,024 */
end:
    return status;
}
