/* SPDX-License-Identifier: Apache-2.0 */
/* How quantized values came about, or scales for some, in OUT's metadata: the command with its options as
 * `clquant`, and as `clquant_tensor` the name of the tensor that they are about; of two tensors a line each.
 * An operator that reads or writes that tensor takes these options where the user names none, and refuses
 * others (recall.c). */
#include "record.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const record_modes[] = {"divide", "multiply", "dynamic", NULL};

const struct record_option record_options[RECORD_VALUES] = {
    [RECORD_MODE] = {"mode", CLQ_DEQUANTIZE_DIVIDE},
    [RECORD_AXIS] = {"axis", -1},
    [RECORD_BLOCK] = {"block", 0},
    [RECORD_BLOCK_BEFORE] = {"block-before", 0},
    [RECORD_BLOCK_ALL] = {"block-all", 0},
    [RECORD_ROTATE] = {"rotate", 0},
};

static int64_t option_value(const struct operator_call *call, const char *name, int64_t left_out)
{
    const size_t i = operator_option_named(call->op, name);

    return i == OPERATOR_MAX_OPTIONS ? left_out : call->values[i];
}

size_t record_input_given(const struct operator_call *call, const char *const *names)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name; i++)
        for (const char *const *name = names; *name; name++)
            if (call->sources[i] && strcmp(call->op->inputs[i].name, *name) == 0)
                return i;
    return OPERATOR_MAX_INPUTS;
}

const char *const record_added[] = {"zero_points", "offsets",           "cache_offsets",
                                    "offset",      "quant_zero_points", NULL},
                  *const record_global[] = {"global_scale", NULL};

void operator_record_static(const struct operator_call *call, struct operator_record *record)
{
    for (int v = 0; v < RECORD_VALUES; v++)
        record->values[v] = option_value(call, record_options[v].option, record_options[v].left_out);
    record->values[RECORD_BLOCK] = operator_rule_block(option_value(call, "scale-rule", CLQ_SCALE_BY_RANGE),
                                                       record->values[RECORD_BLOCK]);
    record->added = record_input_given(call, record_added) < OPERATOR_MAX_INPUTS;
    for (size_t i = 0; i < call->output_count; i++)
        record->added = record->added || strcmp(call->outputs[i].name, "offsets") == 0;
    record->global = record_input_given(call, record_global) < OPERATOR_MAX_INPUTS;
}

void operator_record_dynamic(const struct operator_call *call, struct operator_record *record)
{
    operator_record_static(call, record);
    record->values[RECORD_MODE] = CLQ_DEQUANTIZE_DYNAMIC;
}

void operator_record_groups(const struct operator_call *call, struct operator_record *record)
{
    operator_record_static(call, record);
    record->values[RECORD_MODE] = CLQ_DEQUANTIZE_MULTIPLY;
}

static const char *type_name(DLDataType dtype)
{
    return clq_dtype_name(dtype.bits < 8 ? (DLDataType){dtype.code, dtype.bits, 1} : dtype);
}

/* The command's text, as the user could have typed it but for what stands behind `with`. */
static void write_text(const struct operator_call *call, char *text, size_t size)
{
    struct operator_record record = {.dtype = type_name(call->outputs[0].dtype)};
    size_t used = 0;

    call->op->record(call, &record);
    used = (size_t)snprintf(text, size, "%s --dtype %s --mode %s", call->op->name, record.dtype,
                            record_modes[record.values[RECORD_MODE]]);
    for (int v = RECORD_AXIS; v < RECORD_VALUES; v++)
        if (v == RECORD_BLOCK_ALL && record.values[v])
            used += (size_t)snprintf(text + used, size - used, " --%s", record_options[v].option);
        else if (record.values[v] == OPERATOR_NONE)
            used += (size_t)snprintf(text + used, size - used, " --%s none", record_options[v].option);
        else if (record.values[v] != record_options[v].left_out)
            used += (size_t)snprintf(text + used, size - used, " --%s %jd", record_options[v].option,
                                     (intmax_t)record.values[v]);
    snprintf(text + used, size - used, "%s%s", record.added ? " with offsets" : "",
             record.global ? " with global_scale" : "");
}

/* Lines of texts and of names, of each output that has rows of others, or of the first one. */
static void write_lines(const struct operator_call *call, char *texts, size_t texts_bytes, char *names,
                        size_t names_bytes)
{
    size_t texts_used = 0, names_used = 0;

    for (size_t i = 0; i == 0 || i < call->op->moves; i++) {
        const char *line = i > 0 ? "\n" : "", *moved = call->moved[i];

        texts_used += (size_t)snprintf(texts + texts_used, texts_bytes - texts_used, "%s%s", line,
                                       *moved ? moved : call->op->name);
        names_used += (size_t)snprintf(names + names_used, names_bytes - names_used, "%s%s", line,
                                       call->out_tensors[i].name);
    }
    if (call->op->record)
        write_text(call, texts, texts_bytes);
}

char *operator_record_metadata(const struct operator_call *call)
{
    cJSON *object = cJSON_CreateObject();
    char texts[OPERATOR_MAX_OUTPUTS * RECORD_TEXT], *names = NULL, *metadata = NULL;
    size_t bytes = 1;

    for (size_t i = 0; i < call->output_count; i++)
        bytes += strlen(call->out_tensors[i].name) + 1;
    names = malloc(bytes);
    if (names)
        write_lines(call, texts, sizeof texts, names, bytes);
    if (object && names && cJSON_AddStringToObject(object, "clquant", texts) &&
        cJSON_AddStringToObject(object, "clquant_tensor", names))
        metadata = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    free(names);
    return metadata;
}
