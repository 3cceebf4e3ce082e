#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The examples that the operators' documents print, from file to file.
examples=$(cd "$(dirname "$0")/../data/printed" && pwd)
source "$(dirname "$0")/library.sh"

for example in "$examples"/*.txt; do
    operator=$(basename "$example" | grep -oE '^npu_(quantize|group_quant)')
    mapfile -t tensors < <(sed -n 's/^tensor //p' "$example")
    read -ra options < <(sed -n 's/^options //p' "$example")
    "$TENSOR_FILE" make in.st "${tensors[@]}"
    run "$CLQUANT" "$operator" in.st -o out.st "${options[@]}"
    succeeded "$(basename "$example")"
    holds "$(basename "$example")" out.st "$(sed -n 's/^expected //p' "$example")"
done
check "there are four examples" test "$checks" = 8
finish
