/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that find a row's scale from the row. A row is the last axis. */
#ifndef CLQUANT_REFERENCE_DYNAMIC_H
#define CLQUANT_REFERENCE_DYNAMIC_H

#include "reference.h"
#include "rule.h"

/* Of each row of x, with the steps and the highest value of y's type:
 *
 *     mx, mn = max, min over the elements that are not NaN, both 0 where all are
 *     scale  = max((mx - mn) / minmax_steps, 1e-12)       offset = -(highest - mx / scale)
 *     y      = x * (1 / scale) - offset, rounded to its type
 *
 * symmetric: scale = max(amax / absmax_steps, 1e-12), y = x * (1 / scale), and offset is NULL. Where
 * smooth_scale is not NULL it has one element per element of a row, in any shape, and multiplies x first. x
 * and smooth_scale are floats of any type, and so are scale and offset, whose rounded values are used from
 * there on (the least scale of float16 is 2^-24, and at least 2^-15 of the largest magnitude where there is
 * an offset); scale and offset have x's shape less the axis. Where rotate is not 0 each so many neighbours
 * are turned (rotate.h), after smooth_scale and before all else. What shares a scale is a whole dimension,
 * axis, or each `block` > 0 indices of it; scale and offset have x's rank then, and ceil(size / block) along
 * the axis; with block_before > 0 so many indices of the dimension in front of it share too. Or it is all of
 * x, and they have one element. A y of blocks (blocks.h) has neither scale nor offset. */
struct reference_dynamic_quantize_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *smooth_scale;
    const struct reference_tensor *y;
    const struct reference_tensor *scale;
    const struct reference_tensor *offset;
    bool symmetric;
    struct reference_rule how;                   /* by a rule y, scale and block are its own */
    const struct reference_tensor *global_scale; /* of one element; NULL: none */
    int64_t rotate, block, block_before;
    int axis;
    bool all;
    bool plain_offset; /* offset is off, and not -off */
    bool smooth_rows;  /* smooth_scale has an element for each index of x's second-to-last dimension */
    float top;         /* symmetric: takes the place of absmax_steps; 0: none */
    const struct reference_tensor
        *group_index; /* [E]: row r of x [S, H] has row g of smooth_scale [E, H]; rows of no
                                                 * group are not written. NULL: none */
};
void reference_dynamic_quantize(const struct reference_dynamic_quantize_desc *desc);

/* The rows of updates, quantized so, go where indices say, as in reference_quantize_scatter: the data into
 * cache, scale and offset to the same places of cache_scale and cache_offset, which have the cache's shape
 * less the last dimension. axis is never the last. */
struct reference_dynamic_quantize_scatter_desc {
    const struct reference_tensor *cache;
    const struct reference_tensor *cache_scale;
    const struct reference_tensor *cache_offset;
    const struct reference_tensor *indices;
    const struct reference_tensor *updates;
    const struct reference_tensor *smooth_scale;
    int axis;
    bool symmetric;
    struct reference_rule how;
    const struct reference_tensor *global_scale;
    int64_t rotate, block;
    enum reference_range range;
    bool slots; /* as of reference_quantize_scatter */
};
struct reference_report
reference_dynamic_quantize_scatter(const struct reference_dynamic_quantize_scatter_desc *desc);

/* DynamicQuantUpdateScatterV2: x (B, 1, H), indices (B), var int4 (B, S, 1, H), var_scale and var_offset
 * (B, S) or (B, S, 1); asymmetric, out of range dropped. */
struct reference_dynamic_quant_update_scatter_v2_desc {
    const struct reference_tensor *x;
    const struct reference_tensor *indices;
    const struct reference_tensor *var;
    const struct reference_tensor *var_scale;
    const struct reference_tensor *var_offset;
};
struct reference_report
reference_dynamic_quant_update_scatter_v2(const struct reference_dynamic_quant_update_scatter_v2_desc *desc);

#endif
