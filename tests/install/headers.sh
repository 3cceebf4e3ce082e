#!/bin/sh
# Each public header compiles alone, as C11 and as C++17, with the installed DLPack and with a newer one; so does the
# library itself with the newer one.
#   headers.sh CC CXX SOURCE
set -eu
cc=$1 cxx=$2 source=$3
warnings="-Wall -Wextra -Wpedantic -Werror"
count=0

for dlpack in "" "-I$source/tests/install/newer"; do
  for header in "$source"/include/clquant/*.h; do
    name=clquant/$(basename "$header")
    echo "#include <$name>" | "$cc" -x c -std=c11 $warnings -Wconversion $dlpack -I"$source/include" -fsyntax-only -
    echo "#include <$name>" | "$cxx" -x c++ -std=c++17 $warnings $dlpack -I"$source/include" -fsyntax-only -
    count=$((count + 2))
  done
done
for file in "$source"/host/base/*.c "$source"/host/runtime/*.c "$source"/host/ops/*.c; do
  "$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Werror -I"$source/tests/install/newer" -I"$source/include" \
    -I"$source/host" -I"$source/cl" -fsyntax-only "$file"
  count=$((count + 1))
done
[ $count -ge 40 ] || { echo "only $count files were compiled"; exit 1; }
echo "$count compilations"
