#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and quantizes on this machine's OpenCL device: activations of a model's size, or the
# float tensors of the safetensors file given as argument; then keeps the caches of a decode loop; at last attention over
# float16, int8 and int4 caches, whose bytes, errors and times it prints and draws.
set -euo pipefail
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
build/examples/demo ${file:+"$file"}
echo
build/examples/decode
echo
build/examples/kv_cache --plot build/kv_cache.svg
echo
echo "drawn: build/kv_cache.svg"
