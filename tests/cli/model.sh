# SPDX-License-Identifier: Apache-2.0
# The checkpoint of the tests of quantize_model: two shards, an index and config.json.
source "$(dirname "$0")/library.sh"

index=in/model.safetensors.index.json
make_model() {
    rm -rf in out
    mkdir in
    "$TENSOR_FILE" make in/a.safetensors embed.weight:F32:4x32:1 a.weight:F32:3x32:0,1,2,15 a.bias:F32:3:1,2,3 narrow.weight:F16:2x12:1,2
    "$TENSOR_FILE" make in/b.safetensors b.weight:BF16:9x64:-1,0,1,2 ids:I64:2:7,-7
    echo '{"metadata": {"made": "by hand", "total_size": 1}, "weight_map": {"a.weight": "a.safetensors", "a.bias": "a.safetensors",
        "embed.weight": "a.safetensors", "narrow.weight": "a.safetensors", "b.weight": "b.safetensors", "ids": "b.safetensors"}}' >$index
    printf '{\n  "eps": 1e-06\n}\n' >in/config.json
}
quantize() { run "$CLQUANT" quantize_model $index -o out --block 32 "$@"; }
names_in() { "$TENSOR_FILE" show "$1" | cut -d' ' -f1-3 | sort | tr '\n' ' '; }
