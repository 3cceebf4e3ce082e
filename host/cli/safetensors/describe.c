/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors -> the first bytes of a file: the header's length, and the header. */
#include "safetensors.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = SAFETENSORS_LENGTH_BYTES, ALIGNMENT_BYTES = 8 };

/* Numbers go in as text: cJSON keeps doubles, and prints large ones with an exponent. */
static bool add_numbers(cJSON *object, const char *name, const int64_t *numbers, size_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, name);
    bool ok = array != NULL;

    for (size_t i = 0; ok && i < count; i++) {
        char text[24];
        cJSON *number = NULL;

        snprintf(text, sizeof text, "%" PRId64, numbers[i]);
        number = cJSON_CreateRaw(text);
        ok = number && cJSON_AddItemToArray(array, number);
    }
    return ok;
}

static bool add_shape(cJSON *object, const struct safetensors_tensor *tensor)
{
    int64_t *shape = malloc((tensor->rank + 1) * sizeof *shape);
    bool ok = shape != NULL;

    for (size_t d = 0; ok && d < tensor->rank; d++)
        shape[d] = safetensors_extent(tensor, d);
    ok = ok && add_numbers(object, "shape", shape, tensor->rank);
    free(shape);
    return ok;
}

static bool add_tensor(cJSON *header, const struct safetensors_tensor *tensor)
{
    cJSON *object = cJSON_AddObjectToObject(header, tensor->name);

    return object && cJSON_AddStringToObject(object, "dtype", tensor->type->name) &&
           add_shape(object, tensor) &&
           add_numbers(object, "data_offsets",
                       (const int64_t[]){(int64_t)tensor->begin, (int64_t)tensor->end}, 2);
}

/* The largest elements first, else in the order given. */
static void place(struct safetensors_tensor *tensors, size_t count)
{
    static const unsigned bits[] = {64, 32, 16, 8, 6, 4}; /* of all types of the format */
    uint64_t reached = 0;

    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
        for (size_t i = 0; i < count; i++) {
            uint64_t elements = 1;

            if (tensors[i].type->bits != bits[b])
                continue;
            for (size_t d = 0; d < tensors[i].rank; d++)
                elements *= (uint64_t)safetensors_extent(&tensors[i], d);
            tensors[i].begin = reached;
            reached += elements / 8 * bits[b] + elements % 8 * bits[b] / 8;
            tensors[i].end = reached;
        }
}

static char *frame(const char *json, size_t *size_bytes)
{
    const size_t json_bytes = strlen(json);
    const size_t header_bytes = (json_bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    char *bytes = malloc(LENGTH_BYTES + header_bytes);

    if (!bytes)
        return NULL;
    for (int i = 0; i < LENGTH_BYTES; i++)
        bytes[i] = (char)(unsigned char)((uint64_t)header_bytes >> (8 * i));
    memcpy(bytes + LENGTH_BYTES, json, json_bytes);
    memset(bytes + LENGTH_BYTES + json_bytes, ' ', header_bytes - json_bytes);
    *size_bytes = LENGTH_BYTES + header_bytes;
    return bytes;
}

char *safetensors_describe(struct safetensors_tensor *tensors, size_t count, const char *metadata,
                           size_t *size_bytes)
{
    cJSON *header = cJSON_CreateObject();
    bool ok = header && (!metadata || cJSON_AddRawToObject(header, "__metadata__", metadata));
    char *json = NULL;
    char *bytes = NULL;

    place(tensors, count);
    for (size_t i = 0; ok && i < count; i++)
        ok = add_tensor(header, &tensors[i]);
    json = ok ? cJSON_PrintUnformatted(header) : NULL;
    bytes = json ? frame(json, size_bytes) : NULL;
    cJSON_free(json);
    cJSON_Delete(header);
    return bytes;
}
