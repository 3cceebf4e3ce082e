#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds, runs and installs a user's project that has clquant within it: what is the project's own stays as it was, and
# nothing of clquant's is installed unless it asks for that.
#   parent.sh CMAKE CC SOURCE WORK
set -eu
cmake=$1 cc=$2 source=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
unset CMAKE_BUILD_TYPE || true

configure() {
  "$cmake" -S "$source/tests/install/parent" -B "$work/$way" -DWAY="$way" -DCLQUANT="$source" -DCMAKE_C_COMPILER="$cc" \
    -DFETCHCONTENT_FULLY_DISCONNECTED=ON "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
build_and_run() {
  "$cmake" --build "$work/$way" --target parent --parallel 2 >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/$way/parent" || { status=$?; echo "the program ended with $status"; exit $status; }
}
cached() { sed -n "s/^$1:[A-Z]*=//p" "$work/$way/CMakeCache.txt"; }

way=fetch
configure
way=subdirectory
configure
for name in CMAKE_BUILD_TYPE BUILD_SHARED_LIBS; do
  [ -z "$(cached $name)" ] || { echo "clquant set the project's $name to $(cached $name)"; exit 1; }
done
build_and_run
if ldd "$work/$way/parent" | grep libclquant; then echo "clquant::clquant is the shared library unasked"; exit 1; fi
"$cmake" --install "$work/$way" --prefix "$work/prefix" >/dev/null
installed=$(cd "$work/prefix" && find . -type f)
[ "$installed" = ./bin/parent ] || { echo "installed with the project:" $installed; exit 1; }

configure -DBUILD_SHARED_LIBS=ON -DCLQ_INSTALL=ON
build_and_run
ldd "$work/$way/parent" | grep -q libclquant || { echo "clquant::clquant is not shared though the project's libraries are"; exit 1; }
grep -q 'libclquant\.a' "$work/$way/clquant/cmake_install.cmake" || { echo "CLQ_INSTALL=ON does not install the library"; exit 1; }
