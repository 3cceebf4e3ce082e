#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library compiles for Windows without a warning, by clang and the headers of mingw-w64, and exports what the list has.
# ci/cross.sh links it, and compiles it for macOS too.
#   windows.sh NM SOURCE FILES WORK     FILES is the embedded kernels' C file
set -eu
nm=$1 source=$2 files=$3 work=$4
headers=/usr/x86_64-w64-mingw32/include
command -v clang >/dev/null || { echo "SKIPPED: no clang"; exit 77; }
[ -f "$headers/windows.h" ] || { echo "SKIPPED: no mingw-w64"; exit 77; }
rm -rf "$work"
mkdir -p "$work/include"
for name in CL dlpack; do # of the system's headers these alone
  ln -s "/usr/include/$name" "$work/include"
done

cd "$work"
# mingw's intrin.h includes a header that warns in clang 19. An object has the name of its folder too: several files are check.c.
export headers source
{ find "$source/host" -name '*.c' ! -path '*/cli/*' ! -name disk.c ! -name trim.c; echo "$files"; } | # disk_windows.c is in their place
  xargs -P 2 -n 1 sh -c 'clang -target x86_64-w64-windows-gnu -isystem "$headers" -isystem include -std=c11 -D_GNU_SOURCE \
    -DCL_TARGET_OPENCL_VERSION=120 -DCLQ_BUILD_SHARED -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Werror "-Wno-#warnings" \
    -I"$source/include" -I"$source/host" -I"$source/cl" -c "$1" -o "$(echo "$1" | tr / _).o"' compile
cat ./*.o | grep -aoE -- '-export:clq_[a-z0-9_]+' | sed 's/-export://' | LC_ALL=C sort >exported
sed -n 's/^\(clq_[^ ]*\) .*/\1/p' "$source/host/symbols.txt" | diff - exported
missing=$("$nm" ./*.o | awk 'NF == 2 && $1 == "U" { used[$2] } NF == 3 { defined[$3] }
  END { for (name in used) if (name ~ /^clq_/ && !(name in defined)) print name }')
[ -z "$missing" ] || { echo "used and not defined:" $missing; exit 1; }
