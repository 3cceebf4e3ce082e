/* The rules of clq_quantize with numbers of 128 bits, which nothing here can make overflow before it is
 * refused. */
#include "descriptor_rules.h"

#include "reference.h"

typedef __int128 wide;

#define MOST ((wide)INT64_MAX)

/* What a tensor turns out to be. */
struct shape {
    enum reference_type type;
    int lanes, rank;
    wide bytes;    /* of an element; of packed int4, of two */
    wide elements; /* logical */
    wide logical[8];
    wide stored[8];
    wide strides[8];
    wide extent; /* bytes from the first to the last */
};

static bool find_type(DLDataType dtype, struct shape *s)
{
    static const struct {
        int code, bits;
        enum reference_type type;
    } types[] = {{kDLFloat, 32, REFERENCE_F32},   {kDLFloat, 16, REFERENCE_F16},
                 {kDLBfloat, 16, REFERENCE_BF16}, {kDLInt, 8, REFERENCE_I8},
                 {kDLUInt, 8, REFERENCE_U8},      {kDLInt, 32, REFERENCE_I32},
                 {kDLInt, 4, REFERENCE_I4}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].code != dtype.code || types[i].bits != dtype.bits)
            continue;
        s->type = types[i].type;
        s->lanes = dtype.lanes;
        s->bytes = dtype.bits * dtype.lanes < 8 ? 1 : dtype.bits * dtype.lanes / 8;
        return dtype.lanes == 1 || (dtype.bits == 4 && (dtype.lanes == 2 || dtype.lanes == 8));
    }
    return false;
}

static bool type_allowed(int t, enum reference_type type)
{
    const bool is_float = type <= REFERENCE_BF16;

    if (t == Y)
        return !is_float;
    return t == ZERO_POINTS ? type != REFERENCE_I4 : is_float;
}

static bool find_shape(const DLTensor *tensor, struct shape *s)
{
    bool empty = false;

    if (tensor->ndim < 0 || tensor->ndim > 8 || (tensor->ndim > 0 && !tensor->shape))
        return false;
    if (s->type == REFERENCE_I4 && tensor->ndim == 0)
        return false;
    s->rank = tensor->ndim;
    s->elements = 1;
    for (int d = 0; d < s->rank; d++) {
        s->stored[d] = s->logical[d] = tensor->shape[d];
        if (s->stored[d] < 0)
            return false;
        if (d == s->rank - 1)
            s->logical[d] *= s->lanes;
        empty = empty || s->stored[d] == 0;
    }
    if (s->rank > 0 && s->logical[s->rank - 1] > MOST)
        return false;
    for (int d = 0; d < s->rank && !empty; d++)
        if ((s->elements *= s->logical[d]) > MOST)
            return false;
    if (empty)
        s->elements = 0;
    return s->type != REFERENCE_I4 || s->lanes > 1 || s->logical[s->rank - 1] % 2 == 0;
}

static bool find_strides(const DLTensor *tensor, struct shape *s)
{
    const bool packed = s->type == REFERENCE_I4 && s->lanes == 1;
    wide last = 0, stride = 1;

    for (int d = s->rank - 1; d >= 0; d--) {
        s->strides[d] = tensor->strides ? tensor->strides[d] : s->elements ? stride : 0;
        if (s->elements)
            stride *= s->stored[d];
        if (s->strides[d] < 0)
            return false;
    }
    if (tensor->byte_offset % (uint64_t)s->bytes != 0)
        return false;
    if (s->elements == 0)
        return true;
    for (int d = 0; d < s->rank; d++) {
        if (packed && tensor->strides && (d == s->rank - 1 ? s->strides[d] != 1 : s->strides[d] % 2 != 0))
            return false;
        last += (s->stored[d] - 1) * s->strides[d];
        if (last > MOST)
            return false;
    }
    s->extent = packed ? last / 2 + 1 : (last + 1) * s->bytes;
    return last + 1 <= MOST && s->extent + (wide)tensor->byte_offset <= MOST;
}

static bool is_tensor(const struct call *c, int t, struct shape *s)
{
    const DLTensor *tensor = &c->tensor[t];

    if (c->absent[t])
        return false;
    return find_type(tensor->dtype, s) && type_allowed(t, s->type) &&
           tensor->device.device_type == kDLOpenCL && find_shape(tensor, s) && find_strides(tensor, s) &&
           (s->elements == 0 || tensor->data);
}

/* Dimensions by stride, smallest first: each steps over all that the smaller ones reach. */
static bool lies_apart(const struct shape *s)
{
    wide reach = 1;
    bool used[8] = {false};

    for (int n = 0; n < s->rank && s->elements > 0; n++) {
        int least = -1;

        for (int d = 0; d < s->rank; d++)
            if (!used[d] && (least < 0 || s->strides[d] < s->strides[least]))
                least = d;
        used[least] = true;
        if (s->stored[least] == 1)
            continue;
        if (s->strides[least] < reach)
            return false;
        reach += (s->stored[least] - 1) * s->strides[least];
    }
    return true;
}

static bool is_parameter(const struct shape *s, const struct shape *x, int axis, bool per_axis)
{
    if (s->rank > 1 && s->rank != x->rank)
        return false;
    if (!per_axis || s->elements == 1)
        return s->elements == 1;
    for (int d = 0; d < s->rank && s->rank > 1; d++)
        if (d != axis && s->logical[d] != 1)
            return false;
    return s->elements == x->logical[axis];
}

static bool fits(const struct call *c, int t, const struct shape *s)
{
    return c->memory[t].present && (wide)c->tensor[t].byte_offset + s->extent <= (wide)c->memory[t].size;
}

static bool meets(const struct call *c, const struct shape *shapes, int a, int b)
{
    const wide a_begin = (wide)c->memory[a].begin + (wide)c->tensor[a].byte_offset;
    const wide b_begin = (wide)c->memory[b].begin + (wide)c->tensor[b].byte_offset;

    return c->memory[a].root == c->memory[b].root && a_begin < b_begin + shapes[b].extent &&
           b_begin < a_begin + shapes[a].extent;
}

bool is_right(const struct call *c)
{
    struct shape s[TENSORS] = {0};
    const bool has_zero = !c->absent[ZERO_POINTS];
    bool per_axis;
    int axis = c->desc.axis;

    for (int i = 0; i < 4; i++)
        if (c->desc.reserved[i] != 0)
            return false;
    for (int t = 0; t < TENSORS; t++)
        if ((t != ZERO_POINTS || has_zero) && !is_tensor(c, t, &s[t]))
            return false;
    if (c->desc.mode > 1 || s[Y].rank != s[X].rank || !lies_apart(&s[Y]))
        return false;
    for (int d = 0; d < s[X].rank; d++)
        if (s[Y].logical[d] != s[X].logical[d])
            return false;
    per_axis = s[SCALES].elements != 1 || (has_zero && s[ZERO_POINTS].elements != 1);
    if (per_axis && (axis < -s[X].rank || axis >= s[X].rank))
        return false;
    axis += axis < 0 ? s[X].rank : 0;
    if (!is_parameter(&s[SCALES], &s[X], axis, per_axis) ||
        (has_zero && !is_parameter(&s[ZERO_POINTS], &s[X], axis, per_axis)))
        return false;
    for (int t = 0; t < TENSORS && s[X].elements > 0; t++)
        if ((t != ZERO_POINTS || has_zero) && (!fits(c, t, &s[t]) || (t != Y && meets(c, s, Y, t))))
            return false;
    return true;
}

void compute(const struct call *c)
{
    struct reference_tensor tensors[TENSORS];

    for (int t = 0; t < TENSORS; t++) {
        const DLTensor *tensor = &c->tensor[t];
        struct shape s = {0};

        if (t == ZERO_POINTS && c->absent[t])
            continue;
        is_tensor(c, t, &s);
        if (s.elements == 0)
            return;
        tensors[t] =
            reference_dense(s.type, s.lanes, s.rank, tensor->shape, c->memory[t].image + tensor->byte_offset);
        for (int d = 0; d < s.rank; d++)
            tensors[t].strides[d] = (int64_t)s.strides[d];
    }
    reference_quantize(&(struct reference_quantize_desc){
        .x = &tensors[X],
        .scales = &tensors[SCALES],
        .zero_points = c->absent[ZERO_POINTS] ? NULL : &tensors[ZERO_POINTS],
        .y = &tensors[Y],
        .axis = c->desc.axis,
        .multiply = c->desc.mode == CLQ_MULTIPLY});
}
