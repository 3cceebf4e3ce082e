/* SPDX-License-Identifier: Apache-2.0 */
/* The element types: the names that options take, and what a file's types hold. */
#include "args/type_rows.h"
#include "operator.h"

#include <stdio.h>
#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

#define TEXT(word)            TEXT_PASTED(word)
#define TEXT_PASTED(word)     #word
#define NAME_IF(t, role)      CLQ_TYPE_ROLES(t) & (role) ? TEXT(CLQ_TYPE_NAME(t)) : "",
#define SCALE_NAME(t, id)     NAME_IF(t, CLQ_ROLE_SCALE)
#define QUANTIZED_NAME(t, id) NAME_IF(t, CLQ_ROLE_QUANTIZED)
#define CACHED_NAME(t, id)    NAME_IF(t, CLQ_ROLE_CACHED)
#define GROUPED_NAME(t, id)   NAME_IF(t, CLQ_ROLE_GROUPED)
#define FOUND_NAME(t, id)     NAME_IF(t, CLQ_ROLE_CACHED | CLQ_ROLE_BLOCK)
#define READ_NAME(t, id)      NAME_IF(t, CLQ_ROLE_QUANTIZED | CLQ_ROLE_BLOCK)
const char *const operator_scale_types[] = {CLQ_TYPES(SCALE_NAME) NULL};
const char *const operator_quantized_types[] = {CLQ_TYPES(QUANTIZED_NAME) NULL};
const char *const operator_cached_types[] = {CLQ_TYPES(CACHED_NAME) NULL};
const char *const operator_grouped_types[] = {CLQ_TYPES(GROUPED_NAME) NULL};
const char *const operator_found_types[] = {CLQ_TYPES(FOUND_NAME) NULL};
const char *const operator_read_types[] = {CLQ_TYPES(READ_NAME) NULL};

DLDataType operator_rule_dtype(int64_t rule)
{
    return rule == CLQ_NVFP4 ? CLQ_FLOAT8_E4M3FN : CLQ_FLOAT8_E8M0FNU;
}

int64_t operator_rule_block(int64_t rule, int64_t block)
{
    return rule == CLQ_SCALE_BY_RANGE || block > 0 ? block : rule == CLQ_NVFP4 ? 16 : 32;
}

void operator_list(char *text, size_t size_bytes, const char *between, const char *item)
{
    const size_t used = strlen(text);

    snprintf(text + used, size_bytes - used, "%s%s", used ? between : "", item);
}

DLDataType operator_dtype(const struct operator_call *call, size_t option)
{
    return clq_dtype_parse(call->op->options[option].choices[call->values[option]]);
}

const struct safetensors_type *operator_file_type(DLDataType dtype)
{
    if (operator_is_block(dtype))
        return safetensors_type_find("U8");
    if (dtype.lanes > 1)
        return safetensors_type_find(dtype.bits * dtype.lanes == 8 ? "U8" : "I32");
    return safetensors_type_of(clq_dtype_name(dtype));
}

/* A view of the type that a tensor of this type of the file has, if any. */
static bool is_held(const char *name, const struct safetensors_type *in_file, DLDataType *view)
{
    const DLDataType own = clq_dtype_parse(name);
    const uint16_t lanes[] = {own.lanes, IN_BYTE(own.bits), IN_WORD(own.bits)};

    *view = own;
    for (size_t i = 0; i < (own.bits < 8 ? 3 : 1); i++) {
        view->lanes = lanes[i];
        if (operator_file_type(*view) == in_file)
            return true;
    }
    return false;
}

/* The names and where they are in files: "int8 (I8), int4 (U8 or I32)". */
static void list_held(const char *const *names, char *text, size_t size_bytes)
{
    DLDataType view;

    for (; *names; names++) {
        const char *between = " (";

        if (!**names)
            continue;
        operator_list(text, size_bytes, ", ", *names);
        for (const struct safetensors_type *type = safetensors_types; type->name; type++)
            if (is_held(*names, type, &view)) {
                operator_list(text, size_bytes, between, type->name);
                between = " or ";
            }
        operator_list(text, size_bytes, ")", "");
    }
}

bool operator_type_held(struct operator_call *call, size_t input, size_t option, bool is_cache)
{
    const struct safetensors_tensor *tensor = call->sources[input];
    const struct operator_option *it = &call->op->options[option];
    const char *const told = call->given[option] ? it->choices[call->values[option]] : NULL;
    char possible[512] = "", all[1024] = "";
    size_t count = 0;
    DLDataType view;

    for (const char *const *name = it->choices; *name; name++)
        if ((!told || strcmp(*name, told) == 0) && is_held(*name, tensor->type, &view)) {
            call->dtypes[input] = view;
            operator_list(possible, sizeof possible, ", ", *name);
            count++;
        }
    if (count > 1 && is_cache && tensor->type == operator_file_type(CLQ_INT4_WORDS)) {
        call->dtypes[input] = CLQ_INT4_WORDS;
        count = 1;
    }
    if (count > 1)
        return REFUSE(call, "%s: tensor '%.200s' is %s, which may be one of %s: --%s is expected",
                      operator_path(call, input), tensor->name, tensor->type->name, possible, it->name);
    list_held(it->choices, all, sizeof all);
    return count == 1 ||
           REFUSE(call, "%s: tensor '%.200s' is %s%s%s%s%s: it may be one of %s", operator_path(call, input),
                  tensor->name, tensor->type->name, told ? ", and --" : "", told ? it->name : "",
                  told ? " is " : "", told ? told : "", all);
}
