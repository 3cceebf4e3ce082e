/* SPDX-License-Identifier: Apache-2.0 */
/* clquant devices: what OpenCL finds on this machine, and what each device promises. */
#include "commands.h"
#include "failure.h"

#include <clquant/context.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader's answer where there is no driver (CL_PLATFORM_NOT_FOUND_KHR). */
enum { NO_PLATFORM = -1001 };

struct listing {
    cl_device_id chosen; /* NULL: none */
    unsigned number;     /* counted over all platforms */
};

static void print_platform_text(cl_platform_id platform, cl_platform_info what, const char *before)
{
    char text[512] = "?";

    clGetPlatformInfo(platform, what, sizeof text, text, NULL);
    printf("%s%s", before, text);
}

static void print_device_text(cl_device_id device, cl_device_info what, const char *before)
{
    char text[512] = "?";

    clGetDeviceInfo(device, what, sizeof text, text, NULL);
    printf("%s%s", before, text);
}

static cl_ulong number_of(cl_device_id device, cl_device_info what, size_t size_bytes)
{
    union {
        cl_ulong large;
        cl_uint small;
    } value = {0};

    if (clGetDeviceInfo(device, what, size_bytes, &value, NULL) != CL_SUCCESS)
        return 0;
    return size_bytes == sizeof value.small ? value.small : value.large;
}

static cl_ulong large(cl_device_id device, cl_device_info what)
{
    return number_of(device, what, sizeof(cl_ulong));
}

static const char *type_of(cl_device_id device)
{
    const cl_device_type type = large(device, CL_DEVICE_TYPE);

    if (type & CL_DEVICE_TYPE_GPU)
        return "GPU";
    if (type & CL_DEVICE_TYPE_ACCELERATOR)
        return "accelerator";
    return type & CL_DEVICE_TYPE_CPU ? "CPU" : "custom";
}

static const char *yes_no(bool yes)
{
    return yes ? "yes" : "no";
}

static void print_traits(cl_device_id device)
{
    const cl_device_fp_config config = large(device, CL_DEVICE_SINGLE_FP_CONFIG);

    printf("      %u compute units, %.1f GiB of memory, buffers up to %.1f GiB, %llu KiB of local memory\n",
           (unsigned)number_of(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)),
           (double)large(device, CL_DEVICE_GLOBAL_MEM_SIZE) / (1 << 30),
           (double)large(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE) / (1 << 30),
           (unsigned long long)large(device, CL_DEVICE_LOCAL_MEM_SIZE) / 1024);
    printf("      promises correct division: %s, subnormals: %s, FMA: %s; compiler: %s\n",
           yes_no(config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT), yes_no(config & CL_FP_DENORM),
           yes_no(config & CL_FP_FMA),
           yes_no(number_of(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_uint)) != 0));
}

static void print_reason(cl_device_id device)
{
    const char *text = getenv("CLQ_DEVICE");

    if (text && *text)
        printf("      the default: CLQ_DEVICE is '%s'\n", text);
    else if (large(device, CL_DEVICE_TYPE) & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR))
        printf("      the default: the first GPU or accelerator that runs the kernels\n");
    else
        printf("      the default: there is no such GPU or accelerator, and this is the first CPU\n");
}

static void print_device(struct listing *listing, cl_device_id device)
{
    printf("  %2u  %s: ", listing->number++, type_of(device));
    print_device_text(device, CL_DEVICE_NAME, "");
    print_device_text(device, CL_DEVICE_VERSION, "\n      ");
    print_device_text(device, CL_DRIVER_VERSION, ", driver ");
    print_device_text(device, CL_DEVICE_OPENCL_C_VERSION, ", ");
    printf("\n");
    print_traits(device);
    if (device == listing->chosen)
        print_reason(device);
}

static int print_platform(struct listing *listing, cl_platform_id platform)
{
    cl_device_id *devices = NULL;
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);

    print_platform_text(platform, CL_PLATFORM_NAME, "");
    print_platform_text(platform, CL_PLATFORM_VERSION, ": ");
    printf("\n");
    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
        printf("      no device\n");
        return STATUS_DONE;
    }
    if (code == CL_SUCCESS) {
        devices = calloc(count, sizeof(cl_device_id));
        code = devices ? clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL)
                       : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++)
        print_device(listing, devices[i]);
    free(devices);
    if (code == CL_SUCCESS)
        return STATUS_DONE;
    complain("clGetDeviceIDs failed: %s", clq_status_name(code));
    return STATUS_SYSTEM;
}

static int print_platforms(struct listing *listing)
{
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &count);
    int status = STATUS_DONE;

    if (code == NO_PLATFORM || (code == CL_SUCCESS && count == 0))
        return STATUS_DONE; /* nothing to list, as the search for a default has found */
    if (code == CL_SUCCESS) {
        platforms = calloc(count, sizeof(cl_platform_id));
        code = platforms ? clGetPlatformIDs(count, platforms, NULL) : CL_OUT_OF_HOST_MEMORY;
    }
    if (code != CL_SUCCESS) {
        complain("clGetPlatformIDs failed: %s", clq_status_name(code));
        status = STATUS_SYSTEM;
    }
    for (cl_uint i = 0; status == STATUS_DONE && i < count; i++)
        status = print_platform(listing, platforms[i]);
    free(platforms);
    return status;
}

int devices_main(int argc, char **argv)
{
    struct listing listing = {0};
    cl_platform_id platform = NULL;
    clq_status found = CLQ_OK;
    int status = STATUS_DONE;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("clquant devices\n\nLists every OpenCL platform and device. --device and CLQ_DEVICE take, in "
               "upper\n"
               "or lower case:\n  CPU, GPU, accelerator  the first of this kind that runs the kernels\n"
               "  N                      a device's number in this list\n"
               "  TEXT                   a part of its name or of its platform's\n");
        return STATUS_DONE;
    }
    if (argc > 1) {
        complain("devices: '%.100s': no argument is expected", argv[1]);
        return STATUS_USAGE;
    }
    found = clq_device_find(NULL, 1, &platform, &listing.chosen);
    status = print_platforms(&listing);
    if (status != STATUS_DONE || found == CLQ_OK)
        return status;
    complain("%s", clq_error_detail());
    return STATUS_SYSTEM;
}
