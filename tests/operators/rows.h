/* SPDX-License-Identifier: Apache-2.0 */
/* What the operators that find a row's scale share. */
#ifndef CLQUANT_OPERATORS_ROWS_H
#define CLQUANT_OPERATORS_ROWS_H

#include "dynamic.h"
#include "parameters.h"

/* Smooth scales for rows of so many elements, in any shape, or none. */
uint32_t rows_draw_symmetric(struct call *call, enum reference_type type);
void rows_draw_smooth(struct call *call, int t, int64_t elements);
/* Scales of this shape, and offsets of their type, none where offsets is -1. */
void rows_draw_found(struct call *call, int scales, int offsets, uint32_t rule, const struct shape *shape);
/* Of clq_dynamic_quantize; with offsets of the other sign, of the documented call. */
struct reference_report dynamic_quantize_reference(const struct call *call, bool plain_offset,
                                                   bool smooth_rows);
/* Where y has blocks that carry their scales: what is not to be given. False where it has none. */
bool rule_blocks(struct judge *judge, int y, int scales, int offsets, uint32_t symmetric,
                 const struct rows_rules *rules);
/* A rule of MX or NVFP4 for a y of this type, or none; and the block that one means. */
uint32_t rows_draw_rule(struct call *call, enum reference_type type);
uint32_t rows_block_of(uint32_t rule, uint32_t block);
/* The same for the reference. */
struct reference_rule rows_rule(const struct call *call);
/* What scales may be of where there is such a rule. */
unsigned rows_scale_types(uint32_t rule);
/* What a rule asks of the call but for the types of scales and their shapes. */
void rule_scale_rule(struct judge *judge, int y, float type_max, const struct rows_rules *rules);
/* NVFP4's second scale t, or none; and its rules. */
void rows_draw_global_scale(struct call *call, int t, uint32_t rule);
void rule_global_scale(struct judge *judge, int t, uint32_t rule);
/* Of the rows of tensor t, which are stored as y, in blocks of several rows where `before` is not 0. */
void rule_rotate(struct judge *judge, uint32_t rotate, uint32_t before, int t, int y);
/* Of the rows of tensor t, which is drawn; its layout may not let them be cut. */
uint32_t rows_draw_block(struct call *call, int t, const struct shape *shape, uint32_t rotate);
/* Of the dimension in front of d, as parameters_before; none where turned rows would have too many
 * dimensions. */
uint32_t rows_draw_before(struct call *call, const struct shape *shape, int d, uint32_t block,
                          uint32_t rotate);
void rule_dynamic(struct judge *judge, int x, int smooth, int y, int scales, int offsets, uint32_t symmetric,
                  const struct rows_rules *rules);

#endif
