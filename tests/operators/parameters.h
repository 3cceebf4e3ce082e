/* SPDX-License-Identifier: Apache-2.0 */
/* Random shapes of scales and zero points, and the rules of these shapes. */
#ifndef CLQUANT_OPERATORS_PARAMETERS_H
#define CLQUANT_OPERATORS_PARAMETERS_H

#include "judge.h"

/* How many indices of a dimension of that size share a scale; 0: there are no blocks. */
uint32_t parameters_block(struct call *call, int64_t size);
/* The same of the dimension in front of d, which has blocks of so many indices. */
uint32_t parameters_before(struct call *call, const struct shape *x, int d, uint32_t block);
/* One number, or one for each index of dimension d of x: 0-D, 1-D, or of x's rank. */
struct shape parameters_axis_shape(struct call *call, const struct shape *x, int d);
/* Of scales, or of zero points where block is 0: one number, one for each index of dimension d of x, by
 * shape, or in blocks of d, and of the dimension in front of it where before is not 0. */
struct shape parameters_shape(struct call *call, const struct shape *x, int d, uint32_t block,
                              uint32_t before);
/* The same where indices place entries of these pieces along dimension `at`;
 * blocks are those of the last dimension. */
struct shape parameters_placed_shape(struct call *call, const struct shape *pieces, int at, uint32_t block);
/* One number for each row along dimension d, or for each block of it, or of it and the dimension in front of
 * it. */
struct shape parameters_rows_shape(const struct shape *rows, int d, uint32_t block, uint32_t before);

/* Scales and zero points of x along the axis: by default the last. */
void rule_parameters(struct judge *judge, int scales, int zero_points, int x, int32_t axis, uint32_t block,
                     uint32_t before);
/* The same of those that are found, a zero point for each scale. */
void rule_found(struct judge *judge, int scales, int zero_points, int x, int32_t axis, uint32_t block,
                uint32_t before);
/* Of what entries read, along dimension `at` as many as pieces have. */
struct placed_rules {
    int read, pieces, at;
    uint32_t block;
};
void rule_placed(struct judge *judge, int scales, int zero_points, const struct placed_rules *rules);
/* What dynamic quantization leaves beside rows. */
struct rows_rules {
    int32_t axis;
    uint32_t block, before, all;
    bool groups;   /* of rows, which have smooth scales each */
    bool placed;   /* by indices */
    bool written;  /* by them, so that blocks find their scales where they are placed */
    uint32_t rule; /* of enum clq_scale_rule */
};
/* Two values share a byte, and eight a word, of which blocks have whole ones. */
void rule_words(struct judge *judge, int rows, int at, const struct rows_rules *rules);
void rule_dynamic_parameters(struct judge *judge, int scales, int offsets, int rows,
                             const struct rows_rules *rules);

#endif
