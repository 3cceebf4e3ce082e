/* SPDX-License-Identifier: Apache-2.0 */
/* What a call breaks, decided a second time, with numbers of 128 bits, which nothing here can make overflow
 * before it is refused: each rule with the status and the whole sentence of its refusal. */
#ifndef CLQUANT_OPERATORS_JUDGE_H
#define CLQUANT_OPERATORS_JUDGE_H

#include "call.h"

#include <stdatomic.h>

typedef __int128 wide;

/* What a tensor turns out to be. */
struct facts {
    bool given, right; /* right: by itself */
    enum reference_type type;
    int lanes, rank;
    wide bytes;    /* of what a stride of 1 steps over; of packed int4, of two */
    wide elements; /* an int4's count one by one, as do those of size */
    wide size[TENSOR_MOST_RANK], stored[TENSOR_MOST_RANK], stride[TENSOR_MOST_RANK];
    wide extent; /* bytes from the first to the last */
};

/* One place in the code where a rule is told. */
struct rule {
    const char *file;
    int line;
    struct rule *next;
    long said; /* how often the library said it */
    atomic_bool known;
    bool of_buffers;
};
extern struct rule *_Atomic rules_known;

struct finding {
    struct rule *rule;
    clq_status status;
    bool of_buffers; /* which a check without a device does not see */
    char sentence[512];
};

enum { JUDGE_MOST_FINDINGS = 64 };

struct judge {
    const struct call *call;
    const void *desc; /* as it is in the call */
    struct facts facts[OPERATOR_MOST_TENSORS];
    bool of_buffers, ignores_report;
    int count; /* of which the first are kept */
    struct finding findings[JUDGE_MOST_FINDINGS];
};

/* All that is wrong: with each tensor, the operator's own rules where each is right by itself, the buffers
 * where all that is right. */
void judge_call(struct judge *judge, const struct call *call);
int judge_findings(const struct judge *judge);
/* Its buffers, a workspace's too, once it is known of how many words. */
void judge_workspace(struct judge *judge, size_t words);

/* Tells of a rule; `breaks` where the call breaks it.
 * Such a rule is told in every call in which it may be broken. */
#define RULE(judge, breaks, ...)                                                                             \
    do {                                                                                                     \
        static struct rule here_ = {.file = __FILE__, .line = __LINE__};                                     \
        judge_rule(judge, &here_, breaks, __VA_ARGS__);                                                      \
    } while (0)
void judge_rule(struct judge *judge, struct rule *rule, bool breaks, clq_status status, const char *format,
                ...) __attribute__((format(printf, 5, 6)));

/* Whether each tensor is right by itself, so that their shapes can be looked at. */
bool judge_has_shapes(const struct judge *judge);

/* For the sentences. */
/* What a field of the descriptor can break alone (options.c). */
void judge_options(struct judge *judge);

const char *judge_name(const struct judge *judge, int t);
const char *judge_dtype_text(DLDataType dtype, char text[64]);
enum { JUDGE_TYPES_TEXT = 192 };
const char *judge_types_text(unsigned types, char text[JUDGE_TYPES_TEXT]);

/* The rules of several operators (rules.c). Tensors are numbers; NULL is fine for those that are optional. */
void rule_same_shape(struct judge *judge, int y, int x);
void rule_same_size(struct judge *judge, int y, int x, int d);
/* Entries of `pieces` that indices place in the cache. */
struct entry_rules {
    int cache, pieces, indices;
    const char *side; /* stands before index_kind and out_of_range; NULL: nothing */
    bool between;     /* whatever the axis, it was chosen */
    int least;        /* rank; 0: 2, or 3 of rows */
    int32_t axis;
    bool rows; /* whose last dimension is never the axis; so it is for packed int4 */
    uint32_t out_of_range, unique, index_kind;
    bool written; /* the last one of a place counts */
};
void rule_entries(struct judge *judge, const struct entry_rules *rules);
/* The one position of pieces for slots, where it was left out. Done by rule_entries; before it,
 * for rules of ranks. */
void rule_inserted(struct judge *judge, const struct entry_rules *rules);
/* Of a right call: what check_indices says of the lowest wrong entry,
 * or of the lowest wrong end of a group of x's rows. */
void rule_entry_indices(struct judge *judge, const struct entry_rules *rules);
/* The same where indices are [N, k], an index for each of the cache's first k dimensions. */
void rule_nd_indices(struct judge *judge, int cache, int indices);
void rule_group_indices(struct judge *judge, int x, int ends);
void rule_round_first(struct judge *judge, int y, uint32_t round_first);
void rule_groups(struct judge *judge, int x, int scales, int ends);
void rule_group_zero_point(struct judge *judge, int zero_points);
/* The dimension that an axis means; outside of [0, rank) where there is none. */
int axis_meant(int32_t axis, int left_out, int rank);
/* As a sentence says it. */
const char *axis_text(int32_t axis, int left_out, char text[64]);

#endif
