/* SPDX-License-Identifier: Apache-2.0 */
/* clquant list: what is in safetensors files. */
#include "commands.h"
#include "failure.h"
#include "safetensors/json_text.h"
#include "safetensors/json_walk.h"
#include "safetensors/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 60, SHAPE_BYTES = 64 * 20 + 3, METADATA_SHOWN = 100 };

/* The columns are as wide as what stands in them, but a long name does not push the others away. */
struct widths {
    int name, type, shape, bytes;
};

static void shape_text(const struct safetensors_tensor *tensor, char text[SHAPE_BYTES])
{
    char *at = text;

    *at++ = '[';
    for (size_t d = 0; d < tensor->rank; d++)
        at += sprintf(at, "%s%" PRId64, d ? "," : "", safetensors_extent(tensor, d));
    strcpy(at, "]");
}

/* Characters of UTF-8, not bytes. */
static int characters(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void widen(int *width, int characters_of)
{
    if (characters_of > *width)
        *width = characters_of > WIDEST ? WIDEST : characters_of;
}

static struct widths widths_of(const struct safetensors *file)
{
    struct widths widths = {0};
    char text[SHAPE_BYTES];

    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];

        shape_text(tensor, text);
        widen(&widths.name, characters(tensor->name));
        widen(&widths.type, characters(tensor->type->name));
        widen(&widths.shape, characters(text));
        widen(&widths.bytes, snprintf(NULL, 0, "%" PRIu64, tensor->end - tensor->begin));
    }
    return widths;
}

static void print_column(const char *text, int width)
{
    const int left = width - characters(text);

    printf("%s%*s  ", text, left > 0 ? left : 0, "");
}

static void print_tensors(const struct safetensors *file)
{
    const struct widths widths = widths_of(file);
    char text[SHAPE_BYTES];

    for (size_t i = 0; i < file->count; i++) {
        const struct safetensors_tensor *tensor = &file->tensors[i];

        tame(tensor->name);
        shape_text(tensor, text);
        printf("  ");
        print_column(tensor->name, widths.name);
        print_column(tensor->type->name, widths.type);
        print_column(text, widths.shape);
        printf("%*" PRIu64 " bytes\n", widths.bytes, tensor->end - tensor->begin);
    }
}

/* What a string spells, on one line: a NUL in it is shown as other control characters are.
 * A long one is cut. */
static void print_string(const char *string, size_t string_bytes, char *text)
{
    const size_t text_bytes = json_text(string, string_bytes, text);

    for (char *nul = text; (nul = memchr(nul, '\0', text_bytes - (size_t)(nul - text)));)
        *nul = '\n';
    if (text_bytes > METADATA_SHOWN)
        strcpy(text + METADATA_SHOWN, "...");
    tame(text);
    printf("%s", text);
}

static bool print_metadata(const struct safetensors *file, struct failure *failure)
{
    const size_t size_bytes = strlen(file->metadata);
    char *text = malloc(size_bytes + sizeof "...");
    struct json_walk walk;
    struct json_member member;

    if (!text)
        return fail(failure, STATUS_SYSTEM, "%s: no memory for its metadata", file->path);
    json_walk_init(&walk, file->metadata, size_bytes);
    while (json_walk_next(&walk, &member)) {
        printf("  __metadata__ ");
        print_string(member.key, member.key_bytes, text);
        printf(" = ");
        print_string(member.value, member.value_bytes, text);
        printf("\n");
    }
    free(text);
    return true;
}

static bool print_file(const char *path, struct failure *failure)
{
    struct safetensors file;
    char *shown = NULL;
    bool ok = false;

    if (!safetensors_open(&file, path, failure))
        return false;
    shown = strdup(path);
    if (shown) {
        tame(shown);
        printf("%s: %zu tensor%s, %" PRIu64 " bytes of data\n", shown, file.count, file.count == 1 ? "" : "s",
               file.data_bytes);
        print_tensors(&file);
        ok = !file.metadata || print_metadata(&file, failure);
    } else {
        fail(failure, STATUS_SYSTEM, "%s: no memory for its name", path);
    }
    free(shown);
    safetensors_close(&file);
    return ok;
}

/* A file that is refused does not hide the others. */
int list_main(int argc, char **argv)
{
    int status = STATUS_DONE;
    int first = 1;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("clquant list FILE.safetensors [FILE2.safetensors ...]\n\n"
               "Lists the tensors of each file, a line each: name, type, shape and bytes; then\n"
               "the metadata. Only the headers are read, and no device is opened.\n");
        return STATUS_DONE;
    }
    if (argc > 1 && strcmp(argv[1], "--") == 0)
        first = 2;
    if (argc <= first) {
        complain("list: a safetensors file is expected; see clquant list --help");
        return STATUS_USAGE;
    }
    if (first == 1 && argv[1][0] == '-') {
        complain("list: '%.100s': list has no options; see clquant list --help", argv[1]);
        return STATUS_USAGE;
    }
    for (int i = first; i < argc; i++) {
        struct failure failure = {.status = STATUS_DONE};

        if (print_file(argv[i], &failure))
            continue;
        fflush(stdout);
        complain("%s", failure.text);
        if ((int)failure.status > status)
            status = (int)failure.status;
    }
    return status;
}
