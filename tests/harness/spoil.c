/* SPDX-License-Identifier: Apache-2.0 */
#include "spoil.h"

#include <string.h>

/* Small, beside what was there, or where sizes wrap. */
static int64_t any_value(struct rng *rng, int64_t was)
{
    static const int64_t edges[] = {-1,
                                    INT64_C(1) << 31,
                                    (INT64_C(1) << 31) - 1,
                                    (INT64_C(1) << 31) + 1,
                                    INT64_C(1) << 32,
                                    (INT64_C(1) << 32) - 1,
                                    (INT64_C(1) << 32) + 1,
                                    INT64_C(1) << 60,
                                    INT64_C(1) << 61,
                                    INT64_C(1) << 62,
                                    INT64_MAX,
                                    INT64_MAX - 1,
                                    INT64_MAX / 2 + 1,
                                    INT64_MAX / 4 + 1,
                                    INT64_MIN,
                                    INT32_MIN};

    switch (rng_below(rng, 8)) {
    case 0:
    case 1:
        return (int64_t)((uint64_t)was + (uint64_t)rng_below(rng, 5) - 2);
    case 2:
    case 3:
    case 4:
        return rng_below(rng, 10);
    case 5:
        return rng_below(rng, 2) ? was / 2 : (int64_t)((uint64_t)was * 2);
    case 6:
        return edges[rng_below(rng, sizeof edges / sizeof *edges)];
    default:
        return (int64_t)(rng_next(rng) >> rng_below(rng, 64));
    }
}

static DLDataType any_dtype(struct rng *rng)
{
    static const DLDataType others[] = {
        {kDLInt, 4, 2},    {kDLInt, 4, 8},   {kDLInt, 4, 4},     {kDLUInt, 4, 2},   {kDLFloat, 64, 1},
        {kDLFloat, 32, 2}, {kDLInt, 4, 0},   {kDLInt, 16, 1},    {kDLBfloat, 8, 1}, {kDLInt, 4, 16},
        {kDLInt, 8, 2},    {kDLUInt, 32, 1}, {kDLComplex, 64, 1}};
    const int64_t n = rng_below(rng, REFERENCE_TYPES + (int64_t)(sizeof others / sizeof *others));

    if (n >= REFERENCE_TYPES)
        return others[n - REFERENCE_TYPES];
    return (DLDataType){(uint8_t)reference_types[n].dlpack_code, (uint8_t)reference_types[n].bits,
                        (uint16_t)reference_dlpack_lanes((enum reference_type)n)};
}

/* As they are where they are left out, as far as that can be said. */
static void give_strides(struct tensor *tensor)
{
    DLTensor *dl = &tensor->dl;
    uint64_t stride = 1;

    if (dl->strides != NULL)
        return;
    dl->strides = tensor->strides;
    for (int d = dl->ndim > 0 && dl->ndim <= TENSOR_MOST_RANK ? dl->ndim - 1 : TENSOR_MOST_RANK; d >= 0;
         d--) {
        tensor->strides[d] = (int64_t)stride;
        stride *= (uint64_t)tensor->shape[d];
    }
}

/* The memory of any tensor, or none. */
static void change_memory(struct call *call, DLTensor *dl)
{
    const int64_t n = rng_below(&call->rng, OPERATOR_MOST_TENSORS + 2);
    struct tensor *other = n < OPERATOR_MOST_TENSORS    ? &call->tensors[n]
                           : n == OPERATOR_MOST_TENSORS ? &call->report
                                                        : NULL;

    dl->data = other != NULL && other->memory.bytes != NULL ? &other->memory : NULL;
}

/* One that was left out and may be given: of bytes of its own. */
static void give(struct call *call, int t)
{
    const struct shape shape = shape_random(&call->rng, 0, 3, 8);
    enum reference_type type;

    if (call->tensors[t].memory.bytes != NULL) {
        call->tensors[t].name = call->op->operands[t].name;
        return;
    }
    do
        type = call_type(call, WISH_NONE, call->op->operands[t].types);
    while (reference_shares_bytes(type, 1) && shape.rank == 0);
    if (!reference_shares_bytes(type, 1))
        call_tensor_of(call, t, type, &shape, TENSOR_OUTPUT);
}

/* Any other size, or another dimension's, so that the tensor keeps its elements. */
static void change_shape(struct rng *rng, struct tensor *tensor, int d)
{
    const int64_t was = tensor->shape[d];
    const int other =
        tensor->dl.ndim > 1 && tensor->dl.ndim <= TENSOR_MOST_RANK ? (int)rng_below(rng, tensor->dl.ndim) : d;

    if (other != d && rng_once_in(rng, 4)) {
        tensor->shape[d] = tensor->shape[other];
        tensor->shape[other] = was;
    } else {
        tensor->shape[d] = any_value(rng, was);
    }
}

static void spoil_tensor(struct call *call, int t)
{
    struct rng *rng = &call->rng;
    struct tensor *tensor = &call->tensors[t];
    DLTensor *dl = &tensor->dl;
    const int d = (int)(rng_once_in(rng, 8) || dl->ndim < 1 || dl->ndim > TENSOR_MOST_RANK
                            ? rng_below(rng, TENSOR_MOST_RANK + 1)
                            : rng_below(rng, dl->ndim));

    if (tensor->name == NULL) {
        give(call, t);
        return;
    }
    switch (rng_below(rng, 14)) {
    case 0:
        dl->dtype = any_dtype(rng);
        break;
    case 1:
        dl->ndim = (int)any_value(rng, dl->ndim);
        break;
    case 2:
    case 3:
    case 4:
        change_shape(rng, tensor, d);
        break;
    case 5:
    case 6:
    case 7:
        give_strides(tensor);
        tensor->strides[d] = any_value(rng, tensor->strides[d]);
        break;
    case 8:
    case 9:
        dl->byte_offset = (uint64_t)any_value(rng, rng_once_in(rng, 2) ? (int64_t)tensor->memory.size
                                                                       : (int64_t)dl->byte_offset);
        break;
    case 10:
        change_memory(call, dl);
        break;
    case 11:
        tensor->name = NULL;
        break;
    case 12:
        dl->shape = rng_once_in(rng, 3) ? NULL : tensor->shape;
        break;
    default:
        dl->device.device_type = rng_once_in(rng, 2) ? kDLCPU : kDLCUDA;
    }
}

/* Every dimension of this size, of any tensor, gets the other: the shapes still fit. */
static void resize(struct call *call, int64_t was, int64_t is)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        for (int d = 0; d < TENSOR_MOST_RANK && call->tensors[t].name != NULL; d++)
            if (call->tensors[t].shape[d] == was)
                call->tensors[t].shape[d] = is;
}

static void change_size(struct call *call)
{
    const struct tensor *from = &call->tensors[rng_below(&call->rng, OPERATOR_MOST_TENSORS)];
    int64_t was;

    if (from->name == NULL || from->dl.ndim < 1 || from->dl.ndim > TENSOR_MOST_RANK)
        return;
    was = from->shape[rng_below(&call->rng, from->dl.ndim)];
    resize(call, was, any_value(&call->rng, was));
}

/* All tensors of this rank get another: their first sizes still fit. */
static void change_rank(struct call *call)
{
    const struct tensor *from = &call->tensors[rng_below(&call->rng, OPERATOR_MOST_TENSORS)];
    const int was = from->dl.ndim, is = (int)rng_below(&call->rng, TENSOR_MOST_RANK + 1);

    if (from->name == NULL)
        return;
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        if (call->tensors[t].name != NULL && call->tensors[t].dl.ndim == was) {
            call->tensors[t].dl.ndim = is;
            call->tensors[t].dl.strides = NULL;
        }
}

/* Rows of twice as many as can be turned at once. */
static void turn_twice_the_most(struct call *call)
{
    uint32_t *const rotate = operator_field(call->op, call->desc, "rotate");
    const struct tensor *from = &call->tensors[rng_below(&call->rng, OPERATOR_MOST_TENSORS)];

    if (rotate == NULL || from->name == NULL || from->dl.ndim < 1 || from->dl.ndim > TENSOR_MOST_RANK)
        return;
    *rotate = 2048;
    resize(call, from->shape[from->dl.ndim - 1], *rotate);
}

/* The same elements that share bytes, one by one, as bytes or as words. */
static void change_view(struct call *call)
{
    struct tensor *tensor = &call->tensors[rng_below(&call->rng, OPERATOR_MOST_TENSORS)];
    const int in_byte = reference_in_byte(tensor->type), lanes[] = {1, in_byte, 4 * in_byte};
    int64_t elements;
    int last;

    if (tensor->name == NULL || tensor->dl.dtype.bits >= 8 || tensor->dl.ndim < 1 ||
        tensor->dl.ndim > TENSOR_MOST_RANK)
        return;
    last = tensor->dl.ndim - 1;
    elements = (int64_t)((uint64_t)tensor->shape[last] * tensor->dl.dtype.lanes);
    tensor->dl.dtype.lanes = (uint16_t)lanes[rng_below(&call->rng, 3)];
    tensor->shape[last] = elements / tensor->dl.dtype.lanes;
    tensor->dl.strides = NULL;
}

static void spoil_number(struct call *call)
{
    const struct option_list list = operator_options(call->op);
    const struct clq_option *option;
    unsigned char *field;
    DLDataType dtype;
    int32_t value;

    do {
        option = &list.rows[rng_below(&call->rng, (int64_t)list.count)];
    } while (!option_is_number(option) && option->kind != CLQ_OPTION_RESERVED);
    field = call->desc + option->offset_bytes;
    if (option->kind == CLQ_OPTION_RESERVED)
        field += 4 * (size_t)rng_below(&call->rng, option->size_bytes / 4);
    memcpy(&value, field, sizeof value);
    value = (int32_t)(rng_once_in(&call->rng, 2) ? rng_below(&call->rng, 4) : any_value(&call->rng, value));
    if (option->kind == CLQ_OPTION_TYPE) {
        dtype = any_dtype(&call->rng);
        memcpy(&value, &dtype, sizeof value);
    }
    memcpy(field, &value, sizeof value);
}

/* A report or a workspace: its place, or one where none was. */
static void spoil_words(struct call *call, struct tensor *words, const char *name)
{
    struct rng *rng = &call->rng;

    if (words->memory.bytes == NULL)
        tensor_make_zeros(rng, words, name, 4 * (size_t)rng_below(rng, 6), sizeof(struct clq_report));
    else if (rng_once_in(rng, 3))
        change_memory(call, &words->dl);
    else
        words->dl.byte_offset = (uint64_t)any_value(
            rng, rng_once_in(rng, 2) ? (int64_t)words->memory.size : (int64_t)words->dl.byte_offset);
}

int spoil(struct call *call)
{
    struct rng *rng = &call->rng;
    int64_t tensors = 0;

    while (call->op->operands[tensors].name != NULL)
        tensors++;
    switch (rng_below(rng, 12)) {
    case 0:
        spoil_number(call);
        break;
    case 8:
        change_size(call);
        return 2;
    case 10:
        change_rank(call);
        return 2;
    case 11:
        turn_twice_the_most(call);
        return 2;
    case 9:
        change_view(call);
        break;
    case 1:
        if (call->op->report != 0) {
            spoil_words(call, &call->report, "report");
            break;
        }
        /* fall through */
    case 2:
        if (call->op->workspace != 0) {
            spoil_words(call, &call->workspace, "workspace");
            break;
        }
        /* fall through */
    default:
        spoil_tensor(call, (int)rng_below(rng, tensors));
    }
    return 1;
}
