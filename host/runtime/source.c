/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving #include "…" among the embedded files. Conditions are not looked at: an include stands once
 * wherever it is met first, which is what the guards of the files mean anyway. */
#include "runtime/source.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILES 128

struct output {
    char *data;
    size_t size, room;
    bool seen[MAX_FILES];
};

static clq_status append(struct output *out, const char *data, size_t size)
{
    clq_status status = CLQ_OK;

    if (out->size + size + 1 > out->room) {
        const size_t room = 2 * (out->size + size) + 4096;
        char *grown = realloc(out->data, room);

        CLQ_REQUIRE(grown != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for a kernel's source failed",
                    room);
        out->data = grown;
        out->room = room;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
    out->data[out->size] = '\0';
end:
    return status;
}

static clq_status append_line_directive(struct output *out, size_t line, const char *file)
{
    char text[256];
    const int length = snprintf(text, sizeof text, "#line %zu \"%s\"\n", line, file);

    return append(out, text, (size_t)length);
}

/* By its path below cl/. */
static size_t find_file(const char *name, size_t length)
{
    size_t i = 0;

    while (i < clq__num_files &&
           !(strlen(clq__files[i].name) == length && memcmp(clq__files[i].name, name, length) == 0))
        i++;
    return i;
}

/* A kernel's file, which variants name without the folder of its kind: "cpu/quantize.cl". */
static size_t find_kernel(const char *name)
{
    size_t i = 0;

    while (i < clq__num_files && strcmp(strchr(clq__files[i].name, '/') + 1, name) != 0)
        i++;
    return i;
}

/* The name between the quotes of an include line, or NULL. */
static const char *included(const char *line, const char *line_end, size_t *length)
{
    static const char directive[] = "#include \"";
    const char *name = line + sizeof directive - 1, *quote;

    if ((size_t)(line_end - line) < sizeof directive || memcmp(line, directive, sizeof directive - 1) != 0)
        return NULL;
    quote = memchr(name, '"', (size_t)(line_end - name));
    if (quote == NULL)
        return NULL;
    *length = (size_t)(quote - name);
    return name;
}

static clq_status append_file(struct output *out, size_t index)
{
    clq_status status = CLQ_OK;
    const struct clq__file *file = &clq__files[index];
    const char *line = (const char *)file->data, *end_of_file = line + file->size_bytes;
    size_t number = 1;

    out->seen[index] = true;
    CLQ_TRY(append_line_directive(out, 1, file->name));
    while (line < end_of_file) {
        const char *newline = memchr(line, '\n', (size_t)(end_of_file - line));
        const char *next = newline ? newline + 1 : end_of_file;
        size_t length = 0, other;
        const char *name = included(line, next, &length);

        number++;
        if (name == NULL) {
            CLQ_TRY(append(out, line, (size_t)(next - line)));
        } else {
            other = find_file(name, length);
            CLQ_REQUIRE(other < clq__num_files, CLQ_ERROR_VALUE,
                        "%s:%zu includes \"%.*s\": no such kernel file", file->name, number - 1, (int)length,
                        name);
            if (!out->seen[other])
                CLQ_TRY(append_file(out, other));
            CLQ_TRY(append_line_directive(out, number, file->name));
        }
        line = next;
    }
end:
    return status;
}

clq_status clq__source(const char *file, char **source, size_t *size_bytes)
{
    clq_status status = CLQ_OK;
    struct output out = {0};
    const size_t index = find_kernel(file);

    *source = NULL;
    CLQ_REQUIRE(index < clq__num_files && clq__num_files <= MAX_FILES, CLQ_ERROR_VALUE,
                "no kernel file \"%s\"", file);
    CLQ_TRY(append_file(&out, index));
    *source = out.data;
    *size_bytes = out.size;
    out.data = NULL;
end:
    free(out.data);
    return status;
}
