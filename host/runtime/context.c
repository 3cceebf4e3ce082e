/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and destroying contexts. */
#include "runtime/context.h"

#include "base/error.h"
#include "runtime/binary.h"
#include "runtime/disk.h"
#include "runtime/program.h"
#include "runtime/recording.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_CACHE_BYTES ((size_t)256 << 20)

static clq_status open_log(clq_context *context, const struct clq_context_desc *desc)
{
    clq_status status = CLQ_OK;
    const char *where = desc->flags & CLQ_NO_ENVIRONMENT ? NULL : getenv("CLQ_LOG");

    context->log = desc->log;
    context->log_user = desc->log_user;
    context->log_stderr = where != NULL && strcmp(where, "stderr") == 0;
    CLQ_REQUIRE(where == NULL || *where == '\0' || context->log_stderr, CLQ_ERROR_VALUE,
                "CLQ_LOG is \"%s\": it must be stderr, or unset", where);
end:
    return status;
}

static clq_status check(const struct clq_context_desc *desc)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE((desc->flags & ~(uint32_t)(CLQ_CACHE_OFF | CLQ_NO_ENVIRONMENT)) == 0, CLQ_ERROR_VALUE,
                "flags is 0x%x: it must be made of CLQ_CACHE_OFF (1) and CLQ_NO_ENVIRONMENT (2)",
                desc->flags);
    CLQ_REQUIRE(desc->form <= CLQ_FORM_GROUP, CLQ_ERROR_VALUE, "form is %u: it must be one of enum clq_form",
                desc->form);
    CLQ_REQUIRE(desc->arithmetic <= CLQ_ARITHMETIC_EXACT, CLQ_ERROR_VALUE,
                "arithmetic is %u: it must be one of enum clq_arithmetic", desc->arithmetic);
    CLQ_REQUIRE((desc->cache_get == NULL) == (desc->cache_put == NULL), CLQ_ERROR_NULL,
                "%s is NULL: cache_get and cache_put must be given together",
                desc->cache_get == NULL ? "cache_get" : "cache_put");
    CLQ_REQUIRE(desc->reserved32 == 0, CLQ_ERROR_VALUE, "reserved32 is %u: it must be 0", desc->reserved32);
    for (size_t i = 0; i < CLQ_COUNT(desc->reserved); i++)
        CLQ_REQUIRE(desc->reserved[i] == 0, CLQ_ERROR_VALUE,
                    "reserved[%zu] is not 0: this library knows no such field", i);
end:
    return status;
}

/* The device to use of the caller's context. */
static clq_status device_of(cl_context cl, cl_device_id wished, cl_device_id *device)
{
    clq_status status = CLQ_OK;
    cl_device_id *devices = NULL;
    size_t size = 0, count, i = 0;

    CLQ_TRY_CL(clGetContextInfo(cl, CL_CONTEXT_DEVICES, 0, NULL, &size));
    devices = malloc(size + 1);
    CLQ_REQUIRE(devices != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for the context's devices failed",
                size);
    CLQ_TRY_CL(clGetContextInfo(cl, CL_CONTEXT_DEVICES, size, devices, NULL));
    count = size / sizeof *devices;
    CLQ_REQUIRE(wished != NULL || count == 1, CLQ_ERROR_NULL,
                "device is NULL: it must be given where the context has %zu devices", count);
    while (wished != NULL && i < count && devices[i] != wished)
        i++;
    CLQ_REQUIRE(i < count, CLQ_ERROR_VALUE, "device is %p: it must be one of the context's", (void *)wished);
    *device = devices[i];
end:
    free(devices);
    return status;
}

static clq_status open_device(clq_context *context, const struct clq_context_desc *desc, cl_device_id *device)
{
    clq_status status = CLQ_OK;
    cl_platform_id platform = NULL;
    struct clq__device traits;

    *device = desc->device;
    if (desc->context != NULL) {
        CLQ_TRY(device_of(desc->context, desc->device, device));
        CLQ_TRY_CL(clRetainContext(desc->context));
        context->cl = desc->context;
    } else {
        if (desc->device == NULL)
            CLQ_TRY(
                clq_device_find(desc->device_text, !(desc->flags & CLQ_NO_ENVIRONMENT), &platform, device));
        context->cl = clCreateContext(NULL, 1, device, NULL, NULL, &status);
        CLQ_REQUIRE(context->cl != NULL, status, "clCreateContext failed with %s (%d)",
                    clq_status_name(status), (int)status);
        status = CLQ_OK;
    }
    CLQ_TRY(clq__device_init(&traits, *device, desc->form, desc->arithmetic));
    CLQ_TRY_CL(clRetainDevice(*device)); /* not before: OpenCL 1.1 does not have it */
    context->device = traits;
end:
    return status;
}

static void set_device_plugs(clq_context *context)
{
    const struct clq__device *device = &context->device;

    for (unsigned group = 0; group < 2; group++) {
        struct clq__variant *plugs = &context->device_plugs[group];

        clq__variant_begin(plugs, CLQ__NO_KERNEL);
        clq__variant_define(plugs, CLQ__FORM, group);
        clq__variant_define(plugs, CLQ__ARITHMETIC,
                            device->native_arithmetic ? CLQ__NATIVE
                            : device->fma             ? CLQ__FUSED
                                                      : CLQ__EXACT);
    }
}

static int disk_get(void *user, const char *key, void **data, size_t *size_bytes)
{
    const clq_context *context = user;

    return clq__disk_get(context->cache_dir, key, data, size_bytes);
}

static int disk_put(void *user, const char *key, const void *data, size_t size_bytes)
{
    const clq_context *context = user;
    const int result = clq__disk_put(context->cache_dir, key, data, size_bytes);

    clq__disk_trim(context->cache_dir, context->cache_limit_bytes);
    return result;
}

/* A cache that cannot be used is logged, and the context works without it. */
static void open_cache(clq_context *context, const struct clq_context_desc *desc)
{
    const char *reason = NULL;
    char *directory = NULL;

    context->cache_limit_bytes = desc->cache_limit_bytes ? desc->cache_limit_bytes : DEFAULT_CACHE_BYTES;
    if (desc->flags & CLQ_CACHE_OFF)
        return;
    if (desc->cache_get != NULL) {
        context->cache_get = desc->cache_get;
        context->cache_put = desc->cache_put;
        context->cache_user = desc->cache_user;
        return;
    }
    directory = clq__disk_directory(desc->cache_dir, !(desc->flags & CLQ_NO_ENVIRONMENT));
    if (directory == NULL || !clq__disk_prepare(directory, &reason)) {
        clq__log(context, "no disk cache%s%s%s%s", directory ? " in " : "", directory ? directory : "",
                 reason ? ": " : "", reason ? reason : "");
        free(directory);
        return;
    }
    context->cache_dir = directory;
    context->cache_get = disk_get;
    context->cache_put = disk_put;
    context->cache_user = context;
}

static clq_status init_locks(clq_context *context)
{
    clq_status status = CLQ_OK;

    /* on Linux these cannot fail with default attributes, and a zeroed mutex may be destroyed */
    CLQ_REQUIRE(pthread_mutex_init(&context->building, NULL) == 0 &&
                    pthread_mutex_init(&context->lock, NULL) == 0,
                CLQ_ERROR_SYSTEM, "pthread_mutex_init failed");
end:
    return status;
}

clq_status clq_context_create(const struct clq_context_desc *desc, clq_context **out)
{
    clq_status status = CLQ_OK;
    static const struct clq_context_desc defaults;
    clq_context *context = NULL;
    cl_device_id device = NULL;

    CLQ_REQUIRE(out != NULL, CLQ_ERROR_NULL, "context is NULL: it must point to a clq_context *");
    *out = NULL;
    if (desc == NULL)
        desc = &defaults;
    CLQ_TRY(check(desc));
    CLQ_TRY_NEW(context);
    CLQ_TRY(init_locks(context));
    CLQ_TRY(open_log(context, desc));
    context->build_options = strdup(desc->build_options ? desc->build_options : "");
    CLQ_REQUIRE(context->build_options != NULL, CLQ_ERROR_MEMORY, "malloc for the build options failed");
    CLQ_TRY(open_device(context, desc, &device));
    if (!(desc->flags & CLQ_NO_ENVIRONMENT))
        CLQ_TRY(clq__recording_open(context));
    set_device_plugs(context);
    clq__log(context, "device %s, driver %s", context->device.name, context->device.driver);
    atomic_init(&context->group_items, context->device.max_group_items);
    open_cache(context, desc);
    *out = context;
    context = NULL;
end:
    clq_context_destroy(context);
    return status;
}

void clq_context_destroy(clq_context *context)
{
    if (context == NULL)
        return;
    clq__programs_clear(context);
    clq__binaries_clear(context);
    clq__recording_close(context);
    if (context->device.id != NULL)
        clReleaseDevice(context->device.id);
    if (context->cl != NULL)
        clReleaseContext(context->cl);
    pthread_mutex_destroy(&context->lock);
    pthread_mutex_destroy(&context->building);
    free(context->build_log);
    free(context->cache_dir);
    free(context->build_options);
    free(context);
}

cl_context clq_context_cl(const clq_context *context)
{
    return context != NULL ? context->cl : NULL;
}

cl_device_id clq_context_device(const clq_context *context)
{
    return context != NULL ? context->device.id : NULL;
}

const char *clq_context_cache_dir(const clq_context *context)
{
    return context != NULL && context->cache_dir ? context->cache_dir : "";
}

clq_status clq_cache_directory(char *text, size_t size_bytes)
{
    clq_status status = CLQ_OK;
    char *directory = NULL;

    CLQ_REQUIRE(text != NULL, CLQ_ERROR_NULL, "text is NULL: it must have room for a path");
    if (size_bytes > 0)
        *text = '\0';
    directory = clq__disk_directory(NULL, true);
    CLQ_REQUIRE(directory != NULL, CLQ_ERROR_SYSTEM,
                "none of CLQ_CACHE_DIR, XDG_CACHE_HOME and HOME names a cache directory");
    CLQ_REQUIRE(strlen(directory) < size_bytes, CLQ_ERROR_SIZE,
                "size_bytes is %zu: it must be at least %zu for the path and its NUL", size_bytes,
                strlen(directory) + 1);
    strcpy(text, directory);
end:
    free(directory);
    return status;
}

void clq_context_count(clq_context *context, size_t *built, size_t *from_cache)
{
    size_t num_built = 0, num_from_cache = 0;

    if (context != NULL) {
        pthread_mutex_lock(&context->lock);
        num_built = context->num_programs;
        num_from_cache = context->num_from_cache;
        pthread_mutex_unlock(&context->lock);
    }
    if (built != NULL)
        *built = num_built;
    if (from_cache != NULL)
        *from_cache = num_from_cache;
}

void clq_context_build_log(clq_context *context, char *text, size_t size_bytes)
{
    struct clq__text out;

    if (text == NULL || size_bytes == 0)
        return;
    out = clq__text(text, size_bytes);
    if (context == NULL)
        return;
    pthread_mutex_lock(&context->lock);
    clq__text_add(&out, context->build_log ? context->build_log : "");
    pthread_mutex_unlock(&context->lock);
}
