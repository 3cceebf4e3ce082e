#!/usr/bin/env bash
# Installs what is missing, builds, and quantizes on this machine's OpenCL device: activations of a model's size, or the
# float tensors of the safetensors file given as argument; then keeps the caches of a decode loop.
set -euo pipefail
file=${1:+$(realpath -- "$1")}
cd "$(dirname "$0")/.."
ci/setup.sh build run
cmake -S . -B build -DCLQ_BUILD_EXAMPLES=ON >/dev/null
cmake --build build -j "$(nproc)" >build/log 2>&1 || { cat build/log >&2; exit 1; }
build/clquant devices
echo
build/examples/demo/demo ${file:+"$file"}
echo
build/examples/decode/decode
