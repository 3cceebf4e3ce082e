/* SPDX-License-Identifier: Apache-2.0 */
/* What a header must keep between its tensors: distinct names, and places that cover the data exactly. */
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct safetensors_tensor *)a)->name, ((const struct safetensors_tensor *)b)->name);
}

static int by_place(const void *a, const void *b)
{
    const struct safetensors_tensor *p = a;
    const struct safetensors_tensor *q = b;

    if (p->begin != q->begin)
        return p->begin < q->begin ? -1 : 1;
    return p->end == q->end ? 0 : p->end < q->end ? -1 : 1;
}

bool safetensors_check_names(struct safetensors *file, struct failure *failure)
{
    qsort(file->tensors, file->count, sizeof *file->tensors, by_name);
    for (size_t i = 1; i < file->count; i++)
        if (by_name(&file->tensors[i - 1], &file->tensors[i]) == 0)
            return fail(failure, STATUS_REFUSED, "%s: tensor '%.200s' is given twice", file->path,
                        file->tensors[i].name);
    return true;
}

bool safetensors_check_places(struct safetensors *file, struct failure *failure)
{
    const struct safetensors_tensor *before = NULL;
    uint64_t reached = 0;

    qsort(file->tensors, file->count, sizeof *file->tensors, by_place);
    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];

        if (tensor->begin < reached)
            return fail(failure, STATUS_REFUSED,
                        "%s: tensor '%.200s' begins at byte %ju, and overlaps '%.200s', which ends at %ju",
                        file->path, tensor->name, (uintmax_t)tensor->begin, before->name,
                        (uintmax_t)before->end);
        if (tensor->begin > reached)
            return fail(failure, STATUS_REFUSED,
                        "%s: tensor '%.200s' begins at byte %ju, and leaves a hole after byte %ju",
                        file->path, tensor->name, (uintmax_t)tensor->begin, (uintmax_t)reached);
        reached = tensor->end;
        before = tensor;
    }
    if (reached != file->data_bytes)
        return fail(failure, STATUS_REFUSED, "%s: the last %ju bytes belong to no tensor", file->path,
                    (uintmax_t)(file->data_bytes - reached));
    return true;
}

const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name)
{
    const struct safetensors_tensor wanted = {.name = (char *)name};

    return bsearch(&wanted, file->tensors, file->count, sizeof wanted, by_name);
}
