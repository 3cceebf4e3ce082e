#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Scales from file to file, and back into quantize.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:2x4:254,-1,inf,nan,-508,7,63.5,0 half:F16:4:1,-2,3,-8
succeeds "absmax of the rows" "$CLQUANT" scales in.st -o out.st --axis 0
holds "absmax of the rows, in a shape that says so" out.st "scales F32 [2,1] 2 4"
run "$CLQUANT" scales in.st -o out.st --axis none
holds "one scale for all" out.st "scales F32 [1] 4"
succeeds "to multiply with" "$CLQUANT" scales in.st -o out.st --axis none --mode multiply --dtype uint8
holds "to multiply with, uint8 has zero points" out.st "scales F32 [1] 0.25
zero_points U8 [1] 128"
run "$CLQUANT" scales in.st -o out.st --axis none --dtype int4 --tensor x=half
holds "int4, float16" out.st "scales F32 [1] $("$TENSOR_FILE" make s.st s:F32:1:1.1428571939468384 && "$TENSOR_FILE" show s.st | sed 's/.* //')"

run "$CLQUANT" scales in.st -o out.st --axis none --dtype float8_e5m2 --mode multiply --tensor x=half
holds "float8_e5m2 has no zero points" out.st "scales F32 [1] 7168"
run "$CLQUANT" scales in.st -o out.st --dtype float8_e4m3fn --method minmax
refused "and no range of two ends" 1 "--method is minmax: it must be absmax for F8_E4M3"
"$TENSOR_FILE" make range.st x:BF16:3x2:-55,100,200,-155,0,0
succeeds "minmax of the columns: the last axis is the default" "$CLQUANT" scales range.st -o out.st --method minmax --dtype uint8
holds "minmax of the columns" out.st "scales F32 [2] 1 1
zero_points U8 [2] 55 155"
run "$CLQUANT" scales range.st -o out.st --method minmax
holds "minmax, int8" out.st "scales F32 [2] 1 1
zero_points I8 [2] -73 27"

"$TENSOR_FILE" make alone.st x:F32::3
refuses "no axis of rank 0" 1 "axis is -1: it must be none, for the tensor has no dimensions" "$CLQUANT" scales alone.st -o out.st

# The rows' scales of a square, which no option names again.
"$TENSOR_FILE" make square.st x:F32:2x2:127,-2,508,254
succeeds "find_scales, the name in C and Python, is scales" "$CLQUANT" find_scales square.st -o s.st --axis 0
holds "a scale for each row" s.st "scales F32 [2,1] 1 4"
run "$CLQUANT" quantize square.st s.st -o y.st
holds "the rows of a square" y.st "y I8 [2,2] 127 -2 127 64"
run "$CLQUANT" dequantize y.st s.st -o back.st
holds "and back" back.st "y F32 [2,2] 127 -2 508 256"
"$TENSOR_FILE" make cube.st x:F32:2x3x2:127,-127,254,0,0,1,0,0,508,0,0,127
run "$CLQUANT" scales cube.st -o s.st --axis 1 --method minmax --dtype uint8
holds "the middle one of three" s.st "$(printf 'scales F32 [1,3,1] 0.996078432 1.99215686 0.498039216\nzero_points U8 [1,3,1] 128 0 0')"
run "$CLQUANT" scales --help
check "the help has both names" grep -q "clquant find_scales is another name of it" <<<"$out"

# What comes out goes in: one file with x, scales and zero_points.
"$TENSOR_FILE" make both.st x:BF16:3x2:-55,100,200,-155,0,0 scales:F32:2:1,1 zero_points:I8:2:-73,27
run "$CLQUANT" quantize both.st -o out.st
holds "quantized with them" out.st "y I8 [3,2] -128 127 127 -128 -73 27"

"$TENSOR_FILE" make empty.st x:F32:2x0:0
succeeds "no values" "$CLQUANT" scales empty.st -o out.st --axis 0 --mode multiply
run "$CLQUANT" scales empty.st -o out.st --axis 1 --method minmax
holds "no index" out.st "scales F32 [0]
zero_points I8 [0]"

"$TENSOR_FILE" make number.st x:F32::3
refuses "a number has no axis" 1 "axis is -1" "$CLQUANT" scales number.st -o out.st
succeeds "a number alone" "$CLQUANT" scales number.st -o out.st --axis none --mode multiply --dtype int8
refuses "no such axis" 1 "from -2 to 1" "$CLQUANT" scales in.st -o none.st --axis 2
check "a refused run leaves no OUT" test ! -e none.st
run "$CLQUANT" scales in.st -o none.st --axis all
refused "an axis that is no number" 2 "a whole number from -2147483648 to 2147483647, or none, is expected"
refuses "none is for scales alone" 2 "a whole number from -2147483648 to 2147483647 is expected" "$CLQUANT" quantize in.st -o none.st --axis none
"$TENSOR_FILE" make bytes.st x:I8:2:1,2
refuses "x of bytes" 1 "x's type is I8: it must be F32, F16 or BF16" "$CLQUANT" scales bytes.st -o none.st

finish
