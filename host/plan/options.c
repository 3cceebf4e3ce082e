/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/options.h"

#include "base/error.h"
#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

enum { WORDS_TEXT = 256 };

static clq_status check_reserved(const struct clq_option *option, const unsigned char *field)
{
    clq_status status = CLQ_OK;

    for (uint32_t i = 0; i < option->size_bytes; i++)
        CLQ_REQUIRE(field[i] == 0, CLQ_ERROR_VALUE, "desc.%s is not 0: this library knows no such field",
                    option->name);
end:
    return status;
}

static size_t count_words(const struct clq_option *option)
{
    size_t count = 0;

    while (option->words[count].word != NULL)
        count++;
    return count;
}

/* As in CLQ_DROP (0), CLQ_CLAMP (1) or CLQ_WRAP (2) */
static clq_status refuse_word(const struct clq_option *option, uint32_t value)
{
    const size_t count = count_words(option);
    char text[WORDS_TEXT] = "";
    size_t used = 0;

    for (size_t i = 0; i < count && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%zu)",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 option->words[i].name, i);
    return clq_error_set(CLQ_ERROR_VALUE, "%s is %u: it must be %s", option->name, value, text);
}

static clq_status check_number(const struct clq_option *option, uint32_t value)
{
    clq_status status = CLQ_OK;
    const uint32_t least = (uint32_t)option->least, most = (uint32_t)option->most;
    const bool in_range = value >= least && value <= most;

    switch (option->kind) {
    case CLQ_OPTION_FLAG:
        CLQ_REQUIRE(value <= 1, CLQ_ERROR_VALUE, "%s is %u: it must be 0 or 1", option->name, value);
        break;
    case CLQ_OPTION_NUMBER:
        CLQ_REQUIRE(in_range, CLQ_ERROR_VALUE, "%s is %u: it must be from %u to %u", option->name, value,
                    least, most);
        break;
    case CLQ_OPTION_POWER:
        CLQ_REQUIRE(in_range && (value & (value - 1)) == 0, CLQ_ERROR_VALUE,
                    "%s is %u: it must be 0, or a power of two from %u to %u", option->name, value, least,
                    most);
        break;
    default:
        if (value >= count_words(option))
            status = refuse_word(option, value);
    }
end:
    return status;
}

static clq_status check_real(const struct clq_option *option, float value)
{
    clq_status status = CLQ_OK;

    CLQ_REQUIRE((double)value >= option->least && (double)value <= option->most, CLQ_ERROR_VALUE,
                "%s is %g: it must be a number from %g to %g", option->name, (double)value, option->least,
                option->most);
end:
    return status;
}

static clq_status check(const struct clq_option *option, const unsigned char *field)
{
    uint32_t number;
    float real;

    switch (option->kind) {
    case CLQ_OPTION_FLAG:
    case CLQ_OPTION_NUMBER:
    case CLQ_OPTION_POWER:
    case CLQ_OPTION_WORD:
        memcpy(&number, field, sizeof number);
        return number == 0 ? CLQ_OK : check_number(option, number);
    case CLQ_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        return real == 0.0f ? CLQ_OK : check_real(option, real);
    case CLQ_OPTION_RESERVED:
        return check_reserved(option, field);
    default:
        return CLQ_OK;
    }
}

clq_status clq__options_check(const struct clq__operator *op, const void *desc)
{
    clq_status status = CLQ_OK;

    for (size_t i = 0; i < op->num_options; i++)
        CLQ_TRY(check(&op->options[i], (const unsigned char *)desc + op->options[i].offset_bytes));
end:
    return status;
}
