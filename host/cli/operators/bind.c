/* SPDX-License-Identifier: Apache-2.0 */
/* The file's tensors -> the operator's arguments; the outputs' shapes. */
#include "operator.h"

#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

static bool refuse_type(struct operator_call *call, size_t i)
{
    char ours[256] = "";

    for (const struct safetensors_type *type = safetensors_types; type->name; type++)
        if (clq_dtype_name(clq_dtype_parse(type->element)))
            operator_list(ours, sizeof ours, ", ", type->name);
    return REFUSE(call, "%s: tensor '%.200s' is %s; clquant computes with %s", operator_path(call, i),
                  call->sources[i]->name, call->sources[i]->type->name, ours);
}

static bool bind_one(struct operator_call *call, size_t i)
{
    const struct safetensors_tensor *tensor = NULL;

    if (!operator_find_input(call, i))
        return false;
    tensor = call->sources[i];
    if (!tensor)
        return true;
    call->dtypes[i] = clq_dtype_parse(tensor->type->element);
    if (!clq_dtype_name(call->dtypes[i]))
        return refuse_type(call, i);
    if (tensor->rank > SAFETENSORS_MAX_RANK)
        return REFUSE(call, "%s: tensor '%.200s' has %zu dimensions, more than %d", operator_path(call, i),
                      tensor->name, tensor->rank, SAFETENSORS_MAX_RANK);
    return true;
}

static DLTensor view_of(DLDataType dtype, size_t rank, const int64_t *shape)
{
    return (DLTensor){.device = {.device_type = kDLOpenCL},
                      .ndim = (int32_t)rank,
                      .dtype = dtype,
                      .shape = (int64_t *)shape};
}

/* Of a tensor of blocks the shape counts these, and the file's counts their bytes. */
static bool count_blocks(struct operator_call *call, size_t input)
{
    const struct safetensors_tensor *source = call->sources[input];
    const DLDataType dtype = call->dtypes[input];
    int64_t *shape = call->input_shapes[input];

    memcpy(shape, source->shape, source->rank * sizeof *shape);
    if (!operator_is_block(dtype) || source->rank == 0)
        return true;
    if (shape[source->rank - 1] % dtype.lanes)
        return REFUSE(call,
                      "%s: tensor '%.200s': its last dimension, %jd, is not a multiple of %d, the bytes of a "
                      "block of %s",
                      operator_path(call, input), source->name, (intmax_t)shape[source->rank - 1],
                      dtype.lanes, clq_dtype_name(dtype));
    shape[source->rank - 1] /= dtype.lanes;
    return true;
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
        if (!count_blocks(call, i))
            return false;
        call->input_views[i] = view_of(call->dtypes[i], source->rank, call->input_shapes[i]);
        if (!check_size(call, call->op->inputs[i].name, &call->input_views[i]))
            return false;
    }
    for (size_t i = 0; i < call->output_count; i++) {
        struct operator_output *output = &call->outputs[i];

        output->view = view_of(output->dtype, (size_t)output->rank, output->shape);
        if (!check_size(call, output->name, &output->view))
            return false;
    }
    status = operator_check(call);
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
    if (elements > 1 && like->rank == 0)
        return REFUSE(call,
                      "%s: tensor '%.200s' has rank 0: it must have a last dimension, along which %d values "
                      "are stored in one",
                      operator_path(call, input), like->name, elements);
    if (elements > 1) {
        int64_t *last = &output->shape[like->rank - 1];

        if (*last % elements && operator_is_block(dtype))
            return REFUSE(call,
                          "%s: tensor '%.200s': its last dimension, %jd, is not a multiple of %d, the values "
                          "of a block of %s",
                          operator_path(call, input), like->name, (intmax_t)*last, elements,
                          clq_dtype_name(dtype));
        if (*last % elements)
            return REFUSE(call,
                          "%s: tensor '%.200s': its last dimension, %jd, is not a multiple of %d, the %s "
                          "elements of a %s",
                          operator_path(call, input), like->name, (intmax_t)*last, elements,
                          clq_dtype_name((DLDataType){dtype.code, dtype.bits, 1}),
                          elements == IN_BYTE(dtype.bits) ? "byte" : "32-bit word");
        *last /= elements;
    }
    call->output_count++;
    return true;
}

bool operator_add_packed_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                                size_t container)
{
    enum { BYTES }; /* of --container bytes|words */

    if (dtype.bits >= 8 && call->given[container])
        return fail(call->failure, STATUS_USAGE,
                    "--container is for types of less than 8 bits, and --dtype is %s", clq_dtype_name(dtype));
    if (operator_is_block(dtype))
        return operator_add_output(call, name, dtype, input, VALUES_IN_BLOCK);
    if (!call->given[container] && operator_file_type(dtype)) /* the file's own type of it */
        return operator_add_output(call, name, dtype, input, ONE_ELEMENT);
    dtype.lanes = call->values[container] == BYTES ? IN_BYTE(dtype.bits) : IN_WORD(dtype.bits);
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

int64_t operator_blocks_of(int64_t size, int64_t block)
{
    return block > 0 ? size / block + (size % block != 0) : size;
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
        if (d == axis && found->block == 0)
            continue;
        shape[dims++] = operator_blocks_of(like->shape[d], d == axis       ? found->block
                                                           : d == axis - 1 ? found->before
                                                                           : 0);
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
    if (operator_is_block(output->dtype) && output->rank > 0)
        output->shape[output->rank - 1] /= output->dtype.lanes;
    output->in_place = true;
    output->input = input;
}
