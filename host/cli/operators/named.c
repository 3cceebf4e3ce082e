/* SPDX-License-Identifier: Apache-2.0 */
/* What a call has, by its names and numbers. */
#include "operator.h"

#include <string.h>

size_t operator_option_named(const struct operator_description *op, const char *name)
{
    size_t i = 0;

    while (i < OPERATOR_MAX_OPTIONS && op->options[i].name && strcmp(op->options[i].name, name) != 0)
        i++;
    return i < OPERATOR_MAX_OPTIONS && op->options[i].name ? i : OPERATOR_MAX_OPTIONS;
}

int64_t operator_value(const struct operator_call *call, const char *name)
{
    const size_t i = operator_option_named(call->op, name);

    return i == OPERATOR_MAX_OPTIONS ? 0 : call->values[i];
}

bool operator_given(const struct operator_call *call, const char *name)
{
    const size_t i = operator_option_named(call->op, name);

    return i < OPERATOR_MAX_OPTIONS && call->given[i];
}

size_t operator_input_named(const struct operator_call *call, const char *name)
{
    size_t i = 0;

    while (i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name && strcmp(call->op->inputs[i].name, name) != 0)
        i++;
    return i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name ? i : OPERATOR_MAX_INPUTS;
}

bool operator_is_indices(const struct operator_input *input)
{
    return strstr(input->name, "indices") != NULL || strcmp(input->name, "slot_mapping") == 0;
}

const DLTensor *operator_input(const struct operator_call *call, size_t input)
{
    return call->sources[input] ? &call->input_views[input] : NULL;
}

const DLTensor *operator_output(const struct operator_call *call, size_t output)
{
    const struct operator_output *it = &call->outputs[output];

    return it->in_place ? operator_input(call, it->input) : &it->view;
}
