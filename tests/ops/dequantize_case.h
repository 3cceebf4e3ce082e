/* SPDX-License-Identifier: Apache-2.0 */
/* One call of clq_dequantize: what goes in, and the check that the bytes and the report are the reference's. */
#ifndef CLQUANT_TEST_DEQUANTIZE_CASE_H
#define CLQUANT_TEST_DEQUANTIZE_CASE_H

#include "dequantize.h"
#include "scatter_case.h"

/* About which power of two the results are, and what else comes up. */
enum results {
    RESULTS_NEAR_ONE,
    RESULTS_SMALL_HALVES, /* subnormal float16 */
    RESULTS_LARGE_HALVES, /* about the end of float16 */
    RESULTS_SUBNORMAL,    /* subnormal float32 and bfloat16 */
    RESULTS_LARGE,        /* about the end of float32 */
    RESULTS_ANY,          /* scales and zero points of any bits */
    RESULTS_COUNT,
};

struct dequantize_case {
    const char *name;
    struct layout q, scale, zero_points, indices, group_index, y;
    bool has_zero_points, has_indices, has_groups;
    bool reports; /* a report is given, else NULL */
    bool slots;   /* the indices are slots */
    int axis;
    uint32_t rotate;
    enum clq_dequantize_mode mode;
    enum clq_range_policy range;
    enum places places;
    enum results results;
    uint64_t seed;
};

struct dequantize_types {
    enum reference_type q, scale, zero, index, y; /* zero is REFERENCE_I4 for none */
    int lanes;
    enum clq_dequantize_mode mode;
};
/* Sizes in values. axis is the one of the scales, or with indices that of the starts. */
struct dequantize_shape {
    int rank;
    int64_t q[CLQ_MAX_RANK];
    int axis;
    bool one_scale, one_zero; /* else one per index of the axis, with indices of the last one */
    int index_rank;           /* 0: no indices */
    int64_t entries, length;
    int64_t groups; /* 0: no group_index */
    bool slots;     /* of one position: index_rank is 1 */
};

/* Dense tensors between guards, with a report where there can be one; out of range is dropped. */
struct dequantize_case dequantize_case_of(const char *name, const struct dequantize_types *types,
                                          const struct dequantize_shape *shape);
/* The layouts with other strides and offsets; gaps are watched like guards. */
void dequantize_case_stride(struct dequantize_case *c, struct random *random);

struct dequantize_tensors {
    struct tensor q, scale, zero_points, indices, group_index, y;
    cl_mem report;
};
struct parts dequantize_parts(struct dequantize_tensors *t, const struct dequantize_case *c);
void dequantize_tensors_fill(struct dequantize_tensors *t, const struct dequantize_case *c);
struct clq_dequantize_desc dequantize_desc_of(const struct dequantize_tensors *t,
                                              const struct dequantize_case *c);
/* Makes the image of y what a call must make of it. */
struct reference_report dequantize_tensors_apply(const struct dequantize_tensors *t,
                                                 const struct dequantize_case *c);

/* Runs the case over two different fillings of y; bytes around, inputs and report are compared. Safe in any
 * thread. */
bool dequantize_tensors_match(struct dequantize_tensors *t, const struct dequantize_case *c,
                              clq_context *context, cl_command_queue queue);
bool dequantize_case_matches(const struct dequantize_case *c, clq_context *context, cl_command_queue queue);
void expect_dequantize(const struct dequantize_case *c);

#endif
