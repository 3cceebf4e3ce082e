/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant that an operator asks for is in cl/variants.txt, and no line of the list is one that nobody
 * asks for: the list is what is compiled offline. The layer of tests/layer spares the compiler, which here
 * has nothing to say: variants.compiled_apart compiles the list. */
#include "ask.h"
#include "list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct variant_list listed, asked;

/* "VARIANT: built from source" */
static void note_build(void *user, const char *line)
{
    const char *colon = strstr(line, ": built from source");
    char text[512];

    (void)user;
    if (colon == NULL)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(colon - line), line);
    variant_list_add(&asked, text);
}

static void ask_in_a_way(uint32_t form, uint32_t arithmetic)
{
    clq_context *context = NULL;

    assert_int_equal(clq_context_create(&(struct clq_context_desc){.flags = CLQ_CACHE_OFF,
                                                                   .form = form,
                                                                   .arithmetic = arithmetic,
                                                                   .log = note_build},
                                        &context),
                     CLQ_OK);
    ask_all(context, false);
    clq_context_destroy(context);
}

/* Whether there is a kernel of a CPU's own with the words of this text that stand before `end`. */
static bool has_own(const char *text, const char *end)
{
    const char *at = strstr(text, end);
    char own[256];

    if (at == NULL)
        return false;
    snprintf(own, sizeof own, "cpu/%.*s", (int)(at - text), text);
    return variant_list_has(&asked, own);
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
    for (size_t i = 0; i < asked.count; i++)
        if (strstr(asked.texts[i], word) != NULL &&
            (strstr(asked.texts[i], "MODE=multiply") != NULL) == multiplies)
            return true;
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

static void every_variant_is_listed(void **state)
{
    (void)state;
    for (uint32_t form = CLQ_FORM_ITEM; form <= CLQ_FORM_GROUP; form++)
        for (uint32_t arithmetic = CLQ_ARITHMETIC_AUTO; arithmetic <= CLQ_ARITHMETIC_EXACT; arithmetic++)
            ask_in_a_way(form, arithmetic);
    for (size_t i = 0; i < asked.count; i++)
        if (!variant_list_has(&listed, asked.texts[i]))
            fail_msg("cl/variants.txt has no \"%s\"", asked.texts[i]);
    for (size_t i = 0; i < listed.count; i++)
        assert_true(strlen(listed.texts[i]) < 120); /* CLQ__VARIANT_BYTES is twice as much */
    for (size_t i = 0; i < listed.count; i++)
        if (can_run_here(listed.texts[i]) && !variant_list_has(&asked, listed.texts[i]))
            fail_msg("no operator asks for \"%s\"", listed.texts[i]);
    print_message("%zu variants asked for and listed, of %zu for all devices\n", asked.count, listed.count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_is_listed)};

    if (argc != 2 || !variant_list_read(&listed, argv[1])) {
        fprintf(stderr, "usage: test_listed cl/variants.txt\n");
        return 2;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    variant_list_clear(&listed);
    variant_list_clear(&asked);
    return failed;
}
