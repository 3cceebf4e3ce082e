/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an operator's descriptor, by the library's rows, and what a field can break alone. The test
 * unit.options has each row a second time. */
#include "judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct option_list operator_options(const struct operator_row *op)
{
    struct option_list list;

    list.rows = clq_operator_options(op->options_of != NULL ? op->options_of : op->name, &list.count);
    return list;
}

void *operator_field(const struct operator_row *op, void *desc, const char *name)
{
    const struct option_list list = operator_options(op);

    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.rows[i].name, name) == 0)
            return (unsigned char *)desc + list.rows[i].offset_bytes;
    return NULL;
}

bool option_is_number(const struct clq_option *option)
{
    return option->kind >= CLQ_OPTION_FLAG && option->kind <= CLQ_OPTION_TYPE;
}

static int count_words(const struct clq_option *option)
{
    int count = 0;

    while (option->words[count].word != NULL)
        count++;
    return count;
}

static void rule_word(struct judge *judge, const struct clq_option *option, uint32_t value)
{
    const int count = count_words(option);
    char words[256] = "";

    for (int i = 0; i < count; i++)
        sprintf(words + strlen(words), "%s%s (%d)",
                i == 0          ? ""
                : i + 1 < count ? ", "
                                : " or ",
                option->words[i].name, i);
    RULE(judge, value >= (uint32_t)count, CLQ_ERROR_VALUE, "%s is %" PRIu32 ": it must be %s", option->name,
         value, words);
}

static void rule_number(struct judge *judge, const struct clq_option *option, uint32_t value)
{
    const bool is_power = __builtin_popcount(value) == 1,
               in_range = (double)value >= option->least && (double)value <= option->most;

    if (option->kind == CLQ_OPTION_FLAG)
        RULE(judge, value > 1, CLQ_ERROR_VALUE, "%s is %" PRIu32 ": it must be 0 or 1", option->name, value);
    if (option->kind == CLQ_OPTION_POWER)
        RULE(judge, value != 0 && !(is_power && in_range), CLQ_ERROR_VALUE,
             "%s is %" PRIu32 ": it must be 0, or a power of two from %g to %g", option->name, value,
             option->least, option->most);
    if (option->kind == CLQ_OPTION_WORD)
        rule_word(judge, option, value);
}

static void rule_real(struct judge *judge, const struct clq_option *option, float value)
{
    const double wide_value = (double)value;

    RULE(judge, !(wide_value == 0.0 || (wide_value >= option->least && wide_value <= option->most)),
         CLQ_ERROR_VALUE, "%s is %g: it must be a number from %g to %g", option->name, wide_value,
         option->least, option->most);
}

static void rule_reserved(struct judge *judge, const struct clq_option *option, const unsigned char *bytes)
{
    bool zero = true;

    for (uint32_t i = 0; i < option->size_bytes; i++)
        zero = zero && bytes[i] == 0;
    RULE(judge, !zero, CLQ_ERROR_VALUE, "desc.%s is not 0: this library knows no such field", option->name);
}

void judge_options(struct judge *judge)
{
    const struct option_list list = operator_options(judge->call->op);

    for (size_t i = 0; i < list.count; i++) {
        const struct clq_option *option = &list.rows[i];
        const unsigned char *bytes = judge->call->desc + option->offset_bytes;
        uint32_t number;
        float real;

        memcpy(&number, bytes, sizeof number);
        memcpy(&real, bytes, sizeof real);
        if (option->kind == CLQ_OPTION_RESERVED)
            rule_reserved(judge, option, bytes);
        else if (option->kind == CLQ_OPTION_REAL)
            rule_real(judge, option, real);
        else if (option_is_number(option))
            rule_number(judge, option, number);
    }
}
