#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model: which layers of a model are quantized, as the names and shapes of its tensors and config.json say, and why others stay.
source "$(dirname "$0")/library.sh"

make_model() { # CONFIG TENSOR...
    rm -rf in out
    mkdir in
    printf '%s' "$1" >in/config.json
    "$TENSOR_FILE" make in/model.safetensors "${@:2}"
}
quantize() { run "$CLQUANT" quantize_model in/model.safetensors -o out "$@"; }
names_in() { "$TENSOR_FILE" show out/model.safetensors | cut -d' ' -f1 | tr '\n' ' '; }
linear=layers.0.up.weight:F16:8x128:1,2

# Output heads whose weight is another's are in no file, and no reader may ask for theirs.
while IFS='|' read -r name config tensors ignore; do
    make_model "$config" $linear $tensors
    quantize
    succeeded "$name"
    check "$name: what readers leave" grep -qF "\"ignore\":[$ignore]" out/config.json
done <<'ROWS'
tied embeddings|{"a": 1}|model.embed_tokens.weight:F16:16x128:1|"model.embed_tokens","lm_head","re:.*\\.lm_head$"
a head of its own|{"a": 1}|lm_head.weight:F16:16x128:1|"lm_head","re:(.*\\.)?lm_head$"
a head of its own in a part|{"a": 1}|language_model.lm_head.weight:F16:16x128:1|"language_model.lm_head","re:(.*\\.)?language_model\\.lm_head$"
a head with a bias of its own|{"a": 1}|lm_head.bias:F16:16:1|"lm_head","re:.*\\.lm_head$","lm_head.decoder"
a decoder's bias|{"a": 1}|cls.predictions.bias:F16:16:1 lm_head.weight:F16:2x128:1|"lm_head","re:(.*\\.)?lm_head$","cls.predictions","cls.predictions.decoder"
a bias of a layer|{"a": 1}|lm_head.weight:F16:2x128:1 layers.0.up.bias:F16:8:1|"lm_head","re:(.*\\.)?lm_head$"
a part of another length|{"a": 1}|vision.layers.0.up.weight:F16:8x64:1|"vision.layers.0.up","re:(.*\\.)?vision\\.layers\\.\\d+\\.up$","lm_head","re:.*\\.lm_head$"
layers that are left|{"a": 1}|layers.0.a+b.weight:F16:8x64:1 layers.1.a+b.weight:F16:8x64:1|"layers.0.a+b","layers.1.a+b","re:(.*\\.)?layers\\.\\d+\\.a\\+b$","lm_head","re:.*\\.lm_head$"
one of several layers|{"a": 1}|layers.1.up.weight:F16:8x64:1|"layers.1.up","re:(.*\\.)?layers\\.1\\.up$","lm_head","re:.*\\.lm_head$"
whisper|{"model_type": "whisper"}|model.up.weight:F16:8x128:1|"lm_head","re:.*\\.lm_head$","proj_out"
ROWS

# Layers that stay by themselves, with the reason; or in a reader's class that compressed-tensors does not know.
while IFS='|' read -r name config tensor why; do
    make_model "$config" $linear $tensor
    quantize
    succeeded "$name"
    check "$name: stays" grep -qF " ${tensor%%:*} " <<<" $(names_in)"
    check "$name: and why" grep -qE "^  [^ ]+ \\[[0-9,]+\\], [0-9]+ bytes: $why" <<<"$out"
done <<'ROWS'
T5's embedding|{}|shared.weight:F16:16x128:1|it is an embedding
an encoder's shared embedding|{}|model.shared.weight:F16:16x128:1|it is an embedding
RWKV's embedding|{}|emb.weight:F16:16x128:1|it is an embedding
llama.cpp's name|{}|tok_embd.weight:F16:16x128:1|it is an embedding
vocab_size rows|{"vocab_size": 16}|output.weight:F16:16x128:1|it has vocab_size rows
vocab_size rows of a part|{"text_config": {"vocab_size": 16}}|a.tokens.weight:F16:16x128:1|it has vocab_size rows
a router|{}|layers.0.mlp.gate.weight:F16:4x128:1|it is a gate of experts
a shared expert's gate|{}|layers.0.mlp.shared_expert_gate.weight:F16:1x128:1|it is a gate of experts
all experts in one|{}|layers.0.mlp.experts.gate_up_proj:F16:2x8x128:1|all experts are in it
a convolution|{}|layers.0.conv1d.weight:F16:8x1x4:1|it has more than two dimensions
no float|{}|layers.0.ids.weight:I8:8x128:1|its type is not F32
GPT-2's square matrix|{"model_type": "gpt2"}|h.0.attn.c_proj.weight:F16:128x128:1|it is \[in, out\] of a Conv1D
tied and in the file|{"tie_word_embeddings": true}|lm_head.weight:F16:16x128:1|it is an output head
ROWS
make_model '{}' layers.{0,1}.mlp.experts.up:F16:2x8x128:1 $linear layers.0.up.bias:F16:8:1
quantize
check "layers that differ in their number are a line" grep -qF '  layers.*.mlp.experts.up [2,8,128], 2 times, 8192 bytes: all experts' <<<"$out"
check "and what has one dimension is counted" grep -qxF '  1 of one dimension or none, 16 bytes' <<<"$out"
quantize --to plain --dtype int8
succeeded "plain has a place for experts"
"$TENSOR_FILE" show out/model.safetensors >experts.txt
check "a scale for each row" grep -q '^layers.1.mlp.experts.up_scales F16 \[2,8\] ' experts.txt
check "and values" grep -q '^layers.0.mlp.experts.up_q I8 \[2,8,128\] ' experts.txt
quantize --to plain
succeeded "of four bits"
run "$CLQUANT" dequantize out/model.safetensors -o back.st --mode dynamic --of int4 --block 128 --tensor q=layers.1.mlp.experts.up_q \
    --tensor scales=layers.1.mlp.experts.up_scales --tensor offsets=layers.1.mlp.experts.up_offsets
succeeded "dequantize reads them"
check "with their shape" grep -q '^y F32 \[2,8,128\] 1 1 ' <<<"$("$TENSOR_FILE" show back.st)"

# Llama 4's readers have layers for each expert: [in, out] becomes [out, in], and gate_up_proj two layers.
llama4='{"text_config": {"model_type": "llama4_text"}}' experts=layers.0.feed_forward.experts
make_model "$llama4" $experts.gate_up_proj:F32:2x2x4:$(seq -s, 0 15) $experts.down_proj:BF16:1x2x3:1,2,3,4,5,6 layers.0.up.weight:F32:8x128:1
quantize --skip '*.feed_forward.*'
succeeded "experts that are copied"
"$TENSOR_FILE" show out/model.safetensors | grep "^$experts" >experts.txt
check "a layer for each" diff experts.txt - <<ROWS
$experts.0.down_proj.weight BF16 [3,2] 1 4 2 5 3 6
$experts.0.gate_proj.weight F32 [2,2] 0 4 1 5
$experts.0.up_proj.weight F32 [2,2] 2 6 3 7
$experts.1.gate_proj.weight F32 [2,2] 8 12 9 13
$experts.1.up_proj.weight F32 [2,2] 10 14 11 15
ROWS
check "readers leave them" grep -qF "\"$experts.1.up_proj\"" out/config.json
make_model "$llama4" $experts.down_proj:F16:2x128x24:$(seq -s, 0 3071)
quantize --dtype int8
succeeded "experts that are quantized"
"$TENSOR_FILE" show out/model.safetensors | grep "^$experts.1" | cut -d. -f7 >experts.txt
for ((n = 0; n < 24; n++)); do seq -s, $n 24 3071; done | paste -sd, >transposed.txt
make_model '{}' down_proj.weight:F16:24x128:$(<transposed.txt)
quantize --dtype int8
check "as their transposed matrices" cmp experts.txt <("$TENSOR_FILE" show out/model.safetensors | cut -d. -f2)

# A matrix in a numbered layer may have vocab_size rows by chance.
make_model '{"vocab_size": 8}' $linear
quantize
succeeded "a layer of as many rows"
make_model '{"vocab_size": 8}' ${linear/layers.0./}
quantize --only up.weight
check "which is asked for is a target" grep -qF '"targets":["Linear","up"]' out/config.json

# Conv1D's bias has an element for each column, which says the class without config.json too.
make_model '{}' h.0.c_attn.weight:F16:64x128:1 h.0.c_attn.bias:F16:128:1 h.0.attn.c_proj.weight:F16:128x128:1 $linear layers.0.up.bias:F16:8:1
quantize
succeeded "Conv1D by its bias"
check "also the square one" test "$(names_in)" = "h.0.attn.c_proj.weight h.0.c_attn.bias h.0.c_attn.weight layers.0.up.bias \
layers.0.up.weight_packed layers.0.up.weight_scale layers.0.up.weight_shape "
make_model '{"model_type": "gpt2"}' h.0.c_attn.weight:F16:64x128:1 h.0.c_attn.bias:F16:128:1
quantize
refused "GPT-2 for readers of Linear" 1 "'h.0.c_attn.weight', [64,128], stays as it is: it is [in, out] of a Conv1D"
quantize --to plain
succeeded "and plain"
make_model '{"tie_word_embeddings": true}' embed.weight:F16:16x128:1
quantize --only embed.weight
refused "an embedding that is the head too" 1 "config.json ties the output head to the embedding"

# The length of blocks: what fits is proposed, and auto takes it for each matrix.
make_model '{"vocab_size": 64}' layers.{1,2}.up.weight:F16:8x192:1 layers.0.down.weight:F16:8x96:1 layers.0.tiny.weight:F16:8x40:1 $linear
quantize
succeeded "rows that are no multiple of 128"
check "the first line warns, and says what fits" grep -qF "warning: 19 % of the input's bytes are quantized: 3 matrices of 7680 bytes stay, for \
their rows are no multiple of --block 128: --block 32 takes all, and --block auto takes 128, 64 or 32 for each" <<<"$(head -n 1 <<<"$out")"
check "and each what fits it" grep -qF '  layers.*.up.weight [8,192], 2 times, 6144 bytes: its rows are no multiple of --block 128; --block 64 fits' <<<"$out"
quantize --block auto
succeeded "--block auto"
check "no warning" test "$(grep -cE '^(warning|4 of 5 tensors quantized to int4, )' <<<"$out")" = 1
check "what nothing fits stays" grep -qF ' layers.0.tiny.weight [8,40], 640 bytes: its rows are no multiple of 32' <<<"$out"
check "a note of the reader that takes one" grep -qx 'note: blocks of several lengths: .*' <<<"$out"
check "the most frequent length is the class's" grep -qE '"group_0":\{"targets":\["Linear"\],"weights":\{[^}]*"group_size":64,' out/config.json
check "others name their layers" grep -qE '"group_1":\{"targets":\["layers.0.up","re:[^"]*0[^"]*up\$"\],[^}]*"group_size":128,.*"group_2":\{"targets":\["layers.0.down","re:[^"]*down\$"\],[^}]*"group_size":32,' out/config.json
"$TENSOR_FILE" show out/model.safetensors >auto.txt
check "scales by each length" test "$(grep -cE '^layers.(0.down|1.up).weight_scale F16 \[8,3\] ' auto.txt)" = 2
quantize --block auto --to plain --symmetric
succeeded "plain too"
run "$CLQUANT" dequantize out/model.safetensors -o back.st --mode dynamic --of int4 --block 32 --tensor q=layers.0.down.weight_q --tensor scales=layers.0.down.weight_scales
check "dequantize reads it" grep -q '^y F32 \[8,96\] ' <<<"$("$TENSOR_FILE" show back.st)"
make_model '{}' layers.0.up.weight:F16:8x192:1
quantize
refused "a length that fits no matrix" 1 "'layers.0.up.weight', [8,192], stays as it is: its rows are no multiple of --block 128; --block 64 fits"
make_model '{}' embed.weight:F16:64x128:1 $linear
quantize
succeeded "a large embedding"
check "a warning of another reason" test "$(head -n 1 <<<"$out")" = "warning: 11 % of the input's bytes are quantized; what stays is listed below"

# Where readers have a fault, a note says so.
while IFS='|' read -r name config options note; do
    make_model "$config" $linear
    quantize $options
    succeeded "$name"
    check "$name: the note" test "$(grep '^note: ' <<<"$out" | cut -d: -f2)" = "${note:+ $note}"
done <<'ROWS'
T5, packed|{"model_type": "t5"}||t5, packed
a part of SigLIP|{"vision_config": {"model_type": "siglip_vision_model"}}|--scale-rule nvfp4|siglip_vision_model, packed
T5, not packed|{"model_type": "t5"}|--dtype int8|
T5, plain|{"model_type": "t5"}|--to plain|
packed zero points|{}|--asymmetric|zero points are packed
zero points of bytes|{}|--asymmetric --dtype int8|
ROWS

# config.json as Python writes it
while IFS='|' read -r name config wanted; do
    make_model "$config" $linear
    quantize
    succeeded "config.json: $name"
    check "$name: all else stays" test "$(sed 's/{"config_groups".*_ratio":null}/X/' out/config.json | tr '\n' '~')" = "$wanted"
done <<'ROWS'
a number that is none|{"b": "NaN \" Infinity", "a": [0.0, Infinity, -Infinity, NaN]}|{"b": "NaN \" Infinity", "a": [0.0, Infinity, -Infinity, NaN],~  "quantization_config": X~}
a null|{"quantization_config": null, "a": 1.50}|{"quantization_config": X, "a": 1.50}
a null and a part's|{"a": {"quantization_config": null}, "quantization_config" : null}|{"a": {"quantization_config": null}, "quantization_config" : X}
an empty one|{ }|{~  "quantization_config": X~}
ROWS
while IFS='|' read -r config place; do
    make_model "$(printf "$config")" $linear
    quantize
    refused "config.json: $config" 1 "in/config.json: is no JSON text: it is wrong at $place"
done <<'ROWS'
{"a": Infinite}|line 1, column 7
{\n  "a": 1,\n  "b": 01x\n}|line 3, column 10
{"a": 1|line 1, column 8
ROWS
quantize --to plain
succeeded "plain has no config.json"
finish
