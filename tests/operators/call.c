/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct wish no_wish = {
    .src = -1, .dst = -1, .multiply = -1, .smooth = -1, .rotate = -1, .rule = -1, .apart = -1};

#define OPERATOR_ADDRESS(name) &operator_##name,
#define FITS(name)                                                                                           \
    _Static_assert(sizeof(struct clq_##name##_desc) <= OPERATOR_DESC_BYTES, "too few bytes: " #name);
CLQ_OPERATOR_LIST(FITS)
#undef FITS

const struct operator_row *const operators[OPERATORS] = {CLQ_OPERATOR_LIST(OPERATOR_ADDRESS)};
#undef OPERATOR_ADDRESS

const struct operator_row *operator_find(const char *name)
{
    for (int i = 0; i < OPERATORS; i++)
        if (strcmp(operators[i]->name, name) == 0)
            return operators[i];
    return NULL;
}

struct tensor *call_tensor_of(struct call *call, int t, enum reference_type type, const struct shape *shape,
                              enum tensor_use use)
{
    tensor_make(&call->rng, &call->tensors[t], call->op->operands[t].name, type, shape, use);
    return &call->tensors[t];
}

struct tensor *call_tensor(struct call *call, int t, const struct shape *shape, enum tensor_use use)
{
    return call_tensor_of(call, t, call_type(call, WISH_NONE, call->op->operands[t].types), shape, use);
}

enum reference_type call_type(struct call *call, enum wished wished, unsigned set)
{
    const int src = call->wish.src, dst = call->wish.dst;
    const int wishes[2] = {wished == WISH_SRC ? src : dst, wished == WISH_SRC ? dst : src};
    int64_t n;

    /* the way back has the types of the way there */
    for (int i = 0; i < 2 && wished != WISH_NONE; i++)
        if (wishes[i] >= 0 && (set >> wishes[i] & 1))
            return (enum reference_type)wishes[i];
    n = rng_below(&call->rng, __builtin_popcount(set));
    for (int type = 0;; type++)
        if ((set >> type & 1) && n-- == 0)
            return (enum reference_type)type;
}

uint32_t call_mode(struct call *call)
{
    if (call->wish.multiply >= 0)
        return call->wish.multiply ? CLQ_MULTIPLY : CLQ_DIVIDE;
    return rng_once_in(&call->rng, 2) ? CLQ_DIVIDE : CLQ_MULTIPLY;
}

uint32_t call_round_first(struct call *call, int t)
{
    return rng_once_in(&call->rng, 3) && !(TYPES_SMALL >> call->tensors[t].type & 1);
}

int32_t call_axis(struct call *call, int d, int rank)
{
    if (rng_once_in(&call->rng, 2))
        return d - rank;
    return d == 0 ? CLQ_AXIS_FIRST : d;
}

int call_dimension(const struct call *call, int t, int32_t axis, int left_out)
{
    const int rank = call->tensors[t].dl.ndim;
    const int64_t meant = axis == CLQ_AXIS_FIRST ? 0
                          : axis == 0            ? left_out
                                                 : axis,
                  d = meant < 0 ? meant + rank : meant;

    return d >= 0 && d < rank ? (int)d : 0;
}

struct shape call_full_shape(struct call *call, int least_rank, int64_t most_elements)
{
    if (call->wish.lines && !rng_once_in(&call->rng, 4))
        return shape_of_lines(&call->rng, least_rank < 2 ? 2 : least_rank, 4, most_elements);
    return shape_random(&call->rng, least_rank, TENSOR_MOST_RANK, most_elements);
}

struct shape call_shape(struct call *call, int least_rank, enum reference_type type)
{
    const bool packed = reference_shares_bytes(type, 1);
    struct shape shape =
        call_full_shape(call, packed && least_rank < 1 ? 1 : least_rank, call->most_elements);

    shape_for_bytes(&call->rng, type, &shape);
    if (shape.rank > 0 && rng_once_in(&call->rng, 60))
        shape.size[rng_below(&call->rng, shape.rank)] = 0;
    return shape;
}

struct shape call_flat_shape(struct call *call, int64_t last, bool one_allowed)
{
    struct rng *rng = &call->rng;
    const int64_t inner = 1 + rng_below(rng, 4);
    struct shape shape = {.rank = (int)rng_below(rng, 3), .size = {1, 1}};

    if (one_allowed && rng_once_in(rng, 3))
        return shape;
    shape.rank = 1 + (last % inner == 0 && rng_once_in(rng, 2));
    shape.size[0] = shape.rank == 2 ? last / inner : last;
    shape.size[1] = inner;
    return shape;
}

uint32_t call_rotate(struct call *call, struct shape *shape, enum reference_type type)
{
    struct rng *rng = &call->rng;
    const uint32_t least = reference_is_block(type) ? 32 : 2;
    int64_t *last = &shape->size[shape->rank - 1], rows = 1;
    int powers = 1;

    if (call->wish.rotate >= 0 ? call->wish.rotate == 0 : !rng_once_in(rng, 3))
        return 0;
    for (int d = 0; d < shape->rank - 1; d++)
        rows *= shape->size[d];
    while (least << powers <= 1024 && ((int64_t)least << powers) * 2 * rows <= 4 * call->most_elements)
        powers++;
    const uint32_t rotate = least << rng_below(rng, powers), in_byte = (uint32_t)reference_in_byte(type);

    *last =
        *last == 0 ? 0 : (rotate > in_byte ? rotate : in_byte) * (1 + rng_below(rng, rotate < 64 ? 9 : 3));
    return rotate;
}

void call_report(struct call *call)
{
    const size_t bytes = sizeof(struct clq_report);

    if (rng_once_in(&call->rng, 3))
        return;
    tensor_make_zeros(&call->rng, &call->report, "report", (size_t)rng_below(&call->rng, 6) * 4, bytes);
    if (rng_once_in(&call->rng, 2)) {
        const struct clq_report before = {.dropped = (uint32_t)rng_below(&call->rng, 5),
                                          .clamped = (uint32_t)rng_below(&call->rng, 5),
                                          .first = (uint32_t)rng_below(&call->rng, 9)};

        memcpy(call->report.memory.bytes + call->report.dl.byte_offset, &before, bytes);
        memcpy(call->report.memory.expected + call->report.dl.byte_offset, &before, bytes);
    }
}

void call_add_workspace(struct call *call, size_t words)
{
    struct tensor *workspace = &call->workspace;

    tensor_make_zeros(&call->rng, workspace, "workspace", (size_t)rng_below(&call->rng, 6) * 4,
                      words * sizeof(uint32_t));
    memset(workspace->memory.bytes, 0xa5, workspace->memory.size);
    memset(workspace->memory.expected, 0xa5, workspace->memory.size);
}

const struct reference_tensor *call_reference(const struct call *call, int t, struct reference_tensor *as)
{
    return tensor_reference(&call->tensors[t], as);
}

void call_draw(struct call *call, const struct operator_row *op, int64_t elements, const struct wish *wish)
{
    call->op = op != NULL ? op : operators[rng_below(&call->rng, OPERATORS)];
    call->wish = wish != NULL ? *wish : no_wish;
    call->most_elements = elements;
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        call->tensors[t] = (struct tensor){.name = NULL};
    call->report = call->workspace = (struct tensor){.name = NULL};
    memset(call->desc, 0, sizeof call->desc);
    call->op->draw(call);
}

/* Counts are added to those of calls before, and the lowest entry stays. Where there is nothing to add the
 * report may be one that the call does not look at, and its place anything. */
static void expect_report(struct call *call, struct reference_report found)
{
    const struct memory *memory = call->report.dl.data;
    struct reference_report report;
    unsigned char *at;

    /* a report that nobody looks at may be anywhere */
    if (call->report.name == NULL || memory == NULL || (found.dropped == 0 && found.clamped == 0))
        return;
    at = memory->expected + call->report.dl.byte_offset;
    memcpy(&report, at, sizeof report);
    report.dropped += found.dropped;
    report.clamped += found.clamped;
    if (found.first != 0 && (report.first == 0 || found.first < report.first))
        report.first = found.first;
    memcpy(at, &report, sizeof report);
}

void call_expect(struct call *call)
{
    expect_report(call, call->op->reference(call));
}

void call_make(struct call *call, const struct operator_row *op, uint64_t seed, uint64_t number,
               int64_t elements, const struct wish *wish)
{
    call->rng = rng_of(seed, number);
    call_draw(call, op, elements, wish);
    call_expect(call);
}

void call_clear(struct call *call)
{
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        tensor_clear(&call->tensors[t]);
    tensor_clear(&call->report);
    tensor_clear(&call->workspace);
}

/* A cl_mem and the offset behind it. */
static void bind_words(const struct tensor *words, unsigned char *at, call_buffer_function buffer_of,
                       void *user)
{
    uint64_t offset = words->dl.byte_offset;
    cl_mem buffer = (cl_mem)words->dl.data;

    if (words->name == NULL)
        return;
    if (buffer_of != NULL && buffer != NULL)
        buffer = buffer_of(words->dl.data, &offset, user);
    memcpy(at, &buffer, sizeof buffer);
    memcpy(at + sizeof buffer, &offset, sizeof offset);
}

const void *call_bind(const struct call *call, struct bound *bound, call_buffer_function buffer_of,
                      void *user)
{
    const struct operator_row *op = call->op;

    memcpy(bound->desc, call->desc, sizeof bound->desc);
    for (int t = 0; op->operands[t].name != NULL; t++) {
        const struct tensor *tensor = &call->tensors[t];
        const DLTensor *at = tensor->name != NULL ? &bound->tensors[t] : NULL;

        memcpy(bound->desc + op->operands[t].at, &at, sizeof at);
        if (at == NULL)
            continue;
        bound->tensors[t] = tensor->dl;
        if (buffer_of != NULL && tensor->dl.data != NULL)
            bound->tensors[t].data = buffer_of(tensor->dl.data, &bound->tensors[t].byte_offset, user);
    }
    if (op->report != 0)
        bind_words(&call->report, bound->desc + op->report, buffer_of, user);
    if (op->workspace != 0)
        bind_words(&call->workspace, bound->desc + op->workspace, buffer_of, user);
    return bound->desc;
}

/* What stands in the table of last entries is its own business; around it nothing is written. */
bool call_compare(struct call *call, size_t workspace_words, char *failure, size_t failure_bytes)
{
    bool good = true;

    if (call->workspace.name != NULL)
        tensor_take(&call->workspace, workspace_words * sizeof(uint32_t));
    for (int t = 0; t < OPERATOR_MOST_TENSORS && good; t++)
        good = tensor_compare(&call->tensors[t], failure, failure_bytes);
    return good && tensor_compare(&call->report, failure, failure_bytes) &&
           tensor_compare(&call->workspace, failure, failure_bytes);
}

void call_print(const struct call *call)
{
    const struct option_list list = operator_options(call->op);

    fprintf(stderr, "%s", call->op->name);
    for (size_t i = 0; i < list.count; i++) {
        int32_t value;

        memcpy(&value, call->desc + list.rows[i].offset_bytes, sizeof value);
        if (option_is_number(&list.rows[i]))
            fprintf(stderr, " %s %" PRId32, list.rows[i].name, value);
    }
    fprintf(stderr, "\n");
    for (int t = 0; t < OPERATOR_MOST_TENSORS; t++)
        tensor_print(&call->tensors[t]);
    tensor_print(&call->report);
    tensor_print(&call->workspace);
}
