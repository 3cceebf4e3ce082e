/* SPDX-License-Identifier: Apache-2.0 */
/* Reading CLQ_STUB. What it does not understand ends the process:
 * a test with a misspelt device tests something else. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct _cl_device_id devices[STUB_MOST_DEVICES];
static struct _cl_platform_id platform;

static const struct choice {
    const char *word;
    cl_ulong value;
} types[] = {{"cpu", CL_DEVICE_TYPE_CPU},
             {"gpu", CL_DEVICE_TYPE_GPU},
             {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}},
  fps[] = {{"denorm", CL_FP_DENORM},
           {"nearest", CL_FP_ROUND_TO_NEAREST},
           {"zero", CL_FP_ROUND_TO_ZERO},
           {"inf", CL_FP_INF_NAN},
           {"fma", CL_FP_FMA},
           {"divide", CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT}};

static _Noreturn void refuse(const char *name, const char *value)
{
    fprintf(stderr, "stub: CLQ_STUB has %s=%s, which tests/stub/device.h does not know\n", name, value);
    exit(2);
}

static cl_ulong choose(const char *name, char *value, const struct choice *choices, size_t count)
{
    cl_ulong chosen = 0;
    char *rest = NULL;

    for (char *word = strtok_r(value, "+", &rest); word != NULL; word = strtok_r(NULL, "+", &rest)) {
        size_t i = 0;

        while (i < count && strcmp(choices[i].word, word) != 0)
            i++;
        if (i == count)
            refuse(name, word);
        chosen |= choices[i].value;
    }
    return chosen;
}

static cl_ulong number(const char *name, const char *value)
{
    char *rest;
    const cl_ulong parsed = strtoull(value, &rest, 0);

    if (*value == '\0' || *rest != '\0')
        refuse(name, value);
    return parsed;
}

static void add_extensions(struct _cl_device_id *device, char *value)
{
    char *rest = NULL;

    for (char *word = strtok_r(value, "+", &rest); word != NULL; word = strtok_r(NULL, "+", &rest)) {
        struct stub_extension *const added = &device->extensions[device->num_extensions++];
        unsigned major = 1, minor = 0, patch = 0;
        char end;

        if (device->num_extensions > STUB_MOST_EXTENSIONS ||
            (strchr(word, '@') != NULL &&
             sscanf(strchr(word, '@'), "@%u.%u.%u%c", &major, &minor, &patch, &end) != 3))
            refuse("extensions", word);
        added->version = STUB_VERSION(major, minor, patch);
        snprintf(added->name, sizeof added->name, "%.*s", (int)strcspn(word, "@"), word);
    }
}

static bool set_text(struct _cl_device_id *device, const char *name, const char *value)
{
    if (strcmp(name, "platform") == 0)
        snprintf(platform.name, sizeof platform.name, "%s", value);
    else if (strcmp(name, "name") == 0)
        snprintf(device->name, sizeof device->name, "%s", value);
    else if (strcmp(name, "vendor") == 0)
        snprintf(device->vendor, sizeof device->vendor, "%s", value);
    else if (strcmp(name, "driver") == 0)
        snprintf(device->driver, sizeof device->driver, "%s", value);
    else if (strcmp(name, "version") == 0)
        snprintf(device->version, sizeof device->version, "OpenCL %s stub", value);
    else
        return false;
    return true;
}

static void set(struct _cl_device_id *device, const char *name, char *value)
{
    if (set_text(device, name, value))
        return;
    if (strcmp(name, "extensions") == 0)
        add_extensions(device, value);
    else if (strcmp(name, "type") == 0)
        device->type = choose(name, value, types, sizeof types / sizeof types[0]);
    else if (strcmp(name, "fp") == 0)
        device->fp = choose(name, value, fps, sizeof fps / sizeof fps[0]);
    else if (strcmp(name, "alloc") == 0)
        device->alloc = number(name, value);
    else if (strcmp(name, "memory") == 0)
        device->memory = number(name, value);
    else if (strcmp(name, "groups") == 0)
        device->groups = (size_t)number(name, value);
    else if (strcmp(name, "kernels") == 0)
        device->kernels = (size_t)number(name, value);
    else if (strcmp(name, "units") == 0)
        device->units = (cl_uint)number(name, value);
    else if (strcmp(name, "compiler") == 0)
        device->compiler = (cl_bool)number(name, value);
    else if (strcmp(name, "little") == 0)
        device->little = (cl_bool)number(name, value);
    else if (strcmp(name, "unordered") == 0)
        device->unordered = (cl_bool)number(name, value);
    else if (strcmp(name, "seed") == 0)
        platform.seed = number(name, value);
    else if (strcmp(name, "mistakes") == 0)
        platform.mistakes = (cl_bool)number(name, value);
    else if (strcmp(name, "engine") == 0)
        device->engine = (cl_bool)number(name, value);
    else
        refuse(name, value);
}

/* A GPU, for the drivers that tests have are CPUs; it promises what every OpenCL device must. */
static void add_device(char *text)
{
    struct _cl_device_id *const device = &devices[platform.num_devices];
    char *rest = NULL;

    *device = (struct _cl_device_id){
        .object = {platform.object.dispatch, STUB_DEVICE, 1, 0},
        .vendor = "clquant",
        .version = "OpenCL 1.2 stub",
        .driver = "1",
        .type = CL_DEVICE_TYPE_GPU,
        .fp = CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_FMA,
        .alloc = 1 << 28,
        .memory = 1 << 30,
        .groups = 256,
        .units = 4,
        .compiler = CL_TRUE,
        .little = CL_TRUE,
        .unordered = CL_TRUE,
    };
    snprintf(device->name, sizeof device->name, "stub %u", platform.num_devices);
    for (char *item = strtok_r(text, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
        char *const equals = strchr(item, '=');

        if (equals == NULL)
            refuse(item, "");
        *equals = '\0';
        set(device, item, equals + 1);
    }
    platform.num_devices++;
}

cl_platform_id stub_platform(void)
{
    const char *const given = getenv("CLQ_STUB");
    char text[1024] = "", *rest = NULL;

    if (platform.num_devices > 0)
        return &platform;
    platform = (struct _cl_platform_id){
        .object = {stub_dispatch, STUB_PLATFORM, 1, 0}, .name = STUB_NAME, .devices = devices};
    if (given != NULL && (size_t)snprintf(text, sizeof text, "%s", given) >= sizeof text)
        refuse("text", given);
    if (*text == '\0')
        add_device(text);
    for (char *part = strtok_r(text, "|", &rest); part != NULL; part = strtok_r(NULL, "|", &rest)) {
        if (platform.num_devices == STUB_MOST_DEVICES)
            refuse("too many devices", part);
        add_device(part);
    }
    return &platform;
}
