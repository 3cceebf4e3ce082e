#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C11, C++11 and C++17, with the installed DLPack and with a newer one; so does the
# library itself with the newer one. No header defines anything of OpenCL's. A compiler that is not there is left out.
#   headers.sh CC "CC…" "CXX…" SOURCE
set -eu
cc=$1 compilers=$2 cxx_compilers=$3 source=$4
warnings="-Wall -Wextra -Wpedantic -Werror"
count=0

# alone COMPILER LANGUAGE STANDARD flags…
alone() {
  command -v "$1" >/dev/null || return 0
  compiler=$1 language=$2 standard=$3
  shift 3
  for dlpack in "" "-I$source/tests/install/newer"; do
    for header in "$source"/include/clquant/*.h; do
      echo "#include <clquant/$(basename "$header")>" | "$compiler" -x "$language" -std="$standard" $warnings "$@" $dlpack \
        -I"$source/include" -DCL_TARGET_OPENCL_VERSION=300 -fsyntax-only -
      count=$((count + 1))
    done
  done
}
for compiler in $compilers; do
  alone "$compiler" c c11 -Wconversion
done
for compiler in $cxx_compilers; do
  alone "$compiler" c++ c++11
  alone "$compiler" c++ c++17
done
# C++ links with the names of C.
functions=$(sed -n 's/^\(clq_[^ ]*\) .*/\1/p' "$source/host/symbols.txt")
for compiler in $cxx_compilers; do
  command -v "$compiler" >/dev/null || continue
  linked=$({
    for header in "$source"/include/clquant/*.h; do echo "#include <clquant/$(basename "$header")>"; done
    echo 'void (*functions[])() = {'
    for function in $functions; do echo "(void (*)())&$function,"; done
    echo '};'
  } | "$compiler" -x c++ -std=c++17 -I"$source/include" -DCL_TARGET_OPENCL_VERSION=300 -S -o - - | grep -oE '[A-Za-z0-9_]*clq_[a-z0-9_]+' | sort -u)
  [ "$linked" = "$(echo "$functions" | sort)" ] || {
    echo "$compiler links with:" $(printf '%s\n' "$functions" "$functions" "$linked" | sort | uniq -u)
    exit 1
  }
done
if grep -nE '^ *# *define +CL_' "$source"/include/clquant/*.h; then
  echo "a name of OpenCL's is defined in a public header"; exit 1
fi
for file in $(find "$source/host" -name '*.c' ! -path '*/cli/*' ! -name '*_windows.c'); do # windows.sh compiles those
  "$cc" -std=c11 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 -Wall -Wextra -Wconversion -Werror \
    -I"$source/tests/install/newer" -I"$source/include" -I"$source/host" -I"$source/cl" -fsyntax-only "$file"
  count=$((count + 1))
done
[ $count -ge 100 ] || { echo "only $count files were compiled"; exit 1; }
echo "$count compilations"
