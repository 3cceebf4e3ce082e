/* SPDX-License-Identifier: Apache-2.0 */
/* One call of clq_quantize_scatter or clq_dynamic_quantize_scatter: what goes in, and the check that the
 * bytes and the report are the reference's. */
#ifndef CLQUANT_TEST_SCATTER_CASE_H
#define CLQUANT_TEST_SCATTER_CASE_H

#include "dynamic_values.h"
#include "parts.h"

/* What the indices hold. */
enum places {
    PLACES_VALID,   /* anywhere in the cache, overlapping as it comes */
    PLACES_APART,   /* valid, and no two entries overlap; entries for which there is no room are dropped */
    PLACES_RARE,    /* the same, one in 40 of 2-D indices out of range by one */
    PLACES_ORDERED, /* each behind the one before, or a little further on; those too many are out of range */
    PLACES_RUNS,    /* the same in runs, which may overlap, one in 200 out of range by one */
    PLACES_STRAY,   /* about half of them out of range, by one or by far */
    PLACES_HOSTILE, /* the ends of the type, and off by one at each side of the range */
    PLACES_SAME,    /* all the same place */
    PLACES_PACKED,  /* a few starts of one batch, so that all entries overlap in part */
};

struct scatter_case {
    const char *name;
    struct layout cache, input, indices, updates, scales, zero_points;
    struct layout cache_scale, cache_offset; /* of a dynamic one */
    bool dynamic; /* the scale is found from the row: no input, no zero points; scales are the smooth scale */
    bool symmetric;
    enum row_kind rows; /* of a dynamic one's updates */
    uint32_t rotate;    /* of these */
    bool has_scales, has_zero_points;
    bool copies;  /* out of place: input is read */
    bool reports; /* a report is given, else NULL */
    bool borrows; /* the queried workspace is given, between guards */
    bool multiply, round_first, unique;
    bool slots; /* the indices are slots */
    int axis;
    enum clq_range_policy range;
    enum places places;
    uint64_t seed;
};

struct scatter_types {
    enum reference_type x, scale, zero, index, cache; /* scale and zero are REFERENCE_I4 for none */
    int lanes;
    bool dynamic, symmetric;
};
enum { INDEX_SLOTS = 3 };
/* Sizes in values. */
struct scatter_shape {
    int rank;
    int64_t cache[CLQ_MAX_RANK];
    int axis;
    int64_t entries, length;
    int index_rank; /* or INDEX_SLOTS, for entries of one position */
};

/* Dense tensors between guards, one scale and zero point per index of the last axis, in place, with a report;
 * last wins, drop, divide. */
struct scatter_case scatter_case_of(const char *name, const struct scatter_types *types,
                                    const struct scatter_shape *shape);
/* The layouts with other strides and offsets; gaps are watched like guards. Scales and zero points get other
 * ranks, but a smooth scale. */
void scatter_case_stride(struct scatter_case *c, struct random *random);

struct scatter_tensors {
    struct tensor cache, cache_scale, cache_offset, input, indices, updates, scales, zero_points;
    cl_mem report, workspace;
    uint64_t report_offset, workspace_offset;
    size_t workspace_bytes;
};
/* Those that the case has. */
struct parts scatter_parts(struct scatter_tensors *t, const struct scatter_case *c);
void scatter_tensors_init(struct scatter_tensors *t, const struct scatter_case *c);
void scatter_tensors_fill(struct scatter_tensors *t, const struct scatter_case *c);
bool scatter_tensors_upload(struct scatter_tensors *t, const struct scatter_case *c, cl_command_queue queue);
void scatter_tensors_clear(struct scatter_tensors *t);
/* The case's operator on these tensors; each descriptor is of one of the two. */
struct clq_quantize_scatter_desc scatter_desc_of(const struct scatter_tensors *t,
                                                 const struct scatter_case *c);
struct clq_dynamic_quantize_scatter_desc dynamic_scatter_desc_of(const struct scatter_tensors *t,
                                                                 const struct scatter_case *c);
clq_status scatter_call(const struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                        cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *done);
clq_status scatter_build(const struct scatter_tensors *t, const struct scatter_case *c, clq_context *context);
clq_status scatter_workspace(const struct scatter_tensors *t, const struct scatter_case *c,
                             clq_context *context, size_t *size_bytes);
clq_status scatter_check_indices(const struct scatter_tensors *t, const struct scatter_case *c,
                                 clq_context *context, cl_command_queue queue, cl_uint num_wait,
                                 const cl_event *wait);
/* Makes the outputs' images what a call must make of buffers that hold the same, or that were filled so,
 * guards and all. */
struct reference_report scatter_tensors_apply(const struct scatter_tensors *t, const struct scatter_case *c);
struct reference_report scatter_tensors_expect(struct scatter_tensors *t, const struct scatter_case *c,
                                               int filling);

/* Indices by hand: a 1-D start has no batch. */
void scatter_set_index(struct tensor *indices, int64_t entry, int64_t batch, int64_t start);
/* All of them, for entries of `length` on an axis of `size`. */
void scatter_fill_indices(struct tensor *indices, enum places places, int64_t batches, int64_t size,
                          int64_t length, struct random *random);

/* Slots of `batches` times `size` positions, of which some are -1. */
void scatter_fill_slots(struct tensor *indices, enum places places, int64_t batches, int64_t size,
                        struct random *random);

/* Runs the case over two different fillings of the outputs; bytes around, inputs, report, and the guards of
 * the workspace are compared. */
bool scatter_tensors_match(struct scatter_tensors *t, const struct scatter_case *c, clq_context *context,
                           cl_command_queue queue);
bool scatter_case_matches(const struct scatter_case *c, clq_context *context, cl_command_queue queue);
void expect_scatter(const struct scatter_case *c);

#endif
