#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The way back: what comes out of integers, of caches and of groups, and what is refused.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st q:I8:2x4:1,-2,3,127,0,5,-128,7 scale:F32:4:0.5,1,2,1000 zero_points:I8:4:1,0,-1,7
succeeds "int8, divide, float32 and the last axis are the defaults" "$CLQUANT" dequantize in.st -o out.st
holds "zero points and scales" out.st "y F32 [2,4] 0 -2 8 120000 -0.5 5 -254 0"
run "$CLQUANT" dequantize in.st -o out.st --dtype float16 --of int8
holds "what is too large for float16" out.st "y F16 [2,4] 0 -2 8 inf -0.5 5 -254 0"
run "$CLQUANT" dequantize in.st -o out.st --mode multiply --dtype bfloat16 --axis 1
holds "multiply is undone by a division" out.st "y BF16 [2,4] 0 -2 2 0.120117188 -2 5 -63.5 0"
run "$CLQUANT" dequantize in.st -o out.st --axis 0
refused "scales of another axis" 1 "scales has 4 elements: --axis is 0, so it must have 1, or 2 as q.shape[0]; is --axis 1 meant?"
refuses "int8 is not uint8" 1 "tensor 'q' is I8, and --of is uint8" "$CLQUANT" dequantize in.st -o out.st --of uint8
for option in "--length 2" "--out-of-range drop" "--index-kind slots" --strict; do
    refuses "$option without indices" 2 "${option% *} is for a file with indices only" "$CLQUANT" dequantize in.st -o out.st $option
done

"$TENSOR_FILE" make packed.st bytes:U8:1x2:33,248 words:I32:1x1:-2041302512 scale:F32:1:1 offset:F32:1:1
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=bytes --of int4
holds "nibbles, the low one first" out.st "y F32 [1,4] 0 1 -9 -2"
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=bytes --of uint4
holds "the same without a sign" out.st "y F32 [1,4] 0 1 7 14"
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=words --of uint4
holds "words of eight without signs" out.st "y F32 [1,8] -1 0 1 2 3 4 5 7"
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=bytes --of uint8 --mode dynamic
holds "an offset is added" out.st "y F32 [1,2] 34 249"
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=words --of int4
holds "words of eight" out.st "y F32 [1,8] -1 0 1 2 3 4 5 -9"
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=words --of int32 --dtype float32
holds "int32 rounds to a float" out.st "y F32 [1,1] -2.04130253e+09"
"$TENSOR_FILE" make float8.st q:F8_E5M2:1x4:1.5,-0,57344,nan scales:F32:1:2 zero_points:F32:1:0.5
run "$CLQUANT" dequantize float8.st -o out.st --of float8_e5m2
holds "float8" out.st "y F32 [1,4] 2 -1 114687 nan"
run "$CLQUANT" dequantize float8.st -o out.st --of float8_e4m3fn
refused "one float8 is not the other" 1 "tensor 'q' is F8_E5M2, and --of is float8_e4m3fn"
refuses "bytes may be one or two" 1 "'bytes' is U8, which may be one of uint8, int4, uint4" "$CLQUANT" dequantize packed.st -o out.st --tensor q=bytes
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=words
refused "words may be one or eight" 1 "'words' is I32, which may be one of int32, int4, uint4"
refused "and what says it" 1 ": --of is expected"
refuses "floats" 1 "'scale' is F32: it may be one of int8 (I8), uint8 (U8), int32 (I32), " "$CLQUANT" dequantize packed.st -o out.st --tensor q=scale
run "$CLQUANT" dequantize packed.st -o out.st --tensor q=bytes --of int4 --tensor zero_points=scale
refused "two names for one thing" 1 "is given as zero_points and 'offset' as offsets: one of them"

# Entries of a cache: what was scattered comes back; what is out of range is zero.
"$TENSOR_FILE" make cache.st cache:I8:2x3x2:0 indices:I32:2:2,0 updates:F32:2x1x2:1,2.5,-3,4 scales:F32:1:0.5
succeeds "a cache" "$CLQUANT" quantize_scatter cache.st -o written.st
"$TENSOR_FILE" make read.st q:I8:2x3x2:0,0,0,0,2,5,-6,8,0,0,0,0 indices:I64:3x2:0,2,1,0,1,-1 scale:F32:1:0.5
holds "is what is read" written.st "cache I8 [2,3,2] 0 0 0 0 2 5 -6 8 0 0 0 0"
run "$CLQUANT" dequantize read.st -o out.st
check "what was dropped is said" test "$status,$err" = \
    "0,clquant: read.st: dequantize: 1 entry out of range dropped; the first: indices[2] has start -1: it must be from 0 to 2, the cache's 3 on axis 1 less an entry's 1"
holds "and is zero" out.st "y F32 [3,1,2] 1 2.5 -3 4 0 0"
succeeds "a ring" "$CLQUANT" dequantize read.st -o out.st --out-of-range wrap --length 2 --axis 1
holds "around the end" out.st "y F32 [3,2,2] 1 2.5 0 0 -3 4 0 0 0 0 -3 4"
refuses "strict" 1 "indices[2] has start -1" "$CLQUANT" dequantize read.st -o out.st --strict
refuses "starts on the first axis" 1 "axis is 0" "$CLQUANT" dequantize read.st -o out.st --axis 0
for length in 4 2147483647 -5; do
    run "$CLQUANT" dequantize read.st -o out.st --length "$length"
    refused "entries of $length" 1 "--length is $length: it must be from 0 to 3, the size of 'q' on --axis 1"
done
"$TENSOR_FILE" make slots.st q:I8:2x3x2:0,0,0,0,2,5,-6,8,0,0,0,0 indices:I32:4:3,-1,2,6 scale:F32:1:0.5
run "$CLQUANT" dequantize slots.st -o out.st --index-kind slots
check "a slot that was dropped is said, and one that was skipped is not" test "$status,$err" = \
    "0,clquant: slots.st: dequantize: 1 entry out of range dropped; the first: indices[3] is slot 6: it must be from 0 to 5, for the cache \
has 2 batches of 3 on axis 1, or -1, which skips the entry"
holds "both are zero" out.st "y F32 [4,1,2] -3 4 0 0 1 2.5 0 0"
run "$CLQUANT" dequantize slots.st -o out.st --index-kind slots --length 2
refused "a slot is one position" 1 "y.shape[1] is 2: with --index-kind slots it must be 1, for a slot is one position"
run "$CLQUANT" dequantize read.st -o out.st --length 0
holds "entries of nothing" out.st "y F32 [3,0,2]"

"$TENSOR_FILE" make rows.st x:F32:2x4:0,1,2,3,-4,0,4,8
run "$CLQUANT" dynamic_quantize rows.st -o q.st --dtype int8 --symmetric
succeeds "rows with scales of their own" "$CLQUANT" dequantize q.st -o out.st --mode dynamic --dtype float16
holds "symmetric" out.st "y F16 [2,4] 0 0.9921875 2.0078125 3 -4.03125 0 4.03125 8"
"$TENSOR_FILE" make rows.st q:I8:2x4:0,1,2,3,-4,0,4,8 scales:F32:2:1
run "$CLQUANT" dequantize rows.st -o out.st --rotate 2
refused "other modes know no rotation" 1 "--rotate is 2: it must be 0 where --mode is divide, for rows are turned with --mode dynamic alone"
refuses "blocks longer than a row" 1 "--rotate is 8: it must divide y.shape[1], 4" "$CLQUANT" dequantize rows.st -o out.st --mode dynamic --rotate 8

"$TENSOR_FILE" make groups.st q:I8:3x2:1,2,3,4,5,6 scale:F32:2x2:1,2,4,8 group_index:I32:2:1,3
run "$CLQUANT" dequantize groups.st -o out.st --mode multiply
holds "by groups" out.st "y F32 [3,2] 1 1 0.75 0.5 1.25 0.75"
refuses "groups were multiplied" 1 "--mode is divide: with group_index it must be multiply" "$CLQUANT" dequantize groups.st -o out.st
"$TENSOR_FILE" make ways.st q:I8:3x2:1,2,3,4,5,6 scale:F32:1:1 group_index:I32:2:1,3 indices:I32:1:0
run "$CLQUANT" dequantize ways.st -o out.st --mode multiply
refused "groups and entries" 1 "indices and group_index are both given: one of them is expected; --tensor indices="
"$TENSOR_FILE" make flat.st q:I8:6:1,2,3,4,5,6 scale:F32:1:1 indices:I32:1:0
refuses "entries of rank 1" 1 "q's rank is 1: it must be from 2 to 8" "$CLQUANT" dequantize flat.st -o out.st

finish
