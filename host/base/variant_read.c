/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a variant from a user's text, by the list of all variants. */
#include "base/error.h"
#include "base/variant.h"

#include <assert.h>
#include <string.h>

#define LINE_BYTES 512

static size_t length_of(const char *word)
{
    return strcspn(word, " \t\n");
}

/* The next word behind this one, "" at the end of the line. */
static const char *behind(const char *word)
{
    word += length_of(word);
    return word + strspn(word, " \t");
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* The line of the list whose kernel file it is, alone; "" where there is none. */
static void find_line(const char *list, const char *file, char *line)
{
    struct clq__text text = clq__text(line, LINE_BYTES);

    for (const char *at = list; *at != '\0'; at = next_line(at))
        if (length_of(at) == length_of(file) && strncmp(at, file, length_of(file)) == 0)
            clq__text_add_part(&text, at, strcspn(at, "\n"));
    assert(!text.full);
}

/* The word among these that has this name, "NAME=…", or NULL. */
static const char *find_word(const char *words, const char *name, size_t length)
{
    for (const char *word = words; *word != '\0'; word = behind(word))
        if (strncmp(word, name, length) == 0 && word[length] == '=')
            return word;
    return NULL;
}

/* Whether the value is one of the plug's, "a|b". */
static bool is_value(const char *plug, const char *value, size_t length)
{
    for (const char *at = plug; at < plug + length_of(plug); at += strcspn(at, "| \n") + 1)
        if (strcspn(at, "| \n") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

/* Whether the word, "NAME=b" or "NAME=b|c", is of the line's "NAME=a|b|c". */
static bool is_of(const char *line, const char *word)
{
    const char *const end = word + length_of(word);
    const size_t name = strcspn(word, "= \t");
    const char *plug = word + name < end ? find_word(line, word, name) : NULL;
    bool good = plug != NULL;

    for (const char *value = word + name; good && value < end;) {
        const size_t length = strcspn(++value, "| \t\n");

        good = is_value(plug + name + 1, value, length);
        value += length;
    }
    return good;
}

/* The plugs of a device. */
static bool may_be_left_out(const char *plug)
{
    return strncmp(plug, "FORM=", 5) == 0 || strncmp(plug, "ARITHMETIC=", 11) == 0;
}

static void name_files(const char *list, char *names, size_t size_bytes)
{
    struct clq__text text = clq__text(names, size_bytes);

    for (const char *at = list; *at != '\0'; at = next_line(at)) {
        clq__text_add(&text, at == list ? "" : ", ");
        clq__text_add_part(&text, at, length_of(at));
    }
}

clq_status clq__variant_read(struct clq__text *out, const char *list, const char *device_plugs,
                             const char *text)
{
    clq_status status = CLQ_OK;
    const char *file = text + strspn(text, " \t");
    char line[LINE_BYTES], names[512];

    find_line(list, file, line);
    name_files(list, names, sizeof names);
    CLQ_REQUIRE(*line != '\0', CLQ_ERROR_VALUE, "variant \"%.128s\": it must begin with one of %s", text,
                names);
    for (const char *word = behind(file); *word != '\0'; word = behind(word)) {
        const int shown = length_of(word) < 64 ? (int)length_of(word) : 64;

        CLQ_REQUIRE(is_of(line, word) && find_word(behind(file), word, strcspn(word, "=")) == word,
                    CLQ_ERROR_VALUE, "variant \"%.128s\": \"%.*s\" must be one of \"%s\", each name once",
                    text, shown, word, line);
    }
    clq__text_add_part(out, line, length_of(line));
    for (const char *plug = behind(line); *plug != '\0'; plug = behind(plug)) {
        const size_t name = strcspn(plug, "=");
        const char *word = find_word(behind(file), plug, name);

        if (word == NULL && device_plugs != NULL)
            word = find_word(device_plugs + 1, plug, name);
        else if (word == NULL && may_be_left_out(plug))
            word = plug;
        CLQ_REQUIRE(word != NULL, CLQ_ERROR_VALUE, "variant \"%.128s\": it must have \"%.*s\"", text,
                    (int)length_of(plug), plug);
        clq__text_add(out, " ");
        clq__text_add_part(out, word, length_of(word));
    }
    CLQ_REQUIRE(!out->full, CLQ_ERROR_VALUE, "variant \"%.128s\": it must have each value once", text);
end:
    return status;
}

/* whole is a variant up to here, and rest what follows: " NAME=a|b NAME=c". */
static clq_status each(struct clq__text *whole, const char *rest, clq__variant_visit visit, void *user)
{
    clq_status status = CLQ_OK;
    const size_t before = whole->length, name = strcspn(rest, "=");
    struct clq__variant variant;

    if (*rest == '\0') {
        CLQ_REQUIRE(clq__variant_parse(&variant, whole->data), CLQ_ERROR_VALUE,
                    "variant \"%s\" is none of the library's", whole->data);
        return visit(user, &variant);
    }
    for (const char *value = rest + name; *value == '=' || *value == '|';) {
        const size_t length = strcspn(++value, "| ");

        clq__text_add_part(whole, rest, name + 1);
        clq__text_add_part(whole, value, length);
        value += length;
        CLQ_TRY(each(whole, value + strcspn(value, " "), visit, user));
        whole->length = before;
    }
end:
    return status;
}

clq_status clq__variant_each(const char *text, clq__variant_visit visit, void *user)
{
    const size_t file = strcspn(text, " ");
    char data[CLQ__VARIANT_BYTES];
    struct clq__text whole = clq__text(data, sizeof data);

    clq__text_add_part(&whole, text, file);
    return each(&whole, text + file, visit, user);
}
