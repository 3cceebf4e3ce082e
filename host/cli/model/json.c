/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as Python writes it: numbers may be Infinity, -Infinity and NaN, which are no JSON. */
#include "model.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#define SPACE " \t\r\n"

/* Each is as long as what takes its place, so that places in the text stay. */
static void replace_words(char *text)
{
    static const char *const words[][2] = {
        {"-Infinity", "null     "}, {"Infinity", "null    "}, {"NaN", "\"N\""}};
    bool inside = false; /* a string */

    for (char *at = text; *at; at++) {
        if (inside && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            inside = !inside;
        for (size_t w = 0; !inside && w < sizeof words / sizeof *words; w++) {
            const size_t length = strlen(words[w][0]);

            if (strncmp(at, words[w][0], length) != 0)
                continue;
            memcpy(at, words[w][1], length);
            at += length - 1;
            break;
        }
    }
}

static bool fail_at(const char *path, const char *text, size_t offset, struct failure *failure)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < offset; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    return fail(failure, STATUS_REFUSED, "%s: is no JSON text: it is wrong at line %zu, column %zu", path,
                line, column);
}

struct cJSON *model_parse_json(const char *path, const char *text, size_t size_bytes, bool of_python,
                               struct failure *failure)
{
    char *copy = strdup(text);
    const char *end = NULL;
    cJSON *root = NULL;

    if (!copy) {
        fail(failure, STATUS_SYSTEM, "%s: no memory for its %zu bytes", path, size_bytes);
        return NULL;
    }
    if (of_python)
        replace_words(copy);
    if (strlen(text) == size_bytes)
        root = cJSON_ParseWithLengthOpts(copy, size_bytes + 1, &end, 1);
    else
        end = copy + strlen(text);
    if (!root)
        fail_at(path, text, end ? (size_t)(end - copy) : 0, failure);
    free(copy);
    return root;
}

const char *model_find_member(const char *text, const char *name)
{
    const size_t length = strlen(name);
    size_t depth = 0;

    for (const char *at = text; *at; at++) {
        const char *begin = at + 1;

        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        if (*at != '"')
            continue;
        for (at++; *at != '"'; at++)
            at += *at == '\\';
        if (depth == 1 && (size_t)(at - begin) == length && memcmp(begin, name, length) == 0) {
            const char *colon = at + 1 + strspn(at + 1, SPACE);

            if (*colon == ':')
                return colon + 1 + strspn(colon + 1, SPACE);
        }
    }
    return NULL;
}
