#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rows by scales found from them: dense, into a cache, and by the documented call.
source "$(dirname "$0")/library.sh"

x=x:F16:2x4:0,15,7.5,3,-1,2,0,0.5
"$TENSOR_FILE" make in.st $x
succeeds "int8 with an offset is the default, as in Python" "$CLQUANT" dynamic_quantize in.st -o out.st
holds "int8" out.st 'y I8 [2,4] -128 127 0 -77 -128 127 -43 0
scales F32 [2] 0.0588235296 0.0117647061
offsets F32 [2] 128 43'
succeeds "int4 with an offset, in bytes" "$CLQUANT" dynamic_quantize in.st -o out.st --dtype int4
holds "int4" out.st $'y U8 [2,2] 120 176 120 13\nscales F32 [2] 1 0.200000003\noffsets F32 [2] 8 3'
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype uint4
holds "uint4 is 8 above" out.st $'y U8 [2,2] 240 56 240 133\nscales F32 [2] 1 0.200000003\noffsets F32 [2] -0 -5'
succeeds "uint8 has offsets too" "$CLQUANT" dynamic_quantize in.st -o out.st --dtype uint8
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype uint8 --symmetric
refused "none that begins at 0 is symmetric" 1 "--symmetric is given: it must be left out where y's type is U8, whose range begins at 0"
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype float8_e4m3fn --symmetric
holds "float8 is symmetric" out.st \
    $'y F8_E4M3 [2,4] 0 448 224 88 -224 448 0 112\nscales F32 [2] 0.0334821418 0.00446428591'
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype float8_e5m2
refused "float8 is nothing else" 1 "--symmetric is left out: it must be given where y's type is F8_E5M2, which has no offset"
"$TENSOR_FILE" make smooth.st $x smooth_scale:F32:4:1,2,1,1
run "$CLQUANT" dynamic_quantize smooth.st -o out.st --dtype int4
holds "a smooth scale multiplies x first" out.st \
    $'y U8 [2,2] 120 172 120 203\nscales F32 [2] 2 0.333333343\noffsets F32 [2] 8 5'
run "$CLQUANT" dynamic_quantize in.st -o out.st --symmetric --dtype int8
holds "symmetric int8 has no offset" out.st \
    $'y I8 [2,4] 0 127 63 25 -64 127 0 32\nscales F32 [2] 0.11811024 0.0157480314'
"$TENSOR_FILE" make eight.st x:F32:8:0,1,2,3,4,5,6,15
run "$CLQUANT" dynamic_quantize eight.st -o out.st --container words --dtype int4
holds "int4 in words; one row has a scale without dimensions" out.st \
    $'y I32 [1] 2128394904\nscales F32 [] 1\noffsets F32 [] 8' # 0x7edcba98
run "$CLQUANT" dynamic_quantize in.st -o out.st --container words --dtype int4
refused "a row is no whole word" 1 "'x': its last dimension, 4, is not a multiple of 8"
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype int8 --container words
refused "int8 has no container" 2 "--container is for types of less than 8 bits, and --dtype is int8"
"$TENSOR_FILE" make scalar.st x:F32::1
refuses "no row" 1 "'x' has rank 0: it must have rows" "$CLQUANT" dynamic_quantize scalar.st -o out.st --dtype int8
"$TENSOR_FILE" make short.st $x smooth_scale:F32:3:1,1,1
run "$CLQUANT" dynamic_quantize short.st -o out.st --dtype int4
refused "a smooth scale for every element" 1 "smooth_scales has 3 elements: it must have one per element of a row, 4"

succeeds "rows may be rotated" "$CLQUANT" dynamic_quantize eight.st -o out.st --symmetric --dtype int8 --rotate 4
holds "blocks of four" out.st $'y I8 [8] 25 -8 -17 0 127 -42 -51 34\nscales F32 [] 0.11811024'
run "$CLQUANT" dequantize out.st -o back.st --mode dynamic --rotate 4 --dtype float16
holds "and back" back.st "y F16 [8] 0 0.944824219 2.0078125 2.953125 4.015625 4.9609375 6.0234375 15"
run "$CLQUANT" dynamic_quantize in.st -o out.st --rotate 3 --dtype int4
refused "a block that is no power of two" 2 "--rotate '3': 0, or a power of two from 2 to 1024, is expected"
run "$CLQUANT" dynamic_quantize in.st -o out.st --rotate 8 --dtype int4
refused "a row is whole blocks" 1 "--rotate is 8: it must divide x.shape[1], 4, for a row is turned in whole blocks"

# What shares a scale
succeeds "a scale for each two of a row, of 16 bits" "$CLQUANT" dynamic_quantize in.st -o out.st --block 2 --scale-dtype float16 --dtype int4
holds "blocks" out.st $'y U8 [2,2] 120 135 120 120\nscales F16 [2,2] 1 0.300048828 0.199951172 0.0333251953\noffsets F16 [2,2] 8 18 3.00195312 8'
run "$CLQUANT" dequantize out.st -o back.st --of int4 --mode dynamic --block 2
holds "and back" back.st "y F32 [2,4] 0 15 7.5012207 3.00048828 -0.99936533 1.99990225 0 0.49987793"
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype int8 --axis 0
holds "a scale for each column" out.st 'y I8 [2,4] 127 127 127 127 -128 -128 -128 -128
scales F32 [4] 0.00392156886 0.0509803928 0.0294117648 0.00980392192
offsets F32 [4] -127 167.230774 128 179'
run "$CLQUANT" dynamic_quantize in.st -o out.st --axis 0 --rotate 4 --scale-dtype bfloat16 --dtype int4
succeeded "rotated along rows, a scale for each column of that"
succeeds "and turned back" "$CLQUANT" dequantize out.st -o back.st --of int4 --mode dynamic --axis 0 --rotate 4
run "$CLQUANT" dynamic_quantize in.st -o out.st --dtype int8 --symmetric --block-all
holds "one scale for all" out.st $'y I8 [2,4] 0 127 63 25 -8 17 0 4\nscales F32 [1] 0.11811024'
run "$CLQUANT" dynamic_quantize in.st -o out.st --axis 4 --dtype int4
refused "an axis that is not there" 1 "--axis is 4: it must be from -2 to 1, for y has 2 dimensions"
refuses "blocks of all" 1 "--block is 2: with --block-all it must be 0" "$CLQUANT" dynamic_quantize in.st -o out.st --block-all --block 2 --dtype int4
run "$CLQUANT" dynamic_quantize in.st -o out.st --block 3 --dtype int4
refused "a byte of two blocks" 1 "--block is 3: along the last dimension of int4 it must be a multiple of 2"
"$TENSOR_FILE" make empty.st x:F32:0x2:
run "$CLQUANT" dynamic_quantize empty.st -o out.st --block-all --dtype int8
holds "no element at all has the scale of a row of none" out.st $'y I8 [0,2]\nscales F32 [1] 9.99999996e-13\noffsets F32 [1] -127'
run "$CLQUANT" dynamic_quantize empty.st -o out.st --axis 0 --dtype int8 --symmetric --scale-dtype float16
holds "columns of no element" out.st $'y I8 [0,2]\nscales F16 [2] 5.96046448e-08 5.96046448e-08'

# The documented calls
run "$CLQUANT" npu_dynamic_quant in.st -o out.st
holds "int8 by rows" out.st $'y I8 [2,4] 0 127 63 25 -64 127 0 32\nscale F32 [2] 0.11811024 0.0157480314'
run "$CLQUANT" npu_dynamic_quant in.st -o out.st --quant-mode perchannel
holds "by columns" out.st 'y I8 [2,4] 0 127 127 127 -127 17 0 21
scale F32 [4] 0.00787401572 0.11811024 0.0590551198 0.0236220472'
"$TENSOR_FILE" make rows.st x:F32:2x2:1,2,3,4 smooth_scales:F32:2:1,10
run "$CLQUANT" npu_dynamic_quant rows.st -o out.st --quant-mode perchannel
holds "by columns of smoothed rows" out.st $'y I8 [2,2] 4 6 127 127\nscale F32 [2] 0.236220479 0.314960629'
run "$CLQUANT" npu_dynamic_quant in.st -o out.st --quant-mode pertensor --dst-type-max 63.5
holds "one scale, and a largest value of the caller's" out.st $'y I8 [2,4] 0 63 32 13 -4 8 0 2\nscale F32 [1] 0.236220479'
run "$CLQUANT" npu_dynamic_quant_asymmetric in.st -o out.st
holds "an offset that is added" out.st 'y I8 [2,4] -128 127 0 -77 -128 127 -43 0
scale F32 [2] 0.0588235296 0.0117647061
offset F32 [2] -128 -43'
run "$CLQUANT" npu_dynamic_quant_asymmetric eight.st -o out.st --dst-type quint4x2
holds "the example of the header" out.st $'y I32 [1] 2128394904\nscale F32 [] 1\noffset F32 [] -8'
run "$CLQUANT" npu_dynamic_quant in.st -o out.st --dst-type-max -1
refused "a largest value below 0" 2 "--dst-type-max '-1': a number from 0 to 3.40282e+38 is expected"
"$TENSOR_FILE" make groups.st x:F16:3x4:0,15,7.5,3,-1,2,0,0.5,9,9,9,9 smooth_scales:F32:2x4:1,1,1,1,2,2,2,2 group_index:I32:2:1,2
run "$CLQUANT" npu_dynamic_quant groups.st -o out.st
holds "smooth scales of groups; a row of none" out.st 'y I8 [3,4] 0 127 63 25 -64 127 0 32 0 0 0 0
scale F32 [3] 0.11811024 0.0314960629 0'
"$TENSOR_FILE" make flat.st x:F32:4:1,2,3,4 smooth_scales:F32:1x4:1,1,1,1 group_index:I32:1:1
refuses "groups of no rows" 1 "with group_index it must be from 2 to 8" "$CLQUANT" npu_dynamic_quant flat.st -o out.st
run "$CLQUANT" dynamic_quantize in.st -o out.st --block 2147483648
refused "a block that is too large" 2 "--block '2147483648': a whole number from 0 to 2147483647 is expected"
run "$CLQUANT" npu_dynamic_quant groups.st -o out.st --quant-mode pertensor
refused "groups of rows alone" 1 '--quant-mode is "pertensor": with group_index it must be "pertoken"'

# A quotient by 448 just above 2^-127, to which it is rounded: subnormals have fewer bits.
"$TENSOR_FILE" make edge.st x:F32:1x2:2.63310753e-36,0
run "$CLQUANT" dynamic_quantize edge.st -o out.st --symmetric --dtype float8_e4m3fn --scale-rule mx_rceil
holds "a quotient that is rounded down" out.st $'y F8_E4M3 [1,2] 0 0\nscales F8_E8M0 [1,1] 5.87747175e-39'
"$TENSOR_FILE" make mx.st input:F16:2x4:0,8,64,512,-3,0,0,0
run "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --dst-type float8_e4m3fn
holds "the published example; a pair that is filled with 0, which is 2^-127" out.st 'y F8_E4M3 [2,4] 0 4 32 256 -384 0 0 0
mxscale F8_E8M0 [2,1,2] 2 5.87747175e-39 0.0078125 5.87747175e-39'
run "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --axis 0 --block-size 1 --scale-alg 1
holds "float4, and pairs of rows" out.st 'y U8 [2,2] 96 102 15 0
mxscale F8_E8M0 [1,4,2] 5.87747175e-39 0.5 2 5.87747175e-39 16 5.87747175e-39 128 5.87747175e-39'
run "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --axis 2
refused "an axis past the rank" 1 "--axis is 2: it must be from -2 to 1, for input has 2 dimensions"
refuses "blocks of nothing" 1 "--block-size is 0: it must be from 1 to 2147483647" "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --block-size 0
run "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --block-size 3
refused "a byte of two blocks" 1 "--block-size is 3: along the last dimension of F4 it must be a multiple of 2"
refuses "a third rule" 2 "--scale-alg '2': one of 0, 1 is expected" "$CLQUANT" npu_dynamic_mx_quant mx.st -o out.st --scale-alg 2
"$TENSOR_FILE" make deep.st input:F16:1x1x1x1x1x1x1x2:1
run "$CLQUANT" npu_dynamic_mx_quant deep.st -o out.st
refused "a pair for each of eight dimensions" 1 "tensor 'input' has rank 8: it must be from 1 to 7, for mxscale has a dimension more"

"$TENSOR_FILE" make quotient.st x:F32:2x3:1,-2,0.5,inf,0,-0
run "$CLQUANT" npu_dynamic_block_quant quotient.st -o out.st
holds "quotients; infinities set no scale" out.st $'y I8 [2,3] 64 -127 32 127 0 0\nscale F32 [2,1] 0.0157480314 0'
run "$CLQUANT" npu_dynamic_block_quant quotient.st -o out.st --row-block-size 2 --col-block-size 2 --min-scale 256 --dst-type float8_e4m3fn
holds "blocks of two axes, and a bound" out.st $'y F8_E4M3 [2,3] 256 -448 448 448 0 -0\nscale F32 [1,2] 0.00390625 0.00111607148'
run "$CLQUANT" npu_dynamic_block_quant quotient.st -o out.st --col-block-size 0
refused "blocks of no column" 1 "--col-block-size is 0: it must be from 1 to 2147483647"
run "$CLQUANT" npu_dynamic_block_quant quotient.st -o out.st --row-block-size 0
refused "blocks of no row" 1 "--row-block-size is 0: it must be from 1 to 2147483647"
run "$CLQUANT" npu_dynamic_block_quant quotient.st -o out.st --min-scale -1
refused "a bound below 0" 2 "--min-scale '-1': a number from 0 to 3.40282e+38 is expected"

# Into a cache: [2, 3, 4] is a batch, a position and a row.
rows="cache_scales:F32:2x3:9 cache_offsets:F32:2x3:9 updates:F16:2x1x4:0,15,7.5,3,-1,2,0,0.5"
"$TENSOR_FILE" make cache.st cache:U8:2x3x2:17 indices:I32:2:2,0 $rows
succeeds "starts on the second-to-last axis are the default" "$CLQUANT" dynamic_quantize_scatter cache.st -o out.st --dtype int4
holds "data, scale and offset" out.st 'cache U8 [2,3,2] 17 17 17 17 120 176 120 13 17 17 17 17
cache_scales F32 [2,3] 9 9 1 0.200000003 9 9
cache_offsets F32 [2,3] 9 9 8 3 9 9'
refuses "bytes may be one or two" 1 "'cache' is U8, which may be one of uint8, int4, uint4" "$CLQUANT" dynamic_quantize_scatter cache.st -o out.st
run "$CLQUANT" dynamic_quantize_scatter cache.st -o out.st --dtype int4 --symmetric
refused "a symmetric cache has no offset" 1 "tensor 'cache_offsets' is given as cache_offsets: --symmetric writes no offsets"
refuses "a row is whole" 1 "axis is -1: it must be 1 or -2" "$CLQUANT" dynamic_quantize_scatter cache.st -o out.st --dtype int4 --axis -1
"$TENSOR_FILE" make far.st cache:I8:2x3x4:1 indices:I64:3x2:0,1,5,0,0,1 cache_scale:F32:2x3:9 \
    updates:F32:3x1x4:127,0,0,0,1,1,1,1,0,254,0,0
run "$CLQUANT" dynamic_quantize_scatter far.st -o out.st --symmetric
dropped="clquant: far.st: dynamic_quantize_scatter: 1 entry out of range dropped; the first: indices[1] has batch 5: \
it must be from 0 to 1, the cache's first dimension less one"
check "what was dropped is said" test "$status,$err" = "0,$dropped"
holds "the last entry wins" out.st 'cache I8 [2,3,4] 1 1 1 1 0 127 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
cache_scales F32 [2,3] 9 2 9 9 9 9'
run "$CLQUANT" dynamic_quantize_scatter far.st -o out.st --symmetric --strict
refused "an index out of range, with --strict" 1 "indices[1] has batch 5: it must be from 0 to 1"
"$TENSOR_FILE" make slots.st cache:I8:2x3x4:1 indices:I64:3:4,-1,4 cache_scale:F32:2x3:9 \
    updates:F32:3x1x4:127,0,0,0,1,1,1,1,0,254,0,0
succeeds "slots" "$CLQUANT" dynamic_quantize_scatter slots.st -o out.st --symmetric --index-kind slots
holds "the last entry of a slot wins" out.st 'cache I8 [2,3,4] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 127 0 0 1 1 1 1
cache_scales F32 [2,3] 9 9 9 9 2 9'
refuses "an asymmetric cache has offsets" 1 "it has no cache_offsets, which are written too" "$CLQUANT" dynamic_quantize_scatter far.st -o out.st

run "$CLQUANT" dynamic_quantize_scatter slots.st -o out.st --symmetric --index-kind slots --rotate 2
holds "rotated rows in a cache" out.st 'cache I8 [2,3,4] 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 127 -127 0 0 1 1 1 1
cache_scales F32 [2,3] 9 9 9 9 1.41421354 9'

# Blocks carry their scales: the file counts their bytes.
"$TENSOR_FILE" make blocks.st x:F16:1x32:-8,4 odd:F16:1x16:1
succeeds "blocks without scales" "$CLQUANT" dynamic_quantize blocks.st -o out.st --dtype q4_0
holds "a block's bytes" out.st 'y U8 [1,18] 0 60 0 204 0 204 0 204 0 204 0 204 0 204 0 204 0 204'
succeeds "blocks come back" "$CLQUANT" dequantize out.st -o back.st --of q4_0 --dtype float16
"$TENSOR_FILE" make bytes.st y:U8:1x18:0
run "$CLQUANT" dequantize bytes.st -o back.st --of q8_0
refused "bytes of another block" 1 "its last dimension, 18, is not a multiple of 34, the bytes of a block of q8_0"
run "$CLQUANT" dynamic_quantize blocks.st -o out.st --dtype q4_0 --tensor x=odd
refused "half a block" 1 "its last dimension, 16, is not a multiple of 32, the values of a block of q4_0"
run "$CLQUANT" dynamic_quantize blocks.st -o out.st --dtype q8_0 --symmetric
refused "blocks say it themselves" 1 "--symmetric is given: it must be left out where y's type is q8_0"
run "$CLQUANT" dynamic_quantize blocks.st -o out.st --dtype q8_0 --scale-dtype float16
refused "blocks carry scales of one type" 2 "--scale-dtype is given: it must be left out where --dtype is q8_0, whose blocks carry their scales"
run "$CLQUANT" dynamic_quantize blocks.st -o out.st --dtype q8_0 --rotate 16
refused "turns within a block" 1 "--rotate is 16: it must be 0, or a power of two from 32 to 1024, where y's type is q8_0, whose blocks have 32 elements"
"$TENSOR_FILE" make block_cache.st cache:U8:2x3x18:9 indices:I32:2:2,0 updates:F16:2x1x32:-8
succeeds "a cache of blocks alone" "$CLQUANT" dynamic_quantize_scatter block_cache.st -o out.st --dtype iq4_nl

# The documented call.
"$TENSOR_FILE" make v2.st x:F16:2x1x8:0,15,7.5,3,0,0,0,0,-1,2,0,0.5,0,0,0,0 indices:I32:2:1,2 \
    var:I32:2x2x1x1:5 bytes:U8:2x2x1x4:5 var_scale:F32:2x2:9 var_offset:F32:2x2x1:9
run "$CLQUANT" dynamic_quant_update_scatter_v2 v2.st -o out.st
dropped="clquant: v2.st: dynamic_quant_update_scatter_v2: 1 entry out of range dropped; the first: indices[1] has start"
check "the documented call counts too" test "$status,${err:0:${#dropped}}" = "0,$dropped"
holds "words" out.st 'var I32 [2,2,1,1] 5 -2004307848 5 5
var_scale F32 [2,2] 9 1 9 9
var_offset F32 [2,2,1] 9 8 9 9' # 0x8888b078
run "$CLQUANT" dynamic_quant_update_scatter_v2 v2.st -o out.st --tensor var=bytes
holds "bytes" out.st 'var U8 [2,2,1,4] 5 5 5 5 120 176 136 136 5 5 5 5 5 5 5 5
var_scale F32 [2,2] 9 1 9 9
var_offset F32 [2,2,1] 9 8 9 9'
run "$CLQUANT" dynamic_quant_update_scatter_v2 v2.st -o out.st --strict
refused "an index out of range of the documented call" 1 "indices[1] has start 2: it must be from 0 to 1"
"$TENSOR_FILE" make bad.st x:F16:2x8:1 indices:I32:2:1,2 var:I32:2x2x1x1:5 var_scale:F32:2x2:9 var_offset:F32:2x2:9
refuses "x has three dimensions" 1 "x's rank is 2: it must be 3, [B, 1, H]" "$CLQUANT" dynamic_quant_update_scatter_v2 bad.st -o out.st

finish
