/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensors stay as they are, and why. Layers that differ in their number alone are one line. */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 50, SHAPE_BYTES = 24 };

struct left {
    char *kind; /* its name, with * for numbers, and its shape */
    const struct model_tensor *tensor;
    uint64_t bytes;
    size_t count;
};

char *model_put_kind(char *to, const char *name)
{
    for (bool starts = true; *name; starts = *name++ == '.') {
        const size_t digits = starts ? strspn(name, "0123456789") : 0;

        if (digits > 0 && (name[digits] == '.' || name[digits] == '\0')) {
            *to++ = '*';
            name += digits - 1;
        } else {
            *to++ = *name;
        }
    }
    return to;
}

static char *kind_of(const struct safetensors_tensor *source)
{
    char *kind = malloc(strlen(source->name) + (source->rank + 1) * SHAPE_BYTES);
    char *at = kind;

    if (!kind)
        return NULL;
    at = model_put_kind(at, source->name);
    for (size_t d = 0; d < source->rank; d++)
        at += sprintf(at, "%s%jd", d == 0 ? " [" : ",", (intmax_t)safetensors_extent(source, d));
    strcpy(at, source->rank > 0 ? "]" : "");
    return kind;
}

static int by_kind(const void *a, const void *b)
{
    const struct left *p = a, *q = b;
    const int order = strcmp(p->tensor->left, q->tensor->left);

    return order != 0 ? order : strcmp(p->kind, q->kind);
}

static int by_bytes(const void *a, const void *b)
{
    const struct left *p = a, *q = b;

    return p->bytes != q->bytes ? (p->bytes < q->bytes ? 1 : -1) : strcmp(p->kind, q->kind);
}

/* Adds up neighbours of a kind; the kinds that are left stand first, ordered by their bytes. */
static size_t merge(struct left *list, size_t count)
{
    size_t kinds = 0;

    qsort(list, count, sizeof *list, by_kind);
    for (size_t i = 0; i < count; i++)
        if (kinds > 0 && by_kind(&list[kinds - 1], &list[i]) == 0) {
            list[kinds - 1].bytes += list[i].bytes;
            list[kinds - 1].count += list[i].count;
            free(list[i].kind);
        } else {
            list[kinds++] = list[i];
        }
    qsort(list, kinds, sizeof *list, by_bytes);
    return kinds;
}

static void print_kind(const struct model *model, struct left *left)
{
    char *own = left->tensor->source->name, *shape = strrchr(left->kind, ' ');
    char many[40] = "", why[160];

    model_say_left(model, left->tensor, why, sizeof why);
    tame(left->kind);
    if (left->count > 1) {
        snprintf(many, sizeof many, ", %zu times", left->count);
        printf("  %s", left->kind);
    } else {
        tame(own);
        printf("  %s%s", own, shape);
    }
    printf("%s, %ju bytes: %s\n", many, (uintmax_t)left->bytes, why);
}

static void print_kinds(const struct model *model, struct left *list, size_t kinds)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < kinds; i++)
        if (i < LINES)
            print_kind(model, &list[i]);
        else
            bytes += list[i].bytes;
    if (kinds > LINES)
        printf("  and %zu other kinds, %ju bytes\n", kinds - LINES, (uintmax_t)bytes);
}

/* Without memory for the list nothing is printed. */
void model_print_left(const struct model *model)
{
    uint64_t small_bytes = 0;
    size_t most = 0, count = 0, small = 0, kinds = 0;
    struct left *list = NULL;

    for (size_t i = 0; i < model->shard_count; i++)
        most += model->shards[i].tensor_count;
    list = malloc((most + 1) * sizeof *list);
    for (size_t i = 0; list && i < model->shard_count; i++)
        for (size_t t = 0; !model->shards[i].left_out && t < model->shards[i].tensor_count; t++) {
            const struct model_tensor *tensor = &model->shards[i].tensors[t];
            const uint64_t bytes = tensor->source->end - tensor->source->begin;
            const bool is_small = tensor->left && tensor->source->rank < 2;

            small += is_small;
            small_bytes += is_small ? bytes : 0;
            if (tensor->left && !is_small && (list[count].kind = kind_of(tensor->source))) {
                list[count].tensor = tensor;
                list[count].bytes = bytes;
                list[count++].count = 1;
            }
        }
    kinds = list ? merge(list, count) : 0;
    if (kinds + small > 0)
        printf("tensors that stay as they are:\n");
    print_kinds(model, list, kinds);
    if (small > 0)
        printf("  %zu of one dimension or none, %ju bytes\n", small, (uintmax_t)small_bytes);
    for (size_t i = 0; i < kinds; i++)
        free(list[i].kind);
    free(list);
}
