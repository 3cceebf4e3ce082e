/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptors of calls. */
#include "call.h"

void call_fill_desc(struct call *c)
{
    const bool symmetric = c->row.mode == SYMMETRIC || row_rule(&c->row) != 0,
               blocks = c->row.layout == IN_BLOCKS;
    const DLTensor *scales = blocks ? NULL : &c->scales, *offsets = symmetric || blocks ? NULL : &c->offsets;
    const uint32_t index_kind = c->places.slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE;

    switch (c->row.operation) {
    case QUANTIZE:
        c->desc.quantize =
            (struct clq_quantize_desc){.x = &c->x,
                                       .scales = &c->scales,
                                       .y = &c->y,
                                       .axis = c->row.layout == PER_OTHER_AXIS ? 1 : -1,
                                       .mode = c->row.mode == DIVIDE ? CLQ_DIVIDE : CLQ_MULTIPLY,
                                       .block = c->block,
                                       .block_before = c->block_before,
                                       .round_first = c->row.round_first};
        break;
    case GROUP_QUANTIZE:
        c->desc.group_quantize = (struct clq_group_quantize_desc){
            .x = &c->x, .scales = &c->scales, .group_index = &c->indices, .y = &c->y};
        break;
    case QUANTIZE_SCATTER:
        c->desc.quantize_scatter = (struct clq_quantize_scatter_desc){.cache = &c->y,
                                                                      .indices = &c->indices,
                                                                      .updates = &c->x,
                                                                      .scales = &c->scales,
                                                                      .axis = 1,
                                                                      .unique = c->row.unique,
                                                                      .index_kind = index_kind};
        break;
    case DYNAMIC_QUANTIZE:
        c->desc.dynamic_quantize = (struct clq_dynamic_quantize_desc){.x = &c->x,
                                                                      .y = &c->y,
                                                                      .scales = scales,
                                                                      .offsets = offsets,
                                                                      .symmetric = symmetric,
                                                                      .block = c->block,
                                                                      .block_before = c->block_before,
                                                                      .rotate = c->row.rotate,
                                                                      .scale_rule = row_rule(&c->row)};
        break;
    case DYNAMIC_QUANTIZE_SCATTER:
        c->desc.dynamic_quantize_scatter =
            (struct clq_dynamic_quantize_scatter_desc){.cache = &c->y,
                                                       .cache_scales = scales,
                                                       .cache_offsets = offsets,
                                                       .indices = &c->indices,
                                                       .updates = &c->x,
                                                       .axis = 1,
                                                       .symmetric = symmetric,
                                                       .unique = c->row.unique,
                                                       .index_kind = index_kind};
        break;
    case FIND_SCALES:
        c->desc.find_scales = (struct clq_find_scales_desc){
            .x = &c->x, .scales = &c->scales, .axis = c->row.layout == PER_FIRST_AXIS ? CLQ_AXIS_FIRST : -1};
        break;
    case MOVE_ROWS:
        c->desc.move_rows =
            (struct clq_move_rows_desc){.src = &c->x,
                                        .src_indices = c->from.buffer ? &c->from_indices : NULL,
                                        .dst_indices = &c->indices,
                                        .dst = &c->y,
                                        .axis = 1,
                                        .positions = c->from.buffer ? (uint32_t)c->places.update_length : 0,
                                        .unique = c->row.unique};
        break;
    default:
        c->desc.dequantize = (struct clq_dequantize_desc){
            .q = &c->x,
            .scales = scales,
            .indices = c->places.buffer ? &c->indices : NULL,
            .y = &c->y,
            .axis = c->places.buffer ? 1 : -1,
            .mode = c->row.mode >= DYNAMIC ? CLQ_DEQUANTIZE_DYNAMIC : CLQ_DEQUANTIZE_DIVIDE,
            .index_kind = index_kind,
            .block = c->block,
            .block_before = c->block_before,
            .rotate = c->row.rotate};
    }
}
