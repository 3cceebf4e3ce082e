/* SPDX-License-Identifier: Apache-2.0 */
/* The way back: from quantized tensors and caches to floats. */
#ifndef CLQUANT_REFERENCE_DEQUANTIZE_H
#define CLQUANT_REFERENCE_DEQUANTIZE_H

#include "reference.h"

/* What is undone: q = x / scale + zero point, q = x * scale + zero point, or q = x / scale - offset. */
enum reference_undo { REFERENCE_UNDO_DIVIDE, REFERENCE_UNDO_MULTIPLY, REFERENCE_UNDO_DYNAMIC };

/* (q - zero_point) * scale, (q - zero_point) / scale, or (q + offset) * scale: each step is rounded to
 * binary32. zero_point may be NULL. */
float reference_dequantize_one(float q, float scale, const float *zero_point, enum reference_undo mode);

/* y = the value of q, or where indices are given, as for reference_quantize_scatter, y[i] = the value of
 * q[b, .., s : s+U on axis, ..]; a dropped entry keeps its bytes in y. scale and zero_points are those of
 * reference_quantize, with indices those of reference_quantize_scatter, with group_index scale is (E, H) and
 * zero_points one. For UNDO_DYNAMIC both have q's shape without the axis (with indices the last dimension);
 * or with block > 0 q's rank, and along it one of ceil(size / block), with block_before along the dimension
 * in front of it too; or one element; there the values of a
 * row are turned where rotate is not 0, so many neighbours at once (rotate.h), before they are stored.
 * zero_points, indices and group_index may be NULL, and of blocks, which carry their scales, scale is too. */
struct reference_dequantize_desc {
    const struct reference_tensor *q;
    const struct reference_tensor *scale;
    const struct reference_tensor *zero_points;
    const struct reference_tensor *indices;
    const struct reference_tensor *group_index;
    const struct reference_tensor *global_scale; /* multiplies last, dynamic; NULL: none */
    const struct reference_tensor *y;
    int axis; /* of the scales, and with indices of the places */
    int64_t block, block_before;
    enum reference_undo mode;
    int64_t rotate;
    enum reference_range range;
    bool slots; /* as of reference_quantize_scatter */
};
struct reference_report reference_dequantize(const struct reference_dequantize_desc *desc);

#endif
