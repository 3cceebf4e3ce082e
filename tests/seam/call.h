/* SPDX-License-Identifier: Apache-2.0 */
/* A random call: its tensors, its launches for a device of some traits, and what the reference made of it. */
#ifndef CLQUANT_SEAM_CALL_H
#define CLQUANT_SEAM_CALL_H

#include "ops/copy.h"
#include "ops/dynamic.h"
#include "ops/find_scales.h"
#include "ops/static_call.h"
#include "tensors.h"

#include <clquant/clquant.h>

enum { CALL_MOST_TENSORS = 9 };

struct call {
    struct rng rng;
    struct clq__traits traits;
    struct clq__variant
        wish;         /* a kernel and plugs that the call is to have where it can choose; bits 0: none */
    const char *name; /* of the operator */
    char choices[96]; /* of the descriptor, for a sentence */
    int64_t most_elements;

    struct tensor tensors[CALL_MOST_TENSORS];
    int num_tensors;
    struct tensor report, workspace;

    /* What it launches: a copy, or none, and then the launches of one of the three, or none where there is nothing to
     * do. */
    bool copies;
    struct clq__copy_call copy;
    struct clq__view copy_src, copy_dst;
    struct clq__launches *launches;
    union {
        struct {
            struct clq__static_work work;
            struct clq__static_call call;
        } of_static;
        struct {
            struct clq__dynamic_work work;
            struct clq__dynamic_call call;
        } of_dynamic;
        struct {
            struct clq__scales_work work;
            struct clq__scales_call call;
        } of_scales;
    } as;
};

/* Makes call number `number` of the seed, for these traits or, where they are NULL, for those of an imaginary device.
 * Its tensors' memory is as before the call, and `expected` as the reference leaves it. Where the library refuses it,
 * that is the status. */
clq_status call_make(struct call *call, uint64_t seed, uint64_t number, const struct clq__traits *traits,
                     const struct clq__variant *wish);
void call_clear(struct call *call);

/* Executes its launches on host memory; false, with a sentence, where they break a rule or the bytes are not the
 * expected ones. */
bool call_run(struct call *call, char *failure, size_t failure_bytes);
/* Its tensors' memory with what is expected. */
bool call_compare(struct call *call, char *failure, size_t failure_bytes);
/* All of it, on standard error. */
void call_print(const struct call *call);
/* Visits the copy's launch and all others, in order. */
unsigned call_launches(const struct call *call, const struct clq__launch *launches[2 + CLQ__MOST_BEFORE]);

/* The operators (call_dense.c, call_places.c, call_groups.c, call_dynamic.c, call_scales.c). */
clq_status call_quantize(struct call *call);
clq_status call_quantize_long(struct call *call);
clq_status call_dequantize(struct call *call);
clq_status call_quantize_scatter(struct call *call);
clq_status call_dequantize_gather(struct call *call);
clq_status call_group_quantize(struct call *call);
clq_status call_dequantize_groups(struct call *call);
clq_status call_dynamic_quantize(struct call *call);
clq_status call_dynamic_quantize_scatter(struct call *call);
clq_status call_find_scales(struct call *call);

/* For them. */
struct tensor *call_tensor(struct call *call, const char *name, enum clq__type type,
                           const struct shape *shape, enum tensor_use use);
void call_choices(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A type of the set: the wish's where the plug has one. */
enum clq__type call_type(struct call *call, enum clq__plug plug, unsigned set);
uint32_t call_mode(struct call *call); /* of enum clq_scale_mode */
/* From 0, the dimension, to a descriptor's. */
int call_axis(struct call *call, int d, int rank);
/* Scales or zero points for x: one, or one for each index of axis d, in each shape that is allowed. */
struct tensor *call_parameter(struct call *call, const char *name, unsigned types, const struct shape *x,
                              int d);
void call_report(struct call *call);
/* The plugs of a device of these traits. */
void call_plugs(struct clq__traits *traits);
void call_static_launches(struct call *call);
void call_dynamic_launches(struct call *call);
void call_expect_report(struct call *call, struct reference_report report);

#endif
