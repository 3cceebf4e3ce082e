#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a user did wrong, and what is said: in the words of the file and of the command line, before a tensor is read.
source "$(dirname "$0")/library.sh"

# A file whose header speaks of 64 GiB, of which the disk has none: who reads it does not end here.
"$TENSOR_FILE" make small.st scales:F32:3:1,2,4
sparse() { # PATH SHAPE SCALES
    local header
    header=$(printf '{"x":{"dtype":"F16","shape":[%s],"data_offsets":[0,68719476736]},"scales":{"dtype":"F32","shape":[%s],"data_offsets":[68719476736,68719476748]}}' "$2" "$3")
    file_of "$1" "$header" 0
    truncate -s $((8 + ${#header} + 68719476748)) "$1"
}
sparse huge.st 34359738368 3
run "$CLQUANT" quantize huge.st -o out.st
refused "three scales for an x of 64 GiB, with axis 0 of rank 1" 1 "scales has 3 elements: --axis is 0, so it must have 1, or 34359738368 as x.shape[0]"
check "no OUT is begun" test ! -e out.st
refuses "it is said before a device is looked for" 1 "scales has 3 elements" timeout 20 "$CLQUANT" quantize huge.st -o out.st --device nobody
rm huge.st

"$TENSOR_FILE" make in.st x:F32:4x6:1 column:F32:4x1:1 rows:F32:4:1 five:F32:5:1 long:I64:4x6:1
run "$CLQUANT" quantize in.st -o out.st --tensor scales=column
check "scales of a column say by their shape that they are the rows'" test "$status" = 0
run "$CLQUANT" quantize in.st -o out.st --tensor scales=rows
refused "as many scales as another axis has" 1 "scales has 4 elements: --axis is 1, so it must have 1, or 6 as x.shape[1]; is --axis 0 meant?"
run "$CLQUANT" quantize in.st -o out.st --tensor scales=five
refused "as many as no axis has" 1 "so it must have 1, or 6 as x.shape[1]; scales is tensor 'five'"
run "$CLQUANT" quantize in.st -o out.st --tensor scales=rows --axis 2
refused "an axis past the last" 1 "--axis is 2: it must be from -2 to 1, for x has 2 dimensions"
run "$CLQUANT" quantize in.st -o out.st --tensor x=long --tensor scales=rows
refused "types are named as in the file" 1 "x's type is I64: it must be F32, F16 or BF16"

"$TENSOR_FILE" make flat.st cache:I8:4x8:0 indices:I32:4:0 updates:F32:4x2:1 scales:F32:1:1
run "$CLQUANT" quantize_scatter flat.st -o out.st
refused "a cache of rank 2, the axis left out" 1 "--axis is left out, which means -2: it must be 1 or -1, any of the 2 dimensions of cache but the first"
"$TENSOR_FILE" make heads.st cache:I8:1x16x2x8:0 cache_scales:F32:1x16x2:0 cache_offsets:F32:1x16x2:0 indices:I32:1:3 \
    updates:F32:1x1x2x8:1
run "$CLQUANT" dynamic_quantize_scatter heads.st -o out.st
refused "a cache of tokens and heads, the axis left out" 1 \
    "updates.shape[1] is 1: it must be cache.shape[1], 16, for --axis is 2, where alone an entry may be shorter than the cache; is --axis 1 meant?"
run "$CLQUANT" dynamic_quantize_scatter heads.st -o out.st --axis 1
check "with --axis 1 it is right" test "$status,$err" = "0,"

"$TENSOR_FILE" make back.st q:I8:2x6:1 scales:F32:5:1
refuses "dequantize speaks of q" 1 "scales has 5 elements: --axis is 1, so it must have 1, or 6 as q.shape[1]" "$CLQUANT" dequantize back.st -o out.st
refuses "and of its dimensions" 1 "--axis is 3: it must be from -2 to 1, for q has 2 dimensions" "$CLQUANT" dequantize back.st -o out.st --axis 3

"$TENSOR_FILE" make slots.st cache:I8:4x16x8:0 indices:I64:4:1,33,50,63 updates:F32:4x1x8:1 scales:F32:1:1
run "$CLQUANT" quantize_scatter slots.st -o out.st
check "flat slots for starts" test "$status,$err" = \
    "0,clquant: slots.st: quantize_scatter: 3 entries out of range dropped; the first: indices[1] has start 33: it must be from 0 to 15, the \
cache's 16 on axis 1 less an entry's 1; 1-D indices are starts, entry 1's in batch 1; a slot of the whole cache is given with --index-kind slots, \
or as [batch, start] in indices [N, 2]"
"$TENSOR_FILE" make none.st cache:I8:0x16x8:0 indices:I64:1x2:0 updates:F32:1x1x8:1 scales:F32:1:1
run "$CLQUANT" quantize_scatter none.st -o out.st --strict
refused "a cache of no batches" 1 "indices[0] has batch 0: the cache has no batches, for its first dimension is 0"
"$TENSOR_FILE" make empty.st cache:I8:3x4x8:7 indices:I32:3:4,5,-7 updates:F32:3x0x8:1 scales:F32:1:1
for strict in "" --strict; do
    run "$CLQUANT" quantize_scatter empty.st -o "out$strict.st" $strict
    check "updates without elements do not mind where they go, ${strict:-plainly}" test "$status,$err" = "0,"
done
check "and the cache is the same" cmp -s out.st out--strict.st
"$TENSOR_FILE" make both.st q:I8:2x6:1 scales:F32:2x6:1 indices:I32:2:0 group_index:I32:2:1,2
run "$CLQUANT" dequantize both.st -o out.st --mode multiply
refused "indices that are in the file by chance" 1 "indices and group_index are both given: one of them is expected; --tensor indices= or"
run "$CLQUANT" dequantize both.st -o out.st --mode multiply --tensor indices=
check "left out" test "$status,$err" = "0,"

# The library's names of options and choices, and ranks that have no room, in the command's words.
"$TENSOR_FILE" make words.st x:F32:2x32:1 global_scale:F32:1:1 flat:F32::1 deep:F32:1x1x1x1x1x1x1x32:1 starts:I32:2:1,2 codes:I8:2x32:1 \
    row:I32:1x1:0 one:F32:1:1 cache:F32:2x32x1:0 entries:F32:2x32x1:1
while IFS='|' read -r arguments sentence; do
    refuses "$arguments" 1 "$sentence" "$CLQUANT" ${arguments%% *} words.st -o none.st ${arguments#* }
done <<'ROWS'
dynamic_quantize --symmetric|global_scale is given: it must be left out (--tensor NAME=) but with --scale-rule nvfp4
dynamic_quantize --scale-rule nvfp4 --dtype float8_e4m3fn|y's type is F8_E4M3: with --scale-rule nvfp4 it must be F4
dynamic_quantize --scale-rule mx_ceil --dtype float4_e2m1fn --block-all --tensor global_scale=|--block-all is given: with --scale-rule it must be left out
dequantize --tensor q=codes --tensor scales=one|global_scale is given: it is for --mode dynamic, and --mode is divide
npu_anti_quant --tensor x=codes --tensor scale=one --src-dtype quint4x2|x's type is I8: for --src-dtype quint4x2 it must be I32 words
move_rows --tensor src=entries --tensor dst=cache --tensor dst_indices=starts|with --src-index-kind or --dst-index-kind slots
npu_dynamic_block_quant --row-block-size 0|--row-block-size is 0: it must be from 1 to 2147483647
npu_dynamic_mx_quant --tensor input=deep|tensor 'deep' has rank 8: it must be from 1 to 7
npu_dynamic_mx_quant --tensor input=flat|tensor 'flat' has rank 0: it must be from 1 to 7
npu_scatter_nd_update --tensor input=flat --tensor indices=row --tensor updates=one|tensor 'flat' has rank 0: it must have a dimension
npu_scatter_nd_update_ --tensor input=flat --tensor indices=row --tensor updates=one|tensor 'flat' has rank 0: it must have a dimension
quantize --tensor x=flat --tensor scales=one --dtype int4|tensor 'flat' has rank 0: it must have a last dimension, along which 2 values
quantize --tensor x=flat --tensor scales=one --dtype int4 --container words|tensor 'flat' has rank 0: it must have a last dimension, along which 8 values
dynamic_quantize --tensor x=flat --dtype q8_0|tensor 'flat' has rank 0: it must have a last dimension, along which 32 values
ROWS

# What one writes the next reads.
"$TENSOR_FILE" make x.st x:F32:2x4:-1,0.5,2,127,0.25,1,-3,4
run "$CLQUANT" scales x.st -o s.st --method minmax
check "scales" test "$status,$err" = "0,"
run "$CLQUANT" quantize x.st s.st -o y.st
check "of which quantize takes scales and zero points" test "$status,$err" = "0,"
run "$CLQUANT" dequantize y.st s.st -o back.st
check "and dequantize all three" test "$status,$err" = "0,"
run "$TENSOR_FILE" show back.st
check "x is back but for half of a step, 130 / 255 / 2" awk -v want="-1 0.5 2 127 0.25 1 -3 4" '
    { n = split(want, x, " "); for (i = 1; i <= n; i++) { d = $(3 + i) - x[i]; if (d > 0.2551 || d < -0.2551) bad = 1 } }
    END { exit bad || NF != 11 }' <<<"$out"
run "$CLQUANT" dynamic_quantize x.st -o d.st --dtype int8
run "$CLQUANT" dequantize d.st -o back.st --mode dynamic
check "dynamic_quantize and dequantize need one file" test "$status,$err" = "0,"
run "$CLQUANT" dynamic_quantize_scatter heads.st -o kept.st --axis 1 --dtype int8
"$TENSOR_FILE" make where.st indices:I32:1:3
run "$CLQUANT" dequantize kept.st where.st -o row.st --mode dynamic --axis 1
check "a cache that was written is read back by its own names" test "$status,$err" = "0,"
finish
