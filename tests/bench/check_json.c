/* SPDX-License-Identifier: Apache-2.0 */
/* check_json FILE ROWS PEER...: the bench's JSON has the documented shape, so many rows, and each row these
 * names under vs. */
#include "operator.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(int holds, const char *what, size_t row)
{
    if (holds)
        return;
    printf("row %zu: %s\n", row, what);
    failures++;
}

static double figure(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : "";
}

static double elements(const cJSON *row)
{
    const cJSON *size = NULL;
    double product = 1;

    cJSON_ArrayForEach(size, cJSON_GetObjectItemCaseSensitive(row, "shape")) product *= size->valuedouble;
    return product;
}

static double size_of(const char *type)
{
    return strcmp(type, "float32") == 0 || strcmp(type, "int32") == 0 ? 4
           : strstr(type, "float16")                                  ? 2
           : strcmp(type, "int4") == 0                                ? 0.5
                                                                      : 1;
}

/* The scale of each row, and the offset where it has one: found on the way, or on the way back read. */
static double parameter_bytes(const cJSON *row)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(row, "shape");
    const cJSON *columns = cJSON_GetArrayItem(shape, cJSON_GetArraySize(shape) - 1);
    const char *name = text(row, "operator"), *mode = text(row, "mode");
    const double of_row = strcmp(name, "dynamic_quantize") == 0 ? strcmp(mode, "symmetric") == 0 ? 4 : 8
                          : strcmp(name, "dequantize") == 0 && strcmp(mode, "dynamic") == 0 ? 4
                                                                                            : 0;

    return columns ? elements(row) / columns->valuedouble * of_row : 0;
}

/* Scales of a whole tensor, or of an axis of it, are next to nothing. */
static double element_bytes(const cJSON *row)
{
    const bool scales_alone = strcmp(text(row, "operator"), "find_scales") == 0;

    return size_of(text(row, "src")) + (scales_alone ? 0 : size_of(text(row, "dst")));
}

static int is_operator(const char *name)
{
#define NAME(name) #name,
    static const char *const names[] = {CLQ_OPERATOR_LIST(NAME)};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return 1;
    return 0;
}

static void check_row(const cJSON *row, size_t index)
{
    const double bytes = elements(row) * element_bytes(row) + parameter_bytes(row);
    const double rate = figure(row, "bytes") / figure(row, "median_s") * 1e-9;
    const int scatters = strstr(text(row, "operator"), "_scatter") != NULL;

    expect(is_operator(text(row, "operator")), "operator", index);
    expect(figure(row, "median_s") > 0, "median_s", index);
    expect(text(row, "note")[0] != '\0', "note", index);
    if (!cJSON_HasObjectItem(row, "gbps"))
        return;
    expect(scatters || figure(row, "bytes") == bytes, "bytes: x once and y once", index);
    expect(figure(row, "gbps") > 0.999 * rate && figure(row, "gbps") < 1.001 * rate, "gbps", index);
    if (scatters) /* the shape is the cache's, and short calls have no stream loop beside them */
        return;
    expect(figure(row, "share_of_stream") > 0, "share_of_stream", index);
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, 1 << 20);

    if (!file || !bytes || fread(bytes, 1, (1 << 20) - 1, file) == 0) {
        printf("%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    char *bytes = argc > 2 ? read_all(argv[1]) : NULL;
    cJSON *top = cJSON_ParseWithOpts(bytes, NULL, 1);
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(top, "device");
    const cJSON *rows = cJSON_GetObjectItemCaseSensitive(top, "rows");
    const cJSON *row = NULL;
    size_t count = 0;

    expect(text(device, "name")[0] && text(device, "driver")[0] && text(device, "type")[0], "device", 0);
    cJSON_ArrayForEach(row, rows)
    {
        check_row(row, count);
        for (int i = 3; i < argc; i++)
            expect(figure(cJSON_GetObjectItemCaseSensitive(row, "vs"), argv[i]) > 0, argv[i], count);
        count++;
    }
    expect(argc > 2 && count == strtoul(argv[2], NULL, 10), "the number of rows", count);
    cJSON_Delete(top);
    free(bytes);
    return failures > 0;
}
