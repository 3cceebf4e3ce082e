#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages with Debian's own compiler flags (DEB_BUILD_OPTIONS changes them): ci/deb.sh FOLDER puts them
# there. What is built lies in FOLDER/build.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: deb.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(realpath -- "$1")
cd "$(dirname "$0")/.."

eval "$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)"
export CFLAGS="$CFLAGS $CPPFLAGS" # CMake knows no CPPFLAGS
cmake -S . -B "$out/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-DNDEBUG -DCMAKE_INSTALL_PREFIX=/usr -DCLQ_ZSH_FOLDER=vendor-completions \
  -DCMAKE_SKIP_INSTALL_RPATH=ON -DBUILD_SHARED_LIBS=ON -DCLQ_BUILD_COMMAND=ON >/dev/null
cmake --build "$out/build" -j "$(nproc)" >"$out/build/log" 2>&1 || { cat "$out/build/log" >&2; exit 1; }
cpack --config "$out/build/CPackConfig.cmake" -B "$out" >"$out/build/log" 2>&1 || { cat "$out/build/log" >&2; exit 1; }
ls "$out"/*.deb
