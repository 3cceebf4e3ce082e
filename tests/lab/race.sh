#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Races two builds of clquant, row by row, each a folder of CMake's with libclquant.so in it:
#
#   race.sh BUILD_A BUILD_B [--only TEXT] [--size MIB] [--rounds N] [--device TEXT]
#   race.sh --self BUILD [...]      a build against a copy of itself: what this machine's noise looks like
#
# LAB names the program lab; else it is built into build-lab of this tree.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
library() {
  [ -f "$1/libclquant.so" ] || { echo "race.sh: '$1' holds no libclquant.so: build clquant there first" >&2; exit 1; }
  realpath "$1/libclquant.so"
}

[ $# -ge 2 ] || usage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$1" = --self ]; then
  a=$(library "$2")
  b=$work/libclquant.so # another file, so that it is loaded a second time
  cp "$a" "$b"
else
  a=$(library "$1")
  b=$(library "$2")
fi
shift 2
if [ -z "${LAB-}" ]; then
  LAB=$root/build-lab/lab
  cmake -S "$root" -B "$root/build-lab" -DCLQ_BUILD_LAB=ON >"$work/log" 2>&1 &&
    cmake --build "$root/build-lab" --target lab --parallel >>"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
fi
# PoCL keeps each of its threads on a processor.
POCL_AFFINITY=${POCL_AFFINITY-1} "$LAB" "$a" "$b" "$@"
