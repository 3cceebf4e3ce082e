/* SPDX-License-Identifier: Apache-2.0 */
/* The header's text -> tensors. json_walk has refused what JSON libraries forgive before cJSON sees a value,
 * and cJSON sees one tensor at a time, so that memory stays near the size of the result. */
#include "json_text.h"
#include "json_walk.h"
#include "safetensors.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TENSOR_FIELDS = 3 };

struct header {
    struct safetensors *file;
    struct failure *failure;
};

#define REFUSE(h, ...) fail((h)->failure, STATUS_REFUSED, __VA_ARGS__)

static bool out_of_memory(const struct header *h)
{
    return fail(h->failure, STATUS_SYSTEM, "%s: the header needs more memory than there is", h->file->path);
}

/* The name that a key spells, to be freed; NULL where there is no memory. */
static char *name_of(const struct json_member *member)
{
    char *name = malloc(member->key_bytes);

    if (name)
        json_text(member->key, member->key_bytes, name);
    return name;
}

static bool refuse_text(const struct header *h, const struct json_walk *walk,
                        const struct json_member *member)
{
    const bool named = member->key && !(member->nul && member->nul < member->value);
    const unsigned char *at = (const unsigned char *)walk->at;
    char *name = named ? name_of(member) : NULL;
    char byte[32] = "where the header ends";

    if (walk->at < walk->end)
        snprintf(byte, sizeof byte, *at > 0x20 && *at < 0x7f ? "0x%02x (%c)" : "0x%02x", *at, *at);
    REFUSE(h, "%s: byte %td, %s%s%.200s%s: %s", h->file->path,
           SAFETENSORS_LENGTH_BYTES + (walk->at - walk->text), byte, name ? ", tensor '" : "",
           name ? name : "", name ? "'" : "", walk->problem);
    free(name);
    return false;
}

static bool is_metadata(const struct json_member *member)
{
    static const char spelt[] = "__metadata__";
    char name[2 + 6 * sizeof spelt]; /* quotes, and each letter may be an escape */

    return member->key_bytes < sizeof name &&
           json_text(member->key, member->key_bytes, name) == strlen(spelt) && strcmp(name, spelt) == 0;
}

/* Checks the text, and counts the members that may be tensors: the first of another kind is refused. */
static bool scan(const struct header *h, const char *text, size_t text_bytes, size_t *tensors)
{
    struct json_walk walk;
    struct json_member member;

    *tensors = 0;
    json_walk_init(&walk, text, text_bytes);
    while (json_walk_next(&walk, &member)) {
        *tensors += member.children == TENSOR_FIELDS;
        if (member.nul && !is_metadata(&member)) { /* nothing here reads the strings of the metadata */
            walk.at = member.nul;
            walk.problem = "a string holds a NUL, which would hide the rest of it";
            break;
        }
    }
    return walk.problem ? refuse_text(h, &walk, &member) : true;
}

/* shape times type, in bytes. */
static bool size_of(const struct header *h, const char *name, const struct safetensors_type *type,
                    const cJSON *shape, uint64_t *size_bytes)
{
    const cJSON *dimension = NULL;
    uint64_t bits = type->bits;
    bool empty = false;
    bool overflow = false;

    cJSON_ArrayForEach(dimension, shape)
    {
        uint64_t extent = (uint64_t)dimension->valuedouble;

        empty = empty || extent == 0;
        overflow = overflow || __builtin_mul_overflow(bits, extent ? extent : 1, &bits) || bits > INT64_MAX;
    }
    if (overflow)
        return REFUSE(h, "%s: tensor '%.200s': the product of its shape does not fit into 63 bits",
                      h->file->path, name);
    bits = empty ? 0 : bits;
    if (bits % 8)
        return REFUSE(h, "%s: tensor '%.200s': its %s elements do not fill whole bytes", h->file->path, name,
                      type->name);
    *size_bytes = bits / 8;
    return true;
}

static bool read_type(const struct header *h, const cJSON *field, struct safetensors_tensor *tensor)
{
    if (!cJSON_IsString(field))
        return REFUSE(h, "%s: tensor '%.200s': dtype is not a string", h->file->path, tensor->name);
    tensor->type = safetensors_type_find(field->valuestring);
    if (!tensor->type)
        return REFUSE(h, "%s: tensor '%.200s': dtype '%.40s' is not one of safetensors", h->file->path,
                      tensor->name, field->valuestring);
    return true;
}

static bool read_whole_numbers(const struct header *h, const char *name, const cJSON *field)
{
    const cJSON *number = NULL;

    if (!cJSON_IsArray(field))
        return REFUSE(h, "%s: tensor '%.200s': %s is not an array", h->file->path, name, field->string);
    cJSON_ArrayForEach(number, field)
    {
        if (!cJSON_IsNumber(number))
            return REFUSE(h, "%s: tensor '%.200s': %s holds something that is not a number", h->file->path,
                          name, field->string);
    }
    return true;
}

static bool read_shape(const struct header *h, const cJSON *field, struct safetensors_tensor *tensor)
{
    const cJSON *dimension = NULL;
    size_t rank = 0;

    if (!read_whole_numbers(h, tensor->name, field))
        return false;
    rank = (size_t)cJSON_GetArraySize(field);
    if (rank > SAFETENSORS_MAX_RANK) {
        tensor->further = malloc((rank - SAFETENSORS_MAX_RANK) * sizeof *tensor->further);
        if (!tensor->further)
            return out_of_memory(h);
    }
    cJSON_ArrayForEach(dimension, field)
    {
        int64_t *to = tensor->rank < SAFETENSORS_MAX_RANK
                          ? &tensor->shape[tensor->rank]
                          : &tensor->further[tensor->rank - SAFETENSORS_MAX_RANK];

        *to = (int64_t)dimension->valuedouble;
        tensor->rank++;
    }
    return true;
}

static bool read_place(const struct header *h, const cJSON *field, struct safetensors_tensor *tensor)
{
    if (!read_whole_numbers(h, tensor->name, field))
        return false;
    if (cJSON_GetArraySize(field) != 2)
        return REFUSE(h, "%s: tensor '%.200s': data_offsets has %d numbers, not 2", h->file->path,
                      tensor->name, cJSON_GetArraySize(field));
    tensor->begin = (uint64_t)cJSON_GetArrayItem(field, 0)->valuedouble;
    tensor->end = (uint64_t)cJSON_GetArrayItem(field, 1)->valuedouble;
    if (tensor->begin > tensor->end)
        return REFUSE(h, "%s: tensor '%.200s': data_offsets [%ju, %ju] end before they begin", h->file->path,
                      tensor->name, (uintmax_t)tensor->begin, (uintmax_t)tensor->end);
    if (tensor->end > h->file->data_bytes)
        return REFUSE(h, "%s: tensor '%.200s': data_offsets [%ju, %ju] run past the file's %ju bytes of data",
                      h->file->path, tensor->name, (uintmax_t)tensor->begin, (uintmax_t)tensor->end,
                      (uintmax_t)h->file->data_bytes);
    return true;
}

/* The three fields, each once: cJSON keeps all of several with one name and would give the first. */
static bool read_fields(const struct header *h, const cJSON *object, struct safetensors_tensor *tensor)
{
    static const char *const names[TENSOR_FIELDS] = {"dtype", "shape", "data_offsets"};
    const cJSON *fields[TENSOR_FIELDS] = {NULL};
    const cJSON *field = NULL;
    uint64_t size_bytes = 0;

    cJSON_ArrayForEach(field, object)
    {
        size_t i = 0;

        while (i < TENSOR_FIELDS && strcmp(field->string, names[i]) != 0)
            i++;
        if (i == TENSOR_FIELDS)
            return REFUSE(h, "%s: tensor '%.200s': '%.40s' is not a field of safetensors", h->file->path,
                          tensor->name, field->string);
        if (fields[i])
            return REFUSE(h, "%s: tensor '%.200s': %s is given twice", h->file->path, tensor->name, names[i]);
        fields[i] = field;
    }
    for (size_t i = 0; i < TENSOR_FIELDS; i++)
        if (!fields[i])
            return REFUSE(h, "%s: tensor '%.200s': %s is missing", h->file->path, tensor->name, names[i]);
    if (!read_type(h, fields[0], tensor) || !read_shape(h, fields[1], tensor) ||
        !size_of(h, tensor->name, tensor->type, fields[1], &size_bytes) || !read_place(h, fields[2], tensor))
        return false;
    if (tensor->end - tensor->begin != size_bytes)
        return REFUSE(h, "%s: tensor '%.200s': data_offsets [%ju, %ju] hold %ju bytes, its shape of %s %ju",
                      h->file->path, tensor->name, (uintmax_t)tensor->begin, (uintmax_t)tensor->end,
                      (uintmax_t)(tensor->end - tensor->begin), tensor->type->name, (uintmax_t)size_bytes);
    return true;
}

/* null says that there is none. */
static bool read_metadata(const struct header *h, const struct json_member *member)
{
    if (*member->value == 'n')
        return true;
    if (*member->value != '{')
        return REFUSE(h, "%s: __metadata__ is not an object", h->file->path);
    return safetensors_read_metadata(h->file, member->value, member->value_bytes, h->failure);
}

static bool read_member(const struct header *h, const struct json_member *member,
                        struct safetensors_tensor *tensor)
{
    cJSON *object = NULL;
    bool ok = false;

    tensor->name = name_of(member);
    if (!tensor->name)
        return out_of_memory(h);
    if (*member->value != '{')
        return REFUSE(h, "%s: tensor '%.200s': its entry is not an object", h->file->path, tensor->name);
    if (member->children > TENSOR_FIELDS)
        return REFUSE(h, "%s: tensor '%.200s': %zu fields, not the three dtype, shape and data_offsets",
                      h->file->path, tensor->name, member->children);
    object = cJSON_ParseWithLength(member->value, member->value_bytes);
    if (!object)
        return out_of_memory(h);
    ok = read_fields(h, object, tensor);
    cJSON_Delete(object);
    return ok;
}

bool safetensors_parse(struct safetensors *file, const char *header, size_t header_bytes,
                       struct failure *failure)
{
    const struct header h = {file, failure};
    struct json_walk walk;
    struct json_member member;
    size_t tensors = 0;
    bool has_metadata = false;

    file->count = 0;
    file->tensors = NULL;
    file->metadata = NULL;
    if (!scan(&h, header, header_bytes, &tensors))
        return false;
    file->tensors =
        calloc(tensors + 1, sizeof *file->tensors); /* a place more for a member that is refused */
    if (!file->tensors)
        return out_of_memory(&h);
    json_walk_init(&walk, header, header_bytes);
    while (json_walk_next(&walk, &member)) {
        const bool metadata = is_metadata(&member);
        bool ok = false;

        if (metadata && has_metadata)
            REFUSE(&h, "%s: __metadata__ is given twice", file->path);
        else if (metadata)
            ok = read_metadata(&h, &member);
        else
            ok = read_member(&h, &member, &file->tensors[file->count++]);
        has_metadata = has_metadata || metadata;
        if (!ok) {
            safetensors_forget(file);
            return false;
        }
    }
    return true;
}

void safetensors_forget(struct safetensors *file)
{
    for (size_t i = 0; i < file->count; i++) {
        free(file->tensors[i].name);
        free(file->tensors[i].further);
    }
    free(file->tensors);
    free(file->metadata);
    file->tensors = NULL;
    file->metadata = NULL;
    file->count = 0;
}
