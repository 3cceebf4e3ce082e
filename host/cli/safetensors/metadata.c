/* SPDX-License-Identifier: Apache-2.0 */
/* __metadata__: names and strings, each name once. There may be millions of them, so that nothing is
 * allocated for each. */
#include "json_text.h"
#include "json_walk.h"
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

struct name {
    const char *text; /* a NUL may be in it */
    size_t text_bytes;
};

struct names {
    char *text; /* of all names */
    struct name *list;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    const struct name *p = a;
    const struct name *q = b;
    const int order = memcmp(p->text, q->text, p->text_bytes < q->text_bytes ? p->text_bytes : q->text_bytes);

    if (order != 0 || p->text_bytes == q->text_bytes)
        return order;
    return p->text_bytes < q->text_bytes ? -1 : 1;
}

static void forget(struct names *names)
{
    free(names->text);
    free(names->list);
    *names = (struct names){0};
}

static size_t count_members(const char *object, size_t object_bytes)
{
    struct json_walk walk;
    struct json_member member;
    size_t count = 0;

    json_walk_init(&walk, object, object_bytes);
    while (json_walk_next(&walk, &member))
        count++;
    return count;
}

/* The names of a checked object, ordered. False: there is no memory. */
static bool list_names(struct names *names, const char *object, size_t object_bytes)
{
    const size_t count = count_members(object, object_bytes);
    struct json_walk walk;
    struct json_member member;
    char *text = NULL;

    *names = (struct names){.text = malloc(object_bytes), .list = malloc((count + 1) * sizeof *names->list)};
    text = names->text;
    if (!names->text || !names->list) {
        forget(names);
        return false;
    }
    json_walk_init(&walk, object, object_bytes);
    while (json_walk_next(&walk, &member)) {
        struct name *name = &names->list[names->count++];

        name->text = text;
        name->text_bytes = json_text(member.key, member.key_bytes, text);
        text += name->text_bytes + 1;
    }
    qsort(names->list, names->count, sizeof *names->list, by_name);
    return true;
}

static bool out_of_memory(const struct safetensors *file, struct failure *failure)
{
    return fail(failure, STATUS_SYSTEM, "%s: __metadata__ needs more memory than there is", file->path);
}

static bool check_values(const struct safetensors *file, const char *object, size_t object_bytes,
                         struct failure *failure)
{
    struct json_walk walk;
    struct json_member member;
    char *name = NULL;

    json_walk_init(&walk, object, object_bytes);
    while (json_walk_next(&walk, &member)) {
        if (*member.value == '"')
            continue;
        name = malloc(member.key_bytes);
        if (!name)
            return out_of_memory(file, failure);
        json_text(member.key, member.key_bytes, name);
        fail(failure, STATUS_REFUSED, "%s: __metadata__: the value of '%.200s' is not a string", file->path,
             name);
        free(name);
        return false;
    }
    return true;
}

bool safetensors_read_metadata(struct safetensors *file, const char *object, size_t object_bytes,
                               struct failure *failure)
{
    struct names names;
    bool ok = true;

    if (!check_values(file, object, object_bytes, failure))
        return false;
    if (!list_names(&names, object, object_bytes))
        return out_of_memory(file, failure);
    for (size_t i = 1; ok && i < names.count; i++)
        if (by_name(&names.list[i - 1], &names.list[i]) == 0)
            ok = fail(failure, STATUS_REFUSED, "%s: __metadata__: '%.200s' is given twice", file->path,
                      names.list[i].text);
    forget(&names);
    if (!ok)
        return false;
    file->metadata = strndup(object, object_bytes); /* no NUL byte is in it: escapes stay as they are */
    return file->metadata || out_of_memory(file, failure);
}

/* Adds the members of more whose names are not in text, which is an object. NULL: there is no memory. */
static char *add_members(const char *text, const char *more)
{
    const size_t text_bytes = strlen(text), more_bytes = strlen(more);
    char *merged = malloc(text_bytes + more_bytes + 1); /* a comma takes the place of a brace */
    struct json_walk walk;
    struct json_member member;
    struct names names = {0};
    char *name_text = malloc(more_bytes);
    char *at = NULL;

    if (!merged || !name_text || !list_names(&names, text, text_bytes)) {
        free(name_text);
        free(merged);
        return NULL;
    }
    memcpy(merged, text, text_bytes);
    at = merged + text_bytes - 1; /* over the closing brace */
    json_walk_init(&walk, more, more_bytes);
    while (json_walk_next(&walk, &member)) {
        const struct name name = {name_text, json_text(member.key, member.key_bytes, name_text)};

        if (bsearch(&name, names.list, names.count, sizeof name, by_name))
            continue;
        if (at > merged + text_bytes - 1 || names.count > 0)
            *at++ = ',';
        memcpy(at, member.key, (size_t)(member.value + member.value_bytes - member.key));
        at += member.value + member.value_bytes - member.key;
    }
    strcpy(at, "}");
    forget(&names);
    free(name_text);
    return merged;
}

bool safetensors_merge_metadata(const struct safetensors *files, size_t count, char **metadata)
{
    *metadata = NULL;
    for (size_t i = 0; i < count; i++) {
        char *merged = NULL;

        if (!files[i].metadata)
            continue;
        merged = *metadata ? add_members(*metadata, files[i].metadata) : strdup(files[i].metadata);
        free(*metadata);
        *metadata = merged;
        if (!merged)
            return false;
    }
    return true;
}

char *safetensors_metadata(const struct safetensors *file, const char *name)
{
    struct json_walk walk;
    struct json_member member;
    char *text = file->metadata ? malloc(strlen(file->metadata) + 1) : NULL;

    if (!text)
        return NULL;
    json_walk_init(&walk, file->metadata, strlen(file->metadata));
    while (json_walk_next(&walk, &member)) {
        json_text(member.key, member.key_bytes, text);
        if (strcmp(text, name) != 0)
            continue;
        json_text(member.value, member.value_bytes, text);
        return text;
    }
    free(text);
    return NULL;
}
