#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --name: every output of every operator is called in OUT as the user says, its bytes are the same, and the next operator finds it.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make static.st x:F32:2x8:1,2,3,-4 scales:F32:1:0.5 zero_points:I8:1:1
"$TENSOR_FILE" make groups.st x:F32:2x8:1,2,3,-4 scales:F32:1x8:0.5 group_index:I32:1:2
"$TENSOR_FILE" make step.st cache:I8:2x3x8:9 indices:I32:2:2,0 updates:F32:2x1x8:1,2,3,-4 scales:F32:8:0.5
"$TENSOR_FILE" make rows.st cache:I8:2x3x8:9 cache_scales:F32:2x3:9 cache_offsets:F32:2x3:9 indices:I32:2:2,0 updates:F32:2x1x8:1,2,3,-4
"$TENSOR_FILE" make v2.st x:F16:2x1x8:0,15,7.5,3 indices:I32:2:1,0 var:I32:2x2x1x1:5 var_scale:F32:2x2:9 var_offset:F32:2x2:9
"$TENSOR_FILE" make update.st data:I8:2x3x8:9 indices:I32:2:2,0 updates:I8:2x1x8:1,2
"$TENSOR_FILE" make nd.st input:I8:2x3x8:9 indices:I32:1x2:1,2 updates:I8:1x8:1,2
"$TENSOR_FILE" make anti.st x:I8:2x8:1,2,3,-4 scale:F32:1:0.5
"$TENSOR_FILE" make pa.st key:I8:2x1x8:1,2 value:I8:2x1x8:3,4 slot_mapping:I32:2:1,5 key_cache:I8:2x3x1x8:9 value_cache:I8:2x3x1x8:9
"$TENSOR_FILE" make mx.st input:F32:2x64:1,2,3,-4
"$TENSOR_FILE" make moved.st src:I8:2x1x8:1 dst:I8:2x3x8:9 dst_indices:I32:2:2,0
declare -A call=(
    [quantize]="static.st" [group_quantize]="groups.st" [quantize_scatter]="step.st" [dynamic_quantize]="static.st"
    [dynamic_quantize_scatter]="rows.st --dtype int8" [dequantize]="step.st --tensor q=cache --tensor scales=scales --tensor indices="
    [move_rows]="moved.st" [scales]="static.st --method minmax" [npu_quantize]="static.st --tensor input=x --tensor zero_points="
    [npu_group_quant]="groups.st --tensor scale=scales" [npu_dynamic_quant]="static.st" [npu_dynamic_quant_asymmetric]="static.st"
    [npu_dynamic_mx_quant]="mx.st" [npu_dynamic_block_quant]="static.st"
    [npu_quant_scatter]="step.st --tensor input=cache --tensor quant_scales=scales"
    [npu_quant_scatter_]="step.st --tensor self=cache --tensor quant_scales=scales" [dynamic_quant_update_scatter_v2]="v2.st"
    [npu_scatter_pa_kv_cache]="pa.st --cache-mode Norm" [npu_anti_quant]="anti.st" [scatter_update]="update.st --axis 1" [scatter_update_]="update.st --axis 1" [npu_scatter_nd_update]="nd.st" [npu_scatter_nd_update_]="nd.st"
)

# The tensors of a file: without their names, or their names alone.
contents() { "$TENSOR_FILE" show "$1" | cut -d' ' -f2- | sort; }
names_in() { "$TENSOR_FILE" show "$1" | cut -d' ' -f1 | sort; }

operators=$("$CLQUANT" --help | awk '/^clquant COMMAND/ { exit } /^  [a-z]/ { print $1 }')
check "each operator has a call" test "$(sort <<<"$operators")" = "$(printf '%s\n' "${!call[@]}" | sort)"
for operator in $operators; do
    succeeds "$operator" "$CLQUANT" $operator ${call[$operator]} -o plain.st
    outputs=$(names_in plain.st) options=() wanted=()
    for output in $outputs; do
        options+=(--name "$output=model.layers.0.$output é\"=")
        wanted+=("$output")
    done
    succeeds "$operator, each output with a name" "$CLQUANT" $operator ${call[$operator]} -o named.st "${options[@]}"
    run "$CLQUANT" list named.st
    for output in "${wanted[@]}"; do
        check "$operator: $output has its name" grep -qF "model.layers.0.$output é\"=" <<<"$out"
    done
    check "$operator: as many tensors" test "$("$TENSOR_FILE" show named.st | wc -l)" = "${#wanted[@]}"
    run "$CLQUANT" $operator ${call[$operator]} -o named.st $(printf -- '--name %s=n.%s ' $(printf '%s %s ' $(for o in $outputs; do echo $o $o; done)))
    check "$operator: the same bytes, types and shapes" test "$(contents named.st)" = "$(contents plain.st)"
    check "$operator: the same names but for what --name says" test "$(names_in named.st)" = "$(sed 's/^/n./' <<<"$outputs")"
    first=$(head -n 1 <<<"$outputs")
    run "$CLQUANT" $operator ${call[$operator]} -o one.st --name "$first=only"
    check "$operator: the others keep their own" test "$(names_in one.st)" = "$( (echo only; tail -n +2 <<<"$outputs") | sort)"
    rm plain.st named.st one.st
    run "$CLQUANT" $operator ${call[$operator]} -o none.st --name nothing=a
    refused "$operator, an output that it has not" 2 "--name 'nothing=a': $operator has no output of that name; with these tensors and options it writes $(
        case $operator in # in the order of the help
            scales) echo "scales, zero_points" ;; dynamic_quantize) echo "y, scales, offsets" ;;
            *) echo "$("$CLQUANT" $operator --help | sed -n 's/^Tensors in OUT: \([a-z_]*\).*/\1/p')" ;;
        esac)"
done

# q is the quantized one, whatever it is called; dequantize and scales have none.
succeeds "q of quantize" "$CLQUANT" quantize static.st -o k.st --name q=k.q --tensor zero_points=
run "$CLQUANT" dequantize k.st static.st -o back.st --tensor q=k.q --tensor zero_points= --name y=k
holds "and back" back.st "k F32 [2,8] 1 2 3 -4 1 2 3 -4 1 2 3 -4 1 2 3 -4"
run "$CLQUANT" quantize_scatter step.st -o k.st --name q=k.cache
check "q of a scatter" test "$(names_in k.st)" = k.cache
run "$CLQUANT" scales static.st -o none.st --name q=a
refused "q of scales" 2 "--name 'q=a': scales has no output of that name; with these tensors and options it writes scales"
refuses "q of dequantize" 2 "it writes y" "$CLQUANT" dequantize step.st -o none.st --tensor q=cache --tensor indices= --name q=a
rm k.st back.st

# Clashes, and names that no tensor can have.
run "$CLQUANT" dynamic_quantize static.st -o none.st --name y=scales
refused "the name of another output" 2 "--name: the outputs y and scales would both be 'scales'; give one of them another name"
refuses "one name for two" 2 "the outputs y and scales would both be 'a'" "$CLQUANT" dynamic_quantize static.st -o none.st --name y=a --name scales=a
succeeds "two that change names" "$CLQUANT" dynamic_quantize static.st -o swapped.st --name y=scales --name scales=y
check "two that change names: the types go along" test "$("$TENSOR_FILE" show swapped.st | cut -d' ' -f1,2 | sort | tr '\n' ' ')" = "offsets F32 scales I8 y F32 "
rm swapped.st
refuses "one output twice" 2 "--name 'y=b': y has the name 'a' already" "$CLQUANT" quantize static.st -o none.st --name y=a --name y=b
refuses "one output twice, by both words" 2 "--name 'q=b': y has the name 'a' already" "$CLQUANT" quantize static.st -o none.st --name y=a --name q=b
run "$CLQUANT" dynamic_quantize static.st -o none.st --symmetric --name offsets=a
refused "an output that these options do not write" 2 "it writes y, scales"
for text in y y= =a; do
    refuses "--name $text" 2 "--name '$text': OUTPUT=NAME is expected" "$CLQUANT" quantize static.st -o none.st --name "$text"
done
run "$CLQUANT" quantize static.st -o none.st --name y=__metadata__
refused "the name of the metadata" 2 "no tensor of a safetensors file can have that name"
refuses "a name that is no UTF-8" 2 "a name must be UTF-8" "$CLQUANT" quantize static.st -o none.st --name $'y=a\xff'
run "$CLQUANT" quantize static.st -o none.st $(printf -- '--name y=%s ' 1 2 3 4 5)
refused "more names than outputs" 2 "no operator has more than 4 outputs"
only_files "nothing is left behind" anti.st groups.st moved.st mx.st nd.st pa.st rows.st static.st step.st update.st v2.st
finish
