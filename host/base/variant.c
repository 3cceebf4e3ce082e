/* Variants as text. */
#include "base/variant.h"

#include <assert.h>
#include <string.h>

void clq__variant_add(struct clq__variant *variant, const char *part, size_t length)
{
    assert(length < sizeof variant->data - variant->length);
    memcpy(variant->data + variant->length, part, length);
    variant->length += length;
    variant->data[variant->length] = '\0';
}

void clq__variant_begin(struct clq__variant *variant, const char *file)
{
    variant->length = 0;
    variant->data[0] = '\0';
    clq__variant_add(variant, file, strlen(file));
}

void clq__variant_define(struct clq__variant *variant, const char *name, const char *value)
{
    clq__variant_add(variant, " ", 1);
    clq__variant_add(variant, name, strlen(name));
    clq__variant_add(variant, "=", 1);
    clq__variant_add(variant, value, strlen(value));
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
