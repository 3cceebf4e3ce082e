/* SPDX-License-Identifier: Apache-2.0 */
/* The header by cJSON; every number of it is checked before it is used. */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE   200809L
#include "tensor_file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8, MOST_HEADER_BYTES = 100000000 }; /* the format's own limit */

static bool refuse(struct tensor_file *file, const char *name, const char *why)
{
    snprintf(file->problem, sizeof file->problem, "%.200s: %s%.150s%s%s", file->path, name ? "tensor '" : "",
             name ? name : "", name ? "' " : "", why);
    return false;
}

/* A whole number that a double holds exactly. */
static bool whole(const cJSON *item, uint64_t *value)
{
    const double number = cJSON_IsNumber(item) ? item->valuedouble : -1.0;

    *value = number >= 0.0 && number <= 0x1p53 ? (uint64_t)number : 0;
    return number >= 0.0 && number <= 0x1p53 && (double)*value == number;
}

static bool read_shape(struct tensor_entry *entry, const cJSON *shape, uint64_t *elements)
{
    const cJSON *item = NULL;

    *elements = 1;
    cJSON_ArrayForEach(item, shape)
    {
        uint64_t extent = 0;

        if (!whole(item, &extent) || (extent > 0 && *elements > (UINT64_C(1) << 53) / extent))
            return false;
        if (entry->rank < TENSOR_MAX_RANK)
            entry->shape[entry->rank] = (int64_t)extent;
        entry->rank += entry->rank <= TENSOR_MAX_RANK;
        *elements *= extent;
    }
    return cJSON_IsArray(shape);
}

/* data_bytes follow data_begin in the file. */
static bool read_entry(struct tensor_file *file, const cJSON *item, uint64_t data_begin, uint64_t data_bytes)
{
    struct tensor_entry *entry = &file->entries[file->count++];
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "dtype"));
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
    uint64_t begin = 0, end = 0, elements = 0;

    *entry = (struct tensor_entry){.name = item->string};
    if (type == NULL || strlen(type) >= sizeof entry->type)
        return refuse(file, item->string, "has no type");
    strcpy(entry->type, type);
    entry->value_bytes = strcmp(type, "F32") == 0                                ? 4
                         : strcmp(type, "F16") == 0 || strcmp(type, "BF16") == 0 ? 2
                                                                                 : 0;
    if (!read_shape(entry, cJSON_GetObjectItemCaseSensitive(item, "shape"), &elements))
        return refuse(file, item->string, "has no shape of whole numbers");
    if (!whole(cJSON_GetArrayItem(offsets, 0), &begin) || !whole(cJSON_GetArrayItem(offsets, 1), &end) ||
        begin > end || end > data_bytes)
        return refuse(file, item->string, "does not lie within the file");
    entry->begin = data_begin + begin;
    entry->size_bytes = end - begin;
    if (entry->value_bytes > 0 && elements != entry->size_bytes / entry->value_bytes)
        return refuse(file, item->string, "has not as many bytes as its shape and type ask for");
    return true;
}

static bool read_header(struct tensor_file *file, uint64_t header_bytes, uint64_t file_bytes)
{
    char *text = malloc((size_t)header_bytes);
    const cJSON *item = NULL;

    if (text != NULL && fread(text, 1, (size_t)header_bytes, file->stream) == header_bytes)
        file->json = cJSON_ParseWithLength(text, (size_t)header_bytes);
    free(text);
    if (!cJSON_IsObject((cJSON *)file->json))
        return refuse(file, NULL, "is no safetensors file: its header is no JSON object");
    file->entries = calloc((size_t)cJSON_GetArraySize(file->json) + 1, sizeof *file->entries);
    if (file->entries == NULL)
        return refuse(file, NULL, "no memory for its list of tensors");
    cJSON_ArrayForEach(item, (cJSON *)file->json)
    {
        if (strcmp(item->string, "__metadata__") != 0 &&
            !read_entry(file, item, LENGTH_BYTES + header_bytes, file_bytes - LENGTH_BYTES - header_bytes))
            return false;
    }
    return true;
}

bool tensor_file_open(struct tensor_file *file, const char *path)
{
    unsigned char length[LENGTH_BYTES] = {0};
    uint64_t header_bytes = 0;
    long long file_bytes = 0;

    *file = (struct tensor_file){.path = path, .stream = fopen(path, "rb")};
    if (file->stream == NULL || fseeko(file->stream, 0, SEEK_END) != 0 ||
        (file_bytes = (long long)ftello(file->stream)) < 0 || fseeko(file->stream, 0, SEEK_SET) != 0)
        return refuse(file, NULL, strerror(errno));
    if (fread(length, 1, sizeof length, file->stream) != sizeof length)
        return refuse(file, NULL, "is no safetensors file: it has fewer than eight bytes");
    for (int i = 0; i < LENGTH_BYTES; i++)
        header_bytes |= (uint64_t)length[i] << 8 * i;
    if (header_bytes > MOST_HEADER_BYTES || header_bytes > (uint64_t)file_bytes - LENGTH_BYTES)
        return refuse(file, NULL, "is no safetensors file: its header would not end within it");
    return read_header(file, header_bytes, (uint64_t)file_bytes);
}

void tensor_file_close(struct tensor_file *file)
{
    cJSON_Delete(file->json);
    free(file->entries);
    if (file->stream != NULL)
        fclose(file->stream);
    *file = (struct tensor_file){0};
}

void *tensor_file_read(struct tensor_file *file, const struct tensor_entry *entry)
{
    void *bytes = malloc(entry->size_bytes > 0 ? (size_t)entry->size_bytes : 1);

    if (bytes != NULL && fseeko(file->stream, (off_t)entry->begin, SEEK_SET) == 0 &&
        fread(bytes, 1, (size_t)entry->size_bytes, file->stream) == entry->size_bytes)
        return bytes;
    refuse(file, entry->name, bytes == NULL ? "needs more memory than there is" : "cannot be read");
    free(bytes);
    return NULL;
}
