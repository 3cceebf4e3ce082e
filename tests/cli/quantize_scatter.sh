#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Updates quantized into a cache: what comes out, indices out of range, and what the documented call refuses.
source "$(dirname "$0")/library.sh"

updates=updates:F16:2x1x4:1,2.5,-3.5,1000,5,6,7,8
"$TENSOR_FILE" make in.st cache:I8:2x3x4:9 indices:I32:2:2,1 $updates scales:F32:1:1
succeeds "drop, divide and the second-to-last axis are the defaults" "$CLQUANT" quantize_scatter in.st -o out.st
holds "in place" out.st "cache I8 [2,3,4] 9 9 9 9 9 9 9 9 1 2 -4 127 9 9 9 9 5 6 7 8 9 9 9 9"
succeeds "promises that are kept" "$CLQUANT" quantize_scatter in.st -o in2.st --dtype int8 --unique --strict --mode multiply
holds "the same" in2.st "cache I8 [2,3,4] 9 9 9 9 9 9 9 9 1 2 -4 127 9 9 9 9 5 6 7 8 9 9 9 9"
refuses "the other tensors are not copied" 1 "needs the tensor 'indices'" "$CLQUANT" quantize_scatter out.st -o again.st

"$TENSOR_FILE" make pairs.st k:U8:2x3x4:7 i:I64:4x2:0,1,1,2,0,1,1,0 u:BF16:4x1x4:1,2,3,4,5,6,7,300,9,10,11,12,13,-14,15,16 \
    s:F32:4:1,2,1,1 z:U8:1:1
names=(--tensor cache=k --tensor indices=i --tensor updates=u --tensor scales=s --tensor zero_points=z)
succeeds "batch and start; the last entry wins" "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}" --dtype uint8
holds "uint8" out.st "cache U8 [2,3,4] 7 7 7 7 10 6 12 13 7 7 7 7 14 0 16 17 7 7 7 7 6 4 8 255"
"$TENSOR_FILE" make ties.st cache:I8:1x2x4:9 indices:I32:1:1 updates:F32:1x1x4:0.5,1.5,2.5,-2.5 scales:F32:1:1 zero_points:I8:1:1
run "$CLQUANT" quantize_scatter ties.st -o out.st --round-first
holds "rounded before the zero point is added" out.st "cache I8 [1,2,4] 9 9 9 9 1 3 3 -1"
refuses "bytes may be one or two" 1 "'k' is U8, which may be one of uint8, int4, uint4" "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}"
refused "and what says it" 1 ": --dtype is expected"
run "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}" --dtype int8
refused "bytes are not int8" 1 "'k' is U8, and --dtype is int8: it may be one of int8 (I8), uint8 (U8), int4 (U8 or I32), uint4 (U8 or I32), float8_e4m3fn (F8_E4M3), float8_e5m2 (F8_E5M2)"
refuses "a byte of two, and as many updates" 1 "updates" "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}" --dtype int4
run "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}" --dtype int32
refused "a type that no cache has" 2 "--dtype 'int32': one of int8, uint8, int4, uint4, float8_e4m3fn, float8_e5m2"
run "$CLQUANT" quantize_scatter pairs.st -o out.st "${names[@]}" --tensor cache=u
refused "a cache of floats" 1 "'u' is BF16: it may be one of int8 (I8), "

"$TENSOR_FILE" make nibbles.st cache:U8:1x2x4:17 words:I32:1x2x1:286331153 indices:I32:1:1 \
    updates:F32:1x1x8:0,1,2,3,4,5,6,-8 scales:F32:1:1
run "$CLQUANT" quantize_scatter nibbles.st -o out.st --dtype int4
holds "int4 in bytes" out.st "cache U8 [1,2,4] 17 17 17 17 16 50 84 134"
run "$CLQUANT" quantize_scatter nibbles.st -o out.st --tensor cache=words
holds "words mean int4" out.st "cache I32 [1,2,1] 286331153 -2041302512" # 0x86543210
run "$CLQUANT" quantize_scatter nibbles.st -o out.st --tensor cache=words --dtype uint8
refused "words are not uint8" 1 "'words' is I32, and --dtype is uint8"
refuses "int4 along the last axis" 1 "axis is -1" "$CLQUANT" quantize_scatter nibbles.st -o out.st --dtype int4 --axis -1
refuses "along the first axis" 1 "axis is 0" "$CLQUANT" quantize_scatter in.st -o out.st --axis 0

"$TENSOR_FILE" make vllm.st cache:I8:2x2x1x2:9 indices:I32:2:3,0 updates:F32:2x1x2:1,2,3,4 scales:F32:1:1
run "$CLQUANT" quantize_scatter vllm.st -o out.st --axis 1 --index-kind slots
holds "rows of slots without their one position" out.st "cache I8 [2,2,1,2] 3 4 9 9 9 9 1 2"

# Rows for slots of a cache [slots, head, dim], no axis said: every start but 0 would be dropped, and so in each scatter and gather.
"$TENSOR_FILE" make rows.st cache:I8:4x2x2:9 cache_scales:F32:4x2:1 indices:I32:2:2,3 updates:F32:2x2x2:1,2 scales:F32:1:1
for call in "quantize_scatter cache updates" "dynamic_quantize_scatter cache updates" "dequantize q y"; do
    read -r operator name entries <<<"$call"
    options=()
    [ $operator = dynamic_quantize_scatter ] && options=(--symmetric)
    [ $operator = dequantize ] && options=(--length 2)
    run "$CLQUANT" $operator rows.st -o rows_out.st "${options[@]}"
    refused "$operator of rows for slots, without an axis" 1 "$operator: --axis is left out, which means -2, and $entries.shape[1] is all of \
$name.shape[1], 2, so that an entry can start at 0 alone: give --axis; a cache of which indices count the first dimension is taken as \
[1, 4, ..] with --index-kind slots"
    run "$CLQUANT" $operator rows.st -o rows_out.st "${options[@]}" --axis 0
    refused "$operator of rows for slots, along axis 0" 1 "--axis is 0: it must be"
    rm -f rows_out.st
    run "$CLQUANT" $operator rows.st -o rows_out.st "${options[@]}" --axis -2
    check "$operator where -2 is said does it, and says what is dropped" test "$status,${err%% dropped*}" = \
        "0,clquant: rows.st: $operator: 2 entries out of range"
done
rm rows.st rows_out.st

# Out of range: dropped and counted, moved, wrapped, or refused.
"$TENSOR_FILE" make far.st cache:I8:2x3x4:9 indices:I64:2:-1,3 $updates scales:F32:1:1
dropped="clquant: far.st: quantize_scatter: 2 entries out of range dropped; the first: indices[0] has start -1: it must be from 0 to 2, the cache's 3 on axis 1 less an entry's 1; \
1-D indices are starts, entry 0's in batch 0"
run "$CLQUANT" quantize_scatter far.st -o out.st
check "what was dropped is said" test "$status,$err" = "0,$dropped"
holds "and nothing is written" out.st "cache I8 [2,3,4]$(printf ' 9%.0s' {1..24})"
run "$CLQUANT" quantize_scatter far.st -o out.st --out-of-range clamp
check "what was clamped is said" test "$status,$err" = "0,${dropped/dropped/clamped}"
holds "clamp" out.st "cache I8 [2,3,4] 1 2 -4 127 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 5 6 7 8"
succeeds "a start that wraps is no fault" "$CLQUANT" quantize_scatter far.st -o out.st --out-of-range wrap
holds "wrap" out.st "cache I8 [2,3,4] 9 9 9 9 9 9 9 9 1 2 -4 127 5 6 7 8 9 9 9 9 9 9 9 9"
cp out.st old.st
for policy in drop clamp wrap; do
    run "$CLQUANT" quantize_scatter far.st -o out.st --strict --out-of-range $policy
    refused "strict, $policy" 1 "indices[0] has start -1: it must be from 0 to 2"
    check "strict, $policy: the old OUT stays" cmp -s out.st old.st
done
"$TENSOR_FILE" make batch.st cache:I8:2x3x4:9 indices:I32:2x2:1,0,2,0 $updates scales:F32:1:1
run "$CLQUANT" quantize_scatter batch.st -o out.st
check "one entry is one entry" test "$status,$err" = \
    "0,clquant: batch.st: quantize_scatter: 1 entry out of range dropped; the first: indices[1] has batch 2: \
it must be from 0 to 1, the cache's first dimension less one"
refuses "strict, a batch" 1 "indices[1] has batch 2: it must be from 0 to 1" "$CLQUANT" quantize_scatter batch.st -o out.st --strict

# Slots: places of the whole cache, and -1, which skips an entry without a word.
"$TENSOR_FILE" make slots.st cache:I8:2x3x4:9 indices:I64:5:4,-1,2,4,6 \
    updates:F16:5x1x4:1,1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,5,5,5,5 scales:F32:1:1
run "$CLQUANT" quantize_scatter slots.st -o out.st --index-kind slots
check "a slot behind the last is dropped and said" test "$status,$err" = \
    "0,clquant: slots.st: quantize_scatter: 1 entry out of range dropped; the first: indices[4] is slot 6: it must be from 0 to 5, \
for the cache has 2 batches of 3 on axis 1, or -1, which skips the entry"
holds "slots; the last entry wins" out.st "cache I8 [2,3,4] 9 9 9 9 9 9 9 9 3 3 3 3 9 9 9 9 4 4 4 4 9 9 9 9"
refuses "strict, a slot" 1 "indices[4] is slot 6: it must be from 0 to 5" "$CLQUANT" quantize_scatter slots.st -o out.st --index-kind slots --strict
run "$CLQUANT" quantize_scatter slots.st -o out.st --index-kind slots --out-of-range clamp
refused "slots are not clamped" 1 "--out-of-range is clamp: with --index-kind slots it must be drop"
run "$CLQUANT" quantize_scatter batch.st -o out.st --index-kind slots
refused "pairs are no slots" 1 "indices's rank is 2: with --index-kind slots it must be 1"
"$TENSOR_FILE" make skipped.st cache:I8:2x3x4:9 indices:I32:2:-1,5 $updates scales:F32:1:1
succeeds "what is skipped is no fault" "$CLQUANT" quantize_scatter skipped.st -o out.st --index-kind slots --strict
holds "and leaves its place" out.st "cache I8 [2,3,4]$(printf ' 9%.0s' {1..20}) 5 6 7 8"

# The documented calls, with the shapes that their documents show.
"$TENSOR_FILE" make documented.st self:I8:24x4096x128:3 indices:I32:24:0 updates:BF16:24x1x128:1.5,1.25 \
    quant_scales:BF16:1x1x128:0.5,0.25 quant_zero_points:BF16:1x1x128:0.5,-7
options=(--axis -2 --quant-axis -1 --reduce update)
row=$(printf ' 4 -2%.0s' {1..64}) # 3.5 is a tie
kept=$(printf ' 3%.0s' {1..128})
succeeds "in place" "$CLQUANT" npu_quant_scatter_ documented.st -o self.st "${options[@]}"
succeeds "into a copy" "$CLQUANT" npu_quant_scatter documented.st -o output.st "${options[@]}" --tensor input=self --strict
for name in self output; do
    "$TENSOR_FILE" show $name.st >shown
    check "$name is 24 by 4096 by 128" test "$(cut -c1-30 shown | grep -cE "^$name I8 \[24,4096,128\]")" = 1
    check "$name: the first row of every batch is new, all others stay" cmp -s <(cut -d' ' -f4- shown) \
        <(for ((b = 0; b < 24; b++)); do
            printf '%s' "$row"
            yes -- "$kept" | head -n 4095 | tr -d '\n'
        done | cut -c2- ; )
done

names=(--tensor self=cache --tensor quant_scales=s)
"$TENSOR_FILE" make in.st cache:I8:2x3x4:9 indices:I32:2:3,1 $updates s:F32:4:1 one:F32:1:1 flat:I8:2x3:1 words:I32:2x3x4:1 \
    more:F32:3x1x4:1 three:I32:3:0
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" --axis 0
refused "the axis of the documents" 1 "--axis is 0: it must be neither the first nor the last dimension of updates; pass -2"
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" --quant-axis 1
refused "the quant_axis of the documents" 1 "--quant-axis is 1: it must be the last dimension of updates; pass -1"
"$TENSOR_FILE" make float8.st cache:F8_E4M3:2x3x4:9 indices:I32:2:2,1 $updates s:F32:4:1
run "$CLQUANT" npu_quant_scatter_ float8.st -o out.st "${names[@]}" --dst-type float8_e4m3fn --round-mode rint
holds "float8 by the documented call" out.st "self F8_E4M3 [2,3,4]$(printf ' 9%.0s' {1..8}) 1 2.5 -3.5 448 9 9 9 9 5 6 7 8 9 9 9 9"
refuses "which is told" 1 "self's type is F8_E4M3: for dst_type I8 it must be I8" "$CLQUANT" npu_quant_scatter_ float8.st -o out.st "${names[@]}"
run "$CLQUANT" quantize_scatter float8.st -o out.st --tensor scales=s
holds "and by the other, which knows it by its type" out.st "cache F8_E4M3 [2,3,4]$(printf ' 9%.0s' {1..8}) 1 2.5 -3.5 448 9 9 9 9 5 6 7 8 9 9 9 9"
"$TENSOR_FILE" make right.st cache:I8:2x3x4:9 indices:I32:2:2,1 $updates s:F32:4:1
run "$CLQUANT" npu_quant_scatter_ right.st -o left.st "${names[@]}"
check "axis and quant_axis left out are the shipped -2 and -1" test "$status,$err" = "0,"
run "$CLQUANT" npu_quant_scatter_ right.st -o given.st "${names[@]}" --axis -2 --quant-axis -1
check "and give the same bytes" cmp -s left.st given.st
refuses "the last axis" 1 "--axis is 2" "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" --axis 2 --quant-axis 2
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}" --reduce add
refused "another reduction" 2 "--reduce 'add': one of update is expected"
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}" --tensor quant_scales=one
refused "one scale for all" 1 "quant_scales has 1 elements: it must have one per index of the last axis of updates, 4"
refuses "a cache of words" 1 "it must be I8" "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}" --tensor self=words
run "$CLQUANT" npu_quant_scatter in.st -o out.st --tensor input=words --tensor quant_scales=s "${options[@]}"
refused "a cache of words, copied" 1 "it must be I8"
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}" --tensor updates=more --tensor indices=three
refused "more updates than batches" 1 "updates.shape[0] is 3: it must be at most self.shape[0], 2"
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}"
check "what was dropped is said" test "$status,$err" = \
    "0,clquant: in.st: npu_quant_scatter_: 1 entry out of range dropped; the first: indices[0] has start 3: it must be from 0 to 2, the cache's 3 on axis 1 less an entry's 1; \
1-D indices are starts, entry 0's in batch 0; a slot of the whole cache is given as [batch, start] in indices [N, 2]"
holds "and the rest is written" out.st "self I8 [2,3,4]$(printf ' 9%.0s' {1..16}) 5 6 7 8 9 9 9 9"
cp out.st old.st
run "$CLQUANT" npu_quant_scatter_ in.st -o out.st "${names[@]}" "${options[@]}" --strict
refused "strict" 1 "indices[0] has start 3: it must be from 0 to 2"
check "the old OUT stays" cmp -s out.st old.st
refuses "a flag takes no value" 2 "--strict" "$CLQUANT" npu_quant_scatter_ in.st -o out.st --strict=no

finish
