/* SPDX-License-Identifier: Apache-2.0 */
/* Names and sentences of statuses: the library's own, and OpenCL's by number. This file makes no OpenCL call
 * and needs none of its headers: the numbers are fixed by the standard. */
#include <clquant/status.h>
#include <clquant/version.h>
#include <stddef.h>

struct entry {
    clq_status code;
    const char *name;
    const char *text;
};

static const struct entry entries[] = {
#define OWN(name, code, sentence) {code, #name, sentence},
    CLQ_STATUS_LIST(OWN)
#undef OWN
        {-1, "CL_DEVICE_NOT_FOUND", "OpenCL found no device"},
    {-2, "CL_DEVICE_NOT_AVAILABLE", "the OpenCL device is not available"},
    {-3, "CL_COMPILER_NOT_AVAILABLE", "the OpenCL device has no compiler"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "OpenCL could not allocate a buffer"},
    {-5, "CL_OUT_OF_RESOURCES", "the OpenCL device is out of resources"},
    {-6, "CL_OUT_OF_HOST_MEMORY", "OpenCL is out of host memory"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", "the queue does not profile"},
    {-8, "CL_MEM_COPY_OVERLAP", "the copied regions overlap"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH", "the image formats differ"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED", "the image format is not supported"},
    {-11, "CL_BUILD_PROGRAM_FAILURE", "OpenCL could not build a program"},
    {-12, "CL_MAP_FAILURE", "OpenCL could not map a buffer"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET", "a sub-buffer's offset is misaligned"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an awaited event failed"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", "OpenCL could not compile a program"},
    {-16, "CL_LINKER_NOT_AVAILABLE", "OpenCL has no linker"},
    {-17, "CL_LINK_PROGRAM_FAILURE", "OpenCL could not link a program"},
    {-18, "CL_DEVICE_PARTITION_FAILED", "the device could not be partitioned"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE", "the kernel has no argument info"},
    {-30, "CL_INVALID_VALUE", "OpenCL refused a value"},
    {-31, "CL_INVALID_DEVICE_TYPE", "OpenCL refused a device type"},
    {-32, "CL_INVALID_PLATFORM", "OpenCL refused a platform"},
    {-33, "CL_INVALID_DEVICE", "OpenCL refused a device"},
    {-34, "CL_INVALID_CONTEXT", "OpenCL refused a context"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", "OpenCL refused the queue's properties"},
    {-36, "CL_INVALID_COMMAND_QUEUE", "OpenCL refused a queue"},
    {-37, "CL_INVALID_HOST_PTR", "OpenCL refused a host pointer"},
    {-38, "CL_INVALID_MEM_OBJECT", "OpenCL refused a buffer"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR", "OpenCL refused an image format"},
    {-40, "CL_INVALID_IMAGE_SIZE", "OpenCL refused an image size"},
    {-41, "CL_INVALID_SAMPLER", "OpenCL refused a sampler"},
    {-42, "CL_INVALID_BINARY", "OpenCL refused a program binary"},
    {-43, "CL_INVALID_BUILD_OPTIONS", "OpenCL refused the build options"},
    {-44, "CL_INVALID_PROGRAM", "OpenCL refused a program"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", "the program has no executable for the device"},
    {-46, "CL_INVALID_KERNEL_NAME", "the program has no kernel of that name"},
    {-47, "CL_INVALID_KERNEL_DEFINITION", "the kernel differs between devices"},
    {-48, "CL_INVALID_KERNEL", "OpenCL refused a kernel"},
    {-49, "CL_INVALID_ARG_INDEX", "OpenCL refused an argument's index"},
    {-50, "CL_INVALID_ARG_VALUE", "OpenCL refused an argument's value"},
    {-51, "CL_INVALID_ARG_SIZE", "OpenCL refused an argument's size"},
    {-52, "CL_INVALID_KERNEL_ARGS", "a kernel argument is missing"},
    {-53, "CL_INVALID_WORK_DIMENSION", "OpenCL refused the work dimension"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", "OpenCL refused the work-group size"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", "OpenCL refused the work-item size"},
    {-56, "CL_INVALID_GLOBAL_OFFSET", "OpenCL refused the global offset"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST", "OpenCL refused the wait list"},
    {-58, "CL_INVALID_EVENT", "OpenCL refused an event"},
    {-59, "CL_INVALID_OPERATION", "OpenCL refused the operation"},
    {-60, "CL_INVALID_GL_OBJECT", "OpenCL refused a GL object"},
    {-61, "CL_INVALID_BUFFER_SIZE", "OpenCL refused a buffer's size"},
    {-62, "CL_INVALID_MIP_LEVEL", "OpenCL refused a mip level"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", "OpenCL refused the global work size"},
    {-64, "CL_INVALID_PROPERTY", "OpenCL refused a property"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR", "OpenCL refused an image descriptor"},
    {-66, "CL_INVALID_COMPILER_OPTIONS", "OpenCL refused the compiler's options"},
    {-67, "CL_INVALID_LINKER_OPTIONS", "OpenCL refused the linker's options"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT", "OpenCL refused the partition count"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL driver is installed"},
};

static const struct entry *find(clq_status status)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (entries[i].code == status)
            return &entries[i];
    return NULL;
}

const char *clq_status_name(clq_status status)
{
    const struct entry *entry = find(status);

    return entry ? entry->name : "unknown status";
}

const char *clq_status_text(clq_status status)
{
    const struct entry *entry = find(status);

    return entry ? entry->text : "unknown status";
}

const char *clq_version(void)
{
    return CLQ_VERSION;
}

uint32_t clq_version_number(void)
{
    return CLQ_VERSION_NUMBER;
}
