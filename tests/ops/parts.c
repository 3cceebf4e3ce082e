/* The same for each tensor of a call. */
#include "parts.h"

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

bool parts_fill(const struct parts *parts, cl_command_queue queue, int filling)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->part[i].written && !tensor_fill(parts->part[i].tensor, queue, filling))
            return false;
    return true;
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

bool parts_hold(const struct parts *parts, cl_command_queue queue, bool written)
{
    bool good = true;

    for (size_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->part[i];

        if (part->written == written)
            good = tensor_holds(part->tensor, queue, part->tensor->image, part->name) && good;
    }
    return good;
}

void parts_print(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        layout_print(parts->part[i].name, parts->part[i].layout);
}
