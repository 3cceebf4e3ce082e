#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model: a checkpoint of two shards with an index; names, globs, and inputs that are refused.
source "$(dirname "$0")/model.sh"

# Plain and packed, names and shapes. Zero points of b.weight: nine rows are two words.
make_model
quantize --asymmetric
succeeded "a model of two shards"
check "it says how much" grep -q '^2 of 6 tensors quantized to int4, ' <<<"$out"
check "errors by tensor" grep -qE '^ +[0-9.]+  [ab]\.weight$' <<<"$out"
check "and why a matrix stays" grep -qxF "  narrow.weight [2,12], 48 bytes: its rows are no multiple of --block 32" <<<"$out"
only_files "OUT has the input's names" in in/a.safetensors in/b.safetensors in/config.json $index out out/a.safetensors out/b.safetensors \
    out/config.json out/model.safetensors.index.json
check "names of the first shard" test "$(names_in out/a.safetensors)" = "a.bias F32 [3] a.weight_packed I32 [3,4] a.weight_scale F32 [3,1] \
a.weight_shape I64 [2] a.weight_zero_point I32 [1,1] embed.weight F32 [4,32] narrow.weight F16 [2,12] "
check "names of the second" test "$(names_in out/b.safetensors)" = "b.weight_packed I32 [9,8] b.weight_scale F32 [9,2] b.weight_shape I64 [2] \
b.weight_zero_point I32 [2,2] ids I64 [2] "
holds_line() { check "$1" grep -qxF "$3" <<<"$("$TENSOR_FILE" show "$2")"; }
# 0, 1, 2, 15 by a scale of 1 are themselves; 0xf210f210 is -233770480
holds_line "values by hand" out/a.safetensors "a.weight_packed I32 [3,4]$(printf ' %s' $(yes -- -233770480 | head -n 12))"
holds_line "what stays" out/b.safetensors "ids I64 [2] 7 -7"
check "the index follows" test "$(grep -o '"b.weight[a-z_]*":	"b.safetensors"' out/model.safetensors.index.json | wc -l)" = 4
check "its other members stay" grep -q '"made":	"by hand"' out/model.safetensors.index.json
check "config.json stays byte for byte in front" test "$(head -n 2 out/config.json)" = $'{\n  "eps": 1e-06,'
check "and leaves out what is not quantized" grep -qF '"ignore":["embed","narrow","re:(.*\\.)?narrow$","lm_head","re:.*\\.lm_head$"]' out/config.json
check "each group has its format" grep -qF '"output_activations":null,"format":"pack-quantized"}' out/config.json
run "$CLQUANT" list out/a.safetensors
check "the options are in the metadata" grep -qF "clquant = quantize_model --to compressed-tensors --dtype int4 --block 32 --asymmetric" <<<"$out"
check "and the framework, where the input has none" grep -qF '__metadata__ format = pt' <<<"$out"

rm -r out
quantize --to plain --skip 'b.*'
succeeded "plain, one skipped"
check "plain names" test "$(names_in out/a.safetensors)" = "a.bias F32 [3] a.weight_offsets F32 [3,1] a.weight_q U8 [3,16] a.weight_scales F32 [3,1] \
embed.weight F32 [4,32] narrow.weight F16 [2,12] "
check "--skip leaves it" test "$(names_in out/b.safetensors)" = "b.weight BF16 [9,64] ids I64 [2] "
check "no config.json of plain" test ! -e out/config.json
run "$CLQUANT" dequantize out/a.safetensors -o back.st --mode dynamic --of int4 --block 32 --tensor q=a.weight_q --tensor scales=a.weight_scales \
    --tensor offsets=a.weight_offsets
succeeded "dequantize reads it"
holds_line "and back" back.st "y F32 [3,32]$(printf ' %s' $(yes 0 1 2 15 | head -n 24))"
rm -r out back.st
sed -i 's/embed/Embed/' in/a.safetensors $index # as long as before
quantize --only 'Embed*' --symmetric
succeeded "--only takes the place of what stays by itself"
check "an embedding is named as a target" grep -qF '"targets":["Linear","Embed"]' out/config.json
make_model
run "$CLQUANT" quantize_model in/b.safetensors -o out --dtype int8 --asymmetric
succeeded "one file"
check "int8 keeps its name" test "$(names_in out/b.safetensors)" = "b.weight I8 [9,64] b.weight_scale F32 [9,1] b.weight_zero_point I8 [9,1] ids I64 [2] "

rm -r out
"$TENSOR_FILE" make in/six.safetensors six.weight:F32:2x32:6,-3,0.5,0,5376,0,0,0 # the largest of blocks is 5376, twice 448 * 6
run "$CLQUANT" quantize_model in/six.safetensors -o out --scale-rule nvfp4
succeeded "NVFP4"
holds_line "its second scale is divided by" out/six.safetensors "six.weight_global_scale F32 [1] 0.5"
check "names of NVFP4" test "$(names_in out/six.safetensors)" = "six.weight_global_scale F32 [1] six.weight_packed U8 [2,16] six.weight_scale F8_E4M3 [2,2] "
run "$CLQUANT" quantize_model in/six.safetensors -o out --scale-rule mx_floor
succeeded "MX"
check "names of MX" test "$(names_in out/six.safetensors)" = "six.weight_packed U8 [2,16] six.weight_scale U8 [2,1] "
check "the format's name" grep -qF '"format":"mxfp4-pack-quantized"' out/config.json
run "$CLQUANT" quantize_model in/six.safetensors -o out --to plain --scale-rule nvfp4
succeeded "plain NVFP4"
run "$CLQUANT" dequantize out/six.safetensors -o back.st --mode dynamic --of float4_e2m1fn --block 16 --tensor q=six.weight_q \
    --tensor scales=six.weight_scales --tensor global_scale=six.weight_global_scale
succeeded "dequantize reads it"
check "and the largest" grep -qF ' 5376 0 0 0 ' <<<"$("$TENSOR_FILE" show back.st)"
rm in/six.safetensors back.st

# Weights that are no numbers are named and counted, by a second run too; errors are of those that are, and JSON has them.
while IFS='|' read -r options besides i n; do
    make_model
    "$TENSOR_FILE" make in/no.safetensors n.weight:F16:2x32:nan,1,2,3 i.weight:BF16:2x32:inf,1,2,-3 z.weight:F32:1x32:nan y.weight:F32:1x32:0
    for run in first second; do
        run "$CLQUANT" quantize_model in/no.safetensors -o out --json errors.json $options
        check "no numbers, $options, $run" test "$status:$err" = "0:clquant: weights are NaN or infinite: z.weight 32, i.weight 16, n.weight 16$besides"
        check "no numbers, $options, $run: JSON" test "$(tr -d '\n\t' <errors.json | sed -E 's/(0\.[0-9]{3})[0-9]+/\1/g')" = \
            "{\"i.weight\":$i,\"n.weight\":$n,\"y.weight\":0,\"z.weight\":null}"
    done
    check "it was kept" grep -q "were there already" <<<"$out"
done <<'ROWS'
--block 32|; besides, 48 finite ones come back as no number|1|0.053
--dtype int8 --to plain --symmetric|; besides, 48 finite ones come back as no number|1|0.002
--scale-rule nvfp4||0.125|0
ROWS
rm errors.json

# Refused before anything is written
refused_all() { # NAME STATUS SENTENCE: there is no OUT
    refused "$@"
    check "$1: no OUT" test ! -e out
    make_model
}
make_model
truncate -s -8 in/b.safetensors
quantize
refused_all "a broken shard" 1 "in/b.safetensors: "
rm in/b.safetensors
quantize
refused_all "a shard that is not there" 1 "$index: its weight_map names the shard 'b.safetensors', which is not beside it"
sed -i 's/"ids": "b/"other": "b/' $index
quantize
refused_all "a tensor that the shard lacks" 1 "weight_map says that tensor 'other' is in 'b.safetensors', and it is not"
sed -i 's/, "ids": "b.safetensors"//' $index
quantize
refused_all "a tensor that the index lacks" 1 "in/b.safetensors: tensor 'ids' is not in the weight_map of $index"
sed -i 's/"ids": "b.safetensors"/"ids": "b.safetensors", "a.bias": "a.safetensors"/' $index
quantize
refused_all "a name twice in the index" 1 "its weight_map has tensor 'a.bias' twice"
"$TENSOR_FILE" make in/b.safetensors b.weight:F32:9x64:1 ids:I64:2:7 a.bias:F32:1:1
quantize
refused_all "a name in two shards" 1 "tensor 'a.bias' is in in/a.safetensors and in in/b.safetensors"
for name in ../in/b.safetensors .. ""; do
    sed -i "s|\"ids\": \"b.safetensors\"|\"ids\": \"$name\"|" $index
    quantize
    refused_all "a shard elsewhere, '$name'" 1 "tensor 'ids' the shard '$name': the name of a file beside the index is expected"
done
echo '{"weight_map": {"a": 5}}' >$index
quantize
refused_all "a shard that is no name" 1 "weight_map says of tensor 'a' no text: the name of a file beside the index is expected"
echo '{"weight_map": {"a": "a.safetensors"}' >$index
quantize
refused_all "an index that was cut" 1 "$index: is no JSON text: it is wrong at line 2, column 1"
echo '{"weight_map": 5}' >$index
quantize
refused_all "no index" 1 "$index: is no index of a model"
"$TENSOR_FILE" make in/a.safetensors a.weight:F32:3x32:1 a.weight_q:I8:1:1
run "$CLQUANT" quantize_model in/a.safetensors -o out --to plain --block 32
refused_all "a name that is there already" 1 "tensor 'a.weight_q' would be twice in OUT"
run "$CLQUANT" quantize_model in/a.safetensors -o out --to plain --block 32 --skip 'a.wight'
refused_all "a glob that meets nothing" 2 "--skip 'a.wight': no tensor has such a name"
run "$CLQUANT" quantize_model in/a.safetensors -o out --only a.bias
refused_all "nothing to quantize" 1 "nothing is left to quantize"
for config in '{"quantization_config": {}}' '{"quantization_config": null, "b": {"quantization_config": {}}}' '{"a": [{"text_config": {"quantization_config": {}}}]}'; do
    echo "$config" >in/config.json
    quantize
    refused_all "a model that is quantized, $config" 1 "in/config.json: has a quantization_config: the model is quantized already"
done
while IFS='|' read -r text sentence; do
    sed -i "1s|{|{$text, |" $index
    quantize
    refused_all "an index with $text" 1 "$sentence"
done <<'ROWS'
"weight_map": {"a": "a.safetensors"}|has two weight_map
"a\\u0000b": 1|a NUL is in it
"a\\\\": "\\u0000"|a NUL is in it
"a": {"b": [9007199254740993]}|has a number from 10^15 on
"a": -1e999|has a number from 10^15 on
ROWS
sed -i '1s|{|{"a\\\\u0000": 999999999999999, |; s|"total_size": 1|"total_size": 1e16|' $index
quantize
check "digits that stay, and a backslash" grep -qF '"a\\u0000":	999999999999999,' out/model.safetensors.index.json
make_model
mv $index in/config.json
run "$CLQUANT" quantize_model in/config.json -o out
refused_all "an index called config.json" 2 "in/config.json: an index of another name is expected"
mkdir -p out/config.json
quantize
refused "a folder in the place of config.json" 2 "-o out: config.json there is not a regular file"
check "is seen before a shard is written" test "$(ls out)" = config.json
make_model
run "$CLQUANT" quantize_model in/a.safetensors -o out --block 64
refused_all "a block that no matrix has" 1 "and 'a.weight', [3,32], stays as it is: its rows are no multiple of --block 64"
run "$CLQUANT" quantize_model in/a.safetensors -o out --only 'a[0]'
refused_all "a bracket in a glob" 2 "--only 'a[0]': no tensor has such a name; in a glob [..] is one character of several"
echo '[]' >in/config.json
quantize
refused_all "a config.json that is none" 1 "in/config.json: is no JSON object"
mkdir in/2 && cp in/a.safetensors in/2
run "$CLQUANT" quantize_model in/a.safetensors in/2/a.safetensors -o out
refused_all "two files of one name" 2 "in/2/a.safetensors: has the name of in/a.safetensors"
run "$CLQUANT" quantize_model in/a.safetensors $index -o out
refused_all "an index and a file" 2 "$index: an index names its shards itself"
run "$CLQUANT" quantize_model in/a.safetensors -o out.safetensors --block 32
refused_all "a file's name for OUT" 2 "-o out.safetensors: the name of a folder is expected"
run "$CLQUANT" quantize_model in/a.safetensors -o in --block 32
refused_all "the folder of the input" 2 "-o in: a.safetensors there is a file of the input"
run "$CLQUANT" quantize_model in/a.safetensors -o in/a.safetensors --block 32
refused_all "a file for OUT" 2 "is there already, and is no folder"
run "$CLQUANT" quantize_model in/a.safetensors -o none/out --block 32
refused_all "a folder in no folder" 3 "-o none/out: cannot be made: No such file"
while IFS='|' read -r options sentence; do
    run "$CLQUANT" quantize_model in/a.safetensors -o out $options
    refused_all "$options" 2 "$sentence"
done <<'ROWS'
--scale-rule nvfp4 --block auto|--block auto: with --scale-rule nvfp4 blocks are of 16
--to gguf|--to 'gguf': one of compressed-tensors, plain is expected
--dtype int5|--dtype 'int5': one of int4, uint4, int8, float8_e4m3fn is expected
--dtype uint8|--to plain takes uint8
--dtype q8_0 --to plain|--dtype 'q8_0': one of int4
--block 48|--block '48': one of 0, 32, 64, 128, auto is expected
--block 256|--block '256': one of 0, 32
--block -32|--block '-32': one of 0, 32
--rotate 3 --to plain|--rotate '3': 0 or a power of two from 2 to 1024
--rotate 64|--rotate 64: compressed-tensors' readers do not turn rows back
--dtype uint4 --symmetric|--symmetric: uint4 is always asymmetric; int4 is the type
--asymmetric --symmetric|--asymmetric: --symmetric is given too
--asymmetric --dtype float8_e4m3fn|--asymmetric: float8_e4m3fn is always symmetric
--name a=b|--name: quantize_model has no such option
--only|--only needs a value
ROWS
run "$CLQUANT" quantize_model in/a.safetensors
refused_all "no OUT" 2 "quantize_model: -o OUT, a folder, is expected"
run "$CLQUANT" quantize_model -o out
refused_all "no input" 2 "quantize_model: an input file is expected"

# What the library never reads is copied too: types of six bits, and more than eight dimensions.
file_of in/odd.safetensors '{"six":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]},"deep":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1,2,3],'\
'"data_offsets":[3,9]},"a":{"dtype":"F32","shape":[1,32],"data_offsets":[9,137]}}' 0
printf '123abcdef' >>in/odd.safetensors && truncate -s +128 in/odd.safetensors
run "$CLQUANT" quantize_model in/odd.safetensors -o out --to plain --block 32
succeeded "what the library never reads"
run "$CLQUANT" list out/odd.safetensors
check "six bits" grep -qE '^  six +F6_E2M3 +\[4\] +3 bytes' <<<"$out"
check "eleven dimensions" grep -qE '^  deep +U8 +\[1,1,1,1,1,1,1,1,1,2,3\] +6 bytes' <<<"$out"
check "byte for byte" grep -aq 'abcdef123' out/odd.safetensors
finish
