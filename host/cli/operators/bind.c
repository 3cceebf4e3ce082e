/* The file's tensors -> the operator's arguments; the outputs' shapes. */
#include "operator.h"

#include <stdio.h>
#include <string.h>

#define REFUSE(call, ...) fail((call)->failure, STATUS_REFUSED, __VA_ARGS__)

/* The first names in the file, so that the user sees what --tensor could say. */
static void list_names(const struct safetensors *file, char *text, size_t size_bytes)
{
    enum { SHOWN = 8 };
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < file->count && i < SHOWN && used < size_bytes; i++)
        used +=
            (size_t)snprintf(text + used, size_bytes - used, "%s%.60s", i ? ", " : "", file->tensors[i].name);
    if (file->count > SHOWN && used < size_bytes)
        snprintf(text + used, size_bytes - used, ", and %zu more", file->count - SHOWN);
    if (file->count == 0)
        snprintf(text, size_bytes, "no tensor");
}

static bool bind_one(struct operator_call *call, size_t i)
{
    const struct operator_input *input = &call->op->inputs[i];
    const char *name = call->tensor_names[i];
    const struct safetensors_tensor *tensor = safetensors_find(&call->file, name);

    call->sources[i] = tensor;
    if (!tensor && input->optional && !call->named[i])
        return true;
    if (!tensor) {
        char names[640];

        list_names(&call->file, names, sizeof names);
        return REFUSE(call,
                      "%s: %s needs the tensor '%.200s'%s%s; the file has %s (--tensor %s=NAME chooses)",
                      call->in_path, call->op->name, name, call->named[i] ? " for " : "",
                      call->named[i] ? input->name : "", names, input->name);
    }
    if (tensor->type->dtype.bits == 0)
        return REFUSE(call,
                      "%s: tensor '%.200s' is %s; clquant computes with F32, F16, BF16, I8, U8, I32 and I64",
                      call->in_path, name, tensor->type->name);
    if (tensor->rank > SAFETENSORS_MAX_RANK)
        return REFUSE(call, "%s: tensor '%.200s' has %zu dimensions, more than %d", call->in_path, name,
                      tensor->rank, SAFETENSORS_MAX_RANK);
    call->dtypes[i] = tensor->type->dtype;
    return true;
}

bool operator_bind(struct operator_call *call)
{
    for (size_t i = 0; i < OPERATOR_MAX_INPUTS && call->op->inputs[i].name; i++)
        if (!bind_one(call, i))
            return false;
    return true;
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
                          "%s: tensor '%.200s': its last dimension, %jd, is not a multiple of %d, the int4 "
                          "elements of a %s",
                          call->in_path, like->name, like->rank ? (intmax_t)*last : 1, elements,
                          elements == INT4_IN_BYTE ? "byte" : "32-bit word");
        *last /= elements;
    }
    call->output_count++;
    return true;
}

bool operator_add_packed_output(struct operator_call *call, const char *name, DLDataType dtype, size_t input,
                                size_t container)
{
    enum { BYTES }; /* of --container bytes|words */

    if (dtype.bits != 4 && call->given[container])
        return fail(call->failure, STATUS_USAGE, "--container is for --dtype int4 only");
    if (dtype.bits != 4)
        return operator_add_output(call, name, dtype, input, ONE_ELEMENT);
    if (call->values[container] == BYTES)
        return operator_add_output(call, name, CLQ_INT4_BYTES, input, INT4_IN_BYTE);
    return operator_add_output(call, name, CLQ_INT4_WORDS, input, INT4_IN_WORD);
}

bool operator_add_row_output(struct operator_call *call, const char *name, size_t input)
{
    const struct safetensors_tensor *like = call->sources[input];
    const size_t at = call->output_count;

    if (like->rank == 0)
        return REFUSE(call, "%s: tensor '%.200s' has rank 0: it must have rows, which are its last dimension",
                      call->in_path, like->name);
    operator_add_output(call, name, CLQ_FLOAT32, input, ONE_ELEMENT);
    call->outputs[at].rank--;
    return true;
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
        {"U8", "int4", {kDLInt, 4, INT4_IN_BYTE}, false},
        {"I32", "int4", {kDLInt, 4, INT4_IN_WORD}, true},
    };
    const struct safetensors_tensor *cache = call->sources[input];
    const int64_t value = call->values[option];
    const char *const *choices = call->op->options[option].choices;
    const char *dtype = value == OPERATOR_UNSET ? NULL : choices[value];
    bool takes_uint8 = false;

    for (size_t i = 0; choices[i]; i++)
        takes_uint8 = takes_uint8 || strcmp(choices[i], "uint8") == 0;

    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (strcmp(views[i].file_type, cache->type->name) == 0 &&
            (dtype ? strcmp(views[i].dtype, dtype) == 0 : views[i].implied)) {
            call->dtypes[input] = views[i].view;
            return true;
        }
    if (!dtype && strcmp(cache->type->name, "U8") == 0)
        return REFUSE(call, "%s: tensor '%.200s' is U8: --dtype %s is expected", call->in_path, cache->name,
                      takes_uint8 ? "uint8 or --dtype int4, two to a byte," : "int4, two to a byte,");
    return REFUSE(call,
                  "%s: tensor '%.200s' is %s%s%s: a cache is I8 (int8), U8 (uint8, or int4 in bytes) or I32 "
                  "(int4 in words)",
                  call->in_path, cache->name, cache->type->name, dtype ? ", and --dtype is " : "",
                  dtype ? dtype : "");
}

const DLTensor *operator_input(const struct operator_call *call, size_t input)
{
    return call->inputs[input] ? &call->inputs[input]->dl_tensor : NULL;
}

const DLTensor *operator_output(const struct operator_call *call, size_t output)
{
    const struct operator_output *it = &call->outputs[output];

    return it->in_place ? operator_input(call, it->input) : &it->tensor->dl_tensor;
}
