/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts. */
#include "queue.h"

#include <string.h>

bool stub_has_device(cl_context context, cl_device_id device)
{
    cl_uint i = 0;

    while (i < context->num_devices && context->devices[i] != device)
        i++;
    return i < context->num_devices;
}

static cl_int check(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices)
{
    for (; properties != NULL && properties[0] != 0; properties += 2) {
        if (properties[0] != CL_CONTEXT_PLATFORM)
            return CL_INVALID_PROPERTY;
        if ((cl_platform_id)properties[1] != stub_platform())
            return CL_INVALID_PLATFORM;
    }
    if (count == 0 || devices == NULL || count > STUB_MOST_DEVICES)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!stub_is(devices[i], STUB_DEVICE))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

static cl_context CL_API_CALL create(const cl_context_properties *properties, cl_uint count,
                                     const cl_device_id *devices,
                                     void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                     void *user, cl_int *code)
{
    cl_context context = NULL;
    cl_int made;

    stub_lock();
    made = check(properties, count, devices);
    if (made == CL_SUCCESS && notify == NULL && user != NULL)
        made = CL_INVALID_VALUE;
    if (made == CL_SUCCESS) {
        context = stub_new(STUB_CONTEXT, sizeof *context);
        context->num_devices = count;
        memcpy(context->devices, devices, count * sizeof *devices);
    }
    return stub_unlock_made(context, made, code);
}

void stub_end_context(cl_context context)
{
    (void)context; /* its devices are the platform's */
}

static cl_int answer(cl_context context, cl_context_info what, size_t size, void *value, size_t *size_ret)
{
    if (!stub_is(context, STUB_CONTEXT))
        return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return STUB_ANSWER(cl_uint, (cl_uint)context->object.references);
    case CL_CONTEXT_NUM_DEVICES:
        return STUB_ANSWER(cl_uint, context->num_devices);
    case CL_CONTEXT_DEVICES:
        return stub_answer(size, value, size_ret, context->devices,
                           context->num_devices * sizeof(cl_device_id));
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int CL_API_CALL info(cl_context context, cl_context_info what, size_t size, void *value,
                               size_t *size_ret)
{
    stub_lock();
    return stub_unlock(answer(context, what, size, value, size_ret));
}

static cl_int CL_API_CALL retain(cl_context context)
{
    stub_lock();
    return stub_unlock(stub_retain(context, STUB_CONTEXT, CL_INVALID_CONTEXT));
}

static cl_int CL_API_CALL release(cl_context context)
{
    stub_lock();
    return stub_unlock(stub_release(context, STUB_CONTEXT, CL_INVALID_CONTEXT));
}

void stub_place_contexts(cl_icd_dispatch *table)
{
    table->clCreateContext = create;
    table->clRetainContext = retain;
    table->clReleaseContext = release;
    table->clGetContextInfo = info;
}
