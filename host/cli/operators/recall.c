/* SPDX-License-Identifier: Apache-2.0 */
/* The options that records say (record.c): those of the first input, of rows that move, and of scales. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

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
    const size_t i = record_input_given(call, (const char *const[]){"scales", NULL});
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
        record->values[v] = record_options[v].left_out;
        snprintf(word, sizeof word, "--%s", record_options[v].option);
        if (find_word(text, word, value, sizeof value))
            record->values[v] = v == RECORD_BLOCK_ALL        ? 1
                                : strcmp(value, "none") == 0 ? OPERATOR_NONE
                                                             : strtoll(value, NULL, 10);
    }
    if (find_word(text, "--mode", value, sizeof value))
        for (int m = 0; record_modes[m]; m++)
            if (strcmp(record_modes[m], value) == 0)
                record->values[RECORD_MODE] = m;
    record->added = strstr(text, " with offsets") != NULL;
    record->global = strstr(text, " with global_scale") != NULL;
    if (strncmp(text, "quantize_model ", 15) == 0)
        read_model(call, text, record);
    return true;
}

/* Leaves the line of the texts that is about the name, which is a line of `names`; false: there is none. */
static bool keep_line(char *texts, const char *names, const char *name)
{
    const size_t length = strlen(name);
    char *text = texts;

    while (strncmp(names, name, length) != 0 || !strchr("\n", names[length])) {
        names = strchr(names, '\n');
        text = strchr(text, '\n');
        if (!names || !text)
            return false;
        names++;
        text++;
    }
    text[strcspn(text, "\n")] = '\0';
    memmove(texts, text, strlen(text) + 1);
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
    const bool is_it = of_model || (text && tensor && keep_line(text, tensor, name));

    free(tensor);
    if (is_it)
        return text;
    free(text);
    return NULL;
}

/* A record, and the input whose tensor it is about. */
struct origin {
    size_t input;
    const char *text;
};

/* An axis is that of scales, or the one that starts count on, and only one of them is asked for. */
static bool is_asked(const struct operator_call *call, const char *text, int v)
{
    const bool starts = strstr(text, "_scatter") != NULL;

    return v != RECORD_AXIS ||
           starts == (record_input_given(call, (const char *const[]){"indices", NULL}) < OPERATOR_MAX_INPUTS);
}

static int64_t same_axis(const struct operator_call *call, int64_t axis)
{
    return axis < 0 ? axis + (int64_t)call->sources[0]->rank : axis;
}

static bool refuse_option(struct operator_call *call, const struct origin *origin, const char *option,
                          const char *value)
{
    const size_t i = operator_option_named(call->op, option);

    return REFUSE(call,
                  "%s: --%s is %s: it must be as tensor '%.200s' was made, by %.300s (its file's metadata, "
                  "clquant)%s",
                  operator_path(call, origin->input), option, value, call->sources[origin->input]->name,
                  origin->text, call->recalled[i] ? "" : "; leave the option out");
}

/* Sets what neither the user nor another record says. */
static bool take_value(struct operator_call *call, const struct origin *origin, int v, int64_t value)
{
    const char *name = record_options[v].option;
    const size_t i = operator_option_named(call->op, name);
    struct operator_record own = {0};
    char given[32];

    if (i < OPERATOR_MAX_OPTIONS && !call->given[i] && !call->recalled[i]) {
        call->values[i] = value;
        call->given[i] = v == RECORD_AXIS;
        call->recalled[i] = true;
        return true;
    }
    call->op->record ? call->op->record(call, &own) : operator_record_static(call, &own);
    if (v == RECORD_AXIS ? same_axis(call, own.values[v]) == same_axis(call, value) : own.values[v] == value)
        return true;
    if (i == OPERATOR_MAX_OPTIONS)
        return REFUSE(call,
                      "%s: tensor '%.200s' was made by %.300s (its file's metadata, clquant): %s has no --%s",
                      operator_path(call, origin->input), call->sources[origin->input]->name, origin->text,
                      call->op->name, name);
    snprintf(given, sizeof given, "%jd", (intmax_t)own.values[v]);
    return refuse_option(call, origin, name, v == RECORD_MODE ? record_modes[own.values[v]] : given);
}

/* An option whose words are not those of types says nothing of them. */
static bool take_dtype(struct operator_call *call, const struct origin *origin, const char *dtype)
{
    const size_t of = operator_option_named(call->op, "of"),
                 i = of < OPERATOR_MAX_OPTIONS ? of : operator_option_named(call->op, "dtype");
    const struct operator_option *option = &call->op->options[i < OPERATOR_MAX_OPTIONS ? i : 0];
    int64_t c = 0;

    if (i == OPERATOR_MAX_OPTIONS)
        return true;
    while (option->choices[c] && strcmp(option->choices[c], dtype) != 0)
        c++;
    if (!option->choices[c] || (call->given[i] && call->values[i] == c))
        return true;
    if (call->given[i])
        return refuse_option(call, origin, option->name, option->choices[call->values[i]]);
    call->values[i] = c;
    call->given[i] = call->recalled[i] = true;
    return true;
}

/* Offsets, and the second scale, are there where they were. */
static bool check_beside(struct operator_call *call, const struct origin *origin, const char *const *names,
                         bool was_given)
{
    const size_t symmetric = operator_option_named(call->op, "symmetric"),
                 i = record_input_given(call, names);

    if (names == record_added &&
        symmetric < OPERATOR_MAX_OPTIONS) { /* which it says, and the operator asks for them */
        if (was_given && call->values[symmetric])
            return refuse_option(call, origin, "symmetric", "on");
        call->values[symmetric] = !was_given;
        return true;
    }
    if (was_given == (i < OPERATOR_MAX_INPUTS))
        return true;
    if (was_given)
        return REFUSE(call,
                      "%s: %s is absent: tensor '%.200s' was made with it, by %.300s (its file's metadata, "
                      "clquant)",
                      call->in_text, names == record_added ? "zero_points or offsets" : *names,
                      call->sources[origin->input]->name, origin->text);
    return REFUSE(call,
                  "%s: '%.200s' is given as %s: tensor '%.200s' was made without, by %.300s (its file's "
                  "metadata, clquant); --tensor %s= leaves it out",
                  call->in_text, call->sources[i]->name, call->op->inputs[i].name,
                  call->sources[origin->input]->name, origin->text, call->op->inputs[i].name);
}

static bool take_all(struct operator_call *call, const struct origin *origin)
{
    struct operator_record record = {0};
    bool ok = true;

    if (!read_text(call, origin->text, &record))
        return true;
    ok = take_dtype(call, origin, record.dtype);
    for (int v = 0; v < RECORD_VALUES && ok; v++)
        ok = !is_asked(call, origin->text, v) || take_value(call, origin, v, record.values[v]);
    return ok && check_beside(call, origin, record_added, record.added) &&
           check_beside(call, origin, record_global, record.global);
}

/* What scales are for. Rows may be turned before and after, and zero points may come from elsewhere. */
static bool take_scales(struct operator_call *call, const struct origin *origin)
{
    struct operator_record record = {0};
    bool ok = true;

    if (strncmp(origin->text, "scales ", 7) != 0 || !read_text(call, origin->text, &record))
        return true;
    ok = take_dtype(call, origin, record.dtype);
    for (int v = 0; v <= RECORD_BLOCK_BEFORE && ok; v++)
        ok = !is_asked(call, origin->text, v) || record.values[v] == OPERATOR_NONE ||
             take_value(call, origin, v, record.values[v]);
    return ok && (!record.added || check_beside(call, origin, record_added, true));
}

/* Rows of several tensors that were made otherwise are no tensor. */
static bool keep_moved(struct operator_call *call)
{
    bool ok = true;

    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && ok; i++) {
        char *text = text_of(call, i), *moved = call->moved[i % call->op->moves];
        struct operator_record record = {0};

        if (text && read_text(call, text, &record)) {
            ok = !*moved || strcmp(moved, text) == 0 ||
                 REFUSE(call,
                        "%s: '%.200s' was made by %.300s, and the other rows by %.300s: both must be alike",
                        operator_path(call, i), call->sources[i]->name, text, moved);
            snprintf(moved, RECORD_TEXT, "%s", text);
        }
        free(text);
    }
    return ok;
}

static bool recall(struct operator_call *call, size_t input,
                   bool (*take)(struct operator_call *, const struct origin *))
{
    char *text = input < OPERATOR_MAX_INPUTS ? text_of(call, input) : NULL;
    const bool ok = !text || take(call, &(struct origin){input, text});

    free(text);
    return ok;
}

bool operator_recall(struct operator_call *call)
{
    static const char *const scales[] = {"scales", "scale", "quant_scales", NULL};

    if (call->op->moves > 0)
        return keep_moved(call);
    return (!call->op->recalls || recall(call, 0, take_all)) &&
           recall(call, record_input_given(call, scales), take_scales);
}
