#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The variants, each compiled apart, through a second compiler with all warnings: no device takes part.
# compiled_apart.sh CL_FOLDER [EVERY]: of the portable ones one of so many, another one each day
set -euo pipefail
cd "$1"
every=${2:-1}
variants=$(mktemp)
trap 'rm -f "$variants"' EXIT

# expand FILE OPTIONS WORD...: one word NAME=a|b of the line at a time; a line "OPTIONS FILE" for each variant
expand() {
  local file=$1 options=$2
  shift 2
  if [ $# -eq 0 ]; then
    echo "-DKERNEL_NAME=variant$options" */"$file" # in the folder of its kind
    return
  fi
  local name=${1%%=*} values=${1#*=} value
  [[ $values != @* ]] || values=$(sed -n "s/^$values //p" variants.txt)
  for value in ${values//|/ }; do
    expand "$file" "$options -D$name=$value" "${@:2}"
  done
}
# all FILTER: a list's variants
all() {
  local file words
  sed "$1" variants.txt | while read -r file words; do
    [[ -z $file || $file == @* ]] || expand "$file" "" $words
  done >"$variants"
}
output=(-fsyntax-only)
# compile WORD...: for a device with these words of the command line
compile() {
  echo "$(wc -l <"$variants") variants, $*"
  xargs -P "$(nproc)" -L 1 clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header "${output[@]}" "$@" -I . \
    -Wall -Wextra -Wconversion -Werror <"$variants"
}
all "/^cpu/d"
awk -v every="$every" -v first="$(($(date +%s) / 86400))" '(NR + first) % every == 0' "$variants" >"$variants.some"
mv "$variants.some" "$variants"
compile -target spir64
# The first ones of each file, in code, for a processor with vectors of 16 bytes alone.
firsts() {
  awk '!seen[$NF, /ROTATE=1/]++' "$variants" >"$variants.first"
  mv "$variants.first" "$variants"
}
code=(-S -emit-llvm -o /dev/null)
firsts
output=("${code[@]}")
compile -target x86_64-linux-gnu -march=x86-64
output=(-fsyntax-only)
all "/^cpu/!d"
compile -target x86_64-linux-gnu -march=skylake-avx512 # as PoCL does where the processor has AVX-512
# What is another one elsewhere is so in each of a file's variants: the first ones. cpu/choices.clh knows AMD, and what
# has no AVX-512. Vectors that the processor does not have are no warning, which PoCL would count on standard error.
firsts
output=("${code[@]}")
compile -target x86_64-linux-gnu -march=x86-64
compile -target x86_64-linux-gnu -march=haswell
output=(-fsyntax-only)
compile -target x86_64-linux-gnu -march=skylake-avx512 -msse4a -DCLQ_IS_AMD=1
compile -target spir64
