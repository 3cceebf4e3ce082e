#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the library for Windows and macOS without a warning, by CMake and zig, and links it for Windows: ci/cross.sh FOLDER.
# zig is that of the PATH, or of `pip install ziglang` in the python3 of the PATH. OpenCL's and DLPack's headers are the
# system's; of OpenCL's library names are enough. It is no test of ci/test.sh, for zig unpacks to 400 MB.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: cross.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath -- "$1")
cd "$(dirname "$0")/.."

zig=(zig)
command -v zig >/dev/null || zig=(python3 -m ziglang)
"${zig[@]}" version >/dev/null || { echo "cross.sh: no zig; python3 -m venv v && . v/bin/activate && pip install ziglang" >&2; exit 1; }
mkdir -p "$out/include"
for name in CL dlpack; do # of the system's headers these alone
  ln -sfn "/usr/include/$name" "$out/include/$name"
done
cat >"$out/dlpackConfig.cmake" <<CONFIG
add_library(dlpack::dlpack INTERFACE IMPORTED)
set_target_properties(dlpack::dlpack PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$out/include")
CONFIG
{ # an import library of what OpenCL's header declares
  printf 'LIBRARY OpenCL.dll\nEXPORTS\n'
  grep -ohE '\bcl[A-Z][A-Za-z]+\(' /usr/include/CL/cl.h | tr -d '(' | sort -u
} >"$out/opencl.def"
"${zig[@]}" dlltool -m i386:x86-64 -d "$out/opencl.def" -l "$out/libOpenCL.a"

# build SYSTEM PROCESSOR TARGET WHAT
build() {
  printf '#!/bin/sh\nexec %s cc -target %s "$@"\n' "${zig[*]}" "$3" >"$out/cc-$3"
  printf '#!/bin/sh\nexec %s ar "$@"\n' "${zig[*]}" >"$out/ar"
  printf '#!/bin/sh\nexec %s ranlib "$@"\n' "${zig[*]}" >"$out/ranlib"
  chmod +x "$out/cc-$3" "$out/ar" "$out/ranlib"
  cmake -S . -B "$out/$3" -DCMAKE_SYSTEM_NAME="$1" -DCMAKE_SYSTEM_PROCESSOR="$2" -DCMAKE_C_COMPILER="$out/cc-$3" \
    -DCMAKE_AR="$out/ar" -DCMAKE_RANLIB="$out/ranlib" -DOpenCL_INCLUDE_DIR="$out/include" -DOpenCL_LIBRARY="$out/libOpenCL.a" \
    -Ddlpack_DIR="$out" -DCLQ_BUILD_COMMAND=OFF -DCLQ_WERROR=ON >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
  cmake --build "$out/$3" -j "$(nproc)" --target "$4" >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
  echo "$3: $4 is built"
}
build Windows x86_64 x86_64-windows-gnu clquant_shared
build Darwin arm64 aarch64-macos clquant_objects
