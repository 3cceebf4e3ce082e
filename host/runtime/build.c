/* SPDX-License-Identifier: Apache-2.0 */
/* Building variants. The caller holds context->building. */
#include "runtime/build.h"

#include "base/error.h"
#include "runtime/binary.h"
#include "runtime/disk.h"
#include "runtime/entry.h"
#include "runtime/source.h"

#include <stdlib.h>
#include <string.h>

#define OPTIONS_BYTES 2048

/* CL1.2 is what every driver takes: newer standards are refused by one or the other. */
static clq_status options_of(const clq_context *context, const struct clq__variant *variant, char *options)
{
    clq_status status = CLQ_OK;
    struct clq__text text = clq__text(options, OPTIONS_BYTES);

    clq__text_add(&text, "-cl-std=CL1.2 ");
    if (context->device.native_arithmetic)
        clq__text_add(&text, "-cl-fp32-correctly-rounded-divide-sqrt ");
    if (context->device.large_buffers) /* else its compiler counts places in 32 bits */
        clq__text_add(&text, "-cl-intel-greater-than-4GB-buffer-required ");
    if (context->device.amd)
        clq__text_add(&text, "-D CLQ_IS_AMD=1 ");
    clq__variant_options(variant, &text);
    if (*context->build_options != '\0')
        clq__text_add(&text, " ");
    clq__text_add(&text, context->build_options);
    CLQ_REQUIRE(!text.full, CLQ_ERROR_VALUE,
                "build_options has %zu bytes: with the variant's they must stay below %d",
                strlen(context->build_options), OPTIONS_BYTES);
end:
    return status;
}

/* Everything that the binary depends on, in full: an entry is used only where all of it is the same. */
static clq_status key_of(const clq_context *context, const char *source, size_t source_bytes,
                         const char *options, char **key)
{
    clq_status status = CLQ_OK;
    const struct clq__device *device = &context->device;
    const char *pocl = getenv("POCL_EXTRA_BUILD_FLAGS"); /* which PoCL adds to the options, unseen */
    const size_t room = OPTIONS_BYTES + 2048;
    struct clq__text text;

    *key = malloc(room);
    CLQ_REQUIRE(*key != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for a cache key failed", room);
    text = clq__text(*key, room);
    clq__text_format(&text, "format 1\nsource %016llx %zu\n",
                     (unsigned long long)clq__hash(CLQ__HASH_START, source, source_bytes), source_bytes);
    clq__text_add(&text, options);
    clq__text_format(&text, "\nplatform %s\n%s\n", device->platform_name, device->platform_version);
    clq__text_format(&text, "device %s\n%s\n", device->name, device->version);
    clq__text_format(&text, "driver %s\n", device->driver);
    if (pocl != NULL && *pocl != '\0')
        clq__text_format(&text, "added %016llx\n",
                         (unsigned long long)clq__hash(CLQ__HASH_START, pocl, strlen(pocl)));
end:
    return status;
}

/* A program out of the cache, or NULL: whatever is wrong with an entry means a build from source. */
static cl_program load(clq_context *context, const char *key, const char *options)
{
    char name[CLQ__ENTRY_NAME_BYTES];
    void *entry = NULL;
    size_t entry_bytes = 0, binary_bytes = 0;
    const unsigned char *binary = NULL;
    cl_program program = NULL;
    cl_int code = CL_SUCCESS, binary_status = CL_SUCCESS;

    clq__entry_name(key, name);
    if (context->cache_get(context->cache_user, name, &entry, &entry_bytes) != 0)
        goto end;
    if (!clq__entry_open(key, entry, entry_bytes, &binary, &binary_bytes)) {
        clq__log(context, "cache entry %s is damaged or of another driver: it is built anew", name);
        goto end;
    }
    program = clCreateProgramWithBinary(context->cl, 1, &context->device.id, &binary_bytes, &binary,
                                        &binary_status, &code);
    if (program != NULL)
        code = clBuildProgram(program, 1, &context->device.id, options, NULL, NULL);
    if (program != NULL && code != CL_SUCCESS) {
        clReleaseProgram(program);
        program = NULL;
    }
    if (program == NULL)
        clq__log(context, "cache entry %s was refused by the driver with %s: it is built anew", name,
                 clq_status_name(code));
end:
    free(entry);
    return program;
}

static void keep_log(clq_context *context, cl_program program, const struct clq__variant *variant)
{
    size_t length = 0;
    char *log = NULL;

    if (clGetProgramBuildInfo(program, context->device.id, CL_PROGRAM_BUILD_LOG, 0, NULL, &length) ==
        CL_SUCCESS)
        log = calloc(1, length + 1);
    if (log != NULL && clGetProgramBuildInfo(program, context->device.id, CL_PROGRAM_BUILD_LOG, length, log,
                                             NULL) != CL_SUCCESS)
        log[0] = '\0';
    clq__log(context, "%s: the build failed", clq__variant_text(variant).data);
    for (char *line = log, *next; line != NULL && *line != '\0'; line = next) {
        const size_t end = strcspn(line, "\n");

        next = line + end + (line[end] != '\0');
        clq__log(context, "%.*s", (int)end, line);
    }
    pthread_mutex_lock(&context->lock);
    free(context->build_log);
    context->build_log = log;
    pthread_mutex_unlock(&context->lock);
}

static clq_status compile(clq_context *context, const struct clq__variant *variant, const char *source,
                          size_t source_bytes, const char *options, cl_program *out)
{
    clq_status status = CLQ_OK;
    cl_program program = clCreateProgramWithSource(context->cl, 1, &source, &source_bytes, &status);

    CLQ_REQUIRE(program != NULL, status, "clCreateProgramWithSource failed with %s (%d)",
                clq_status_name(status), (int)status);
    status = clBuildProgram(program, 1, &context->device.id, options, NULL, NULL);
    if (status != CL_SUCCESS)
        keep_log(context, program, variant);
    CLQ_REQUIRE(status == CL_SUCCESS, status == CL_BUILD_PROGRAM_FAILURE ? CLQ_ERROR_BUILD : status,
                "clBuildProgram failed with %s (%d) for %s: clq_context_build_log has the driver's log",
                clq_status_name(status), (int)status, clq__variant_text(variant).data);
    *out = program;
    program = NULL;
end:
    if (program != NULL)
        clReleaseProgram(program);
    return status;
}

/* build->program stays NULL where no added binary has the kernel. */
static clq_status find_added(const clq_context *context, const struct clq__variant *variant,
                             const char *source, size_t source_bytes, struct clq__build *build)
{
    clq_status status = CLQ_OK;
    cl_program program = NULL;

    if (context->num_binaries == 0)
        return CLQ_OK;
    clq__exported_name(variant, source, source_bytes, build->kernel);
    program = clq__binary_find(context, build->kernel);
    if (program != NULL)
        CLQ_TRY_CL(clRetainProgram(program));
    build->program = program;
end:
    return status;
}

/* The device is asked here and not before: what is kept, or was added, runs without a compiler. */
static clq_status require_compiler(const clq_context *context, const struct clq__variant *variant,
                                   const char *options)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE(
        context->device.compiler, CL_COMPILER_NOT_AVAILABLE,
        "%s (%s): device \"%s\" has no compiler, and neither the cache nor an added binary has this kernel",
        clq__variant_text(variant).data, options, context->device.name);
end:
    return status;
}

static clq_status build_one(clq_context *context, const struct clq__variant *variant, const char *source,
                            size_t source_bytes, bool use_cache, struct clq__build *build)
{
    clq_status status = CLQ_OK;
    char options[OPTIONS_BYTES];
    struct clq__text kernel = clq__text(build->kernel, sizeof build->kernel);

    clq__variant_kernel(variant, &kernel);
    CLQ_TRY(options_of(context, variant, options));
    if (context->cache_get != NULL) {
        CLQ_TRY(key_of(context, source, source_bytes, options, &build->key));
        if (use_cache)
            build->program = load(context, build->key, options);
        build->from_cache = build->program != NULL;
    }
    if (build->program == NULL) {
        CLQ_TRY(require_compiler(context, variant, options));
        CLQ_TRY(compile(context, variant, source, source_bytes, options, &build->program));
    }
end:
    return status;
}

clq_status clq__build(clq_context *context, const struct clq__variant *variant, bool use_cache,
                      struct clq__build *build)
{
    clq_status status = CLQ_OK;
    char file[CLQ__VARIANT_BYTES];
    struct clq__text file_text = clq__text(file, sizeof file);
    char *source = NULL;
    size_t source_bytes = 0;
    const double start_s = clq__seconds();
    bool added = false;

    *build = (struct clq__build){0};
    clq__variant_file(variant, &file_text);
    CLQ_TRY(clq__source(file, &source, &source_bytes));
    CLQ_TRY(find_added(context, variant, source, source_bytes, build));
    added = build->program != NULL;
    if (!added)
        CLQ_TRY(build_one(context, variant, source, source_bytes, use_cache, build));
    clq__log(context, "%s: %s in %.3f s", clq__variant_text(variant).data,
             added               ? "taken from an added binary"
             : build->from_cache ? "taken from the cache"
                                 : "built from source",
             clq__seconds() - start_s);
    build->from_cache |= added;
end:
    free(source);
    if (status != CLQ_OK) {
        free(build->key);
        build->key = NULL;
    }
    return status;
}

/* A program of several devices has a binary for each: sizes and pointers come in the order of its devices,
 * and a NULL pointer leaves one out. Nothing here records a sentence: the call that pays for it succeeds. */
static bool binary_of(cl_program program, cl_device_id device, size_t *size_bytes, unsigned char *data)
{
    bool found = false;
    cl_uint count = 0, own = 0;
    cl_device_id *devices = NULL;
    size_t *sizes = NULL;
    unsigned char **binaries = NULL;

    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL) != CL_SUCCESS)
        goto end;
    devices = calloc(count, sizeof *devices);
    sizes = calloc(count, sizeof *sizes);
    binaries = calloc(count, sizeof *binaries);
    if (devices == NULL || sizes == NULL || binaries == NULL ||
        clGetProgramInfo(program, CL_PROGRAM_DEVICES, count * sizeof *devices, devices, NULL) != CL_SUCCESS ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL) != CL_SUCCESS)
        goto end;
    while (own < count && devices[own] != device)
        own++;
    /* the size may have changed since it was asked for: another thread's enqueue adds a specialization */
    if (own == count || sizes[own] == 0 || (data != NULL && sizes[own] != *size_bytes))
        goto end;
    *size_bytes = sizes[own];
    found = true;
    if (data != NULL) {
        binaries[own] = data;
        found = clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL) ==
                CL_SUCCESS;
    }
end:
    free(binaries);
    free(sizes);
    free(devices);
    return found;
}

void clq__build_keep(clq_context *context, cl_program program, const char *key)
{
    char name[CLQ__ENTRY_NAME_BYTES];
    unsigned char *entry = NULL, *binary = NULL;
    size_t entry_bytes = 0, binary_bytes = 0;

    clq__entry_name(key, name);
    if (binary_of(program, context->device.id, &binary_bytes, NULL) &&
        clq__entry_begin(key, binary_bytes, &entry, &entry_bytes, &binary) &&
        binary_of(program, context->device.id, &binary_bytes, binary)) {
        clq__entry_end(key, entry, entry_bytes);
        clq__log(context, "cache entry %s of %zu bytes %s kept", name, entry_bytes,
                 context->cache_put(context->cache_user, name, entry, entry_bytes) == 0 ? "was"
                                                                                        : "could not be");
    }
    free(entry);
}
