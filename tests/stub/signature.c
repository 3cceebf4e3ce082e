/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the kernels of an OpenCL C text: "kernel void NAME(parameters)", where NAME may be a macro of the
 * options, or of the last #define before it. It is no compiler: what stands in a comment is passed over, and
 * conditions are not looked at. */
#include "program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy whose comments are blanks. */
static char *without_comments(const char *source)
{
    char *const text = stub_allocate(strlen(source) + 1);
    size_t at = 0;

    strcpy(text, source);
    while (text[at] != '\0') {
        const char *const end = strncmp(text + at, "//", 2) == 0   ? strchr(text + at, '\n')
                                : strncmp(text + at, "/*", 2) == 0 ? strstr(text + at + 2, "*/")
                                                                   : text + at;
        const size_t length = end == NULL           ? strlen(text + at)
                              : end == text + at    ? 0
                              : text[at + 1] == '*' ? (size_t)(end - text) - at + 2
                                                    : (size_t)(end - text) - at;

        memset(text + at, ' ', length);
        at += length > 0 ? length : 1;
    }
    return text;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Behind the word, if it stands there; else NULL. */
static const char *skip_word(const char *at, const char *word)
{
    const size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && !is_name(at[length]) ? skip_space(at + length) : NULL;
}

/* Where the word stands in [at, end), or NULL. */
static const char *find_word(const char *at, const char *end, const char *word)
{
    const char *const begin = at;

    for (; at < end; at++)
        if ((at == begin || !is_name(at[-1])) && skip_word(at, word) != NULL)
            return at;
    return NULL;
}

/* Of a struct, as the text itself checks it. */
static size_t size_of_struct(const char *text, const char *name, size_t length)
{
    static const char check[] = "CLQ_SAME_SIZE(";

    for (const char *at = strstr(text, check); at != NULL; at = strstr(at, check)) {
        at += strlen(check);
        if (strncmp(at, name, length) == 0 && at[length] == ',')
            return strtoul(at + length + 1, NULL, 0);
    }
    return 0;
}

static size_t size_of_value(const char *text, const char *at, const char *end)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},     {"uint", 4},
                 {"long", 8}, {"ulong", 8}, {"float", 4}, {"double", 8}, {"clq_i64", 8}, {"clq_u32", 4}};
    const char *word = find_word(at, end, "struct");

    if (word != NULL) {
        word = skip_word(word, "struct");
        return size_of_struct(text, word, strcspn(word, " \t\r\n,)"));
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (find_word(at, end, types[i].name) != NULL)
            return types[i].size;
    return 0;
}

static bool add_parameter(struct stub_signature *signature, const char *text, const char *at, const char *end)
{
    const bool is_pointer = memchr(at, '*', (size_t)(end - at)) != NULL;
    const cl_uint i = signature->count;

    if (skip_space(at) >= end || (find_word(at, end, "void") != NULL && !is_pointer))
        return true; /* (void), or () */
    if (i == STUB_MOST_PARAMETERS)
        return false;
    if (!is_pointer) {
        signature->kinds[i] = STUB_PARAMETER_VALUE;
        signature->sizes[i] = size_of_value(text, at, end);
    } else {
        signature->kinds[i] = find_word(at, end, "local") != NULL || find_word(at, end, "__local") != NULL
                                  ? STUB_PARAMETER_LOCAL
                                  : STUB_PARAMETER_BUFFER;
    }
    signature->count++;
    return true;
}

/* From behind the parenthesis to the one that closes it. */
static bool read_parameters(struct stub_signature *signature, const char *text, const char *at)
{
    const char *begin = at;

    for (int depth = 0; *at != '\0'; at++) {
        const bool closes = *at == ')' && depth == 0;

        if (closes || (*at == ',' && depth == 0)) {
            if (!add_parameter(signature, text, begin, at))
                return false;
            begin = at + 1;
        }
        if (closes)
            return true;
        depth += (*at == '(') - (*at == ')');
    }
    return false;
}

/* What the last "#define NAME value" of [text, end) makes of the name. */
static bool defined(const char *text, const char *end, const char *name, char *value, size_t room)
{
    bool found = false;

    for (const char *at = memchr(text, '#', (size_t)(end - text)); at != NULL;
         at = memchr(at, '#', (size_t)(end - at))) {
        const char *word = skip_word(++at, "define");

        word = word != NULL ? skip_word(word, name) : NULL;
        if (word == NULL)
            continue;
        snprintf(value, room, "%.*s", (int)strcspn(word, " \t\r\n"), word);
        found = true;
    }
    return found;
}

/* at: behind "kernel". NULL where no kernel is declared here. */
static const char *read_name(struct stub_signature *signature, const char *options, const char *text,
                             const char *at)
{
    char name[64];
    size_t length = 0;

    at = skip_word(at, "void");
    while (at != NULL && is_name(at[length]))
        length++;
    if (at == NULL || length == 0 || length >= sizeof name || *skip_space(at + length) != '(')
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    if (!stub_option(options, name, signature->name, sizeof signature->name) &&
        !defined(text, at, name, signature->name, sizeof signature->name))
        snprintf(signature->name, sizeof signature->name, "%s", name);
    return skip_space(at + length) + 1;
}

bool stub_signatures(const char *source, const char *options, struct stub_signature **signatures,
                     size_t *count, char log[512])
{
    char *const text = without_comments(source);
    const char *at = text, *const end = text + strlen(text);
    bool good = true;

    *signatures = NULL;
    *count = 0;
    while (good && (at = find_word(at, end, "kernel")) != NULL) {
        struct stub_signature signature = {.count = 0};
        const char *const parameters = read_name(&signature, options, text, skip_word(at, "kernel"));

        at = skip_word(at, "kernel");
        if (parameters == NULL)
            continue;
        good = read_parameters(&signature, text, parameters);
        if (!good)
            snprintf(log, 512, "stub: the parameters of kernel %.200s cannot be read", signature.name);
        *signatures = realloc(*signatures, (*count + 1) * sizeof **signatures);
        if (*signatures == NULL)
            abort();
        (*signatures)[(*count)++] = signature;
    }
    free(text);
    return good;
}
