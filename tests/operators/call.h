/* SPDX-License-Identifier: Apache-2.0 */
/* A random call: its tensors and its descriptor, before and as the reference leaves them. */
#ifndef CLQUANT_OPERATORS_CALL_H
#define CLQUANT_OPERATORS_CALL_H

#include "operator.h"
#include "tensors.h"

enum { WISH_DIVIDE = 2, WISH_DYNAMIC };

/* What a call is to have where it can choose. */
struct wish {
    bool given;
    int src, dst;  /* an enum reference_type of what is read and written; -1: any */
    int multiply;  /* of dequantize: 1 also WISH_DYNAMIC, and WISH_DIVIDE alone; -1: any */
    int smooth;    /* -1: either */
    int rotate;    /* -1: either */
    int rule;      /* dynamic quantization, by a rule of MX or NVFP4 (1) or not; -1: either */
    int apart;     /* dynamic quantization, by rows (0) or not; -1: either */
    bool lines;    /* many rows of whole lines, or nearly so, mostly */
    bool claims;   /* so many entries that a table tells the last ones */
    bool long_one; /* dense short rows of many, which take a part of a second */
};
extern const struct wish no_wish;

struct call {
    const struct operator_row *op;
    struct rng rng;
    struct wish wish;
    int64_t most_elements;

    struct tensor tensors[OPERATOR_MOST_TENSORS]; /* those of the operator, by number */
    struct tensor report, workspace;
    /* Whose tensors are set by call_bind. */
    _Alignas(16) unsigned char desc[OPERATOR_DESC_BYTES];
};

/* Makes call number `number` of the seed: `elements` at most in its tensors, but in those of a wish for many.
 * With no operator one is chosen. Its memory is as before the call,
 * and `expected` as the reference leaves it. */
void call_make(struct call *call, const struct operator_row *op, uint64_t seed, uint64_t number,
               int64_t elements, const struct wish *wish);
/* The same in two steps: `expected` is as before the call until the second.
 * call->rng is the caller's to set. */
void call_draw(struct call *call, const struct operator_row *op, int64_t elements, const struct wish *wish);
void call_expect(struct call *call);
void call_clear(struct call *call);

/* A workspace of so many words, at an offset, that holds anything. */
void call_add_workspace(struct call *call, size_t words);

/* The descriptor with its tensors, each with the cl_mem that `buffer_of` says of its memory; NULL: the memory
 * itself. It points to `bound`. */
struct bound {
    DLTensor tensors[OPERATOR_MOST_TENSORS];
    _Alignas(16) unsigned char desc[OPERATOR_DESC_BYTES];
};
typedef cl_mem (*call_buffer_function)(const struct memory *memory, uint64_t *offset_bytes, void *user);
const void *call_bind(const struct call *call, struct bound *bound, call_buffer_function buffer_of,
                      void *user);

/* Every byte of its tensors and its report is the expected one; of a workspace those beside so many words. */
bool call_compare(struct call *call, size_t workspace_words, char *failure, size_t failure_bytes);
/* All of it, on standard error. */
void call_print(const struct call *call);

/* For the operators. */
/* Tensor number t of the operator, of a type that its row allows, or of one in `types`. */
struct tensor *call_tensor(struct call *call, int t, const struct shape *shape, enum tensor_use use);
struct tensor *call_tensor_of(struct call *call, int t, enum reference_type type, const struct shape *shape,
                              enum tensor_use use);
/* A type of the set: of what is read (WISH_SRC) and of what is written (WISH_DST) the wish's. */
enum wished { WISH_NONE, WISH_SRC, WISH_DST };
enum reference_type call_type(struct call *call, enum wished wished, unsigned set);
uint32_t call_mode(struct call *call); /* of enum clq_scale_mode */
/* From the dimension to a descriptor's axis, one way or another; and back, of tensor t, `left_out` being the
 * default. Where nothing is along it the axis may be anything: then it is 0. */
int32_t call_axis(struct call *call, int d, int rank);
int call_dimension(const struct call *call, int t, int32_t axis, int left_out);
/* Of tensor t, once it is drawn: float8 is never rounded first. */
uint32_t call_round_first(struct call *call, int t);
/* Of all sizes, each 1 or more. */
struct shape call_full_shape(struct call *call, int least_rank, int64_t most_elements);
/* Of what is stored as the type. Now and then nothing is there. */
struct shape call_shape(struct call *call, int least_rank, enum reference_type type);
/* One number, or `last`, in any shape. */
struct shape call_flat_shape(struct call *call, int64_t last, bool one_allowed);
/* R of rows of this shape that are stored as the type, or 0: makes its last size a multiple of R,
 * which is no larger than leaves a call small. */
uint32_t call_rotate(struct call *call, struct shape *shape, enum reference_type type);
/* A report, or none; it holds counts of calls before. */
void call_report(struct call *call);
/* Tensor t as the reference takes it, which is kept in `as`; NULL where it is not given. */
const struct reference_tensor *call_reference(const struct call *call, int t, struct reference_tensor *as);

#endif
