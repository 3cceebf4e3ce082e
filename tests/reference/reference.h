/* SPDX-License-Identifier: Apache-2.0 */
/* The slowest obvious C of every operator, for tests to compare bytes with. It shares nothing with the
 * library.
 *
 * Build it without contraction (-ffp-contract=off) and without fast-math, in the rounding mode that programs
 * start in. Every function takes arguments that are right: nothing is checked. */
#ifndef CLQUANT_REFERENCE_H
#define CLQUANT_REFERENCE_H

#include "types.h"

#define REFERENCE_MAX_RANK 8

/* Elements at any strides. Indices count values; shape and strides count elements, which hold `lanes` values
 * each where values share a byte (of 4 bits 1, or the 2 of a byte, or the 8 of a word), 32 of a block, and
 * one value for every other type. */
struct reference_tensor {
    enum reference_type type;
    int lanes; /* 0 means 1 */
    int rank;
    int64_t shape[REFERENCE_MAX_RANK];
    int64_t strides[REFERENCE_MAX_RANK];
    void *data; /* the first element's byte, at any alignment */
};

/* A dense, row-major tensor. */
struct reference_tensor reference_dense(enum reference_type type, int lanes, int rank, const int64_t *shape,
                                        void *data);

/* The number of values along dimension d, and in the whole tensor. */
int64_t reference_extent(const struct reference_tensor *tensor, int d);
int64_t reference_count(const struct reference_tensor *tensor);

/* Steps index to the next value in row-major order; false after the last, and index is then all zeros. */
bool reference_next(const struct reference_tensor *tensor, int64_t *index);

/* The value at index; as an exact integer, of an integer type; and stored, rounded to the type. */
float reference_load(const struct reference_tensor *tensor, const int64_t *index);
int64_t reference_load_int(const struct reference_tensor *tensor, const int64_t *index);
void reference_store(const struct reference_tensor *tensor, const int64_t *index, float value);

/* The bytes of the block that has the value at index. */
unsigned char *reference_block_at(const struct reference_tensor *tensor, const int64_t *index);

/* The code at index. Of a code that is stored the lowest bits count,
 * so that a negative integer may be given. */
uint64_t reference_load_code(const struct reference_tensor *tensor, const int64_t *index);
void reference_store_code(const struct reference_tensor *tensor, const int64_t *index, uint64_t code);

/* Stores a code of whole bytes. */
void reference_put_code(uint64_t code, enum reference_type type, void *at);

/* The n-th value in row-major order, whatever the shape, or the only one. */
float reference_load_nth(const struct reference_tensor *tensor, int64_t n);

/* How x is cut: along the axis, and along the dimension in front of it; 0: it is not. */
struct reference_cut {
    int axis;
    int64_t block, before;
};

/* Indices of dimension d in a block; 1 where it is not cut. */
int64_t reference_block_along(const struct reference_cut *cut, int d);

/* The scale or zero point of the element at index of x: the only one; one of the axis; or of x's rank one by
 * shape, where every size is 1 or x's, or along what is cut one of ceil(size / block),
 * which as many indices share. */
float reference_parameter(const struct reference_tensor *tensor, const struct reference_tensor *x,
                          const int64_t *index, const struct reference_cut *cut);
/* The same where indices place entries of x: the only one, one of the last dimension in any shape; or by
 * shape, or of a block of the last dimension. */
float reference_parameter_placed(const struct reference_tensor *tensor, const struct reference_tensor *x,
                                 const int64_t *index, int64_t block);

/* Every code of src to the same index of dst: tensors of one type and as many values in each dimension. */
void reference_copy(const struct reference_tensor *src, const struct reference_tensor *dst);

/* The code of one element of static quantization. zero_point may be NULL. */
uint64_t reference_quantize_one(float x, float scale, const float *zero_point, bool multiply,
                                bool round_first, enum reference_type type);

/* y = x / scale + zero_point, or with multiply x * scale + zero_point, rounded to y's type (of an integer
 * type sat(rint())); with round_first the quotient or product is rounded to a whole number before the sum.
 * scales and zero_points are those of reference_parameter. zero_points may be NULL. */
struct reference_quantize_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *scales;
    const struct reference_tensor *zero_points;
    const struct reference_tensor *y;
    int axis;
    int64_t block, block_before;
    bool multiply, round_first;
};
void reference_quantize(const struct reference_quantize_desc *desc);

/* The scales and zero points with which the finite values of x fill the range of a type: int8, uint8 or int4.
 * scales (float32) is any that reference_parameter reads; zero_points (an integer type or float32) has as
 * many, in the same order, or is NULL. */
struct reference_find_scales_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *scales;
    const struct reference_tensor *zero_points;
    enum reference_type type;
    int axis;
    int64_t block, block_before;
    bool minmax;   /* else absmax */
    bool multiply; /* the scale is to be multiplied with */
};
void reference_find_scales(const struct reference_find_scales_desc *desc);

/* npu_quantize: the same with div_mode and the documents' meaning of axis. The output's type stands for dtype
 * (quint4x2 is int4 with 8 lanes). */
struct reference_npu_quantize_desc {
    const struct reference_tensor *input;
    const struct reference_tensor *scales;
    const struct reference_tensor *zero_points;
    const struct reference_tensor *output;
    int axis;
    bool div_mode;
};
void reference_npu_quantize(const struct reference_npu_quantize_desc *desc);

/* What an operator that reads indices says of them: how many entries (rows of no group, in group_quantize) it
 * dropped and clamped, and the lowest of these entries + 1, or 0 where there is none. Where x or
 * updates is empty, nothing is counted. */
struct reference_report {
    uint32_t dropped;
    uint32_t clamped;
    uint32_t first;
    uint32_t reserved;
};
void reference_report_dropped(struct reference_report *report, int64_t entry);
void reference_report_clamped(struct reference_report *report, int64_t entry);

/* y[r, c] = x[r, c] * scale[g, c] + offset, rounded to y's type, g being the first group with group_index[g]
 * above r, as a binary search finds it even where group_index is not sorted; a row of no group keeps its
 * bytes and is reported. x is (S, H), scale (E, H), group_index (E) int32 or int64. offset has one element,
 * or is NULL. */
struct reference_group_quantize_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *scale;
    const struct reference_tensor *group_index;
    const struct reference_tensor *offset;
    const struct reference_tensor *y;
    bool round_first;
};
struct reference_report reference_group_quantize(const struct reference_group_quantize_desc *desc);

/* npu_group_quant: the same. The output's type stands for dst_dtype. */
struct reference_npu_group_quant_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *scale;
    const struct reference_tensor *group_index;
    const struct reference_tensor *offset;
    const struct reference_tensor *y;
};
struct reference_report reference_npu_group_quant(const struct reference_npu_group_quant_desc *desc);

/* npu_anti_quant: output = (x + offset) * scale, of one element or one per index of the last axis; offset may
 * be NULL. */
struct reference_npu_anti_quant_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *scale;
    const struct reference_tensor *offset;
    const struct reference_tensor *output;
};
void reference_npu_anti_quant(const struct reference_npu_anti_quant_desc *desc);

/* npu_dynamic_block_quant: scale = amax / top of the finite values of a block of rows by columns of the last
 * two dimensions, with min_scale above 0 at most 1 / min_scale; y = x / scale, 0 / 0 is 0. */
struct reference_npu_dynamic_block_quant_desc {
    const struct reference_tensor *x, *y, *scale;
    int64_t rows, columns;
    float min_scale;
};
void reference_npu_dynamic_block_quant(const struct reference_npu_dynamic_block_quant_desc *desc);

/* What becomes of an entry whose batch or start is out of range. */
enum reference_range {
    REFERENCE_DROP,  /* nothing of it is written */
    REFERENCE_CLAMP, /* batch and start move to the nearest valid value */
    REFERENCE_WRAP,  /* the axis is a ring; a batch out of range still drops the entry */
};

/* cache[b, .., s : s+U on axis, ..] = updates[i] / scale + zero_point, rounded to its type, for i = 0, 1, ..,
 * so that the last entry wins; with multiply updates[i] * scale. (b, s) is indices[i], (N, 2), or (i,
 * indices[i]), (N), or with slots (indices[i] / A, indices[i] mod A), and -1 skips an entry. scales and
 * zero_points are those of reference_parameter_placed, or with by_axis_alone one element, or one per index of
 * the last axis, in any shape. zero_points may be NULL. */
struct reference_quantize_scatter_desc {
    const struct reference_tensor *cache;
    const struct reference_tensor *indices;
    const struct reference_tensor *updates;
    const struct reference_tensor *scales;
    const struct reference_tensor *zero_points;
    int axis;
    int64_t block;
    bool multiply, round_first;
    enum reference_range range;
    bool slots, by_axis_alone;
};
struct reference_report reference_quantize_scatter(const struct reference_quantize_scatter_desc *desc);

/* npu_quant_scatter_: the same, divided, out of range dropped. quant_axis (the last) and reduce ('update')
 * have but one value. npu_quant_scatter makes self a copy of input first. */
struct reference_npu_quant_scatter_desc {
    const struct reference_tensor *self;
    const struct reference_tensor *indices;
    const struct reference_tensor *updates;
    const struct reference_tensor *quant_scales;
    const struct reference_tensor *quant_zero_points;
    int axis;
};
struct reference_report reference_npu_quant_scatter_(const struct reference_npu_quant_scatter_desc *desc);
struct reference_report reference_npu_quant_scatter(const struct reference_tensor *input,
                                                    const struct reference_npu_quant_scatter_desc *desc);

#endif
