/* Variants as text. */
#include "base/variant.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>

static void add(struct clq__variant *variant, const char *part, size_t length)
{
    if (length >= sizeof variant->data - variant->length) {
        variant->full = true;
        return;
    }
    memcpy(variant->data + variant->length, part, length);
    variant->length += length;
    variant->data[variant->length] = '\0';
}

void clq__variant_begin(struct clq__variant *variant, const char *file)
{
    variant->length = 0;
    variant->full = false;
    variant->data[0] = '\0';
    add(variant, file, strlen(file));
}

void clq__variant_define(struct clq__variant *variant, const char *name, const char *value)
{
    add(variant, " ", 1);
    add(variant, name, strlen(name));
    add(variant, "=", 1);
    add(variant, value, strlen(value));
}

void clq__variant_append(struct clq__variant *variant, const char *words)
{
    add(variant, words, strlen(words));
}

/* A word is the file's name, or NAME=value of letters, digits and '_': nothing else may reach a compiler's
 * options. */
static bool word_fits(const char *word, size_t length, bool first)
{
    size_t equals = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)word[i];

        if (c == '=' && !first)
            equals++;
        else if (!isalnum(c) && c != '_' && !(c == '.' && first))
            return false;
    }
    return first || (equals == 1 && word[0] != '=' && word[length - 1] != '=');
}

clq_status clq__variant_parse(struct clq__variant *variant, const char *text)
{
    clq_status status = CLQ_OK;
    bool first = true;

    clq__variant_begin(variant, "");
    for (const char *word = text + strspn(text, " \t"); *word != '\0'; word += strspn(word, " \t")) {
        const size_t length = strcspn(word, " \t");

        CLQ_REQUIRE(word_fits(word, length, first), CLQ_ERROR_VALUE, "variant \"%s\": \"%.*s\" must be %s",
                    text, (int)length, word,
                    first ? "the name of a kernel file" : "NAME=value of letters, digits and '_'");
        if (!first)
            add(variant, " ", 1);
        add(variant, word, length);
        word += length;
        first = false;
    }
    CLQ_REQUIRE(!first, CLQ_ERROR_VALUE, "variant \"\": it must begin with the name of a kernel file");
    CLQ_REQUIRE(!variant->full, CLQ_ERROR_VALUE, "variant \"%s\": it must be shorter than %d bytes", text,
                CLQ__VARIANT_BYTES);
end:
    return status;
}

bool clq__variant_defines(const struct clq__variant *variant, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strchr(variant->data, ' '); at != NULL; at = strchr(at, ' ')) {
        at++;
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return true;
    }
    return false;
}

uint64_t clq__variant_hash(const struct clq__variant *variant)
{
    uint64_t hash = variant->length;

    for (size_t at = 0; at < variant->length; at += sizeof(uint64_t)) {
        const size_t left = variant->length - at;
        uint64_t word = 0;

        memcpy(&word, variant->data + at, left < sizeof word ? left : sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

void clq__variant_file(const struct clq__variant *variant, struct clq__text *out)
{
    clq__text_add_part(out, variant->data, strcspn(variant->data, " "));
}

void clq__variant_options(const struct clq__variant *variant, struct clq__text *out)
{
    clq__text_add(out, "-D KERNEL_NAME=");
    clq__variant_kernel(variant, out);
    for (const char *at = strchr(variant->data, ' '); at != NULL; at = strchr(at, ' ')) {
        at++;
        clq__text_add(out, " -D ");
        clq__text_add_part(out, at, strcspn(at, " "));
    }
}

void clq__variant_kernel(const struct clq__variant *variant, struct clq__text *out)
{
    const char *at = variant->data + strcspn(variant->data, " ");

    clq__text_add(out, "clq_");
    clq__text_add_part(out, variant->data, strcspn(variant->data, ". "));
    while ((at = strchr(at, '=')) != NULL) {
        at++;
        clq__text_add(out, "_");
        clq__text_add_part(out, at, strcspn(at, " "));
    }
}
