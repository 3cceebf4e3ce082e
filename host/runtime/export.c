/* SPDX-License-Identifier: Apache-2.0 */
/* Sources for offline compilers. */
#include "runtime/export.h"

#include "base/error.h"
#include "runtime/source.h"
#include "runtime/variants.h"

#include <clquant/export.h>
#include <clquant/version.h>
#include <string.h>

#define HEAD_BYTES 1024
#define LINE_BYTES 512

struct exporting {
    clq_export_visit visit; /* NULL: texts are only looked at */
    void *user;
};

void clq__exported_name(const struct clq__variant *variant, const char *source, size_t source_bytes,
                        char name[CLQ__EXPORTED_BYTES])
{
    const uint64_t hash = clq__hash(CLQ__HASH_START, source, source_bytes);
    struct clq__text text = clq__text(name, CLQ__EXPORTED_BYTES);

    clq__variant_kernel(variant, &text);
    clq__text_format(&text, "_%08x", (unsigned)(hash ^ hash >> 32));
}

/* Whether its quotients are the device's own. */
static bool divides_itself(const struct clq__variant *variant, const char *file)
{
    const bool native =
        clq__variant_value(variant, CLQ__ARITHMETIC) == CLQ__NATIVE || strncmp(file, "cpu/", 4) == 0;

    return native && clq__variant_value(variant, CLQ__MODE) != 0;
}

/* The build parameters, as lines of the source. */
static void add_head(struct clq__text *head, const struct clq__variant *variant, const char *kernel)
{
    clq__text_format(head, "// clquant %s, %s\n", clq_version(), clq__variant_text(variant).data);
    clq__variant_defines(variant, kernel, head);
}

static clq_status export_one(void *user, const struct clq__variant *variant)
{
    clq_status status = CLQ_OK;
    const struct exporting *exporting = user;
    char file[CLQ__VARIANT_BYTES], kernel[CLQ__EXPORTED_BYTES], head[HEAD_BYTES];
    struct clq__text file_text = clq__text(file, sizeof file), head_text = clq__text(head, sizeof head);
    const struct clq__variant_text text = clq__variant_text(variant);
    char *source = NULL, *whole = NULL;
    size_t source_bytes = 0;

    if (exporting->visit == NULL)
        return CLQ_OK;
    clq__variant_file(variant, &file_text);
    CLQ_TRY(clq__source(file, &source, &source_bytes));
    clq__exported_name(variant, source, source_bytes, kernel);
    add_head(&head_text, variant, kernel);
    whole = malloc(head_text.length + source_bytes + 1);
    CLQ_REQUIRE(whole != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for an exported source failed",
                head_text.length + source_bytes + 1);
    memcpy(whole, head, head_text.length);
    memcpy(whole + head_text.length, source, source_bytes + 1);
    status = exporting->visit(
        exporting->user,
        &(struct clq_exported){.variant = text.data,
                               .kernel = kernel,
                               .options = divides_itself(variant, file)
                                              ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                              : "-cl-std=CL1.2",
                               .source = whole,
                               .source_bytes = head_text.length + source_bytes});
end:
    free(whole);
    free(source);
    return status;
}

/* All lines of the list but those of PoCL's CPUs. */
static clq_status export_all(struct exporting *exporting)
{
    clq_status status = CLQ_OK;

    for (const char *at = clq__variants; *at != '\0'; at += strcspn(at, "\n") + 1) {
        char line[LINE_BYTES];
        struct clq__text text = clq__text(line, sizeof line);

        clq__text_add_part(&text, at, strcspn(at, "\n"));
        if (strncmp(line, "cpu/", 4) != 0)
            CLQ_TRY(clq__variants_of(NULL, line, export_one, exporting));
    }
end:
    return status;
}

clq_status clq_export_variants(const char *text, clq_export_visit visit, void *user)
{
    struct exporting exporting = {visit, user};

    return text == NULL ? export_all(&exporting) : clq__variants_of(NULL, text, export_one, &exporting);
}
