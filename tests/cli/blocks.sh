#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scales of blocks and by shape, from file to file: found, quantized with, and back.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:2x5:127,-1,254,2,381,-508,4,0,0,635
succeeds "a scale for each two elements of a row, and for the one that is left" "$CLQUANT" scales in.st -o scales.st --block 2
holds "scales of blocks" scales.st "scales F32 [2,3] 1 2 3 4 7.88860905e-31 5"
succeeds "quantized with them" "$CLQUANT" quantize in.st scales.st -o y.st --block 2
holds "quantized by blocks" y.st "y I8 [2,5] 127 -1 127 1 127 -127 1 0 0 127"
run "$CLQUANT" dequantize y.st scales.st -o back.st --block 2
holds "and back" back.st "y F32 [2,5] 127 -1 254 2 381 -508 4 0 0 635"
run "$CLQUANT" scales in.st -o out.st --block 2 --axis 0 --method minmax
holds "blocks of the first axis, which is one" out.st "scales F32 [1,5] 2.49019599 0.0196078438 0.996078432 0.00784313772 2.49019599
zero_points I8 [1,5] 76 -77 -128 -128 -128"
"$TENSOR_FILE" make unsaid.st scales:F32:2x3:1,2,3,4,1,5 # which no record says what they are of
refuses "without --block they are by shape" 1 "scales.shape[1] is 3: it must be 1, or x.shape[1], 5" "$CLQUANT" quantize in.st unsaid.st -o out.st
run "$CLQUANT" quantize in.st unsaid.st -o out.st --block 3
refused "other blocks" 1 "scales.shape[1] is 3: it must be 2, the blocks of 3 in x.shape[1], 5"
refuses "a number below 0" 2 "--block '-1': a whole number from 0 to 2147483647 is expected" "$CLQUANT" quantize in.st scales.st -o out.st --block -1
refuses "blocks of no axis" 2 "--block is 2: with --axis none it must be 0" "$CLQUANT" scales in.st -o out.st --block 2 --axis none

# Along two axes: 2 x 2 of 3 x 5, where the last blocks of both are shorter.
"$TENSOR_FILE" make squares.st x:F32:3x5:127,-1,254,2,381,-508,4,0,0,635,762,1,889,127,-1016
succeeds "a scale for each two by two" "$CLQUANT" scales squares.st -o scales.st --block 2 --block-before 2
holds "scales of squares" scales.st "scales F32 [2,3] 4 2 5 6 7 8"
run "$CLQUANT" quantize squares.st scales.st -o y.st --block 2 --block-before 2
holds "quantized by squares" y.st "y I8 [3,5] 32 0 127 1 76 -127 1 0 0 127 127 0 127 18 -127"
run "$CLQUANT" dequantize y.st scales.st -o back.st --block 2 --block-before 2
holds "and back" back.st "y F32 [3,5] 128 0 254 2 380 -508 4 0 0 635 762 0 889 126 -1016"
run "$CLQUANT" dynamic_quantize squares.st -o y.st --block 2 --block-before 2 --symmetric
holds "by scales that are found" y.st "y I8 [3,5] 32 0 127 1 76 -127 1 0 0 127 127 0 127 18 -127
scales F32 [2,3] 4 2 5 6 7 8"
run "$CLQUANT" dequantize y.st -o back.st --mode dynamic --block 2 --block-before 2
holds "and back as dynamic" back.st "y F32 [3,5] 128 0 254 2 380 -508 4 0 0 635 762 0 889 126 -1016"
refuses "squares for rows" 1 "scales.shape[0] is 2: it must be 1, or x.shape[0], 3" "$CLQUANT" quantize squares.st unsaid.st -o out.st --block 2
run "$CLQUANT" quantize squares.st unsaid.st -o out.st --block-before 2
refused "of no block" 1 "--block-before is 2: it must be 0 where --block is 0, for it cuts the blocks of axis along one more"
run "$CLQUANT" scales squares.st -o out.st --block 2 --block-before 2 --axis 0
refused "in front of the first" 1 "--block-before is 2: it must be 0 where --axis is the first dimension of x, for it is of the one in front of axis"
refuses "of no axis" 2 "--block-before is 2: with --axis none it must be 0" "$CLQUANT" scales squares.st -o out.st --block-before 2 --axis none

"$TENSOR_FILE" make cache.st cache:I8:1x2x3x2:0 indices:I32:1:1 updates:F32:1x2x1x2:2,4,9,12 scales:F32:1x2x1x1:2,3
run "$CLQUANT" quantize_scatter cache.st -o out.st --dtype int8
holds "a scale for each head" out.st "cache I8 [1,2,3,2] 0 0 1 2 0 0 0 0 3 4 0 0"
"$TENSOR_FILE" make wrong.st cache:I8:2x2x3x2:0 indices:I32:2:1,1 updates:F32:2x2x1x2:2 scales:F32:2x2x1x1:2
run "$CLQUANT" quantize_scatter wrong.st -o out.st --dtype int8
refused "scales of places" 1 "scales.shape[0] is 2: with indices it must be 1, for scales belong to the other dimensions and not to places"

"$TENSOR_FILE" make rows.st q:I8:2x3:1,2,3,4,5,6 scales:F16:3:1,2,4 offsets:F32:3:0,1,2 one:BF16:1:2
run "$CLQUANT" dequantize rows.st -o out.st --mode dynamic --axis 0
holds "dynamic, a scale and an offset for each column" out.st "y F32 [2,3] 1 6 20 4 12 32"
run "$CLQUANT" dequantize rows.st -o out.st --mode dynamic --block-all --tensor scales=one --tensor offsets=
holds "one for all" out.st "y F32 [2,3] 2 4 6 8 10 12"
run "$CLQUANT" dequantize rows.st -o out.st --block-all --tensor scales=one --tensor offsets=
refused "one for all of dynamic rows alone" 1 "--block-all is given: it is for --mode dynamic, and --mode is divide"
finish
