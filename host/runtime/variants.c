/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/variants.h"

#include "base/error.h"
#include "runtime/launch.h"
#include "runtime/source.h"

#include <string.h>

#define LINE_BYTES 512

struct asked {
    struct clq__traits traits;
    bool has_form, has_arithmetic;
    clq__variant_visit visit;
    void *user;
};

/* For a text that says neither, or one of the two. */
static clq_status complete(void *user, const struct clq__variant *read)
{
    const struct asked *asked = user;
    struct clq__variant variant = *read;

    if (!asked->has_arithmetic &&
        (asked->has_form || !clq__variant_own(&variant, &asked->traits, asked->traits.group_form)))
        clq__variant_choose_arithmetic(&variant, &asked->traits);
    return asked->visit(asked->user, &variant);
}

clq_status clq__variants_of(const clq_context *context, const char *text, clq__variant_visit visit,
                            void *user)
{
    clq_status status = CLQ_OK;
    char whole[LINE_BYTES];
    struct clq__text out = clq__text(whole, sizeof whole);
    struct asked asked = {.has_form = strstr(text, "FORM=") != NULL,
                          .has_arithmetic = strstr(text, "ARITHMETIC=") != NULL,
                          .visit = visit,
                          .user = user};

    if (context == NULL) {
        CLQ_TRY(clq__variant_read(&out, clq__variants, NULL, text));
        return clq__variant_each(whole, visit, user);
    }
    asked.traits = clq__traits(context);
    CLQ_TRY(clq__variant_read(&out, clq__variants,
                              clq__variant_text(&asked.traits.plugs[asked.traits.group_form]).data, text));
    return clq__variant_each(whole, complete, &asked);
end:
    return status;
}
