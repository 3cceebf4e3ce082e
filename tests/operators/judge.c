/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a tensor alone, of a descriptor and of buffers. */
#include "judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST ((wide)INT64_MAX)

struct rule *_Atomic rules_known;

void judge_rule(struct judge *judge, struct rule *rule, bool breaks, clq_status status, const char *format,
                ...)
{
    struct finding *finding;
    va_list values;

    if (!atomic_load(&rule->known) &&
        !atomic_exchange(&rule->known, true)) { /* threads judge at the same time */
        rule->of_buffers = judge->of_buffers;
        rule->next = atomic_load(&rules_known);
        while (!atomic_compare_exchange_weak(&rules_known, &rule->next, rule))
            ;
    }
    if (!breaks || judge->count++ >= JUDGE_MOST_FINDINGS)
        return;
    finding = &judge->findings[judge->count - 1];
    finding->rule = rule;
    finding->status = status;
    finding->of_buffers = judge->of_buffers;
    va_start(values, format);
    vsnprintf(finding->sentence, sizeof finding->sentence, format, values);
    va_end(values);
}

int judge_findings(const struct judge *judge)
{
    return judge->count < JUDGE_MOST_FINDINGS ? judge->count : JUDGE_MOST_FINDINGS;
}

const char *judge_name(const struct judge *judge, int t)
{
    const char *name = judge->call->op->operands[t].name;

    /* behind the last operand stand entries of two caches, which have the shape of the first */
    return name != NULL ? name : judge->call->op->operands[0].name;
}

const char *judge_dtype_text(DLDataType dtype, char text[64])
{
    for (int type = 0; type < REFERENCE_TYPES; type++) {
        const struct reference_type_row *row = &reference_types[type];

        if (row->dlpack_code != dtype.code || row->bits != dtype.bits)
            continue;
        if (reference_has_lanes((enum reference_type)type, dtype.lanes)) {
            snprintf(text, 64, "%s%s", row->name,
                     row->bits >= 8 || dtype.lanes == 1 ? ""
                     : row->bits * dtype.lanes == 8     ? " in bytes"
                                                        : " in words");
            return text;
        }
    }
    snprintf(text, 64, "(code %d, bits %d, lanes %d)", dtype.code, dtype.bits, dtype.lanes);
    return text;
}

const char *judge_types_text(unsigned types, char text[JUDGE_TYPES_TEXT])
{
    int left = __builtin_popcount(types);

    text[0] = '\0';
    for (int type = 0; type < REFERENCE_TYPES; type++)
        if (types >> type & 1) {
            left--;
            strcat(strcat(text, reference_types[type].name), left > 1 ? ", " : left > 0 ? " or " : "");
        }
    return text;
}

static bool find_type(DLDataType dtype, unsigned types, struct facts *facts)
{
    for (int type = 0; type < REFERENCE_TYPES; type++)
        if (reference_types[type].dlpack_code == dtype.code && reference_types[type].bits == dtype.bits &&
            reference_has_lanes((enum reference_type)type, dtype.lanes)) {
            facts->type = (enum reference_type)type;
            facts->lanes = reference_lanes(facts->type, dtype.lanes);
            facts->bytes = reference_unit_bytes(facts->type, facts->lanes);
            return types >> type & 1;
        }
    return false;
}

static bool is_packed(const struct facts *facts)
{
    return reference_shares_bytes(facts->type, facts->lanes);
}

/* Rank and sizes; true where strides can be looked at. */
static bool judge_shape(struct judge *judge, const char *name, const DLTensor *dl, struct facts *facts)
{
    const int before = judge->count;
    const char *type = reference_types[facts->type].name;
    bool empty = false;
    wide elements = 1;

    RULE(judge, dl->ndim < 0 || dl->ndim > TENSOR_MOST_RANK, CLQ_ERROR_RANK,
         "%s.ndim is %d: it must be from 0 to 8", name, dl->ndim);
    if (judge->count > before)
        return false;
    RULE(judge, dl->ndim > 0 && dl->shape == NULL, CLQ_ERROR_NULL, "%s.shape is NULL: it must have %d values",
         name, dl->ndim);
    RULE(judge, (reference_shares_bytes(facts->type, 1) || reference_is_block(facts->type)) && dl->ndim == 0,
         CLQ_ERROR_RANK, "%s.ndim is 0: a tensor of %s has at least one dimension", name, type);
    if (judge->count > before)
        return false;
    facts->rank = dl->ndim;
    for (int d = 0; d < facts->rank; d++) {
        RULE(judge, dl->shape[d] < 0, CLQ_ERROR_SHAPE, "%s.shape[%d] is %" PRId64 ": it must not be negative",
             name, d, dl->shape[d]);
        facts->stored[d] = dl->shape[d];
        facts->size[d] = facts->stored[d] * (d == facts->rank - 1 ? facts->lanes : 1);
        empty = empty || facts->stored[d] == 0;
    }
    if (judge->count > before)
        return false;
    if (facts->lanes > 1)
        RULE(judge, facts->size[facts->rank - 1] > MOST, CLQ_ERROR_OVERFLOW,
             "%s.shape[%d] is %" PRId64 " of %d elements each: the product must fit into 63 bits", name,
             facts->rank - 1, dl->shape[facts->rank - 1], facts->lanes);
    for (int d = 0; d < facts->rank && !empty && elements <= MOST && facts->size[d] <= MOST; d++)
        elements *= facts->size[d];
    RULE(judge, !empty && elements > MOST, CLQ_ERROR_OVERFLOW,
         "%s has more than 2^63 elements: the product of its shape must fit into 63 bits", name);
    facts->elements = empty ? 0 : elements;
    if (is_packed(facts))
        RULE(judge, facts->size[facts->rank - 1] % reference_in_byte(facts->type) != 0, CLQ_ERROR_SHAPE,
             "%s.shape[%d] is %" PRId64 ": the last dimension of packed %s must be a multiple of %d", name,
             facts->rank - 1, dl->shape[facts->rank - 1], type, reference_in_byte(facts->type));
    return judge->count == before;
}

static void judge_strides(struct judge *judge, const char *name, const DLTensor *dl, struct facts *facts)
{
    const int before = judge->count, last = facts->rank - 1;
    wide stride = 1, end = 0;

    for (int d = last; d >= 0; d--) {
        facts->stride[d] = dl->strides != NULL ? dl->strides[d] : stride;
        stride *= facts->elements > 0 ? facts->stored[d] : 1;
        RULE(judge, facts->stride[d] < 0, CLQ_ERROR_LAYOUT,
             "%s.strides[%d] is %" PRId64 ": it must not be negative", name, d, (int64_t)facts->stride[d]);
    }
    if (reference_is_block(facts->type))
        RULE(judge, dl->byte_offset % 2 != 0, CLQ_ERROR_LAYOUT,
             "%s.byte_offset is %" PRIu64 ": it must be a multiple of a block's words of 2 bytes", name,
             dl->byte_offset);
    else
        RULE(judge, dl->byte_offset % (uint64_t)facts->bytes != 0, CLQ_ERROR_LAYOUT,
             "%s.byte_offset is %" PRIu64 ": it must be a multiple of the element's %d bytes", name,
             dl->byte_offset, (int)facts->bytes);
    if (judge->count > before || facts->elements == 0)
        return;
    for (int d = 0; d <= last && is_packed(facts) && dl->strides != NULL; d++)
        RULE(judge,
             d == last ? facts->stride[d] != 1 : facts->stride[d] % reference_in_byte(facts->type) != 0,
             CLQ_ERROR_LAYOUT,
             "%s.strides[%d] is %" PRId64
             ": packed %s has a last stride of 1, and the others are multiples of %d",
             name, d, (int64_t)facts->stride[d], reference_types[facts->type].name,
             reference_in_byte(facts->type));
    for (int d = 0; d <= last && end <= MOST; d++) {
        end += (facts->stored[d] - 1) * facts->stride[d];
        RULE(judge, end > MOST, CLQ_ERROR_OVERFLOW,
             "%s.strides[%d] is %" PRId64 ": shape x strides must fit into 63 bits", name, d,
             (int64_t)facts->stride[d]);
    }
    if (judge->count > before)
        return;
    facts->extent = is_packed(facts) ? end / reference_in_byte(facts->type) + 1 : (end + 1) * facts->bytes;
    RULE(judge, end + 1 > MOST || facts->extent + (wide)dl->byte_offset > MOST, CLQ_ERROR_OVERFLOW,
         "%s ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits", name);
}

/* Each dimension has to step over all that those of smaller strides reach. */
static void judge_output(struct judge *judge, const char *name, const struct facts *facts)
{
    bool used[TENSOR_MOST_RANK] = {false};
    wide span = 1;

    for (int n = 0; n < facts->rank && facts->elements > 0; n++) {
        int least = -1;

        for (int d = 0; d < facts->rank; d++)
            if (!used[d] && (least < 0 || facts->stride[d] < facts->stride[least]))
                least = d;
        used[least] = true;
        if (facts->stored[least] == 1)
            continue;
        RULE(judge, facts->stride[least] < span, CLQ_ERROR_OVERLAP,
             "%s.strides[%d] is %" PRId64
             ": an output must not overlap itself, so it must be at least %" PRId64
             ", the span of the dimensions with smaller strides",
             name, least, (int64_t)facts->stride[least], (int64_t)span);
        span += (facts->stored[least] - 1) * facts->stride[least];
    }
}

static void judge_tensor(struct judge *judge, int t)
{
    const struct operand *operand = &judge->call->op->operands[t];
    const struct tensor *tensor = &judge->call->tensors[t];
    struct facts *facts = &judge->facts[t];
    const unsigned types =
        judge->call->op->types != NULL ? judge->call->op->types(judge->call, t) : operand->types;
    int before = judge->count;
    char is[64], names[JUDGE_TYPES_TEXT];

    *facts = (struct facts){.given = tensor->name != NULL, .elements = 1};
    if (!operand->optional)
        RULE(judge, !facts->given, CLQ_ERROR_NULL, "%s is NULL: it must be a tensor", operand->name);
    if (!facts->given)
        return;
    RULE(judge, !find_type(tensor->dl.dtype, types, facts), CLQ_ERROR_TYPE, "%s.dtype is %s: it must be %s",
         operand->name, judge_dtype_text(tensor->dl.dtype, is), judge_types_text(types, names));
    if (operand->types != types && facts->bytes > 0 && (operand->types >> facts->type & 1))
        before = judge->count; /* right by itself: it is another that decides on its type */
    RULE(judge, tensor->dl.device.device_type != kDLOpenCL, CLQ_ERROR_VALUE,
         "%s.device.device_type is %d: it must be kDLOpenCL (%d), whose data is a cl_mem", operand->name,
         (int)tensor->dl.device.device_type, (int)kDLOpenCL);
    if (judge->count == before && judge_shape(judge, operand->name, &tensor->dl, facts))
        judge_strides(judge, operand->name, &tensor->dl, facts);
    facts->right = judge->count == before;
    if (facts->right && operand->use == OPERAND_WRITTEN)
        judge_output(judge, operand->name, facts);
}

bool judge_has_shapes(const struct judge *judge)
{
    for (int t = 0; judge->call->op->operands[t].name != NULL; t++)
        if (judge->facts[t].given ? !judge->facts[t].right : !judge->call->op->operands[t].optional)
            return false;
    return true;
}

/* A tensor's bytes, or words beside the tensors. */
struct range {
    const char *name;
    const struct memory *memory;
    wide begin, end;
    const struct facts *facts; /* of a tensor */
};

static struct range range_of(const char *name, const DLTensor *dl, wide extent)
{
    return (struct range){name, dl->data, (wide)dl->byte_offset, (wide)dl->byte_offset + extent, NULL};
}

static void judge_range(struct judge *judge, const struct range *range)
{
    RULE(judge, range->memory == NULL, CLQ_ERROR_NULL, "%s.data is NULL: it must be a cl_mem", range->name);
    if (range->memory != NULL)
        RULE(judge, range->end > (wide)range->memory->size, CLQ_ERROR_SIZE,
             "%s.data has %zu bytes: shape x strides + byte_offset ask for %" PRIu64, range->name,
             range->memory->size, (uint64_t)range->end);
}

/* Where in a period of so many half bytes a tensor's are: `span` of them in a row. */
static bool repeats(const struct facts *facts, wide period, wide *span)
{
    const wide half = is_packed(facts) ? 1 : 2 * facts->bytes;

    *span = half;
    for (int d = 0; d < facts->rank; d++) {
        const wide step = facts->stride[d] * half;

        if (facts->stored[d] > 1 && step >= period && step % period != 0)
            return false;
        if (facts->stored[d] > 1 && step < period)
            *span += (facts->stored[d] - 1) * step;
    }
    return *span <= period;
}

/* By a stride of either one behind the other's part of each period. */
static bool interleave(const struct range *a, const struct range *b)
{
    const struct range *both[] = {a, b};
    wide a_span, b_span;

    for (int i = 0; i < 2 && a->facts != NULL && b->facts != NULL; i++)
        for (int d = 0; d < both[i]->facts->rank; d++) {
            const struct facts *facts = both[i]->facts;
            const wide period = facts->stride[d] * (is_packed(facts) ? 1 : 2 * facts->bytes);

            if (facts->stored[d] < 2 || period == 0 || !repeats(a->facts, period, &a_span) ||
                !repeats(b->facts, period, &b_span))
                continue;
            const wide to_b = ((2 * b->begin - 2 * a->begin) % period + period) % period;

            if (to_b >= a_span && to_b + b_span <= period)
                return true;
        }
    return false;
}

static void judge_apart(struct judge *judge, const struct range *written, const struct range *other)
{
    RULE(judge,
         written->memory == other->memory && written->begin < other->end && other->begin < written->end &&
             !interleave(written, other),
         CLQ_ERROR_OVERLAP, "%s shares bytes of its buffer with %s: their byte ranges must be disjoint",
         written->name, other->name);
}

static int find_ranges(struct judge *judge, struct range *ranges)
{
    int count = 0;

    for (int t = 0; judge->call->op->operands[t].name != NULL; t++)
        if (judge->facts[t].given && judge->facts[t].elements > 0) {
            ranges[count] =
                range_of(judge_name(judge, t), &judge->call->tensors[t].dl, judge->facts[t].extent);
            ranges[count++].facts = &judge->facts[t];
        }
    return count;
}

static enum operand_use use_of(const struct judge *judge, const char *name)
{
    const struct operand *operand = judge->call->op->operands;

    while (strcmp(operand->name, name) != 0)
        operand++;
    return operand->use;
}

/* What is written, and the first operand, of an operator that works in place. */
static bool may_share(const struct judge *judge, const struct range *a, const struct range *b)
{
    const char *first = judge_name(judge, 0);
    const bool written =
        use_of(judge, a->name) == OPERAND_WRITTEN || use_of(judge, b->name) == OPERAND_WRITTEN;

    return judge->call->op->in_place && written &&
           (strcmp(a->name, first) == 0 || strcmp(b->name, first) == 0);
}

static void judge_buffers(struct judge *judge)
{
    struct range ranges[OPERATOR_MOST_TENSORS];
    const int before = judge->count, count = find_ranges(judge, ranges);

    for (int i = 0; i < count; i++)
        judge_range(judge, &ranges[i]);
    if (judge->count > before)
        return;
    for (int i = 0; i < count; i++)
        for (int k = i + 1; k < count; k++)
            if (may_share(judge, &ranges[i], &ranges[k]))
                continue;
            else if (use_of(judge, ranges[i].name) == OPERAND_WRITTEN)
                judge_apart(judge, &ranges[i], &ranges[k]);
            else if (use_of(judge, ranges[k].name) == OPERAND_WRITTEN)
                judge_apart(judge, &ranges[k], &ranges[i]);
}

/* So many words beside the tensors; `other` words too, where those are looked at with them. */
static void judge_words(struct judge *judge, const struct tensor *words, wide count,
                        const struct tensor *other, wide other_count)
{
    struct range ranges[OPERATOR_MOST_TENSORS], range;
    const int before = judge->count, others = find_ranges(judge, ranges);

    if (words->name == NULL || words->dl.data == NULL || count == 0)
        return;
    range = range_of(words->name, &words->dl, 4 * count);
    RULE(judge, words->dl.byte_offset % 4 != 0, CLQ_ERROR_LAYOUT,
         "%s_offset_bytes is %" PRIu64 ": it must be a multiple of 4", words->name, words->dl.byte_offset);
    RULE(judge, range.end > MOST, CLQ_ERROR_OVERFLOW,
         "%s ends past 2^63 bytes: shape x strides + byte_offset must fit into 63 bits", words->name);
    if (judge->count == before)
        judge_range(judge, &range);
    if (judge->count > before)
        return;
    for (int i = 0; i < others; i++) /* those that may share bytes are two of them */
        judge_apart(judge, &range, &ranges[i]);
    if (judge->count == before && other != NULL && other->name != NULL && other->dl.data != NULL)
        judge_apart(judge, &range,
                    &(struct range){other->name, other->dl.data, (wide)other->dl.byte_offset,
                                    (wide)other->dl.byte_offset + 4 * other_count, NULL});
}

void judge_call(struct judge *judge, const struct call *call)
{
    const struct operator_row *op = call->op;

    judge->call = call;
    judge->desc = call->desc;
    judge->of_buffers = judge->ignores_report = false;
    judge->count = 0;
    judge_options(judge);
    for (int t = 0; op->operands[t].name != NULL; t++)
        judge_tensor(judge, t);
    op->judge(judge);
    judge->of_buffers = true;
    if (judge->count > 0)
        return;
    judge_buffers(judge);
    if (judge->count == 0 && !judge->ignores_report)
        judge_words(judge, &call->report, sizeof(struct clq_report) / 4, NULL, 0);
}

void judge_workspace(struct judge *judge, size_t words)
{
    judge_words(judge, &judge->call->workspace, (wide)words, &judge->call->report,
                sizeof(struct clq_report) / 4);
}
