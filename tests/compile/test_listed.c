/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant that an operator asks for is in cl/variants.txt, and no line of the list is one that nobody
 * asks for: the list is what is compiled offline. Calls are drawn for each line, in every form and arithmetic
 * of the device, and described; nothing is built. compile.apart compiles the list. */
#include "described.h"
#include "runtime/source.h"
#include "tests.h"
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 2000 };

static struct variants listed, asked;

static void note_launches(const struct described *described)
{
    const struct clq__launch *launches[DESCRIBED_MOST_LAUNCHES];
    const unsigned count = described_launches(described, launches);

    for (unsigned i = 0; i < count; i++) {
        if (!variants_have(&listed, &launches[i]->variant))
            fail_msg("cl/variants.txt has no \"%s\"", clq__variant_text(&launches[i]->variant).data);
        variants_add(&asked, &launches[i]->variant);
    }
}

static void ask_in_a_way(uint32_t form, uint32_t arithmetic)
{
    struct described *described = malloc(sizeof *described);
    clq_context *context = NULL;
    struct clq__traits traits;

    assert_int_equal(
        clq_context_create(
            &(struct clq_context_desc){.flags = CLQ_CACHE_OFF, .form = form, .arithmetic = arithmetic},
            &context),
        CLQ_OK);
    traits = clq__traits(context);
    for (size_t i = 0; i < listed.count; i++)
        for (uint64_t call = 0; call < MOST_CALLS && variant_is_asked(&listed.all[i], &traits) &&
                                !variants_have(&asked, &listed.all[i]);
             call++) {
            assert_int_equal(described_make(described, 1, call, &traits, &listed.all[i]), CLQ_OK);
            note_launches(described);
            described_clear(described);
        }
    clq_context_destroy(context);
    free(described);
}

/* Whether there is a kernel of a CPU's own with the words of this text that stand before `end`. */
static bool has_own(const char *text, const char *end)
{
    const char *at = strstr(text, end);
    struct clq__variant variant;
    char own[256];

    if (at == NULL)
        return false;
    snprintf(own, sizeof own, "cpu/%.*s", (int)(at - text), text);
    return clq__variant_parse(&variant, own) && variants_have(&asked, &variant);
}

/* Whether the device has kernels of its own for what this one would do: in its own form and arithmetic, those
 * of blocks without smooth scales. */
static bool has_another(const char *text)
{
    return strstr(text, "FORM=item ARITHMETIC=native") != NULL &&
           (has_own(text, " FORM=") || has_own(text, " SMOOTH=0 FORM="));
}

/* Whether any operator asked for a kernel with this word, of those that multiply or of all others. */
static bool has_asked(const char *word, bool multiplies)
{
    for (size_t i = 0; i < asked.count; i++) {
        const struct clq__variant_text text = clq__variant_text(&asked.all[i]);

        if (strstr(text.data, word) != NULL && (strstr(text.data, "MODE=multiply") != NULL) == multiplies)
            return true;
    }
    return false;
}

/* The kernels that have a quotient by fma. */
static bool has_quotients(const char *text)
{
    return strncmp(text, "quantize.cl ", 12) == 0 || strncmp(text, "dequantize.cl ", 14) == 0;
}

/* What a device that divides as it should does by fma all the same. */
static bool is_rather_by_fma(const char *text)
{
    return strncmp(text, "quantize.cl ", 12) == 0 &&
           strstr(text, "MODE=divide PARAMS=one FORM=group") != NULL && strstr(text, "DST=e") == NULL;
}

/* What a device decides: none of the others may be missing. */
static bool can_run_here(const char *text)
{
    const bool multiplies = strstr(text, "MODE=multiply") != NULL,
               fused = strstr(text, "ARITHMETIC=fused") != NULL,
               native = strstr(text, "ARITHMETIC=native") != NULL;

    if (!multiplies && has_asked("ARITHMETIC=native", false) && has_asked("ARITHMETIC=fused", false) &&
        (fused || native) && fused != is_rather_by_fma(text) && has_quotients(text))
        return false;

    if (strncmp(text, "cpu/", 4) == 0)
        return has_asked("cpu/", false);
    if (strstr(text, " FORM=") != NULL && has_another(text))
        return false;
    if (fused && !has_asked("ARITHMETIC=fused", multiplies))
        return false;
    return !native || has_asked("ARITHMETIC=native", multiplies);
}

TEST(every_variant_is_listed)
{
    for (uint32_t form = CLQ_FORM_ITEM; form <= CLQ_FORM_GROUP; form++)
        for (uint32_t arithmetic = CLQ_ARITHMETIC_AUTO; arithmetic <= CLQ_ARITHMETIC_EXACT; arithmetic++)
            ask_in_a_way(form, arithmetic);
    for (size_t i = 0; i < listed.count; i++) {
        const struct clq__variant_text text = clq__variant_text(&listed.all[i]);

        assert_true(strlen(text.data) < sizeof text.data / 2);
        if (can_run_here(text.data) && !variants_have(&asked, &listed.all[i]))
            fail_msg("no operator asks for \"%s\"", text.data);
    }
    print_message("%zu variants asked for and listed, of %zu for all devices\n", asked.count, listed.count);
}

int main(void)
{
    const int failed = variants_read(&listed, clq__variants) ? tests_run("listed", NULL, NULL) : 2;

    variants_clear(&listed);
    variants_clear(&asked);
    return failed;
}
