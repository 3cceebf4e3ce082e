/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a device by number, by kind, by name, or by default. */
#include "base/error.h"
#include "base/text.h"
#include "runtime/device.h"
#include "runtime/no_driver.h"

#include <clquant/context.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* PoCL gives no reason itself; mostly it is the first of these. */
static const char give_a_folder[] =
    "PoCL is installed and offers no device: it needs a folder to write to, $HOME/.cache or what "
    "XDG_CACHE_HOME or "
    "POCL_CACHE_DIR names, and a device's name in POCL_DEVICES, if that is set";

static const struct kind {
    cl_device_type type;
    const char *name;
} kinds[] = {
    {CL_DEVICE_TYPE_GPU, "GPU"}, {CL_DEVICE_TYPE_ACCELERATOR, "accelerator"}, {CL_DEVICE_TYPE_CPU, "CPU"}};

struct search {
    const char *text;    /* NULL: the default */
    long number;         /* -1: text is a kind or a name */
    cl_device_type kind; /* 0: text is no kind */
    cl_uint platforms;
    long seen;
    int best; /* how well the device found so far fits (fit_of) */
    cl_platform_id platform;
    cl_device_id device;
    clq_status failure;     /* of the last platform that could not be asked */
    char mute[128];         /* the last platform without a device; "": there is none */
    bool pocl_is_mute;      /* PoCL is one */
    struct clq__text *list; /* the devices */
};

static bool contains(const char *text, const char *part)
{
    const size_t length = strlen(part);

    for (; *text != '\0'; text++) {
        size_t i = 0;

        while (i < length && text[i] != '\0' &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static cl_device_type kind_of(const char *text)
{
    for (size_t i = 0; text != NULL && i < CLQ_COUNT(kinds); i++)
        if (strlen(text) == strlen(kinds[i].name) && contains(text, kinds[i].name))
            return kinds[i].type;
    return 0;
}

static const char *name_of_kind(cl_device_type type)
{
    for (size_t i = 0; i < CLQ_COUNT(kinds); i++)
        if (type & kinds[i].type)
            return kinds[i].name;
    return "custom";
}

/* A name that does not fit the buffer cannot be matched; its devices can still be chosen by number. */
static void name_of(cl_platform_id platform, char name[256])
{
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 256, name, NULL) != CL_SUCCESS)
        name[0] = '\0';
}

/* -1: not at all. By default GPUs and accelerators come before CPUs, and these before whatever else there is,
 * or runs no kernel of ours; of a kind, the first. A device with a compiler comes
 * before all that have none. */
static int fit_of(const struct search *search, cl_device_type type, bool runs, bool compiles)
{
    const bool wide = (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) != 0;

    if (search->kind != 0)
        return !runs || !(type & search->kind) ? -1 : compiles;
    if (!runs || !(type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CPU)))
        return 0;
    return 2 * compiles + wide + 1;
}

static void consider(struct search *search, cl_platform_id platform, cl_device_id device)
{
    char platform_name[256] = "", name[256] = "";
    cl_device_type type = 0;
    bool runs, compiles;
    int fit = -1;

    if (clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
        type = 0; /* it fits least of all, and can still be named */
    runs = clq__device_runs(device);
    compiles = clq__device_compiles(device);
    name_of(platform, platform_name);
    if (clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL) != CL_SUCCESS)
        name[0] = '\0';
    if (search->number >= 0)
        fit = search->seen == search->number ? 0 : -1;
    else if (search->kind == 0 && search->text != NULL)
        fit = contains(name, search->text) || contains(platform_name, search->text) ? 0 : -1;
    else
        fit = fit_of(search, type, runs, compiles);
    if (fit > search->best) {
        search->best = fit;
        search->platform = platform;
        search->device = device;
    }
    clq__text_format(search->list, "%s%ld \"%.40s\" (%s%s)", search->seen > 0 ? ", " : "", search->seen, name,
                     name_of_kind(type),
                     !runs       ? ", does not run the kernels"
                     : !compiles ? ", has no compiler"
                                 : "");
    search->seen++;
}

static clq_status consider_platform(struct search *search, cl_platform_id platform)
{
    clq_status status = CLQ_OK;
    cl_device_id *devices = NULL;
    cl_uint count = 0;
    char name[256];
    const cl_int found = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count);

    if (found == CL_DEVICE_NOT_FOUND || (found == CL_SUCCESS && count == 0)) {
        name_of(platform, name);
        search->pocl_is_mute |= strcmp(name, CLQ__POCL) == 0;
        snprintf(search->mute, sizeof search->mute, "%.127s", name);
        goto end;
    }
    CLQ_REQUIRE(found == CL_SUCCESS, found, "clGetDeviceIDs failed with %s (%d)", clq_status_name(found),
                found);
    devices = calloc(count, sizeof *devices);
    CLQ_REQUIRE(devices != NULL, CLQ_ERROR_MEMORY, "malloc for %u devices failed", count);
    CLQ_TRY_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices, NULL));
    for (cl_uint i = 0; i < count; i++)
        consider(search, platform, devices[i]);
end:
    free(devices);
    return status;
}

/* A platform that fails is left out: the others may have what is looked for. */
static clq_status consider_all(struct search *search)
{
    clq_status status = CLQ_OK;
    cl_platform_id *platforms = NULL;
    cl_uint count = 0;
    const cl_int found = clGetPlatformIDs(0, NULL, &count);

    if (found == -1001 || (found == CL_SUCCESS && count == 0)) /* the loader's code for no driver at all */
        goto end;
    CLQ_REQUIRE(found == CL_SUCCESS, found, "clGetPlatformIDs failed with %s (%d)", clq_status_name(found),
                found);
    platforms = calloc(count, sizeof *platforms);
    CLQ_REQUIRE(platforms != NULL, CLQ_ERROR_MEMORY, "malloc for %u platforms failed", count);
    CLQ_TRY_CL(clGetPlatformIDs(count, platforms, NULL));
    search->platforms = count;
    for (cl_uint i = 0; i < count; i++) {
        const clq_status failed = consider_platform(search, platforms[i]);

        if (failed != CLQ_OK)
            search->failure = failed;
    }
end:
    free(platforms);
    return status;
}

/* Why nothing was found. argument is where the text is from. */
static clq_status refuse(const struct search *search, const char *argument, bool environment)
{
    const char *list = search->list->data;

    if (search->seen == 0 && search->pocl_is_mute)
        return clq_error_set(CLQ_ERROR_DEVICE, "%s", give_a_folder);
    if (search->seen == 0 && search->platforms > 0)
        return clq_error_set(CLQ_ERROR_DEVICE, "OpenCL platform \"%s\" offers no device. " CLQ__GET_POCL,
                             search->mute);
    if (search->seen == 0)
        return clq__no_driver(environment);
    if (search->kind != 0)
        return clq_error_set(CLQ_ERROR_DEVICE,
                             "%s is \"%.100s\": there is no %s that runs the kernels among %s", argument,
                             search->text, name_of_kind(search->kind), list);
    return clq_error_set(
        CLQ_ERROR_DEVICE,
        "%s is \"%.100s\": it must be CPU, GPU, accelerator, a part of a device's name, or its number, "
        "at most %ld; there are %s",
        argument, search->text, search->seen - 1, list);
}

clq_status clq_device_find(const char *text, int environment, cl_platform_id *platform, cl_device_id *device)
{
    clq_status status = CLQ_OK;
    char devices[300];
    struct clq__text list = clq__text(devices, sizeof devices);
    struct search search = {.number = -1, .best = -1, .list = &list};
    const char *argument = "device";
    char *rest = NULL;

    CLQ_REQUIRE(platform != NULL && device != NULL, CLQ_ERROR_NULL, "%s is NULL: it must be a pointer",
                platform == NULL ? "platform" : "device");
    *platform = NULL;
    *device = NULL;
    if ((text == NULL || *text == '\0') && environment) {
        argument = "CLQ_DEVICE";
        text = getenv(argument);
    }
    search.text = text != NULL && *text != '\0' ? text : NULL;
    search.kind = kind_of(search.text);
    if (search.text != NULL && isdigit((unsigned char)*search.text)) {
        search.number = strtol(search.text, &rest, 10);
        if (*rest != '\0')
            search.number = -1; /* a name that begins with a digit */
    }
    CLQ_TRY(consider_all(&search));
    /* the sentence is that of the failure; a number counts devices, and the count cannot be trusted now */
    if (search.failure != CLQ_OK && (search.device == NULL || search.number >= 0))
        CLQ_TRY(search.failure);
    if (search.device == NULL)
        CLQ_TRY(refuse(&search, argument, environment != 0));
    *platform = search.platform;
    *device = search.device;
end:
    return status;
}
