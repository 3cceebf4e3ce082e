/* SPDX-License-Identifier: Apache-2.0 */
/* Variants as text. */
#include "base/variant.h"

#include <assert.h>
#include <string.h>

enum { MOST_VALUES = 14, MOST_TYPES = 62 }; /* one less than the bits of a plug can say */

_Static_assert((int)CLQ__KERNELS < 256 && 8 + 4 * (int)CLQ__PLUGS + 4 <= 64 && (int)CLQ__TYPES <= MOST_TYPES,
               "a variant must fit into 64 bits");

static const char *const files[CLQ__KERNELS] = {
#define FILE_OF(id, file) [id] = file,
    CLQ__KERNEL_LIST(FILE_OF)
#undef FILE_OF
};

static const struct plug {
    const char *name, *values[MOST_VALUES];
} plugs[CLQ__PLUGS] = {
#define PLUG_OF(id, name, ...) [id] = {name, __VA_ARGS__},
    CLQ__PLUG_LIST(PLUG_OF)
#undef PLUG_OF
};

/* NULL where there is no such value. */
static const char *value_of(int plug, int value)
{
    if (plug == CLQ__SRC || plug == CLQ__DST)
        return value > CLQ__NONE && value < CLQ__TYPES ? clq__type_token((enum clq__type)value) : NULL;
    return value >= 0 && value < MOST_VALUES ? plugs[plug].values[value] : NULL;
}

/* Each plug: between, its name, equals, its value; without equals the value alone. */
static void add_plugs(const struct clq__variant *variant, const char *between, const char *equals,
                      struct clq__text *out)
{
    for (int plug = 0; plug < CLQ__PLUGS; plug++) {
        const char *value = value_of(plug, clq__variant_value(variant, (enum clq__plug)plug));

        if (value == NULL)
            continue;
        clq__text_add(out, between);
        if (equals != NULL) {
            clq__text_add(out, plugs[plug].name);
            clq__text_add(out, equals);
        }
        clq__text_add(out, value);
    }
}

void clq__variant_file(const struct clq__variant *variant, struct clq__text *out)
{
    const uint64_t kernel = variant->bits & 255;

    if (kernel != CLQ__NO_KERNEL)
        clq__text_add(out, files[kernel]);
}

struct clq__variant_text clq__variant_text(const struct clq__variant *variant)
{
    struct clq__variant_text text;
    struct clq__text out = clq__text(text.data, sizeof text.data);

    clq__variant_file(variant, &out);
    add_plugs(variant, " ", "=", &out);
    return text;
}

void clq__variant_options(const struct clq__variant *variant, struct clq__text *out)
{
    clq__text_add(out, "-D KERNEL_NAME=");
    clq__variant_kernel(variant, out);
    add_plugs(variant, " -D ", "=", out);
}

void clq__variant_defines(const struct clq__variant *variant, const char *kernel, struct clq__text *out)
{
    clq__text_add(out, "#define KERNEL_NAME ");
    clq__text_add(out, kernel);
    add_plugs(variant, "\n#define ", " ", out);
    clq__text_add(out, "\n");
}

void clq__variant_kernel(const struct clq__variant *variant, struct clq__text *out)
{
    const char *file = files[variant->bits & 255];

    clq__text_add(out, "clq_");
    if (strncmp(file, "cpu/", 4) == 0) {
        clq__text_add(out, "cpu_");
        file += 4;
    }
    clq__text_add_part(out, file, strcspn(file, "."));
    add_plugs(variant, "_", NULL, out);
}

static bool is_word(const char *word, size_t length, const char *text)
{
    return text != NULL && strlen(text) == length && memcmp(word, text, length) == 0;
}

static bool parse_kernel(struct clq__variant *variant, const char *word, size_t length)
{
    for (int kernel = CLQ__NO_KERNEL + 1; kernel < CLQ__KERNELS; kernel++)
        if (is_word(word, length, files[kernel])) {
            clq__variant_begin(variant, (enum clq__kernel)kernel);
            return true;
        }
    return false;
}

static bool parse_plug(struct clq__variant *variant, const char *word, size_t length)
{
    const size_t name = strcspn(word, "= ");

    for (int plug = 0; plug < CLQ__PLUGS && name < length; plug++)
        for (int value = 0; value < MOST_TYPES && is_word(word, name, plugs[plug].name); value++)
            if (is_word(word + name + 1, length - name - 1, value_of(plug, value)) &&
                clq__variant_value(variant, (enum clq__plug)plug) < 0) {
                clq__variant_define(variant, (enum clq__plug)plug, (unsigned)value);
                return true;
            }
    return false;
}

bool clq__variant_parse(struct clq__variant *variant, const char *text)
{
    size_t length = strcspn(text, " ");
    bool good = parse_kernel(variant, text, length);

    while (good && text[length] == ' ') {
        text += length + 1;
        length = strcspn(text, " ");
        good = parse_plug(variant, text, length);
    }
    return good;
}
