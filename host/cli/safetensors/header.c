/* The header's text -> tensors. json_walk has refused what JSON libraries forgive before cJSON sees a value,
 * and cJSON sees one tensor or one name at a time, so that memory stays near the size of the result. */
#include "json_walk.h"
#include "safetensors.h"

#include <cjson/cJSON.h>
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
    cJSON *item = cJSON_ParseWithLength(member->key, member->key_bytes);
    char *name = item ? strdup(item->valuestring) : NULL;

    cJSON_Delete(item);
    return name;
}

static bool refuse_text(const struct header *h, const struct json_walk *walk,
                        const struct json_member *member)
{
    char *name = member->key ? name_of(member) : NULL;

    REFUSE(h, "%s: header byte %td%s%s%s: %s", h->file->path, walk->at - walk->text, name ? ", tensor '" : "",
           name ? name : "", name ? "'" : "", walk->problem);
    free(name);
    return false;
}

/* Checks the text, and counts the members that may be tensors: the first of another kind is refused. */
static bool scan(const struct header *h, const char *text, size_t text_bytes, size_t *tensors)
{
    struct json_walk walk;
    struct json_member member;

    *tensors = 0;
    json_walk_init(&walk, text, text_bytes);
    while (json_walk_next(&walk, &member))
        *tensors += member.children == TENSOR_FIELDS;
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

    if (!read_whole_numbers(h, tensor->name, field))
        return false;
    cJSON_ArrayForEach(dimension, field)
    {
        if (tensor->rank < SAFETENSORS_MAX_RANK)
            tensor->shape[tensor->rank] = (int64_t)dimension->valuedouble;
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

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads the names one behind the other into text, which has room for them as they are spelt. */
static bool read_metadata(const struct header *h, const struct json_member *metadata, char *text,
                          char **names)
{
    struct json_walk walk;
    struct json_member member;

    json_walk_init(&walk, metadata->value, metadata->value_bytes);
    while (json_walk_next(&walk, &member)) {
        char *name = name_of(&member);

        if (!name)
            return out_of_memory(h);
        *names++ = text;
        text = stpcpy(text, name) + 1;
        free(name);
        if (*member.value != '"')
            return REFUSE(h, "%s: __metadata__: the value of '%.200s' is not a string", h->file->path,
                          names[-1]);
    }
    return true;
}

/* __metadata__: names and strings, each name once. Any number of them: what cJSON makes of them would take many
 * times the bytes of the text. */
static bool check_metadata(const struct header *h, const struct json_member *metadata)
{
    const size_t count = metadata->children;
    char **names = malloc((count + 1) * sizeof *names);
    char *text = malloc(metadata->value_bytes);
    bool ok = names && text ? read_metadata(h, metadata, text, names) : out_of_memory(h);

    if (ok)
        qsort(names, count, sizeof *names, by_text);
    for (size_t i = 1; ok && i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            ok = REFUSE(h, "%s: __metadata__: '%.200s' is given twice", h->file->path, names[i]);
    free(text);
    free(names);
    return ok;
}

static bool read_member(const struct header *h, const struct json_member *member,
                        struct safetensors_tensor *tensor, bool *metadata)
{
    cJSON *object = NULL;
    bool ok = false;

    tensor->name = name_of(member);
    if (!tensor->name)
        return out_of_memory(h);
    *metadata = strcmp(tensor->name, "__metadata__") == 0;
    if (*member->value != '{')
        return REFUSE(h, "%s: tensor '%.200s': its entry is not an object", h->file->path, tensor->name);
    if (*metadata)
        return check_metadata(h, member);
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
    if (!scan(&h, header, header_bytes, &tensors))
        return false;
    file->tensors = calloc(tensors + 1, sizeof *file->tensors); /* a place more for what is none */
    if (!file->tensors)
        return out_of_memory(&h);
    json_walk_init(&walk, header, header_bytes);
    while (json_walk_next(&walk, &member)) {
        struct safetensors_tensor *tensor = &file->tensors[file->count++];
        bool metadata = false;
        bool ok = read_member(&h, &member, tensor, &metadata);

        if (ok && metadata && has_metadata)
            ok = REFUSE(&h, "%s: __metadata__ is given twice", file->path);
        if (metadata) { /* it is no tensor: its place in the list is used again */
            has_metadata = true;
            free(tensor->name);
            *tensor = (struct safetensors_tensor){0};
            file->count--;
        }
        if (!ok) {
            safetensors_forget(file);
            return false;
        }
    }
    return true;
}

void safetensors_forget(struct safetensors *file)
{
    for (size_t i = 0; i < file->count; i++)
        free(file->tensors[i].name);
    free(file->tensors);
    file->tensors = NULL;
    file->count = 0;
}
