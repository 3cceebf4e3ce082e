#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All variants in one source, as an offline image needs them, through a second compiler with all warnings: no device takes
# part. one_source.sh CL_FOLDER
set -euo pipefail
cl=$1
source=$(mktemp --suffix=.cl)
trap 'rm -f "$source"' EXIT

# expand FILE NAME-SUFFIX DEFINES UNDEFS WORD...: one word NAME=a|b of the line at a time
expand() {
  local file=$1 suffix=$2 defines=$3 undefs=$4
  shift 4
  if [ $# -eq 0 ]; then
    printf '#define KERNEL_NAME k_%s\n%b#include "%s"\n#undef KERNEL_NAME\n%b' "${file%.cl}$suffix" "$defines" "$file" "$undefs"
    return
  fi
  local name=${1%%=*} values=${1#*=} value
  for value in ${values//|/ }; do
    expand "$file" "${suffix}_$value" "$defines#define $name $value\n" "$undefs#undef $name\n" "${@:2}"
  done
}
# all FILTER: a list's variants
all() {
  local file words
  sed "$1" "$cl/variants.txt" | while read -r file words; do
    [ -z "$file" ] || expand "$file" "" "" "" $words
  done >"$source"
  kernels=$(grep -c KERNEL_NAME\ k_ "$source")
}
# compile WORD...: for a device with these words of the command line
compile() {
  echo "$kernels kernels in one source, $*"
  clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header "$@" -fsyntax-only -I "$cl" -Wall -Wextra -Wconversion \
    -Werror "$source"
}
all ""
compile -target spir64
# As PoCL compiles them where the processor has AVX-512, and those alone that a CPU chooses: base/lines.clh is another
# one there.
all "s/item|group/item/; s/native|exact/native/; s/0|1$/1/"
compile -target x86_64-linux-gnu -march=skylake-avx512 -DPOCL_DEVICE_ADDRESS_BITS=64
compile -target x86_64-linux-gnu -march=skylake-avx512 -msse4a -DPOCL_DEVICE_ADDRESS_BITS=64 # as on AMD's
