#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packed corpora: what is unpacked and packed again is the same file, and a damaged one is refused, not replayed in part.
#   corpus.sh TOOL CORPORA REPLAY WORK
set -euo pipefail
tool=$1 corpora=$2 replay=$3 work=$4
rm -rf "$work"
mkdir -p "$work"

refuses() { # WHAT TEXT COMMAND...: it fails, and says so
  local what=$1 text=$2 status=0 printed
  shift 2
  printed=$("$@" 2>&1) || status=$?
  [ "$status" -ne 0 ] && [[ $printed == *"$text"* ]] || { printf '%s: %s, and it printed:\n%s\n' "$what" "$status" "$printed"; exit 1; }
}

mkdir "$work/none"
printf '0102\nabc\n' >"$work/odd.hex"
printf '0102\n\n03\n' >"$work/gap.hex"
printf '0102\n0A\n' >"$work/upper.hex"
printf '01\000\n' >"$work/zero.hex"
: >"$work/empty.hex"
for damage in odd gap upper; do
  refuses "a replay of $damage.hex" "$damage.hex:2: not the bytes of an input" "$replay" "$work/$damage.hex"
done
refuses "a replay of zero.hex" "zero.hex:1: not the bytes of an input" "$replay" "$work/zero.hex"
refuses "a replay of nothing" "no inputs" "$replay" "$work/empty.hex"
refuses "a replay of no file" "No such file" "$replay" "$work/missing.hex"
[[ $("$replay" "$corpora/descriptor.hex") == *"descriptor.hex: $(wc -l <"$corpora/descriptor.hex") inputs" ]]

command -v python3 >/dev/null || { echo "SKIPPED: no python3 to pack and unpack with"; exit 77; }
for damage in odd gap upper; do
  refuses "to unpack $damage.hex" "$damage.hex:2: not the bytes of an input" python3 "$tool" unpack "$work/$damage.hex" "$work/from"
  [ ! -e "$work/from" ] || { echo "a part of $damage.hex was unpacked"; exit 1; }
done
cp "$corpora/descriptor.hex" "$work/kept.hex"
refuses "to pack nothing" "no inputs in" python3 "$tool" pack "$work/none" "$work/kept.hex"
cmp "$corpora/descriptor.hex" "$work/kept.hex"
for packed in "$corpora"/*.hex; do
  name=$(basename "$packed" .hex)
  python3 "$tool" unpack "$packed" "$work/$name"
  [ "$(find "$work/$name" -type f | wc -l)" -eq "$(wc -l <"$packed")" ] || { echo "$name: an input stands there twice"; exit 1; }
  python3 "$tool" pack "$work/$name" "$work/$name.hex"
  cmp "$packed" "$work/$name.hex"
done
