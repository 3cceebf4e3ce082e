/* SPDX-License-Identifier: Apache-2.0 */
/* The file's tensors -> the operator's arguments; the outputs' shapes. */
#include "operator.h"

#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

static bool bind_one(struct operator_call *call, size_t i)
{
    const struct safetensors_tensor *tensor = NULL;

    if (!operator_find_input(call, i))
        return false;
    tensor = call->sources[i];
    if (!tensor)
        return true;
    if (tensor->type->dtype.bits == 0)
        return REFUSE(call,
                      "%s: tensor '%.200s' is %s; clquant computes with F32, F16, BF16, I8, U8, I32, I64, "
                      "F8_E4M3 and F8_E5M2",
                      operator_path(call, i), tensor->name, tensor->type->name);
    if (tensor->rank > SAFETENSORS_MAX_RANK)
        return REFUSE(call, "%s: tensor '%.200s' has %zu dimensions, more than %d", operator_path(call, i),
                      tensor->name, tensor->rank, SAFETENSORS_MAX_RANK);
    call->dtypes[i] = tensor->type->dtype;
    return true;
}

static DLTensor view_of(DLDataType dtype, size_t rank, const int64_t *shape)
{
    return (DLTensor){.device = {.device_type = kDLOpenCL},
                      .ndim = (int32_t)rank,
                      .dtype = dtype,
                      .shape = (int64_t *)shape};
}

/* A size that overflows is refused here, before anything counts with it. */
static bool check_size(struct operator_call *call, const char *name, const DLTensor *view)
{
    size_t size_bytes = 0;
    const clq_status status = clq_tensor_size_bytes(view, &size_bytes);

    return status == CLQ_OK || operator_fail(call, name, status);
}

bool operator_bind(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name; i++)
        if (!bind_one(call, i))
            return false;
    return true;
}

bool operator_plan(struct operator_call *call)
{
    clq_status status = CLQ_OK;

    if (!call->op->plan(call))
        return false;
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS; i++) {
        const struct safetensors_tensor *source = call->sources[i];

        if (!source)
            continue;
        call->input_views[i] = view_of(call->dtypes[i], source->rank, source->shape);
        if (!check_size(call, call->op->inputs[i].name, &call->input_views[i]))
            return false;
    }
    for (size_t i = 0; i < call->output_count; i++) {
        struct operator_output *output = &call->outputs[i];

        output->view = view_of(output->dtype, (size_t)output->rank, output->shape);
        if (!check_size(call, output->name, &output->view))
            return false;
    }
    if (call->op->check)
        status = call->op->check(call);
    return status == CLQ_OK || operator_fail(call, call->op->name, status);
}

bool operator_add_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                         int elements)
{
    const struct safetensors_tensor *like = call->sources[input];
    struct operator_output *output = &call->outputs[call->output_count];

    output->name = name;
    output->dtype = dtype;
    output->rank = (int)like->rank;
    memcpy(output->shape, like->shape, sizeof output->shape);
    if (elements > 1) {
        int64_t *last = &output->shape[like->rank - 1];

        if (like->rank == 0 || *last % elements)
            return REFUSE(call,
                          "%s: tensor '%.200s': its last dimension, %jd, is not a multiple of %d, the %s "
                          "elements of a %s",
                          operator_path(call, input), like->name, like->rank ? (intmax_t)*last : 1, elements,
                          dtype.code == kDLUInt ? "uint4" : "int4",
                          elements == NIBBLES_IN_BYTE ? "byte" : "32-bit word");
        *last /= elements;
    }
    call->output_count++;
    return true;
}

DLDataType operator_dtype(const struct operator_call *call, size_t option)
{
    return clq_dtype_parse(call->op->options[option].choices[call->values[option]]);
}

bool operator_add_packed_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                                size_t container)
{
    enum { BYTES }; /* of --container bytes|words */

    if (dtype.bits != 4 && call->given[container])
        return fail(call->failure, STATUS_USAGE, "--container is for --dtype int4 and uint4 only");
    if (dtype.bits != 4)
        return operator_add_output(call, name, dtype, input, ONE_ELEMENT);
    dtype.lanes = call->values[container] == BYTES ? NIBBLES_IN_BYTE : NIBBLES_IN_WORD;
    return operator_add_output(call, name, dtype, input, dtype.lanes);
}

void operator_add_shape(struct operator_call *call, const char *name, DLDataType dtype, int rank,
                        const int64_t *shape)
{
    struct operator_output *output = &call->outputs[call->output_count++];

    output->name = name;
    output->dtype = dtype;
    output->rank = rank;
    memcpy(output->shape, shape, (size_t)rank * sizeof *shape);
}

bool operator_add_found_output(struct operator_call *call, const char *name, size_t input,
                               const struct operator_found *found)
{
    const struct safetensors_tensor *like = call->sources[input];
    const int rank = (int)like->rank;
    const int64_t axis = found->axis < 0 ? found->axis + rank : found->axis;
    int64_t shape[CLQ_MAX_RANK] = {1};
    int dims = 0;

    if (rank == 0)
        return REFUSE(call, "%s: tensor '%.200s' has rank 0: it must have rows, which are its last dimension",
                      operator_path(call, input), like->name);
    for (int d = 0; d < rank && !found->all; d++) {
        if (d != axis)
            shape[dims++] = like->shape[d];
        else if (found->block > 0)
            shape[dims++] = like->shape[d] / found->block + (like->shape[d] % found->block != 0);
    }
    operator_add_shape(call, name, found->dtype, found->all ? 1 : dims, shape);
    return true;
}

void operator_add_output_in_place(struct operator_call *call, size_t input)
{
    const struct safetensors_tensor *like = call->sources[input];
    struct operator_output *output = &call->outputs[call->output_count++];

    output->name = call->op->inputs[input].name;
    output->dtype = call->dtypes[input];
    output->rank = (int)like->rank;
    memcpy(output->shape, like->shape, sizeof output->shape);
    output->in_place = true;
    output->input = input;
}

bool operator_type_cache(struct operator_call *call, size_t input, size_t option)
{
    static const struct {
        const char *file_type;
        const char *dtype;
        DLDataType view;
        bool implied; /* where --dtype is left out */
    } views[] = {
        {"I8", "int8", {kDLInt, 8, 1}, true},
        {"U8", "uint8", {kDLUInt, 8, 1}, false},
        {"U8", "int4", {kDLInt, 4, NIBBLES_IN_BYTE}, false},
        {"I32", "int4", {kDLInt, 4, NIBBLES_IN_WORD}, true},
        {"U8", "uint4", {kDLUInt, 4, NIBBLES_IN_BYTE}, false},
        {"I32", "uint4", {kDLUInt, 4, NIBBLES_IN_WORD}, false},
        {"F8_E4M3", "float8_e4m3fn", {CLQ_CODE_FLOAT8_E4M3FN, 8, 1}, true},
        {"F8_E5M2", "float8_e5m2", {CLQ_CODE_FLOAT8_E5M2, 8, 1}, true},
    };
    const struct safetensors_tensor *cache = call->sources[input];
    const int64_t value = call->values[option];
    const char *const *choices = call->op->options[option].choices;
    const char *dtype = value == OPERATOR_UNSET ? NULL : choices[value];

    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i].file_type, cache->type->name) == 0 &&
            (dtype ? strcmp(views[i].dtype, dtype) == 0 : views[i].implied)) {
            call->dtypes[input] = views[i].view;
            return true;
        }
    if (!dtype && strcmp(cache->type->name, "U8") == 0)
        return REFUSE(call,
                      "%s: tensor '%.200s' is U8: --dtype uint8, or --dtype int4 or uint4, two to a byte, is "
                      "expected",
                      operator_path(call, input), cache->name);
    return REFUSE(
        call,
        "%s: tensor '%.200s' is %s%s%s: a cache is I8 (int8), U8 (uint8, or int4 or uint4 in bytes), "
        "I32 (int4 or uint4 in words), F8_E4M3 (float8_e4m3fn) or F8_E5M2 (float8_e5m2)",
        operator_path(call, input), cache->name, cache->type->name, dtype ? ", and --dtype is " : "",
        dtype ? dtype : "");
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
