/* SPDX-License-Identifier: Apache-2.0 */
/* The same for each tensor of a call. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void parts_add(struct parts *parts, const char *name, struct tensor *tensor, const struct layout *layout,
               bool written, bool has)
{
    if (has)
        parts->part[parts->count++] = (struct part){name, tensor, layout, written};
}

void parts_init(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        tensor_init(parts->part[i].tensor, parts->part[i].layout);
}

void parts_clear(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        tensor_clear(parts->part[i].tensor);
}

bool parts_upload(const struct parts *parts, cl_command_queue queue)
{
    for (size_t i = 0; i < parts->count; i++)
        if (!tensor_upload(parts->part[i].tensor, queue))
            return false;
    return true;
}

static size_t most_bytes(const struct parts *parts)
{
    size_t most = 0;

    for (size_t i = 0; i < parts->count; i++)
        most = parts->part[i].tensor->size_bytes > most ? parts->part[i].tensor->size_bytes : most;
    return most;
}

/* Waits for the commands that were begun, the last one first, so that one wake-up does; each must have gone well. */
static bool finish(const cl_event *begun)
{
    bool good = true;

    for (size_t i = MOST_PARTS; i-- > 0;) {
        cl_int status;

        if (begun[i] == NULL)
            continue;
        status = clWaitForEvents(1, &begun[i]);
        if (status != CL_SUCCESS)
            fprintf(stderr, "copying to or from the device: %s\n", clq_status_name(status));
        good = status == CL_SUCCESS && good;
        clReleaseEvent(begun[i]);
    }
    return good;
}

bool parts_fill(const struct parts *parts, cl_command_queue queue, int filling)
{
    unsigned char *bytes = malloc(most_bytes(parts));
    cl_event sent[MOST_PARTS] = {NULL};
    bool good = true;

    if (!bytes)
        abort();
    memset(bytes, filling, most_bytes(parts));
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].written)
            good = tensor_send(parts->part[i].tensor, queue, bytes, &sent[i]) && good;
    good = finish(sent) && good;
    free(bytes);
    return good;
}

void parts_fill_images(const struct parts *parts, int filling)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].written)
            memset(parts->part[i].tensor->image, filling, parts->part[i].tensor->size_bytes);
}

size_t parts_written_bytes(const struct parts *parts)
{
    size_t bytes = 0;

    for (size_t i = 0; i < parts->count; i++)
        bytes += parts->part[i].written ? parts->part[i].tensor->size_bytes : 0;
    return bytes;
}

static bool hold(const struct parts *parts, cl_command_queue queue, bool written, const cl_event *after)
{
    unsigned char *bytes[MOST_PARTS] = {NULL};
    cl_event fetched[MOST_PARTS] = {NULL};
    bool good = true;

    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->part[i];

        if (part->written != written)
            continue;
        bytes[i] = malloc(part->tensor->size_bytes);
        if (!bytes[i])
            abort();
        good = tensor_fetch(part->tensor, queue, bytes[i], after, &fetched[i], part->name) && good;
    }
    if (finish(fetched) && good)
        for (size_t i = 0; i < parts->count; i++) {
            const struct part *part = &parts->part[i];

            good =
                (!bytes[i] || tensor_equal(part->tensor, bytes[i], part->tensor->image, part->name)) && good;
        }
    else
        good = false;
    for (size_t i = 0; i < parts->count; i++)
        free(bytes[i]);
    return good;
}

bool parts_hold(const struct parts *parts, cl_command_queue queue, bool written)
{
    return hold(parts, queue, written, NULL);
}

bool parts_hold_after(const struct parts *parts, cl_command_queue queue, cl_event done)
{
    const bool good = hold(parts, queue, true, &done);
    cl_int status = CL_QUEUED;

    if (clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL) !=
            CL_SUCCESS ||
        status != CL_COMPLETE)
        fprintf(stderr, "the call's event has status %d after what waited for it\n", (int)status);
    clReleaseEvent(done);
    return good && status == CL_COMPLETE;
}

void parts_print(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        layout_print(parts->part[i].name, parts->part[i].layout);
}
