/* SPDX-License-Identifier: Apache-2.0 */
/* clquant devices: what OpenCL finds on this machine, and what each device promises. */
#include "commands.h"
#include "failure.h"

#include <cjson/cJSON.h>
#include <clquant/context.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The loader's answer where there is no driver (CL_PLATFORM_NOT_FOUND_KHR). */
enum { NO_PLATFORM = -1001 };

struct listing {
    cl_device_id chosen; /* NULL: none */
    unsigned number;     /* counted over all platforms */
    cJSON *platforms;
};

enum { TEXT_BYTES = 512 };

static const char *platform_text(cl_platform_id platform, cl_platform_info what, char text[TEXT_BYTES])
{
    strcpy(text, "?");
    clGetPlatformInfo(platform, what, TEXT_BYTES, text, NULL);
    return text;
}

static const char *device_text(cl_device_id device, cl_device_info what, char text[TEXT_BYTES])
{
    strcpy(text, "?");
    clGetDeviceInfo(device, what, TEXT_BYTES, text, NULL);
    return text;
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

/* The version of cl_khr_command_buffer, by which clq_plan_record chooses the form of its functions; "no"
 * where the device does not have it, and "yes" where the driver says no version. */
static const char *command_buffers(cl_device_id device, char text[TEXT_BYTES])
{
    static const char name[] = "cl_khr_command_buffer";
    enum { EXTENSIONS_WITH_VERSION = 0x1060 }; /* of OpenCL 3.0 */
    static struct {
        cl_uint version;
        char name[64];
    } all[512];
    static char names[1 << 16];
    size_t size_bytes = 0;

    strcpy(text, clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL) == CL_SUCCESS &&
                         strstr(names, name) != NULL
                     ? "yes"
                     : "no");
    if (clGetDeviceInfo(device, EXTENSIONS_WITH_VERSION, sizeof all, all, &size_bytes) == CL_SUCCESS)
        for (size_t i = 0; i < size_bytes / sizeof all[0]; i++)
            if (strcmp(all[i].name, name) == 0)
                snprintf(text, TEXT_BYTES, "%u.%u.%u", all[i].version >> 22, all[i].version >> 12 & 0x3ff,
                         all[i].version & 0xfff);
    return text;
}

static bool add_texts(cJSON *to, cl_device_id device)
{
    static const struct {
        const char *name;
        cl_device_info what;
    } texts[] = {{"name", CL_DEVICE_NAME},
                 {"vendor", CL_DEVICE_VENDOR},
                 {"version", CL_DEVICE_VERSION},
                 {"driver", CL_DRIVER_VERSION},
                 {"opencl_c", CL_DEVICE_OPENCL_C_VERSION}};
    char text[TEXT_BYTES];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!cJSON_AddStringToObject(to, texts[i].name, device_text(device, texts[i].what, text)))
            return false;
    return cJSON_AddStringToObject(to, "command_buffers", command_buffers(device, text)) != NULL;
}

static bool add_numbers(cJSON *to, cl_device_id device)
{
    static const struct {
        const char *name;
        cl_device_info what;
        size_t size_bytes;
    } numbers[] = {{"compute_units", CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)},
                   {"memory_bytes", CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong)},
                   {"largest_buffer_bytes", CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)},
                   {"local_memory_bytes", CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong)}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!cJSON_AddNumberToObject(to, numbers[i].name,
                                     (double)number_of(device, numbers[i].what, numbers[i].size_bytes)))
            return false;
    return true;
}

static bool add_device(const struct listing *listing, cJSON *devices, cl_device_id device)
{
    const cl_device_fp_config config = large(device, CL_DEVICE_SINGLE_FP_CONFIG);
    cJSON *to = cJSON_CreateObject();

    return cJSON_AddItemToArray(devices, to) && cJSON_AddNumberToObject(to, "number", listing->number) &&
           cJSON_AddStringToObject(to, "type", type_of(device)) && add_texts(to, device) &&
           add_numbers(to, device) &&
           cJSON_AddBoolToObject(to, "correct_division", config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) &&
           cJSON_AddBoolToObject(to, "subnormals", (config & CL_FP_DENORM) != 0) &&
           cJSON_AddBoolToObject(to, "fma", (config & CL_FP_FMA) != 0) &&
           cJSON_AddBoolToObject(to, "compiler",
                                 number_of(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_uint)) != 0) &&
           cJSON_AddBoolToObject(to, "default", device == listing->chosen);
}

static cl_int add_devices(struct listing *listing, cl_platform_id platform, cJSON *to)
{
    cl_device_id *devices = NULL;
    cl_uint count = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);

    if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0))
        return CL_SUCCESS;
    if (code == CL_SUCCESS) {
        devices = calloc(count, sizeof(cl_device_id));
        code = devices ? clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL)
                       : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++, listing->number++)
        if (!add_device(listing, to, devices[i]))
            code = CL_OUT_OF_HOST_MEMORY;
    free(devices);
    return code;
}

static cl_int add_platform(struct listing *listing, cl_platform_id platform)
{
    cJSON *to = cJSON_CreateObject(), *devices = NULL;
    char text[TEXT_BYTES];

    if (cJSON_AddItemToArray(listing->platforms, to) &&
        cJSON_AddStringToObject(to, "name", platform_text(platform, CL_PLATFORM_NAME, text)) &&
        cJSON_AddStringToObject(to, "version", platform_text(platform, CL_PLATFORM_VERSION, text)))
        devices = cJSON_AddArrayToObject(to, "devices");
    return devices ? add_devices(listing, platform, devices) : CL_OUT_OF_HOST_MEMORY;
}

/* What is there, up to the first failure. */
static int add_platforms(struct listing *listing)
{
    const char *call = "clGetPlatformIDs";
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &count);

    if (code == NO_PLATFORM || (code == CL_SUCCESS && count == 0))
        return STATUS_DONE; /* nothing to list, as the search for a default has found */
    if (code == CL_SUCCESS) {
        platforms = calloc(count, sizeof(cl_platform_id));
        code = platforms ? clGetPlatformIDs(count, platforms, NULL) : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; code == CL_SUCCESS && i < count; i++) {
        call = "clGetDeviceIDs";
        code = add_platform(listing, platforms[i]);
    }
    free(platforms);
    if (code == CL_SUCCESS)
        return STATUS_DONE;
    complain("%s failed: %s", call, clq_status_name(code));
    return STATUS_SYSTEM;
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static double figure_of(const cJSON *object, const char *name)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static const char *yes_no(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name)) ? "yes" : "no";
}

static void print_reason(const char *type)
{
    const char *text = getenv("CLQ_DEVICE");

    if (text && *text)
        printf("      the default: CLQ_DEVICE is '%s'\n", text);
    else if (strcmp(type, "GPU") == 0 || strcmp(type, "accelerator") == 0)
        printf("      the default: the first GPU or accelerator that runs the kernels\n");
    else
        printf("      the default: there is no such GPU or accelerator, and this is the first CPU\n");
}

static void print_device(const cJSON *device)
{
    printf("  %2.0f  %s: %s\n", figure_of(device, "number"), text_of(device, "type"),
           text_of(device, "name"));
    printf("      %s, driver %s, %s\n", text_of(device, "version"), text_of(device, "driver"),
           text_of(device, "opencl_c"));
    printf("      %.0f compute units, %.1f GiB of memory, buffers up to %.1f GiB, %.0f KiB of local memory\n",
           figure_of(device, "compute_units"), figure_of(device, "memory_bytes") / (1 << 30),
           figure_of(device, "largest_buffer_bytes") / (1 << 30),
           floor(figure_of(device, "local_memory_bytes") / 1024));
    printf(
        "      promises correct division: %s, subnormals: %s, FMA: %s; compiler: %s; command buffers: %s\n",
        yes_no(device, "correct_division"), yes_no(device, "subnormals"), yes_no(device, "fma"),
        yes_no(device, "compiler"), text_of(device, "command_buffers"));
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(device, "default")))
        print_reason(text_of(device, "type"));
}

static void print_text(const cJSON *platforms)
{
    const cJSON *platform = NULL, *device = NULL;

    cJSON_ArrayForEach(platform, platforms)
    {
        const cJSON *devices = cJSON_GetObjectItemCaseSensitive(platform, "devices");

        printf("%s: %s\n", text_of(platform, "name"), text_of(platform, "version"));
        if (cJSON_GetArraySize(devices) == 0)
            printf("      no device\n");
        cJSON_ArrayForEach(device, devices) print_device(device);
    }
}

/* Half a list is no JSON; as text it is still worth reading. */
static int print_all(struct listing *listing, bool json)
{
    cJSON *root = cJSON_CreateObject();
    char *text = NULL;
    int status = STATUS_SYSTEM;

    listing->platforms = cJSON_AddArrayToObject(root, "platforms");
    if (listing->platforms != NULL)
        status = add_platforms(listing);
    if (!json)
        print_text(listing->platforms);
    else if (status == STATUS_DONE && (text = cJSON_Print(root)) != NULL)
        printf("%s\n", text);
    else
        status = STATUS_SYSTEM;
    cJSON_free(text);
    cJSON_Delete(root);
    return status;
}

int devices_main(int argc, char **argv)
{
    const bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
    struct listing listing = {0};
    cl_platform_id platform = NULL;
    clq_status found = CLQ_OK;
    int status = STATUS_DONE;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("clquant devices [--json]\n\nLists every OpenCL platform and device; as JSON with --json. "
               "--device\n"
               "and CLQ_DEVICE take, in upper or lower case:\n"
               "  CPU, GPU, accelerator  the first of this kind that runs the kernels\n"
               "  N                      a device's number in this list\n"
               "  TEXT                   a part of its name or of its platform's\n");
        return STATUS_DONE;
    }
    if (argc > 1 && !json) {
        complain("devices: '%.100s': no argument is expected, or --json", argv[1]);
        return STATUS_USAGE;
    }
    found = clq_device_find(NULL, 1, &platform, &listing.chosen);
    status = print_all(&listing, json);
    if (status != STATUS_DONE || found == CLQ_OK)
        return status;
    complain("%s", clq_error_detail());
    return STATUS_SYSTEM;
}
