/* SPDX-License-Identifier: Apache-2.0 */
/* An operator's description completed by the rows of its descriptor (clquant/options.h): inputs and options
 * that the library has and the command says nothing else of, and the call itself. */
#include "operator.h"

#include <stdio.h>
#include <string.h>

/* As much as any descriptor has. */
enum { DESC_BYTES = 256 };
#define FITS(name)                                                                                           \
    _Static_assert(sizeof(struct clq_##name##_desc) <= DESC_BYTES, "DESC_BYTES is too few: " #name);
CLQ_OPERATOR_LIST(FITS)
#undef FITS

static bool is_tensor(const struct clq_option *row)
{
    return row->kind == CLQ_OPTION_INPUT || row->kind == CLQ_OPTION_OUTPUT;
}

static bool is_option(const struct clq_option *row)
{
    return !is_tensor(row) && row->kind != CLQ_OPTION_BUFFER && row->kind != CLQ_OPTION_RESERVED;
}

static bool is_without(const struct operator_description *own, const struct clq_option *row)
{
    for (const char *const *name = own->without; name && *name; name++)
        if (strcmp(*name, row->name) == 0)
            return true;
    return false;
}

/* The input of that name: its own one, or for what is read a new one. NULL: it has none. */
static struct operator_input *input_of(struct operator_description *op, const struct clq_option *row)
{
    size_t i = 0;

    while (op->inputs[i].name && strcmp(op->inputs[i].name, row->name) != 0)
        i++;
    if (!op->inputs[i].name && row->kind != CLQ_OPTION_INPUT)
        return NULL;
    op->inputs[i].name = row->name;
    return &op->inputs[i];
}

static void complete_input(struct operator_description *op, const struct clq_option *row)
{
    struct operator_input *input = input_of(op, row);

    if (!input || input->help)
        return;
    input->help = row->help;
    input->optional = row->optional;
}

/* block_before is --block-before. */
static void option_name(const char *field, char name[OPERATOR_NAME_BYTES])
{
    snprintf(name, OPERATOR_NAME_BYTES, "%s", field);
    for (char *at = name; *at; at++)
        if (*at == '_')
            *at = '-';
}

static const char *fallback_of(const struct clq_option *row)
{
    if (row->kind == CLQ_OPTION_FLAG)
        return "off";
    if (row->kind == CLQ_OPTION_WORD)
        return row->words[0].word;
    return row->fallback < -1 ? "-2" : row->fallback < 0 ? "-1" : "0";
}

static const char *const *choices_of(const struct clq_option *row, const char **words)
{
    switch (row->kind) {
    case CLQ_OPTION_FLAG:
        return operator_flag;
    case CLQ_OPTION_NUMBER:
        return operator_count;
    case CLQ_OPTION_POWER:
        return operator_power;
    case CLQ_OPTION_REAL:
        return operator_decimal;
    case CLQ_OPTION_WORD:
        for (size_t i = 0; row->words[i].word && i + 1 < OPERATOR_MAX_WORDS; i++)
            words[i] = row->words[i].word;
        return words;
    default:
        return NULL;
    }
}

static void complete_option(struct operator_completed *all, const struct clq_option *row)
{
    char name[OPERATOR_NAME_BYTES];
    size_t i = 0;

    option_name(row->name, name);
    while (all->op.options[i].name && strcmp(all->op.options[i].name, name) != 0)
        i++;
    if (!all->op.options[i].name) {
        memcpy(all->names[i], name, sizeof name);
        all->op.options[i] = (struct operator_option){.name = all->names[i],
                                                      .choices = choices_of(row, all->words[i]),
                                                      .fallback = fallback_of(row),
                                                      .help = row->help};
    }
    all->op.rows[i] = row;
}

const struct operator_description *operator_complete(const struct operator_description *own,
                                                     struct operator_completed *all)
{
    size_t count = 0;
    const struct clq_option *rows;

    if (!own->library)
        return own;
    all->op = *own;
    rows = clq_operator_options(own->library->name, &count);
    for (size_t i = 0; i < count; i++)
        if (is_tensor(&rows[i]) && !is_without(own, &rows[i]))
            complete_input(&all->op, &rows[i]);
        else if (is_option(&rows[i]) && !is_without(own, &rows[i]))
            complete_option(all, &rows[i]);
    return &all->op;
}

static const DLTensor *tensor_named(const struct operator_call *call, const char *name)
{
    const size_t input = operator_input_named(call, name);

    for (size_t i = 0; i < call->output_count; i++)
        if (strcmp(call->outputs[i].name, name) == 0)
            return operator_output(call, i);
    return input < OPERATOR_MAX_INPUTS ? operator_input(call, input) : NULL;
}

static void put_option(const struct operator_call *call, size_t option, unsigned char *field)
{
    const struct clq_option *row = call->op->rows[option];
    const uint32_t number = (uint32_t)call->values[option]; /* the bits of a float too */

    if (row->kind == CLQ_OPTION_AXIS) {
        const int32_t axis = operator_axis(call, option);

        memcpy(field, &axis, sizeof axis);
    } else if (row->kind == CLQ_OPTION_TYPE) {
        const DLDataType dtype = operator_dtype(call, option);

        memcpy(field, &dtype, sizeof dtype);
    } else {
        memcpy(field, &number, sizeof number);
    }
}

/* The descriptor, but for a report. */
static void fill(struct operator_call *call, unsigned char desc[DESC_BYTES])
{
    size_t count = 0;
    const struct clq_option *rows = clq_operator_options(call->op->library->name, &count);

    memset(desc, 0, DESC_BYTES);
    for (size_t i = 0; i < count; i++) {
        const DLTensor *tensor =
            is_tensor(&rows[i]) && !is_without(call->op, &rows[i]) ? tensor_named(call, rows[i].name) : NULL;

        memcpy(desc + rows[i].offset_bytes, &tensor, tensor ? sizeof tensor : 0);
    }
    for (size_t i = 0; i < OPERATOR_MAX_OPTIONS && call->op->options[i].name; i++)
        if (call->op->rows[i])
            put_option(call, i, desc + call->op->rows[i]->offset_bytes);
    if (call->op->adjust)
        call->op->adjust(call, desc);
}

clq_status operator_check(struct operator_call *call)
{
    _Alignas(max_align_t) unsigned char desc[DESC_BYTES];

    if (!call->op->library)
        return call->op->check ? call->op->check(call) : CLQ_OK;
    fill(call, desc);
    return call->op->library->check(desc);
}

clq_status operator_check_indices(struct operator_call *call)
{
    _Alignas(max_align_t) unsigned char desc[DESC_BYTES];

    if (!call->op->library)
        return call->op->check_indices(call);
    fill(call, desc);
    return call->op->library->check_indices(call->context, call->queue, desc);
}

static bool has_entries(const struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name; i++)
        if (operator_is_indices(&call->op->inputs[i]) && call->sources[i])
            return true;
    return false;
}

/* Asks for a report, where the descriptor has one. */
static clq_status add_report(struct operator_call *call, unsigned char *desc)
{
    clq_status status = CLQ_OK;
    size_t count = 0;
    const struct clq_option *rows = clq_operator_options(call->op->library->name, &count);
    cl_mem report = NULL;

    for (size_t i = 0; i < count && status == CLQ_OK; i++)
        if (strcmp(rows[i].name, "report") == 0) {
            status = operator_report(call, &report);
            memcpy(desc + rows[i].offset_bytes, &report, sizeof report);
        }
    return status;
}

/* Groups are checked always, and entries with --strict. What some of them leave out is zero. */
clq_status operator_run(struct operator_call *call, cl_event *done)
{
    _Alignas(max_align_t) unsigned char desc[DESC_BYTES];
    const size_t groups = operator_input_named(call, "group_index");
    const bool grouped = groups < OPERATOR_MAX_INPUTS && call->sources[groups], entries = has_entries(call);
    clq_status status = CLQ_OK;

    if (!call->op->library)
        return call->op->run(call, done);
    fill(call, desc);
    if (call->op->library->check_indices && (grouped || (entries && operator_value(call, "strict"))))
        status = call->op->library->check_indices(call->context, call->queue, desc);
    if (status == CLQ_OK && (entries || grouped) && !call->outputs[0].in_place)
        status = operator_clear_outputs(call);
    if (status == CLQ_OK && entries)
        status = add_report(call, desc);
    return status != CLQ_OK ? status : call->op->library->run(call->context, call->queue, desc, done);
}
