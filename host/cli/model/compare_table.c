/* SPDX-License-Identifier: Apache-2.0 */
/* The table of --compare, on stdout and as JSON. */
#include "compare.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KIND_COLUMN = 24, WAY_COLUMN = 12 };

/* The part of the name behind the last dot that is no number, without a last "weight". */
static void name_kind(const char *name, char *kind, size_t size)
{
    static const char weight[] = ".weight";
    size_t end = strlen(name), begin;

    if (end > sizeof weight - 1 && strcmp(name + end - (sizeof weight - 1), weight) == 0)
        end -= sizeof weight - 1;
    for (begin = end; begin > 0 && name[begin - 1] != '.';)
        begin--;
    snprintf(kind, size, "%.*s", (int)(end - begin), name + begin);
}

size_t compare_kind_of(struct comparison *comparison, const char *name)
{
    char kind[sizeof comparison->kinds->name];
    size_t i = 0;

    name_kind(name, kind, sizeof kind);
    while (i < comparison->kind_count && strcmp(comparison->kinds[i].name, kind) != 0)
        i++;
    if (i == COMPARE_MOST_KINDS - 1)
        snprintf(kind, sizeof kind, "others");
    if (i == comparison->kind_count) {
        snprintf(comparison->kinds[i].name, sizeof kind, "%s", kind);
        tame(comparison->kinds[i].name);
        comparison->kind_count++;
    }
    return i;
}

static int width_of(const struct compare_way *way)
{
    const int length = (int)strlen(way->text) + 2;

    return length > WAY_COLUMN ? length : WAY_COLUMN;
}

static double bits_of(const struct compare_way *way)
{
    return (double)way->quantized_bytes * 8 / (double)way->elements;
}

static void print_errors(const struct comparison *comparison, const char *name, size_t kind, bool all)
{
    printf("%-*.*s", KIND_COLUMN, KIND_COLUMN - 1, name);
    for (size_t w = 0; w < comparison->way_count; w++) {
        const struct compare_way *way = &comparison->ways[w];
        const struct float_error *error = all ? &way->all : &way->errors[kind];

        if ((all ? way->elements : way->counts[kind]) == 0)
            printf("%*s", width_of(way), "-");
        else
            printf("%*.3f", width_of(way), float_error_relative(error) * 100);
    }
    printf("\n");
}

void compare_print(const struct comparison *comparison)
{
    printf("%-*s", KIND_COLUMN, "");
    for (size_t w = 0; w < comparison->way_count; w++)
        printf("%*s", width_of(&comparison->ways[w]), comparison->ways[w].text);
    printf("\n%-*s", KIND_COLUMN, "bits an element");
    for (size_t w = 0; w < comparison->way_count; w++) {
        const struct compare_way *way = &comparison->ways[w];

        if (way->elements == 0)
            printf("%*s", width_of(way), "-");
        else
            printf("%*.3f", width_of(way), bits_of(way));
    }
    printf("\n%-*s", KIND_COLUMN, "bytes");
    for (size_t w = 0; w < comparison->way_count; w++)
        printf("%*ju", width_of(&comparison->ways[w]), (uintmax_t)comparison->ways[w].bytes);
    printf("\n\nerrors, root mean square in per cent of the tensors' own:\n");
    print_errors(comparison, "all", 0, true);
    for (size_t k = 0; k < comparison->kind_count; k++)
        print_errors(comparison, comparison->kinds[k].name, k, false);
}

static bool add_way(cJSON *root, const struct comparison *comparison, const struct compare_way *way)
{
    cJSON *object = cJSON_AddObjectToObject(root, way->text), *kinds = NULL;
    const bool any = way->elements > 0;
    bool ok = object && cJSON_AddNumberToObject(object, "bits", any ? bits_of(way) : NAN) &&
              cJSON_AddNumberToObject(object, "bytes", (double)way->bytes) &&
              cJSON_AddNumberToObject(object, "error", any ? float_error_relative(&way->all) : NAN) &&
              (kinds = cJSON_AddObjectToObject(object, "kinds")) != NULL;

    for (size_t k = 0; ok && k < comparison->kind_count; k++)
        if (way->counts[k] > 0)
            ok = cJSON_AddNumberToObject(kinds, comparison->kinds[k].name,
                                         float_error_relative(&way->errors[k])) != NULL;
    return ok;
}

bool compare_write_json(const struct comparison *comparison)
{
    struct failure *failure = comparison->model->failure;
    const char *path = comparison->model->options.json_path;
    struct output_file file = {.fd = -1};
    cJSON *root = path ? cJSON_CreateObject() : NULL;
    char *text = NULL;
    bool ok = root != NULL;

    for (size_t w = 0; ok && w < comparison->way_count; w++)
        ok = add_way(root, comparison, &comparison->ways[w]);
    text = ok ? cJSON_Print(root) : NULL;
    ok = !path ||
         ((text || fail(failure, STATUS_SYSTEM, "--json %s: no memory for its text", path)) &&
          output_file_create(&file, "--json", path, failure) &&
          output_file_write(&file, text, strlen(text), failure) && output_file_commit(&file, failure));
    output_file_discard(&file);
    cJSON_free(text);
    cJSON_Delete(root);
    return ok;
}
