/* SPDX-License-Identifier: Apache-2.0 */
/* Readers may have a layer under another name than the files: with a prefix more, or one that was changed. So
 * layers are named once more by the end of their names, with any number where others do not end so. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **list; /* ordered, each once, without .weight */
    size_t count;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct names *names)
{
    size_t kept = 0;

    qsort(names->list, names->count, sizeof *names->list, by_text);
    for (size_t i = 0; i < names->count; i++)
        if (kept > 0 && strcmp(names->list[kept - 1], names->list[i]) == 0)
            free(names->list[i]);
        else
            names->list[kept++] = names->list[i];
    names->count = kept;
}

static void forget(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
}

static bool add_name(struct names *names, const char *tensor, bool any_number)
{
    char *name = strdup(tensor);

    if (!name)
        return false;
    if (any_number)
        *model_put_kind(name, tensor) = '\0';
    name[strlen(name) - strlen(".weight")] = '\0';
    names->list[names->count++] = name;
    return true;
}

/* Names of those that are meant, or of the others that are quantized; with * where any number is meant. */
static bool collect(const struct model *model, model_means *means, uint32_t block, bool meant,
                    bool any_number, struct names *names)
{
    size_t count = 1;
    bool ok = false;

    for (size_t i = 0; i < model->shard_count; i++)
        count += model->shards[i].tensor_count;
    names->list = malloc(count * sizeof *names->list);
    ok = names->list != NULL;
    for (size_t i = 0; ok && i < model->shard_count; i++)
        for (size_t t = 0; ok && t < model->shards[i].tensor_count; t++) {
            const struct model_tensor *tensor = &model->shards[i].tensors[t];
            const bool is_meant = means(model, tensor, block);

            if (meant ? is_meant : !is_meant && tensor->quantized)
                ok = add_name(names, tensor->source->name, any_number);
        }
    if (ok)
        sort(names);
    return ok;
}

static bool any_ends(const struct names *names, const char *end)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->list[i];
        const size_t length = strlen(name), more = strlen(end);

        if (length >= more && strcmp(name + length - more, end) == 0 &&
            (length == more || name[length - more - 1] == '.'))
            return true;
    }
    return false;
}

static const char *part_before(const char *name, const char *at)
{
    if (at > name)
        at--;
    while (at > name && at[-1] != '.')
        at--;
    return at;
}

/* From the list of layers on, or the whole name where it has no number. NULL: others end so too. */
static const char *end_of(const char *name, const struct names *others)
{
    const char *at = name + strcspn(name, "*");

    at = *at ? part_before(name, at) : name;
    while (at > name && any_ends(others, at))
        at = part_before(name, at);
    return any_ends(others, at) ? NULL : at;
}

static bool is_of_kind(const char *name, const char *kind)
{
    for (; *name; name++, kind++)
        if (*kind == '*' && *name >= '0' && *name <= '9')
            name += strspn(name, "0123456789") - 1;
        else if (*name != *kind)
            return false;
    return *kind == '\0';
}

/* With its own numbers, where layers of other numbers are quantized. */
static const char *numbered_end_of(const char *name, const char *kind, const struct names *others)
{
    const char *at = part_before(name, name + strcspn(kind, "*"));

    while (at > name && any_ends(others, at))
        at = part_before(name, at);
    return at;
}

static bool add_pattern(cJSON *list, const char *end)
{
    char *pattern = malloc(3 * strlen(end) + sizeof "re:(.*\\.)?$");
    char *at = pattern;
    const cJSON *item = NULL;
    bool ok = pattern != NULL, there = false;

    if (ok) {
        at = stpcpy(at, "re:(.*\\.)?");
        for (; *end; end++)
            if (*end == '*')
                at = stpcpy(at, "\\d+");
            else {
                if (strchr(".^$+?()[]{}|\\", *end))
                    *at++ = '\\';
                *at++ = *end;
            }
        strcpy(at, "$");
    }
    cJSON_ArrayForEach(item, list)
    {
        there |= ok && strcmp(item->valuestring, pattern) == 0;
    }
    if (ok && !there) {
        cJSON *added = cJSON_CreateString(pattern);

        ok = added && cJSON_AddItemToArray(list, added);
    }
    free(pattern);
    return ok;
}

bool model_add_patterns(const struct model *model, model_means *means, uint32_t block, cJSON *list)
{
    struct names kinds = {0}, names = {0}, other_kinds = {0}, others = {0};
    bool ok = collect(model, means, block, true, true, &kinds) &&
              collect(model, means, block, true, false, &names) &&
              collect(model, means, block, false, true, &other_kinds) &&
              collect(model, means, block, false, false, &others);

    for (size_t i = 0; ok && i < kinds.count; i++) {
        const char *end = end_of(kinds.list[i], &other_kinds);

        if (end)
            ok = add_pattern(list, end);
        for (size_t n = 0; ok && !end && n < names.count; n++)
            if (is_of_kind(names.list[n], kinds.list[i]))
                ok = add_pattern(list, numbered_end_of(names.list[n], kinds.list[i], &others));
    }
    forget(&kinds);
    forget(&names);
    forget(&other_kinds);
    forget(&others);
    return ok;
}

bool model_add_module(struct cJSON *list, const char *tensor)
{
    const size_t length = strlen(tensor) - strlen(".weight");
    char *module = strndup(tensor, length);
    cJSON *item = module ? cJSON_CreateString(module) : NULL;

    free(module);
    return item && cJSON_AddItemToArray(list, item);
}
