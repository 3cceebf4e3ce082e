/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of descriptors' fields (clquant/options.h): each row a second time, as text, in options.txt; each
 * descriptor whole; and each rule of one field said by the operator's check. The table is what the command,
 * Python and the judge of calls read, so that a fault in it is found here. */
#include "tests.h"

#include <stdint.h>

#include <clquant/clquant.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct operator
{
    const char *name;
    size_t desc_bytes;
    clq_status (*check)(const void *desc);
};

#define CHECK(name)                                                                                          \
    static clq_status check_##name(const void *desc)                                                         \
    {                                                                                                        \
        return clq_##name##_check(desc);                                                                     \
    }
CLQ_OPERATOR_LIST(CHECK)

#define OPERATOR(name) {#name, sizeof(struct clq_##name##_desc), check_##name},
static const struct operator operators[] = {CLQ_OPERATOR_LIST(OPERATOR)};
enum { OPERATORS = sizeof operators / sizeof *operators };

static const char *const kinds[] = {"",      "input", "output", "buffer", "flag", "number",
                                    "power", "word",  "real",   "axis",   "type", "reserved"};

static void print_row(FILE *file, const char *operator, const struct clq_option * option)
{
    fprintf(file, "%s %s %s%s", operator, option->name, option->optional ? "optional " : "",
            kinds[option->kind]);
    if (option->kind == CLQ_OPTION_POWER || option->kind == CLQ_OPTION_REAL)
        fprintf(file, " %g %g", option->least, option->most);
    if (option->kind == CLQ_OPTION_NUMBER && (option->least > 0 || option->most < UINT32_MAX))
        fprintf(file, " %.0f %.0f", option->least, option->most);
    if (option->fallback != 0)
        fprintf(file, " %g", option->fallback);
    for (const struct clq_option_word *word = option->words; word && word->word; word++)
        fprintf(file, " %s=%s", word->word, word->name);
    fprintf(file, "\n");
}

/* Where they differ, the test prints what the file must have. */
TEST(every_row_is_written_twice)
{
    FILE *expected = fopen(OPTIONS_TXT, "r");
    char *text = NULL, line[512], *at;
    size_t size_bytes = 0, count;
    FILE *made = open_memstream(&text, &size_bytes);
    bool same = true;

    assert_non_null(expected);
    assert_non_null(made);
    for (int o = 0; o < OPERATORS; o++) {
        const struct clq_option *options = clq_operator_options(operators[o].name, &count);

        for (size_t i = 0; i < count; i++)
            print_row(made, operators[o].name, &options[i]);
    }
    fclose(made);
    at = text;
    while (same && fgets(line, sizeof line, expected) != NULL) {
        same = line[0] == '#' || strncmp(at, line, strlen(line)) == 0;
        at += line[0] == '#' ? 0 : strlen(line);
    }
    if (!same || *at != '\0')
        printf("%s", text);
    assert_true(same && *at == '\0'); /* what is printed above is what options.txt must have */
    fclose(expected);
    free(text);
}

/* Fields follow one another without a gap; a buffer has its offset behind it. */
TEST(rows_are_the_whole_descriptor)
{
    for (int o = 0; o < OPERATORS; o++) {
        size_t count, end = 0;
        const struct clq_option *options = clq_operator_options(operators[o].name, &count);

        for (size_t i = 0; i < count; i++) {
            assert_int_equal(options[i].offset_bytes, end);
            end += options[i].size_bytes + (options[i].kind == CLQ_OPTION_BUFFER ? sizeof(uint64_t) : 0);
        }
        assert_int_equal(end, operators[o].desc_bytes);
    }
}

/* In a descriptor without tensors, which comes behind. */
static void refuses(const struct operator* op, const struct clq_option *option, size_t at, uint32_t value,
                    const char *sentence)
{
    _Alignas(8) unsigned char desc[256] = {0};

    memcpy(desc + option->offset_bytes + at, &value, sizeof value);
    assert_int_equal(op->check(desc), CLQ_ERROR_VALUE);
    assert_string_equal(clq_error_detail(), sentence);
}

static void refuses_float(const struct operator* op, const struct clq_option *option, float value,
                          const char *is)
{
    char sentence[256];
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    snprintf(sentence, sizeof sentence, "%s is %s: it must be a number from %g to %g", option->name, is,
             option->least, option->most);
    refuses(op, option, 0, bits, sentence);
}

static void check_row(const struct operator* op, const struct clq_option *option)
{
    char sentence[512];
    uint32_t words = 0;

    switch (option->kind) {
    case CLQ_OPTION_FLAG:
        snprintf(sentence, sizeof sentence, "%s is 2: it must be 0 or 1", option->name);
        refuses(op, option, 0, 2, sentence);
        break;
    case CLQ_OPTION_POWER:
        snprintf(sentence, sizeof sentence, "%s is 2048: it must be 0, or a power of two from 2 to 1024",
                 option->name);
        refuses(op, option, 0, 2048, sentence);
        snprintf(sentence, sizeof sentence, "%s is 1: it must be 0, or a power of two from 2 to 1024",
                 option->name);
        refuses(op, option, 0, 1, sentence);
        snprintf(sentence, sizeof sentence, "%s is 96: it must be 0, or a power of two from 2 to 1024",
                 option->name);
        refuses(op, option, 0, 96, sentence);
        break;
    case CLQ_OPTION_WORD:
        while (option->words[words].word != NULL)
            words++;
        snprintf(sentence, sizeof sentence, "%s is %u: it must be ", option->name, words);
        for (uint32_t i = 0; i < words; i++)
            snprintf(sentence + strlen(sentence), sizeof sentence - strlen(sentence), "%s%s (%u)",
                     i == 0          ? ""
                     : i + 1 < words ? ", "
                                     : " or ",
                     option->words[i].name, i);
        refuses(op, option, 0, words, sentence);
        break;
    case CLQ_OPTION_REAL:
        refuses_float(op, option, -0.5f, "-0.5");
        refuses_float(op, option, INFINITY, "inf");
        refuses_float(op, option, NAN, "nan");
        break;
    case CLQ_OPTION_RESERVED:
        snprintf(sentence, sizeof sentence, "desc.%s is not 0: this library knows no such field",
                 option->name);
        for (size_t at = 0; at < option->size_bytes; at += sizeof(uint32_t))
            refuses(op, option, at, 1, sentence);
        break;
    }
}

TEST(every_rule_of_a_field_is_said)
{
    for (int o = 0; o < OPERATORS; o++) {
        size_t count;
        const struct clq_option *options = clq_operator_options(operators[o].name, &count);

        for (size_t i = 0; i < count; i++)
            check_row(&operators[o], &options[i]);
    }
}

TEST(what_is_no_operator_has_no_rows)
{
    size_t count = 1;

    assert_null(clq_operator_options("npu_quantize", &count));
    assert_int_equal(count, 0);
}

TESTS_MAIN("unit.options")
