/* SPDX-License-Identifier: Apache-2.0 */
/* --name: what the outputs are called in OUT. */
#include "../safetensors/utf8.h"
#include "operator.h"

#include <stdio.h>
#include <string.h>

#define USAGE(call, ...) fail((call)->failure, STATUS_USAGE, __VA_ARGS__)

bool operator_parse_name(struct operator_call *call, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *end = text + strlen(text);

    if (!equals || equals == text || !equals[1])
        return USAGE(call, "--name '%.200s': OUTPUT=NAME is expected", text);
    if (strcmp(equals + 1, "__metadata__") == 0)
        return USAGE(call, "--name '%.200s': no tensor of a safetensors file can have that name", text);
    for (const char *at = equals + 1; at < end;) {
        const size_t length = utf8_length(at, end);

        if (length == 0)
            return USAGE(call, "--name '%.200s': a name must be UTF-8", text);
        at += length;
    }
    if (call->name_count == OPERATOR_MAX_OUTPUTS)
        return USAGE(call, "--name '%.200s': no operator has more than %d outputs", text,
                     OPERATOR_MAX_OUTPUTS);
    call->names[call->name_count++] = text;
    return true;
}

static bool is_floats(DLDataType dtype)
{
    return (dtype.code == kDLFloat || dtype.code == kDLBfloat) && dtype.bits > 8;
}

/* The output of that word; q is what is quantized, the first one, whatever an operator calls it.
 * output_count: there is none. */
static size_t output_named(const struct operator_call *call, const char *word, size_t length)
{
    for (size_t i = 0; i < call->output_count; i++)
        if (strlen(call->outputs[i].name) == length && memcmp(call->outputs[i].name, word, length) == 0)
            return i;
    return length == 1 && *word == 'q' && !is_floats(call->outputs[0].dtype) ? 0 : call->output_count;
}

static bool refuse_unknown(struct operator_call *call, const char *text)
{
    char there[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < call->output_count && used < sizeof there; i++)
        used +=
            (size_t)snprintf(there + used, sizeof there - used, "%s%s", i ? ", " : "", call->outputs[i].name);
    return USAGE(
        call, "--name '%.200s': %s has no output of that name; with these tensors and options it writes %s",
        text, call->op->name, there);
}

static bool give(struct operator_call *call, const char *text)
{
    const char *name = strchr(text, '=') + 1;
    const size_t output = output_named(call, text, (size_t)(name - 1 - text));

    if (output == call->output_count)
        return refuse_unknown(call, text);
    if (call->out_tensors[output].name != call->outputs[output].name)
        return USAGE(call, "--name '%.200s': %s has the name '%.200s' already", text,
                     call->outputs[output].name, call->out_tensors[output].name);
    call->out_tensors[output].name = (char *)name;
    return true;
}

bool operator_name_outputs(struct operator_call *call)
{
    for (size_t i = 0; i < call->output_count; i++)
        call->out_tensors[i].name = (char *)call->outputs[i].name;
    for (size_t i = 0; i < call->name_count; i++)
        if (!give(call, call->names[i]))
            return false;
    for (size_t i = 0; i < call->output_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(call->out_tensors[i].name, call->out_tensors[j].name) == 0)
                return USAGE(
                    call,
                    "--name: the outputs %s and %s would both be '%.200s'; give one of them another name",
                    call->outputs[j].name, call->outputs[i].name, call->out_tensors[i].name);
    return true;
}
