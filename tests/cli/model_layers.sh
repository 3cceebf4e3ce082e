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
while IFS='|' read -r name tensors ignore; do
    make_model '{"a": 1}' $linear $tensors
    quantize
    succeeded "$name"
    check "$name: what readers leave" grep -qF "\"ignore\":[$ignore]" out/config.json
done <<'ROWS'
tied embeddings|model.embed_tokens.weight:F16:16x128:1|"model.embed_tokens","lm_head","re:.*\\.lm_head$"
a head of its own|lm_head.weight:F16:16x128:1|"lm_head"
a head of its own in a part|language_model.lm_head.weight:F16:16x128:1|"language_model.lm_head"
a head with a bias of its own|lm_head.bias:F16:16:1|"lm_head","re:.*\\.lm_head$","lm_head.decoder"
a decoder's bias|cls.predictions.bias:F16:16:1 lm_head.weight:F16:2x128:1|"lm_head","cls.predictions","cls.predictions.decoder"
a bias of a layer|lm_head.weight:F16:2x128:1 layers.0.up.bias:F16:8:1|"lm_head"
ROWS
finish
