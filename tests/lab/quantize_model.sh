#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# How fast quantize_model is beside cat: quantize_model.sh CLQUANT IN.safetensors FOLDER [ROUNDS] [options of quantize_model].
# In turns, cat copies the file into the folder and CLQUANT quantizes it there; the least of the rounds count. The file is in the
# page cache after the first. Other work on the machine slows the threads of quantize_model more than cat's one.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
clquant=$1 file=$2 folder=$3 rounds=${4:-5}
shift $(($# < 4 ? $# : 4))
out=$folder/quantize_model.out copy=$folder/quantize_model.copy
trap 'rm -rf "$out" "$copy"' EXIT

# Milliseconds of a command whose output is in a file.
milliseconds() {
  local started
  started=$(date +%s%N)
  "$@" >"$copy"
  echo $((($(date +%s%N) - started) / 1000000))
}

least_cat= least=
for ((round = 0; round <= rounds; round++)); do
  rm -rf "$out" "$copy"
  cat_ms=$(milliseconds cat "$file")
  rm -f "$copy"
  ms=$(milliseconds "$clquant" quantize_model "$file" -o "$out" "$@")
  [ "$round" -gt 0 ] || continue # kernels are built, and the file is read from the disk
  [ -n "$least_cat" ] && [ "$least_cat" -le "$cat_ms" ] || least_cat=$cat_ms
  [ -n "$least" ] && [ "$least" -le "$ms" ] || least=$ms
done
echo "cat $least_cat ms, quantize_model $least ms: $((100 * least_cat / least)) % of its rate, the least of $rounds rounds"
