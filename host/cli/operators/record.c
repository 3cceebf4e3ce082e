/* SPDX-License-Identifier: Apache-2.0 */
/* How quantized values came about, in OUT's metadata: the command with its options as `clquant`, and as
 * `clquant_tensor` the name of the tensor that they are about. An operator that reads or writes that tensor
 * takes these options where the user names none, and refuses others. */
#include "operator.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

static const char *const modes[] = {"divide", "multiply", "dynamic", NULL};

/* The options that matter on the way back, and the value of one that is left out. */
static const struct {
    const char *option;
    int64_t left_out;
} kept[RECORD_VALUES] = {
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

/* The input of one of these names that is there, or OPERATOR_MAX_INPUTS. */
static size_t input_given(const struct operator_call *call, const char *const *names)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name; i++)
        for (const char *const *name = names; *name; name++)
            if (call->sources[i] && strcmp(call->op->inputs[i].name, *name) == 0)
                return i;
    return OPERATOR_MAX_INPUTS;
}

static const char *const added[] = {"zero_points", "offsets",           "cache_offsets",
                                    "offset",      "quant_zero_points", NULL},
                         *const global[] = {"global_scale", NULL};

void operator_record_static(const struct operator_call *call, struct operator_record *record)
{
    for (int v = 0; v < RECORD_VALUES; v++)
        record->values[v] = option_value(call, kept[v].option, kept[v].left_out);
    record->values[RECORD_BLOCK] = operator_rule_block(option_value(call, "scale-rule", CLQ_SCALE_BY_RANGE),
                                                       record->values[RECORD_BLOCK]);
    record->added = input_given(call, added) < OPERATOR_MAX_INPUTS;
    for (size_t i = 0; i < call->output_count; i++)
        record->added = record->added || strcmp(call->outputs[i].name, "offsets") == 0;
    record->global = input_given(call, global) < OPERATOR_MAX_INPUTS;
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
                            modes[record.values[RECORD_MODE]]);
    for (int v = RECORD_AXIS; v < RECORD_VALUES; v++)
        if (v == RECORD_BLOCK_ALL && record.values[v])
            used += (size_t)snprintf(text + used, size - used, " --%s", kept[v].option);
        else if (record.values[v] != kept[v].left_out)
            used += (size_t)snprintf(text + used, size - used, " --%s %jd", kept[v].option,
                                     (intmax_t)record.values[v]);
    snprintf(text + used, size - used, "%s%s", record.added ? " with offsets" : "",
             record.global ? " with global_scale" : "");
}

char *operator_record_metadata(const struct operator_call *call)
{
    cJSON *object = cJSON_CreateObject();
    char text[RECORD_TEXT], *metadata = NULL;

    if (call->op->record)
        write_text(call, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", *call->moved ? call->moved : call->op->name);
    if (object && cJSON_AddStringToObject(object, "clquant", text) &&
        cJSON_AddStringToObject(object, "clquant_tensor", call->out_tensors[0].name))
        metadata = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    return metadata;
}

/* The value behind a word of the text, to its next blank; false: the word is not there. */
static bool find_word(const char *text, const char *word, char *value, size_t size)
{
    const size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if (at > text && at[-1] == ' ' && (at[length] == ' ' || at[length] == '\0')) {
            snprintf(value, size, "%.*s", (int)strcspn(at + length + (at[length] == ' '), " "),
                     at + length + (at[length] == ' '));
            return true;
        }
    return false;
}

/* The block that was chosen for a matrix by itself (--block auto), by the scales in a row; 0: it has one. */
static int64_t block_by_shapes(const struct operator_call *call, const char *dtype)
{
    const struct safetensors_tensor *q = call->sources[0];
    const size_t i = input_given(call, (const char *const[]){"scales", NULL});
    const struct safetensors_tensor *scales = i < OPERATOR_MAX_INPUTS ? call->sources[i] : q;

    if (scales->rank != q->rank || q->rank == 0 || scales->shape[q->rank - 1] == 0)
        return 0;
    return q->shape[q->rank - 1] * (int64_t)q->type->bits / clq_dtype_parse(dtype).bits /
           scales->shape[q->rank - 1];
}

/* The text of quantize_model --to plain has its own words. */
static void read_model(const struct operator_call *call, const char *text, struct operator_record *record)
{
    char value[32];
    const DLDataType dtype = clq_dtype_parse(record->dtype);
    const bool is_rule = find_word(text, "--scale-rule", value, sizeof value);

    record->global = is_rule && strcmp(value, "nvfp4") == 0;
    record->values[RECORD_MODE] = CLQ_DEQUANTIZE_DYNAMIC;
    if (find_word(text, "--block", value, sizeof value) && strcmp(value, "auto") == 0)
        record->values[RECORD_BLOCK] = block_by_shapes(call, record->dtype);
    record->added = !is_rule && (dtype.code == kDLInt || dtype.code == kDLUInt) &&
                    !find_word(text, "--symmetric", value, sizeof value);
}

static bool read_text(const struct operator_call *call, const char *text, struct operator_record *record)
{
    char value[32], word[32];

    if (!find_word(text, "--dtype", record->dtype_text, sizeof record->dtype_text))
        return false;
    record->dtype = record->dtype_text;
    for (int v = 0; v < RECORD_VALUES; v++) {
        record->values[v] = kept[v].left_out;
        snprintf(word, sizeof word, "--%s", kept[v].option);
        if (find_word(text, word, value, sizeof value))
            record->values[v] = v == RECORD_BLOCK_ALL ? 1 : strtoll(value, NULL, 10);
    }
    if (find_word(text, "--mode", value, sizeof value))
        for (int m = 0; modes[m]; m++)
            if (strcmp(modes[m], value) == 0)
                record->values[RECORD_MODE] = m;
    record->added = strstr(text, " with offsets") != NULL;
    record->global = strstr(text, " with global_scale") != NULL;
    if (strncmp(text, "quantize_model ", 15) == 0)
        read_model(call, text, record);
    return true;
}

/* The record of the input's tensor, to be freed; NULL where its file has none that is about it. */
static char *text_of(const struct operator_call *call, size_t input)
{
    const struct safetensors *file = call->source_files[input];
    const char *name = call->sources[input] ? call->sources[input]->name : "", *end = strrchr(name, '_');
    char *text = file ? safetensors_metadata(file, "clquant") : NULL,
         *tensor = file ? safetensors_metadata(file, "clquant_tensor") : NULL;
    const bool of_model =
        text && strncmp(text, "quantize_model --to plain ", 26) == 0 && end && strcmp(end, "_q") == 0;
    const bool is_it = of_model || (tensor && strcmp(tensor, name) == 0);

    free(tensor);
    if (is_it)
        return text;
    free(text);
    return NULL;
}

/* An axis is that of scales, or the one that starts count on, and only one of them is asked for. */
static bool is_asked(const struct operator_call *call, const char *text, int v)
{
    const bool starts = strstr(text, "_scatter") != NULL;

    return v != RECORD_AXIS ||
           starts == (input_given(call, (const char *const[]){"indices", NULL}) < OPERATOR_MAX_INPUTS);
}

static int64_t same_axis(const struct operator_call *call, int64_t axis)
{
    return axis < 0 ? axis + (int64_t)call->sources[0]->rank : axis;
}

static bool refuse_option(struct operator_call *call, const char *option, const char *value, const char *text)
{
    return REFUSE(call,
                  "%s: --%s is %s: it must be as tensor '%.200s' was made, by %.300s (its file's metadata, "
                  "clquant); leave the option out",
                  operator_path(call, 0), option, value, call->sources[0]->name, text);
}

static bool take_value(struct operator_call *call, const char *text, int v, int64_t value)
{
    const size_t i = operator_option_named(call->op, kept[v].option);
    struct operator_record own = {0};
    char given[32];

    call->op->record ? call->op->record(call, &own) : operator_record_static(call, &own);
    if (i < OPERATOR_MAX_OPTIONS && !call->given[i]) {
        call->values[i] = value;
        call->given[i] = v == RECORD_AXIS;
        return true;
    }
    if (v == RECORD_AXIS ? same_axis(call, own.values[v]) == same_axis(call, value) : own.values[v] == value)
        return true;
    if (i == OPERATOR_MAX_OPTIONS)
        return REFUSE(call,
                      "%s: tensor '%.200s' was made by %.300s (its file's metadata, clquant): %s has no --%s",
                      operator_path(call, 0), call->sources[0]->name, text, call->op->name, kept[v].option);
    snprintf(given, sizeof given, "%jd", (intmax_t)own.values[v]);
    return refuse_option(call, kept[v].option, v == RECORD_MODE ? modes[own.values[v]] : given, text);
}

static bool take_dtype(struct operator_call *call, const char *text, const char *dtype)
{
    const size_t of = operator_option_named(call->op, "of"),
                 i = of < OPERATOR_MAX_OPTIONS ? of : operator_option_named(call->op, "dtype");
    const struct operator_option *option = &call->op->options[i < OPERATOR_MAX_OPTIONS ? i : 0];

    if (i == OPERATOR_MAX_OPTIONS)
        return true;
    if (call->given[i])
        return strcmp(option->choices[call->values[i]], dtype) == 0 ||
               refuse_option(call, option->name, option->choices[call->values[i]], text);
    for (int64_t c = 0; option->choices[c]; c++)
        if (strcmp(option->choices[c], dtype) == 0) {
            call->values[i] = c;
            call->given[i] = true;
        }
    return true;
}

/* Offsets, and the second scale, are there where they were. */
static bool check_beside(struct operator_call *call, const char *text, const char *const *names,
                         bool was_given)
{
    const size_t symmetric = operator_option_named(call->op, "symmetric"), i = input_given(call, names);

    if (names == added &&
        symmetric < OPERATOR_MAX_OPTIONS) { /* which it says, and the operator asks for them */
        if (was_given && call->values[symmetric])
            return refuse_option(call, "symmetric", "on", text);
        call->values[symmetric] = !was_given;
        return true;
    }
    if (was_given == (i < OPERATOR_MAX_INPUTS))
        return true;
    if (was_given)
        return REFUSE(call,
                      "%s: %s is absent: tensor '%.200s' was made with it, by %.300s (its file's metadata, "
                      "clquant)",
                      call->in_text, names == added ? "zero_points or offsets" : *names,
                      call->sources[0]->name, text);
    return REFUSE(call,
                  "%s: '%.200s' is given as %s: tensor '%.200s' was made without, by %.300s (its file's "
                  "metadata, clquant); --tensor %s= leaves it out",
                  call->in_text, call->sources[i]->name, call->op->inputs[i].name, call->sources[0]->name,
                  text, call->op->inputs[i].name);
}

static bool take_all(struct operator_call *call, const char *text)
{
    struct operator_record record = {0};
    bool ok = true;

    if (!read_text(call, text, &record))
        return true;
    ok = take_dtype(call, text, record.dtype);
    for (int v = 0; v < RECORD_VALUES && ok; v++)
        ok = !is_asked(call, text, v) || take_value(call, text, v, record.values[v]);
    return ok && check_beside(call, text, added, record.added) &&
           check_beside(call, text, global, record.global);
}

/* Rows of several tensors that were made otherwise are no tensor. */
static bool keep_moved(struct operator_call *call)
{
    bool ok = true;

    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && ok; i++) {
        char *text = text_of(call, i);
        struct operator_record record = {0};

        if (text && read_text(call, text, &record)) {
            ok = !*call->moved || strcmp(call->moved, text) == 0 ||
                 REFUSE(call,
                        "%s: '%.200s' was made by %.300s, and the other rows by %.300s: both must be alike",
                        operator_path(call, i), call->sources[i]->name, text, call->moved);
            snprintf(call->moved, sizeof call->moved, "%s", text);
        }
        free(text);
    }
    return ok;
}

bool operator_recall(struct operator_call *call)
{
    char *text = NULL;
    bool ok = true;

    if (call->op->moves)
        return keep_moved(call);
    if (call->op->recalls)
        text = text_of(call, 0);
    ok = !text || take_all(call, text);
    free(text);
    return ok;
}
