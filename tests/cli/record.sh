#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Operators' files say how they came about: they come back right with no option named, and others are refused.
source "$(dirname "$0")/library.sh"

# floats COUNT: numbers from -2 to 2 in no order, one of them large.
floats() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "%s%g", i ? "," : "", i == 5 ? 3.75 : ((i * 37 + int(i / 7) * 11) % 65 - 32) / 16 }'; }
x=$(floats 256)
"$TENSOR_FILE" make x.st x:F32:4x64:$x
"$TENSOR_FILE" make named.st input:F32:4x64:$x
"$TENSOR_FILE" make second.st global_scale:F32:1:0.002
"$TENSOR_FILE" make scale.st scale:F32:4x1:0.04,0.03,0.03,0.03 zero_points:I8:1:3
"$TENSOR_FILE" make one.st scales:F32:1:0.04
"$TENSOR_FILE" make inverse.st scales:F32:64:$(printf '25,%.0s' {1..63})25 zero_points:F32:1:2
"$TENSOR_FILE" make grouped.st scale:F32:2x64:$(printf '25,%.0s' {1..127})25 group_index:I32:2:1,4
"$TENSOR_FILE" make rows.st updates:F32:4x1x64:$x indices:I32:4:1,1,1,1 scales:F32:1:0.04
"$TENSOR_FILE" make cache.st cache:I8:4x2x64:0 cache_scales:F32:4x2:1 cache_offsets:F32:4x2:0
"$TENSOR_FILE" make nibbles.st cache:U8:4x2x32:0 cache_scales:F16:4x2:1

# near FILE SHARE: the values of y are x's, but for that share of their root mean square; of a cache those of its second rows.
near() {
    "$TENSOR_FILE" show "$1" | awk -v x="$x" -v most="$2" '$1 == "y" { n = split(x, a, ",")
        for (i = 1; i <= n; i++) {
            at = NF - 3 == 2 * n ? i + (int((i - 1) / 64) + 1) * 64 : i
            d += (a[i] - $(at + 3)) ^ 2; s += a[i] ^ 2 }
        exit !(sqrt(d / s) < most) }'
}

# Each: the files, the operator with its options, how near it comes, files that the way back needs besides; and options that
# contradict, of which each is refused.
while IFS='|' read -r files made share beside against; do
    run "$CLQUANT" ${made%% *} $files ${made#* } -o q.st
    check "$made: $err" test "$status" = 0
    succeeds "$made: no option is needed" "$CLQUANT" dequantize q.st $beside -o y.st
    check "$made comes back" near y.st $share
    while [ -n "$against" ]; do
        option=${against%%,*} against=${against#"$option"} against=${against#,}
        refuses "$made, and back $option" 1 "was made" "$CLQUANT" dequantize q.st $beside -o y2.st $option
        refused "$made, and back $option: how it was made" 1 "by ${made%% *} "
    done
done <<'TABLE'
x.st one.st|quantize |0.02|one.st|--of uint8,--mode dynamic,--mode multiply,--axis 0,--block 32,--rotate 64,--block-all
x.st scale.st|quantize --axis 1 --block 64 --dtype uint8 --tensor zero_points= --tensor scales=scale|0.9|scale.st --tensor zero_points=|--block 32,--axis 0,--of int4
x.st scale.st|quantize --axis -1 --block 64 --tensor scales=scale|0.02|scale.st|--tensor zero_points=,--block 0
x.st inverse.st|quantize --mode multiply --axis 1|0.02|inverse.st|--mode divide,--mode dynamic,--tensor zero_points=
x.st grouped.st|group_quantize --dtype int8|0.02|grouped.st|--mode divide,--of uint8
x.st|dynamic_quantize |0.02||--mode divide,--rotate 64,--tensor offsets=,--axis 0
x.st|dynamic_quantize --symmetric --dtype int4 --rotate 64|0.2||--rotate 0,--rotate 32,--of uint4,--block 32
x.st|dynamic_quantize --dtype uint4 --block 16 --scale-dtype float16|0.2||--block 32,--block 0,--tensor offsets=
x.st|dynamic_quantize --axis 0 --symmetric|0.02||--axis 1,--axis -1
x.st|dynamic_quantize --block-all --symmetric|0.02||--block 64
x.st|dynamic_quantize --axis 1 --block 32 --block-before 2 --symmetric|0.02||--block-before 0
x.st|dynamic_quantize --dtype float8_e4m3fn --scale-rule mx_rceil|0.1||--block 16,--mode divide
x.st|dynamic_quantize --dtype float4_e2m1fn --scale-rule nvfp4|0.2||--block 32
x.st second.st|dynamic_quantize --dtype float4_e2m1fn --scale-rule nvfp4|0.3|second.st|--tensor global_scale=
x.st|dynamic_quantize --dtype q8_0|0.02||--of q4_0,--rotate 64
x.st|dynamic_quantize --dtype int4 --container words --symmetric --name q=k --name scales=k_s|0.2|--tensor q=k --tensor scales=k_s|--of uint4
named.st one.st|npu_quantize --dtype quint8|0.9|--tensor q=output one.st|--mode multiply
named.st inverse.st|npu_quantize --div-mode false --tensor zero_points=|0.02|--tensor q=output --tensor zero_points= inverse.st|--mode divide
x.st|npu_dynamic_quant --quant-mode perchannel|0.02||--axis -1
x.st|npu_dynamic_quant --quant-mode pertensor|0.02||--block 64
x.st|npu_dynamic_quant_asymmetric |0.02||--mode dynamic,--axis 1
x.st|npu_dynamic_block_quant --col-block-size 32|0.02||--block 64
cache.st rows.st|quantize_scatter |0.02|--tensor q=cache one.st|--mode multiply,--of int4
cache.st rows.st|dynamic_quantize_scatter |0.02||--mode divide,--tensor offsets=
nibbles.st rows.st|dynamic_quantize_scatter --dtype int4 --symmetric --rotate 64|0.2||--rotate 0
TABLE

# Rows that are added to a cache, or moved out of it, are as the rest of it.
run "$CLQUANT" dynamic_quantize_scatter nibbles.st rows.st --dtype int4 --symmetric --rotate 64 -o q.st
succeeds "rows are added to a cache with no option named" "$CLQUANT" dynamic_quantize_scatter q.st rows.st -o again.st
check "and are as before" cmp q.st again.st
run "$CLQUANT" dynamic_quantize_scatter q.st rows.st -o again.st --rotate 32
refused "rows that are turned otherwise" 1 "--rotate is 32: it must be as tensor 'cache' was made, by dynamic_quantize_scatter --dtype int4 --mode dynamic"
refuses "rows by given scales" 1 "quantize_scatter has no --rotate" "$CLQUANT" quantize_scatter q.st rows.st -o again.st
"$TENSOR_FILE" make places.st src_indices:I32:4:1,1,1,1
run "$CLQUANT" move_rows q.st places.st --tensor src=cache -o moved.st
run "$CLQUANT" dequantize moved.st q.st --tensor q=dst --tensor scales=q.st:cache_scales -o y.st --rotate 32
refused "rows that were moved" 1 "tensor 'dst' was made, by dynamic_quantize_scatter "

# Keys and values are rows of two caches, and each has its own record; what is added to one is as the rest of it.
"$TENSOR_FILE" make kv.st input:F32:2x2x64:$x
"$TENSOR_FILE" make pages.st key_cache:I8:1x4x2x64:0 value_cache:I8:1x4x2x64:0 slot_mapping:I32:2:3,1
run "$CLQUANT" dynamic_quantize kv.st -o key.st --tensor x=input --symmetric
run "$CLQUANT" dynamic_quantize kv.st -o value.st --tensor x=input --symmetric --rotate 64
paged="--cache-mode Norm --tensor key=key.st:y --tensor value=value.st:y"
succeeds "keys and values into pages" "$CLQUANT" npu_scatter_pa_kv_cache key.st value.st pages.st $paged -o caches.st
for cache in "key_cache --rotate" "value_cache --mode"; do
    run "$CLQUANT" dequantize caches.st key.st --tensor q=${cache% *} --tensor scales=key.st:scales -o y.st ${cache#* } $([[ $cache == key* ]] && echo 64 || echo divide)
    refused "${cache% *} in pages: how it was made" 1 "tensor '${cache% *}' was made, by dynamic_quantize "
done
check "the values' record is their own" grep -q "by dynamic_quantize --dtype int8 --mode dynamic --rotate 64 (" <<<"$err"
"$TENSOR_FILE" make slots.st slot_mapping:I32:2:0,2
run "$CLQUANT" npu_scatter_pa_kv_cache key.st caches.st slots.st $paged --tensor value=key.st:y -o again.st
refused "values that were made otherwise than their cache" 1 "both must be alike"
succeeds "more of the same" "$CLQUANT" npu_scatter_pa_kv_cache key.st value.st caches.st slots.st $paged -o again.st
check "the record stays" grep -q '"clquant":"dynamic_quantize --dtype int8 --mode dynamic.ndynamic_quantize --dtype int8 --mode dynamic --rotate 64","clquant_tensor":"key_cache.nvalue_cache"' again.st

# Scales say what they are for. Each: the options of scales, those of quantize that contradict.
while IFS='|' read -r options against; do
    run "$CLQUANT" scales x.st -o s.st $options
    succeeds "scales $options, and no option of quantize" "$CLQUANT" quantize x.st s.st -o q.st
    run "$CLQUANT" dequantize q.st s.st -o y.st
    check "scales $options: comes back" near y.st 0.2
    while [ -n "$against" ]; do
        option=${against%%,*} against=${against#"$option"} against=${against#,}
        refuses "scales $options, and quantize $option" 1 "'scales' was made" "$CLQUANT" quantize x.st s.st -o q.st $option
    done
done <<'TABLE'
|--mode multiply,--dtype uint8,--block 32,--axis 0
--mode multiply|--mode divide
--mode multiply --dtype uint8|--mode divide,--dtype int8,--tensor zero_points=
--axis 0|--axis 1,--axis -1
--axis 1 --block 32|--block 0,--block 64
--axis 1 --block 32 --block-before 2|--block-before 1
--axis none --dtype int4|--dtype int8
--method minmax|--tensor zero_points=
TABLE
run "$CLQUANT" scales x.st -o s.st --axis none
succeeds "one scale has no axis" "$CLQUANT" quantize x.st s.st -o q.st --axis 0
run "$CLQUANT" scales x.st -o s.st --mode multiply
run "$CLQUANT" npu_quantize named.st s.st -o q.st --axis -1
refused "the documented call by scales to multiply with" 1 "tensor 'scales' was made by scales --dtype int8 --mode multiply"
run "$CLQUANT" quantize_scatter cache.st rows.st s.st --tensor scales=s.st:scales -o q.st --mode divide
refused "rows by scales to multiply with" 1 "--mode is divide: it must be as tensor 'scales' was made, by scales --dtype int8 --mode multiply"
run "$CLQUANT" quantize x.st s.st -o q.st
run "$CLQUANT" scales x.st -o s.st
run "$CLQUANT" dequantize q.st s.st -o y.st
refused "values and scales that two runs made" 1 "--mode is multiply: it must be as tensor 'scales' was made, by scales --dtype int8 --mode divide (its file's metadata, clquant)"

# Floats have no record, and another tensor of the file has not this one's.
run "$CLQUANT" dynamic_quantize x.st -o q.st
run "$CLQUANT" dequantize q.st -o y.st
check "floats say no more than the command" grep -q '"clquant":"dequantize","clquant_tensor":"y"' y.st
"$TENSOR_FILE" make other.st q:I8:4x64:1 scales:F32:1:1
run "$CLQUANT" dequantize q.st other.st --tensor q=other.st:q --tensor scales=other.st:scales --tensor offsets= -o y.st --mode multiply
succeeded "a tensor of a file without a record"

file_of another.st '{"__metadata__":{"clquant":"quantize --dtype uint4 --mode multiply","clquant_tensor":"other"},"q":{"dtype":"U8","shape":[4],"data_offsets":[4,8]},"scales":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' 8
succeeds "a tensor of a file whose record is another's" "$CLQUANT" dequantize another.st -o y.st --of uint8

# A model's matrix.
for options in "--dtype int4 --block 64 --rotate 64 --asymmetric" "--dtype int4 --block auto --symmetric" "--dtype int8 --symmetric" "--scale-rule nvfp4 --dtype float4_e2m1fn"; do
    rm -rf model && "$TENSOR_FILE" make model.st w.weight:F32:4x64:$x
    run "$CLQUANT" quantize_model model.st -o model --to plain $options
    names="--tensor q=w.weight_q --tensor scales=w.weight_scales"
    [[ $options == *asymmetric* ]] && names+=" --tensor offsets=w.weight_offsets"
    [[ $options == *nvfp4* ]] && names+=" --tensor global_scale=w.weight_global_scale"
    run "$CLQUANT" dequantize model/model.st -o y.st $names
    check "quantize_model $options: $err" test "$status" = 0
    check "quantize_model $options comes back" near y.st 0.2
    run "$CLQUANT" dequantize model/model.st -o y.st $names --mode divide
    refused "quantize_model $options, and back by division" 1 "by quantize_model --to plain"
done

finish
