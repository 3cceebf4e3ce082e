#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The variants of linked.txt, exported, compiled apart and linked into one binary, for a device without a compiler: linked.sh TEST OPTION...,
# of test_variants_args. CLQUANT, COMPILER and LAYER name the programs and the layer.
set -euo pipefail
list=$(dirname "$0")/linked.txt
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
form=item arithmetic=native foreign=none # what the device decides, and what its compiler does not take
case "$*" in *group*) form=group arithmetic=exact foreign=cpu/ ;; esac
sed -E "\,^$foreign,d; s/FORM=[^ ]+/FORM=$form/; s/ARITHMETIC=[^ ]+/ARITHMETIC=$arithmetic/" "$list" >"$directory/list"
"$CLQUANT" cache export "$directory/sources" --for "$directory/list"
"$COMPILER" "$directory/sources" "$directory/all.bin"
OPENCL_LAYERS=$LAYER CLQ_LAYER=no_compiler "$1" --list "$list" --binary "$directory/all.bin" --only SRC= --sets 10 "${@:2}"
