#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and shows on this machine's OpenCL device, in this order: a small language model whose
# cache is quantized, which writes a few sentences and then reads a text through caches of several formats; activations
# of a model's size that are quantized, or the float tensors of a safetensors file; the caches of a decode loop; and
# attention over float16, int8 and int4 caches, whose bytes, errors and times it prints and draws.
#   demo.sh [--no-model] [FILE.safetensors]
set -euo pipefail
model=yes
[ "${1-}" != --no-model ] || { model=; shift; }
[ $# -eq 0 ] || { [ -f "$1" ] && [ -r "$1" ]; } || { echo "demo.sh: '$1' is no file that can be read" >&2; exit 1; }
file=${1:+$(realpath -- "$1")}
cd "$(dirname "$0")/.."
echo "Looking at the packages that are needed; what is missing is installed"
ci/setup.sh build run demo
echo "Building clquant and its examples, about a minute the first time; build/log has the compiler's words"
cmake -S . -B build -DCLQ_BUILD_EXAMPLES=ON >/dev/null
cmake --build build -j "$(nproc)" >build/log 2>&1 || { cat build/log >&2; exit 1; }
build/clquant devices
echo

# A cache of 4.5 bits an element writes; then what each format loses. CLBlast's kernels take up to a minute to build.
caches=(--cache q8_0 --cache int8 --cache q4_1 --cache int4_symmetric_rotated --cache q4_0 --cache int4_symmetric)
if [ -z "$model" ]; then
  echo "--no-model: without the language model"
elif [ ! -x build/examples/llm ]; then
  echo "build/examples/llm was left out, which needs CLBlast: without the language model"
elif ci/model.sh build/model; then
  gguf=$(echo build/model/*.gguf)
  build/examples/llm "$gguf" --prompt "$(printf '<|im_start|>user\nWhy does a cache make programs faster?<|im_end|>\n<|im_start|>assistant\n')" \
    --cache int4_symmetric_rotated --tokens 64
  echo
  echo "Reading: $(cat build/model/text.name)"
  build/examples/llm "$gguf" --text build/model/text.txt --tokens 512 --batch 256 --plot build/llm.svg "${caches[@]}"
  echo "drawn: build/llm.svg"
else
  echo "without the language model"
fi
echo
build/examples/demo ${file:+"$file"}
echo
build/examples/decode
echo
build/examples/kv_cache --plot build/kv_cache.svg
echo
echo "drawn: build/kv_cache.svg"
echo
echo "README.md, of 4,088 tokens of a text:"
sed -n '/^- \*\*int/s/\*\*//gp' README.md
