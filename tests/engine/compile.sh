#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles a kernel of cl/cpu as a shared library of this machine, with two functions: the kernel, and engine_set_item.
# compile.sh FOLDER TARGET avx512|plain asan|bare SOURCE TO OPTION...: what all kernels of a target share stays in FOLDER
set -euo pipefail
here=$(dirname "$0")
folder=$1 target=$2 wide=$3 checks=$4 source=$5 to=$6
shift 6
cl=(clang -x cl -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -Xclang -finclude-default-header -target x86_64-linux-gnu "$target"
  -O0 -fPIC -ffp-contract=off -Wno-psabi) # with its optimizer the sanitizer takes ten times as long
[ "$checks" = bare ] || cl+=(-fsanitize=address)
shared=$folder/$checks$target # several processes may make it at once
if [ ! -e "$shared.builtins.o" ] || [ ! -e "$shared.item.o" ]; then
  "${cl[@]}" -c "$here/builtins.cl" -o "$to.builtins.o"
  clang -fPIC -c "$here/item.c" -o "$to.item.o"
  mv "$to.builtins.o" "$shared.builtins.o"
  mv "$to.item.o" "$shared.item.o"
fi
meant=()
[ "$wide" = plain ] || meant=(-include "$here/avx512.clh")
"${cl[@]}" "${meant[@]}" -Dkernel= "$@" -c "$source" -o "$to.o"
clang -shared "$to.o" "$shared.builtins.o" "$shared.item.o" -o "$to.part"
rm "$to.o"
mv "$to.part" "$to"
