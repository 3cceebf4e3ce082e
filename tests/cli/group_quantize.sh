#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One row of scales per group of rows: what comes out, and a group_index that breaks its rules is named.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:4x8:1,-2,3,-4,5,-6,7,-8 scale:F16:3x8:1,1,1,1,1,1,1,1,9,9,9,9,9,9,9,9,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5 \
    group_index:I64:3:1,1,4 offset:BF16:1:0.5 two:F32:2:1 same:F16:1:0.5
succeeds "int8 is the default, and an empty group is legal" "$CLQUANT" group_quantize in.st -o out.st
holds "int8" out.st "y I8 [4,8] 2 -2 4 -4 6 -6 8 -8 1 0 2 -2 3 -2 4 -4 1 0 2 -2 3 -2 4 -4 1 0 2 -2 3 -2 4 -4"
run "$CLQUANT" group_quantize in.st -o out.st --dtype int4
holds "int4, the low nibble first" out.st "y U8 [4,4] 226 196 166 135 1 226 227 196 1 226 227 196 1 226 227 196"
run "$CLQUANT" group_quantize in.st -o out.st --dtype int4 --container words
holds "eight in a word" out.st "y I32 [4,1] -2019113758 -991698431 -991698431 -991698431"
run "$CLQUANT" group_quantize in.st -o out.st --round-first
holds "rounded before the offset is added" out.st \
    "y I8 [4,8] 2 -2 4 -4 6 -6 8 -8 0 0 2 -2 2 -2 4 -4 0 0 2 -2 2 -2 4 -4 0 0 2 -2 2 -2 4 -4"
run "$CLQUANT" group_quantize in.st -o out.st --container words
refused "a container of nothing" 2 "--container is for types of less than 8 bits, and --dtype is int8"

succeeds "the documented call" "$CLQUANT" npu_group_quant in.st -o out.st --tensor offset=same
holds "int8 is its default" out.st "y I8 [4,8] 2 -2 4 -4 6 -6 8 -8 1 0 2 -2 3 -2 4 -4 1 0 2 -2 3 -2 4 -4 1 0 2 -2 3 -2 4 -4"
run "$CLQUANT" npu_group_quant in.st -o out.st --tensor offset=same --dst-dtype quint4x2
holds "quint4x2" out.st "y I32 [4,1] -2019113758 -991698431 -991698431 -991698431"
cp out.st old.st
refuses "an offset of another type" 1 "offset's type is BF16: it must be that of scale, F16" "$CLQUANT" npu_group_quant in.st -o out.st
refuses "an offset of two numbers" 1 "offset" "$CLQUANT" npu_group_quant in.st -o out.st --tensor offset=two
run "$CLQUANT" npu_group_quant in.st -o out.st --dst-dtype quint8
refused "a type that the call has not" 2 "--dst-dtype 'quint8': one of int8, qint8, quint4x2"
refuses "a vector" 1 "x" "$CLQUANT" npu_group_quant in.st -o out.st --tensor x=two
"$TENSOR_FILE" make odd.st x:F32:2x6:1 scale:F32:1x6:1 group_index:I32:1:2
run "$CLQUANT" npu_group_quant odd.st -o out.st --dst-dtype quint4x2
refused "a dimension that does not divide" 1 "'x': its last dimension, 6, is not a multiple of 8"

# wrong NAME TEXT VALUES: both operators look at group_index on the host, whatever the type.
wrong() {
    for type in I32 I64; do
        "$TENSOR_FILE" make bad.st x:F32:4x8:1 scale:F32:3x8:1 "group_index:$type:3:$3"
        for operator in group_quantize npu_group_quant; do
            refuses "$operator, $type: $1" 1 "$2" "$CLQUANT" $operator bad.st -o out.st
            check "$operator, $type: $1: the old OUT stays" cmp -s out.st old.st
        done
    done
}
wrong "a decrease" "group_index[1] is 1: it must be at least 2" 2,1,4
wrong "a negative row" "group_index[0] is -1: it must be at least 0" -1,1,4
wrong "a row too many" "group_index[2] is 5: it must be at most 4" 1,2,5
wrong "a row too few" "group_index[2] is 3: the last entry must be 4" 1,2,3
"$TENSOR_FILE" make bad.st x:F32:4x8:1 scale:F32:3x8:1 group_index:F32:3:1,2,4
refuses "a group_index of floats" 1 "group_index" "$CLQUANT" group_quantize bad.st -o out.st
"$TENSOR_FILE" make bad.st x:F32:4x8:1 scale:F32:3x8:1 group_index:I32:2:1,4
refuses "a row of scales without a group" 1 "group_index" "$CLQUANT" group_quantize bad.st -o out.st
"$TENSOR_FILE" make empty.st x:F32:0x8:1 scale:F32:2x8:1 group_index:I32:2:0
succeeds "no rows" "$CLQUANT" group_quantize empty.st -o out.st
holds "no rows" out.st "y I8 [0,8]"

finish
