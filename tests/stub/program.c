/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: made of source or of a binary, built, asked. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a binary: this, the options' length, the options, the source. */
static const char magic[] = "clquant stub binary 1\n";

static cl_program new_program(cl_context context, cl_uint count, const cl_device_id *devices)
{
    const cl_program program = stub_new(STUB_PROGRAM, sizeof *program);

    program->context = stub_hold(context);
    program->number = ++context->num_programs;
    program->num_devices = count;
    memcpy(program->devices, devices, count * sizeof *devices);
    return program;
}

static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
    size_t size = 0;
    char *text, *at;

    for (cl_uint i = 0; i < count; i++)
        size += lengths != NULL && lengths[i] > 0 ? lengths[i] : strlen(strings[i]);
    at = text = stub_allocate(size + 1);
    for (cl_uint i = 0; i < count; i++) {
        const size_t length = lengths != NULL && lengths[i] > 0 ? lengths[i] : strlen(strings[i]);

        memcpy(at, strings[i], length);
        at += length;
    }
    return text;
}

static cl_program CL_API_CALL create_of_source(cl_context context, cl_uint count, const char **strings,
                                               const size_t *lengths, cl_int *code)
{
    cl_program program = NULL;
    cl_int made = CL_SUCCESS;

    stub_lock();
    if (!stub_is(context, STUB_CONTEXT))
        made = CL_INVALID_CONTEXT;
    else if (count == 0 || strings == NULL)
        made = CL_INVALID_VALUE;
    for (cl_uint i = 0; made == CL_SUCCESS && i < count; i++)
        made = strings[i] == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    if (made == CL_SUCCESS) {
        program = new_program(context, context->num_devices, context->devices);
        program->source = join(count, strings, lengths);
    }
    return stub_unlock_made(program, made, code);
}

/* Takes it apart; false where it is not one of the stub's. */
static bool open_binary(const unsigned char *binary, size_t size, char **options, char **source)
{
    char *text, *rest;
    size_t length;
    bool good;

    if (size < sizeof magic || memcmp(binary, magic, sizeof magic - 1) != 0)
        return false;
    text = stub_allocate(size + 1);
    memcpy(text, binary, size);
    length = strtoul(text + sizeof magic - 1, &rest, 10);
    good = *rest == '\n' && length <= size - (size_t)(rest + 1 - text) && strlen(text) == size;
    if (good) {
        *options = strndup(rest + 1, length);
        *source = strdup(rest + 1 + length);
    }
    free(text);
    return good;
}

static cl_int check_binaries(cl_context context, cl_uint count, const cl_device_id *devices,
                             const size_t *sizes, const unsigned char **binaries)
{
    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (count == 0 || devices == NULL || sizes == NULL || binaries == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!stub_has_device(context, devices[i]))
            return CL_INVALID_DEVICE;
        if (sizes[i] == 0 || binaries[i] == NULL)
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static cl_program CL_API_CALL create_of_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                               const size_t *sizes, const unsigned char **binaries,
                                               cl_int *status, cl_int *code)
{
    char *options = NULL, *source = NULL;
    cl_program program = NULL;
    cl_int made;

    stub_lock();
    made = check_binaries(context, count, devices, sizes, binaries);
    for (cl_uint i = 0; made == CL_SUCCESS && i < count; i++) {
        free(options);
        free(source);
        options = source = NULL;
        made = open_binary(binaries[i], sizes[i], &options, &source) ? CL_SUCCESS : CL_INVALID_BINARY;
        if (status != NULL)
            status[i] = made;
    }
    if (made == CL_SUCCESS) {
        program = new_program(context, count, devices);
        program->source = source;
        program->options = options;
        program->binary = options;
    }
    return stub_unlock_made(program, made, code);
}

void stub_end_program(cl_program program)
{
    free(program->source);
    free(program->options);
    free(program->signatures);
    stub_drop(program->context);
}

static cl_int build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options)
{
    cl_int code;

    if (!stub_is(program, STUB_PROGRAM))
        return CL_INVALID_PROGRAM;
    if ((count > 0) != (devices != NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!stub_has_device(program->context, devices[i]))
            return CL_INVALID_DEVICE;
    if (program->object.uses > 0)
        return CL_INVALID_OPERATION; /* it has kernels */
    for (cl_uint i = 0; i < program->num_devices && program->binary == NULL; i++)
        if (!program->devices[i]->compiler)
            return CL_COMPILER_NOT_AVAILABLE;
    stub_counts.builds++;
    options = options != NULL ? options : "";
    program->log[0] = '\0';
    code = stub_options_check(options, program->log);
    if (code == CL_SUCCESS && program->binary != NULL && *options != '\0' &&
        strcmp(options, program->binary) != 0) {
        snprintf(program->log, sizeof program->log, "stub: the binary was built with other options");
        code = CL_INVALID_BUILD_OPTIONS;
    }
    if (program->binary == NULL) {
        free(program->options);
        program->options = strdup(options);
    }
    free(program->signatures);
    program->signatures = NULL;
    program->num_signatures = 0;
    if (code == CL_SUCCESS && !stub_signatures(program->source, program->options, &program->signatures,
                                               &program->num_signatures, program->log))
        code = CL_BUILD_PROGRAM_FAILURE;
    program->built = code == CL_SUCCESS;
    program->failed = code != CL_SUCCESS;
    return code;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id *devices,
                                        const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                        void *user)
{
    cl_int code = CL_INVALID_VALUE;

    stub_lock();
    if (notify != NULL || user == NULL)
        code = build(program, count, devices, options);
    code = stub_unlock(code);
    if (notify != NULL)
        notify(program, user);
    return code;
}

/* NULL where it is not built. */
static char *binary_of(cl_program program, size_t *size)
{
    size_t room;
    char *text;

    *size = 0;
    if (!program->built)
        return NULL;
    room = sizeof magic + 32 + strlen(program->options) + strlen(program->source);
    text = stub_allocate(room);
    *size = (size_t)snprintf(text, room, "%s%zu\n%s%s", magic, strlen(program->options), program->options,
                             program->source);
    return text;
}

/* The binaries are the same for all devices. A NULL pointer leaves one out. */
static cl_int answer_binaries(cl_program program, bool sizes_alone, size_t size, void *value,
                              size_t *size_ret)
{
    size_t bytes, sizes[STUB_MOST_DEVICES];
    char *const binary = binary_of(program, &bytes);
    const size_t answer_bytes =
        program->num_devices * (sizes_alone ? sizeof(size_t) : sizeof(unsigned char *));
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; i < program->num_devices; i++)
        sizes[i] = bytes;
    if (sizes_alone)
        code = stub_answer(size, value, size_ret, sizes, answer_bytes);
    else if (value != NULL && size < answer_bytes)
        code = CL_INVALID_VALUE;
    else
        for (cl_uint i = 0; i < program->num_devices && value != NULL && bytes > 0; i++)
            if (((unsigned char **)value)[i] != NULL)
                memcpy(((unsigned char **)value)[i], binary, bytes);
    if (!sizes_alone && size_ret != NULL)
        *size_ret = answer_bytes;
    free(binary);
    return code;
}

static cl_int answer(cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret)
{
    if (!stub_is(program, STUB_PROGRAM))
        return CL_INVALID_PROGRAM;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return STUB_ANSWER(cl_uint, (cl_uint)program->object.references);
    case CL_PROGRAM_CONTEXT:
        return STUB_ANSWER(cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return STUB_ANSWER(cl_uint, program->num_devices);
    case CL_PROGRAM_DEVICES:
        return stub_answer(size, value, size_ret, program->devices,
                           program->num_devices * sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE:
        return STUB_ANSWER_TEXT(program->binary == NULL ? program->source : "");
    case CL_PROGRAM_BINARY_SIZES:
        return answer_binaries(program, true, size, value, size_ret);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(program, false, size, value, size_ret);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL info(cl_program program, cl_program_info what, size_t size, void *value,
                               size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer(program, what, size, value, size_ret));
}

static cl_int answer_build(cl_program program, cl_device_id device, cl_program_build_info what, size_t size,
                           void *value, size_t *size_ret)
{
    if (!stub_is(program, STUB_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!stub_has_device(program->context, device))
        return CL_INVALID_DEVICE;
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        return STUB_ANSWER(cl_build_status, program->built    ? CL_BUILD_SUCCESS
                                            : program->failed ? CL_BUILD_ERROR
                                                              : CL_BUILD_NONE);
    case CL_PROGRAM_BUILD_OPTIONS:
        return STUB_ANSWER_TEXT(program->options != NULL ? program->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return STUB_ANSWER_TEXT(program->log);
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                                     size_t size, void *value, size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer_build(program, device, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_program program)
{
    stub_lock();
    return stub_unlock(stub_retain(program, STUB_PROGRAM, CL_INVALID_PROGRAM));
}

static cl_int CL_API_CALL release(cl_program program)
{
    stub_lock();
    return stub_unlock(stub_release(program, STUB_PROGRAM, CL_INVALID_PROGRAM));
}

void stub_place_programs(cl_icd_dispatch *table)
{
    table->clCreateProgramWithSource = create_of_source;
    table->clCreateProgramWithBinary = create_of_binary;
    table->clBuildProgram = build_program;
    table->clRetainProgram = retain;
    table->clReleaseProgram = release;
    table->clGetProgramInfo = info;
    table->clGetProgramBuildInfo = build_info;
}
