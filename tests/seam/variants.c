/* SPDX-License-Identifier: Apache-2.0 */
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool variants_have(const struct variants *set, const struct clq__variant *variant)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i].bits == variant->bits)
            return true;
    return false;
}

void variants_add(struct variants *set, const struct clq__variant *variant)
{
    if (variants_have(set, variant))
        return;
    set->all = realloc(set->all, (set->count + 1) * sizeof *set->all);
    if (set->all == NULL)
        abort();
    set->all[set->count++] = *variant;
}

static clq_status add(void *set, const struct clq__variant *variant)
{
    variants_add(set, variant);
    return CLQ_OK;
}

bool variants_read(struct variants *set, const char *text)
{
    clq_status status = CLQ_OK;

    for (const char *end; *text != '\0' && status == CLQ_OK; text = end + strspn(end, "\n")) {
        char line[512];

        end = text + strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
        status = clq__variant_each(line, add, set);
    }
    if (status != CLQ_OK)
        fprintf(stderr, "%s\n", clq_error_detail());
    return status == CLQ_OK;
}

void variants_clear(struct variants *set)
{
    free(set->all);
    *set = (struct variants){0};
}

/* What a context makes of a call for this kernel with the variant's own plugs. */
static struct clq__variant asked_for(const struct clq__traits *traits, enum clq__kernel kernel,
                                     const struct clq__variant *variant)
{
    struct clq__variant asked;

    clq__variant_begin(&asked, kernel);
    for (enum clq__plug plug = CLQ__SRC; plug < CLQ__FORM; plug++)
        if (clq__variant_value(variant, plug) >= 0)
            clq__variant_define(&asked, plug, (unsigned)clq__variant_value(variant, plug));
    clq__variant_end(&asked, traits);
    return asked;
}

bool variant_is_asked(const struct clq__variant *variant, const struct clq__traits *traits)
{
    const int form = clq__variant_value(variant, CLQ__FORM);
    struct clq__variant claim, widen;

    for (enum clq__kernel kernel = CLQ__NO_KERNEL + 1; kernel < CLQ__KERNELS; kernel++)
        if (asked_for(traits, kernel, variant).bits == variant->bits)
            return true;
    switch ((enum clq__kernel)(variant->bits & 255)) {
    case CLQ__CLAIM_CL:
        clq__variant_begin(&claim, CLQ__CLAIM_CL);
        return !clq__variant_own(&claim, traits, traits->group_form);
    case CLQ__PLACES_CL:
    case CLQ__CONVERT_ROWS_CL:
    case CLQ__MOVE_ROWS_CL:
    case CLQ__COPY_CL: /* every device's, in its form at most */
        return form < 0 || form == traits->group_form;
    case CLQ__WIDEN_CL:
        clq__variant_begin(&widen, CLQ__WIDEN_CL);
        clq__variant_end_arithmetic(&widen, traits);
        return widen.bits == variant->bits;
    default:
        return false;
    }
}
