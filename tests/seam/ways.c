/* SPDX-License-Identifier: Apache-2.0 */
#include "described.h"
#include "ops/operators.h"

#define KERNEL(kernel) (1u << CLQ__##kernel##_CL)
const struct way ways[] = {
    {&operator_quantize, KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE) | KERNEL(WIDEN), &clq__quantize},
    {&operator_dequantize,
     KERNEL(DEQUANTIZE) | KERNEL(CPU_DEQUANTIZE) | KERNEL(DEQUANTIZE_ROTATED) | KERNEL(DEQUANTIZE_BLOCKS) |
         KERNEL(CPU_DEQUANTIZE_ROTATED) | KERNEL(CPU_DEQUANTIZE_BLOCKS),
     &clq__dequantize},
    {&operator_quantize_scatter,
     KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE) | KERNEL(CLAIM) | KERNEL(CPU_CLAIM) | KERNEL(COPY),
     &clq__quantize_scatter},
    {&operator_group_quantize, KERNEL(QUANTIZE) | KERNEL(CPU_QUANTIZE), &clq__group_quantize},
    {&operator_dynamic_quantize,
     KERNEL(DYNAMIC_QUANTIZE) | KERNEL(CPU_DYNAMIC_QUANTIZE) | KERNEL(FIND_SCALES) | KERNEL(CPU_FIND_SCALES) |
         KERNEL(FINISH_SCALES) | KERNEL(VALUES) | KERNEL(QUANTIZE_BLOCKS) | KERNEL(CPU_QUANTIZE_BLOCKS) |
         KERNEL(QUANTIZE_RULE) | KERNEL(CPU_QUANTIZE_RULE),
     &clq__dynamic_quantize},
    {&operator_dynamic_quantize_scatter,
     KERNEL(DYNAMIC_QUANTIZE) | KERNEL(CPU_DYNAMIC_QUANTIZE) | KERNEL(QUANTIZE_BLOCKS) |
         KERNEL(CPU_QUANTIZE_BLOCKS) | KERNEL(QUANTIZE_RULE) | KERNEL(CPU_QUANTIZE_RULE),
     &clq__dynamic_quantize_scatter},
    {&operator_find_scales, KERNEL(FIND_SCALES) | KERNEL(CPU_FIND_SCALES) | KERNEL(FINISH_SCALES),
     &clq__find_scales},
    {&operator_move_rows,
     KERNEL(MOVE_ROWS) | KERNEL(CONVERT_ROWS) | KERNEL(PLACES) | KERNEL(CLAIM) | KERNEL(CPU_CLAIM) |
         KERNEL(COPY),
     &clq__move_rows},
};
_Static_assert(sizeof ways / sizeof *ways == OPERATORS, "an operator has no way");
