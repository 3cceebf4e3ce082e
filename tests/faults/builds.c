/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that were built once stay alive here; one of the same text and options that is built later is a
 * name for the first. What failed to build is kept as well, with its log. */
#include "builds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BUILDS 64

struct build {
    cl_program program; /* NULL: the place is free */
    char *source, *options;
    cl_int code; /* of clBuildProgram */
};

/* A program that the library holds: its source until it is built, and then what it is a name for. */
struct name {
    cl_program program;
    char *source;
    const struct build *build;
};

static cl_icd_dispatch driver;
static struct build builds[MAX_BUILDS];
static struct name names[MAX_BUILDS];
static const void *context_of_builds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct name *name_of(cl_program program)
{
    for (size_t i = 0; i < MAX_BUILDS; i++)
        if (names[i].program == program)
            return &names[i];
    return NULL;
}

static void forget(struct name *name)
{
    free(name->source);
    *name = (struct name){0};
}

/* The program that answers for this one. */
static cl_program built(cl_program program)
{
    const struct name *name;

    pthread_mutex_lock(&lock);
    name = name_of(program);
    if (name != NULL && name->build != NULL)
        program = name->build->program;
    pthread_mutex_unlock(&lock);
    return program;
}

/* Of one string with its length, as the library gives it; others are the driver's alone. */
static cl_program CL_API_CALL create(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *code)
{
    const cl_program program = driver.clCreateProgramWithSource(context, count, strings, lengths, code);
    struct name *name;

    pthread_mutex_lock(&lock);
    name = name_of(NULL);
    if (program != NULL && context == context_of_builds && count == 1 && lengths != NULL && name != NULL)
        *name = (struct name){.program = program, .source = strndup(strings[0], lengths[0])};
    pthread_mutex_unlock(&lock);
    return program;
}

static cl_int CL_API_CALL release(cl_program program)
{
    cl_uint references = 0;
    struct name *name;

    driver.clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, NULL);
    pthread_mutex_lock(&lock);
    name = name_of(program);
    /* the last reference of the library's: one is kept of a program that stays */
    if (name != NULL && references == 1u + (name->build != NULL && name->build->program == program))
        forget(name);
    pthread_mutex_unlock(&lock);
    return driver.clReleaseProgram(program);
}

/* The driver builds under the lock: nobody looks for what another thread is building. */
static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *user)
{
    struct build *place = NULL;
    struct name *name;
    cl_int code;

    pthread_mutex_lock(&lock);
    name = notify == NULL && options != NULL ? name_of(program) : NULL;
    for (size_t i = 0; name != NULL && i < MAX_BUILDS && name->build == NULL; i++) {
        struct build *const known = &builds[i];

        if (known->program == NULL && place == NULL)
            place = known;
        if (known->program != NULL && strcmp(known->source, name->source) == 0 &&
            strcmp(known->options, options) == 0)
            name->build = known;
    }
    if (name != NULL && name->build != NULL) {
        code = name->build->code;
    } else {
        code = driver.clBuildProgram(program, count, devices, options, notify, user);
        if (name != NULL && place != NULL && driver.clRetainProgram(program) == CL_SUCCESS) {
            *place = (struct build){program, strdup(name->source), strdup(options), code};
            name->build = place;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *code)
{
    return driver.clCreateKernel(built(program), name, code);
}

static cl_int CL_API_CALL info(cl_program program, cl_program_info what, size_t size, void *value,
                               size_t *value_size)
{
    return driver.clGetProgramInfo(built(program), what, size, value, value_size);
}

static cl_int CL_API_CALL build_info(cl_program program, cl_device_id device, cl_program_build_info what,
                                     size_t size, void *value, size_t *value_size)
{
    return driver.clGetProgramBuildInfo(built(program), device, what, size, value, value_size);
}

void builds_below(cl_icd_dispatch *target)
{
    driver = *target;
    target->clCreateProgramWithSource = create;
    target->clReleaseProgram = release;
    target->clBuildProgram = build;
    target->clCreateKernel = create_kernel;
    target->clGetProgramInfo = info;
    target->clGetProgramBuildInfo = build_info;
}

void builds_once_in(const void *context)
{
    pthread_mutex_lock(&lock);
    context_of_builds = context;
    for (size_t i = 0; i < MAX_BUILDS && context == NULL; i++) {
        if (names[i].program != NULL)
            forget(&names[i]);
        if (builds[i].program != NULL)
            driver.clReleaseProgram(builds[i].program);
        free(builds[i].source);
        free(builds[i].options);
        builds[i] = (struct build){0};
    }
    pthread_mutex_unlock(&lock);
}
