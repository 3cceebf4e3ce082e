/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensor of the files an argument is. */
#include "operator.h"
#include "similar.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

/* The files that have a tensor of one name. */
struct hits {
    size_t count;
    const struct safetensors *files[2]; /* the first two */
    const struct safetensors_tensor *tensors[2];
};

static void add_hit(struct hits *hits, const struct safetensors *file, const char *name)
{
    const struct safetensors_tensor *tensor = safetensors_find(file, name);

    if (!tensor)
        return;
    if (hits->count < 2) {
        hits->files[hits->count] = file;
        hits->tensors[hits->count] = tensor;
    }
    hits->count++;
}

static struct hits find_name(const struct operator_call *call, const char *name)
{
    struct hits hits = {0};

    for (size_t i = 0; i < call->file_count; i++)
        add_hit(&hits, &call->files[i], name);
    return hits;
}

/* FILE:NAME, with FILE as it was given. A colon may be in both. */
static struct hits find_in_file(const struct operator_call *call, const char *text)
{
    struct hits hits = {0};

    for (size_t i = 0; i < call->file_count; i++) {
        const char *path = call->files[i].path;
        const size_t length = strlen(path);

        if (strncmp(text, path, length) == 0 && text[length] == ':')
            add_hit(&hits, &call->files[i], text + length + 1);
    }
    return hits;
}

/* The names that an argument has without --tensor, one after the other: its own, then its aliases. */
static struct hits find_known(const struct operator_call *call, size_t input)
{
    struct hits hits = find_name(call, call->op->inputs[input].name);

    for (size_t i = 0; i < OPERATOR_MAX_ALIASES && call->op->aliases[i].name && hits.count == 0; i++)
        if (call->op->aliases[i].input == input)
            hits = find_name(call, call->op->aliases[i].name);
    return hits;
}

static struct hits find_wanted(const struct operator_call *call, const char *text)
{
    const struct hits hits = find_name(call, text);

    return hits.count > 0 ? hits : find_in_file(call, text);
}

/* The names of a sentence, as far as there is room for them. */
struct list {
    char text[640];
    size_t used, count;
};

__attribute__((format(printf, 2, 3))) static void append(struct list *list, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    if (list->used < sizeof list->text)
        list->used +=
            (size_t)vsnprintf(list->text + list->used, sizeof list->text - list->used, format, values);
    va_end(values);
}

static void append_name(struct list *list, const char *name)
{
    append(list, "%s%.60s", list->count++ ? ", " : "", name);
}

/* The first names that there are, and how many more. */
static void list_first(const struct operator_call *call, struct list *list)
{
    enum { SHOWN = 8 };
    size_t total = 0;

    append(list, "the file%s ", call->file_count > 1 ? "s have" : " has");
    for (size_t f = 0; f < call->file_count; f++)
        for (size_t i = 0; i < call->files[f].count; i++)
            if (total++ < SHOWN)
                append_name(list, call->files[f].tensors[i].name);
    if (total > SHOWN)
        append(list, ", and %zu more", total - SHOWN);
    if (total == 0)
        append(list, "no tensor");
}

/* What the user may have meant, or what there is. */
static void list_names(const struct operator_call *call, const char *wanted, struct list *list)
{
    struct similar similar = {.wanted = wanted};

    for (size_t f = 0; f < call->file_count; f++)
        for (size_t i = 0; i < call->files[f].count; i++)
            similar_offer(&similar, call->files[f].tensors[i].name);
    if (similar.count == 0) {
        list_first(call, list);
        return;
    }
    append(list, similar.count > 1 ? "similar names in the file%s are " : "a similar name in the file%s is ",
           call->file_count > 1 ? "s" : "");
    for (size_t i = 0; i < similar.count; i++)
        append_name(list, similar.names[i]);
}

/* Of FILE:NAME the name. */
static const char *name_in(const struct operator_call *call, const char *text)
{
    for (size_t i = 0; i < call->file_count; i++) {
        const size_t length = strlen(call->files[i].path);

        if (strncmp(text, call->files[i].path, length) == 0 && text[length] == ':')
            return text + length + 1;
    }
    return text;
}

static bool refuse_absent(struct operator_call *call, size_t input)
{
    const char *own = call->op->inputs[input].name, *wanted = call->wanted[input];
    struct list names = {.count = 0}, aliases = {.count = 0};

    list_names(call, wanted ? name_in(call, wanted) : own, &names);
    for (size_t i = 0; !wanted && i < OPERATOR_MAX_ALIASES && call->op->aliases[i].name; i++)
        if (call->op->aliases[i].input == input)
            append(&aliases, " or '%s'", call->op->aliases[i].name);
    return REFUSE(call,
                  "%s: %s needs the tensor '%.200s'%s%s%s; %s (--tensor %s=NAME chooses a tensor, `clquant "
                  "list` shows all of them)",
                  call->in_text, call->op->name, wanted ? wanted : own, aliases.text, wanted ? " for " : "",
                  wanted ? own : "", names.text, own);
}

static bool refuse_several(struct operator_call *call, size_t input, const struct hits *hits)
{
    const char *name = hits->tensors[0]->name, *own = call->op->inputs[input].name;

    return REFUSE(
        call,
        "%s: tensor '%.200s', which %s needs for %s, is in %s too; --tensor %s=FILE:NAME chooses, such as "
        "--tensor %s=%s:%.200s",
        hits->files[0]->path, name, call->op->name, own, hits->files[1]->path, own, own, hits->files[0]->path,
        name);
}

bool operator_needs_input(struct operator_call *call, size_t input)
{
    return call->sources[input] || refuse_absent(call, input);
}

bool operator_find_input(struct operator_call *call, size_t input)
{
    const char *wanted = call->wanted[input];
    struct hits hits = {0};

    if (wanted && !*wanted)
        return true;
    hits = wanted ? find_wanted(call, wanted) : find_known(call, input);
    if (hits.count > 1)
        return refuse_several(call, input, &hits);
    call->sources[input] = hits.tensors[0];
    call->source_files[input] = hits.files[0];
    return hits.count == 1 || (call->op->inputs[input].optional && !wanted) || refuse_absent(call, input);
}
