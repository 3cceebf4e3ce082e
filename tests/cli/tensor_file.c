/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and shows safetensors files for the tests. It shares nothing with the command's own reader and
 * writer.
 *
 *   tensor_file make FILE NAME:TYPE:SHAPE:VALUES ...    x:F32:2x3:1,-0.5,inf   VALUES repeat until SHAPE is
 *                                                       full
 *   tensor_file show FILE                               a line for each tensor: NAME TYPE SHAPE VALUES */
#include "reference.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 16, MAX_RANK = 16, LENGTH_BYTES = 8 };

struct tensor {
    const char *name;
    const char *type;
    const char *values;
    int rank;
    int64_t shape[MAX_RANK];
};

static const struct {
    const char *name;
    size_t size_bytes;
} types[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2},    {"I8", 1},      {"U8", 1},
             {"I32", 4}, {"I64", 8}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1}};

static void die(const char *what, const char *value)
{
    fprintf(stderr, "tensor_file: %s: %s\n", what, value);
    exit(2);
}

static size_t size_of(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].size_bytes;
    die("unknown type", type);
    return 0;
}

static int64_t count_of(const struct tensor *tensor)
{
    int64_t count = 1;

    for (int d = 0; d < tensor->rank; d++)
        count *= tensor->shape[d];
    return count;
}

static struct tensor parse(char *text)
{
    struct tensor tensor = {.name = text};
    char *type = strchr(text, ':');
    char *shape = type ? strchr(type + 1, ':') : NULL;
    char *values = shape ? strchr(shape + 1, ':') : NULL;

    if (!values)
        die("NAME:TYPE:SHAPE:VALUES is expected", text);
    *type++ = *shape++ = *values++ = '\0';
    tensor.type = type;
    tensor.values = values;
    for (char *end = shape; *shape; shape = *end ? end + 1 : end)
        tensor.shape[tensor.rank++] = strtoll(shape, &end, 10);
    return tensor;
}

/* False: it is no float8. */
static int is_float8(const char *type, enum reference_type *as)
{
    *as = strcmp(type, "F8_E4M3") == 0   ? REFERENCE_E4M3
          : strcmp(type, "F8_E5M2") == 0 ? REFERENCE_E5M2
                                         : REFERENCE_E8M0;
    return strncmp(type, "F8_", 3) == 0;
}

static void put(FILE *file, const char *type, const char *text)
{
    const float value = strtof(text, NULL);
    const int64_t whole = strtoll(text, NULL, 10);
    const uint16_t half =
        strcmp(type, "F16") == 0 ? reference_narrow_f16(value) : reference_narrow_bf16(value);
    enum reference_type float8;

    if (is_float8(type, &float8))
        fputc((int)reference_round(value, float8), file);
    else if (strcmp(type, "F32") == 0)
        fwrite(&value, sizeof value, 1, file);
    else if (type[0] == 'F' || type[0] == 'B')
        fwrite(&half, sizeof half, 1, file);
    else
        fwrite(&whole, size_of(type), 1, file); /* little-endian: the low bytes come first */
}

static void put_values(FILE *file, const struct tensor *tensor)
{
    const char *at = tensor->values;

    for (int64_t i = count_of(tensor); i > 0; i--) {
        put(file, tensor->type, at);
        at = strchr(at, ',');
        at = at ? at + 1 : tensor->values;
    }
}

static void make(const char *path, struct tensor *tensors, int count)
{
    FILE *file = fopen(path, "wb");
    cJSON *header = cJSON_CreateObject();
    uint64_t reached = 0;
    char *text = NULL;
    uint64_t length = 0;

    if (!file)
        die("cannot be written", path);
    for (int i = 0; i < count; i++) {
        const double begin = (double)reached;
        cJSON *object = cJSON_AddObjectToObject(header, tensors[i].name);
        cJSON *shape = cJSON_AddArrayToObject(object, "shape");

        reached += (uint64_t)count_of(&tensors[i]) * size_of(tensors[i].type);
        cJSON_AddStringToObject(object, "dtype", tensors[i].type);
        for (int d = 0; d < tensors[i].rank; d++)
            cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensors[i].shape[d]));
        cJSON_AddItemToObject(object, "data_offsets",
                              cJSON_CreateDoubleArray((double[]){begin, (double)reached}, 2));
    }
    text = cJSON_PrintUnformatted(header);
    length = strlen(text);
    fwrite(&length, LENGTH_BYTES, 1, file);
    fwrite(text, length, 1, file);
    for (int i = 0; i < count; i++)
        put_values(file, &tensors[i]);
    cJSON_free(text);
    cJSON_Delete(header);
    if (fclose(file) != 0)
        die("cannot be written", path);
}

static void show_value(const unsigned char *at, const char *type)
{
    uint16_t half = 0;
    int32_t word = 0;
    int64_t wide = 0;
    float value = 0;
    enum reference_type float8;

    memcpy(&half, at, size_of(type) < 2 ? 1 : 2);
    memcpy(&word, at, size_of(type) < 4 ? 1 : 4);
    memcpy(&wide, at, size_of(type));
    memcpy(&value, &word, sizeof value);
    if (is_float8(type, &float8))
        printf(" %.9g", (double)reference_read(*at, float8));
    else if (strcmp(type, "F32") == 0)
        printf(" %.9g", (double)value);
    else if (strcmp(type, "F16") == 0)
        printf(" %.9g", (double)reference_widen_f16(half));
    else if (strcmp(type, "BF16") == 0)
        printf(" %.9g", (double)reference_widen_bf16(half));
    else if (strcmp(type, "I8") == 0)
        printf(" %d", (signed char)*at);
    else if (strcmp(type, "U8") == 0)
        printf(" %d", *at);
    else if (strcmp(type, "I32") == 0)
        printf(" %" PRId32, word);
    else
        printf(" %" PRId64, wide);
}

static void show_tensor(const cJSON *object, const unsigned char *data)
{
    const char *type = cJSON_GetObjectItem(object, "dtype")->valuestring;
    const cJSON *offsets = cJSON_GetObjectItem(object, "data_offsets");
    const uint64_t begin = (uint64_t)cJSON_GetArrayItem(offsets, 0)->valuedouble;
    const uint64_t end = (uint64_t)cJSON_GetArrayItem(offsets, 1)->valuedouble;
    const cJSON *dimension = NULL;
    const char *between = "";

    printf("%s %s [", object->string, type);
    cJSON_ArrayForEach(dimension, cJSON_GetObjectItem(object, "shape"))
    {
        printf("%s%.0f", between, dimension->valuedouble);
        between = ",";
    }
    printf("]");
    for (uint64_t at = begin; at < end; at += size_of(type))
        show_value(data + at, type);
    printf("\n");
}

static void show(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    const cJSON *object = NULL;
    cJSON *header = NULL;
    uint64_t length = 0;
    long size = 0;

    if (!file)
        die("cannot be read", path);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    bytes = malloc((size_t)size);
    if (!bytes || size < LENGTH_BYTES || fread(bytes, (size_t)size, 1, file) != 1)
        die("cannot be read", path);
    fclose(file);
    memcpy(&length, bytes, LENGTH_BYTES);
    header = cJSON_ParseWithLength((const char *)bytes + LENGTH_BYTES, length);
    if (!header)
        die("has no header", path);
    cJSON_ArrayForEach(object, header)
    {
        if (strcmp(object->string, "__metadata__") != 0)
            show_tensor(object, bytes + LENGTH_BYTES + length);
    }
    cJSON_Delete(header);
    free(bytes);
}

int main(int argc, char **argv)
{
    struct tensor tensors[MAX_TENSORS];

    if (argc == 3 && strcmp(argv[1], "show") == 0) {
        show(argv[2]);
        return 0;
    }
    if (argc < 3 || argc - 3 > MAX_TENSORS || strcmp(argv[1], "make") != 0)
        die("usage", "make FILE NAME:TYPE:SHAPE:VALUES ... | show FILE");
    for (int i = 3; i < argc; i++)
        tensors[i - 3] = parse(argv[i]);
    make(argv[2], tensors, argc - 3);
    return 0;
}
