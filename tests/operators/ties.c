/* SPDX-License-Identifier: Apache-2.0 */
#include "ties.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 2048 };

/* A float type: the bits without the sign, those of the largest finite value, and of half a fraction. */
struct layout {
    size_t bytes;
    uint32_t magnitude, largest, half;
};
static const struct layout layouts[] = {
    [REFERENCE_F32] = {4, 0x7fffffff, 0x7f7fffff, 1 << 22},
    [REFERENCE_F16] = {2, 0x7fff, 0x7bff, 1 << 9},
    [REFERENCE_BF16] = {2, 0x7fff, 0x7f7f, 1 << 6},
};

static uint32_t load(const struct layout *layout, const unsigned char *at)
{
    uint32_t bits = 0;

    memcpy(&bits, at, layout->bytes); /* of a little-endian machine, as the tests' own are */
    return bits;
}

static void expect(struct call *call)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        if (call->tensors[t].memory.bytes != NULL)
            memcpy(call->tensors[t].memory.expected, call->tensors[t].memory.bytes,
                   call->tensors[t].memory.size);
}

/* The reference's result with one value changed, one written tensor behind the other. */
static void result_of(struct call *call, const struct layout *layout, unsigned char *at, uint32_t bits,
                      unsigned char *result)
{
    memcpy(at, &bits, layout->bytes);
    expect(call);
    call->op->reference(call);
    for (int t = 0; call->op->operands[t].name != NULL; t++) {
        const struct memory *memory = &call->tensors[t].memory;

        if (call->op->operands[t].use == OPERAND_WRITTEN && memory->bytes != NULL) {
            memcpy(result, memory->expected, memory->size);
            result += memory->size;
        }
    }
}

/* From its own magnitude to another one, that of another element or any, by halves, to two neighbours of
 * which one keeps the result. */
static void move(struct call *call, struct rng *rng, const struct layout *layout, unsigned char *at,
                 const unsigned char *beside, size_t size)
{
    const uint32_t own = load(layout, at), sign = own & ~layout->magnitude;
    uint32_t same = own & layout->magnitude, other = load(layout, beside) & layout->magnitude;
    unsigned char *results = malloc(2 * size);

    if (other > layout->largest || rng_once_in(rng, 5))
        other = (uint32_t)rng_below(rng, layout->largest + INT64_C(1));
    if (results == NULL || same > layout->largest)
        goto end;
    result_of(call, layout, at, own, results);
    result_of(call, layout, at, sign | other, results + size);
    if (memcmp(results, results + size, size) == 0)
        same = other = own & layout->magnitude;
    while (same + 1 < other || other + 1 < same) {
        const uint32_t middle = same / 2 + other / 2 + (same & other & 1);

        result_of(call, layout, at, sign | middle, results + size);
        *(memcmp(results, results + size, size) == 0 ? &same : &other) = middle;
    }
    same = sign | (rng_once_in(rng, 2) ? same : other);
    memcpy(at, &same, layout->bytes);
end:
    free(results);
}

/* The place of any element. */
static unsigned char *place_of(struct rng *rng, const struct tensor *tensor, const struct layout *layout)
{
    struct reference_tensor as;
    const struct reference_tensor *dense = tensor_reference(tensor, &as);
    int64_t element = 0;

    for (int d = 0; d < dense->rank; d++)
        element += rng_below(rng, dense->shape[d]) * dense->strides[d];
    return tensor->memory.bytes + tensor->dl.byte_offset + element * (int64_t)layout->bytes;
}

static bool has_elements(const struct tensor *tensor)
{
    for (int d = 0; d < tensor->dl.ndim; d++)
        if (tensor->shape[d] == 0)
            return false;
    return tensor->memory.bytes != NULL;
}

static void make_subnormal(struct tensor *tensor, const struct layout *layout)
{
    const uint32_t keep = layout->magnitude + 1 + 2 * layout->half - 1;

    for (size_t i = tensor->dl.byte_offset; i + layout->bytes <= tensor->memory.size; i += layout->bytes) {
        const uint32_t bits = load(layout, tensor->memory.bytes + i) & keep;

        memcpy(tensor->memory.bytes + i, &bits, layout->bytes);
    }
}

void ties_meet(struct call *call, int moves)
{
    struct rng rng = {.state = call->rng.state};
    const int floats = (int)(sizeof layouts / sizeof *layouts);
    const struct layout *layout;
    struct tensor *read[OPERATOR_MOST_TENSORS], *tensor;
    size_t size = 0;
    int count = 0;

    for (int t = 0; call->op->operands[t].name != NULL; t++) {
        if (call->op->operands[t].use == OPERAND_WRITTEN)
            size += call->tensors[t].memory.size;
        else if (call->tensors[t].name != NULL && (int)call->tensors[t].type < floats &&
                 has_elements(&call->tensors[t]))
            read[count++] = &call->tensors[t];
    }
    if (count == 0 || size > MOST_BYTES)
        return;
    tensor = read[rng_once_in(&rng, 2) ? 0 : rng_below(&rng, count)];
    layout = &layouts[tensor->type];
    if (rng_once_in(&rng, 6))
        make_subnormal(tensor, layout);
    for (int i = 0; i < moves; i++)
        move(call, &rng, layout, place_of(&rng, tensor, layout), place_of(&rng, tensor, layout), size);
    expect(call);
}
