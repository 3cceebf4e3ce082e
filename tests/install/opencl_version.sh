#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version of OpenCL's functions is the user's to choose, whatever is included first: no version, and each one before
# and after our header, in C11, C++11 and C++17, is compiled, linked and run. A compiler that is not there is left out.
#   opencl_version.sh "CC…" "CXX…" SOURCE BUILD WORK
set -eu
compilers=$1 cxx_compilers=$2 source=$3 build=$4 work=$5
rm -rf "$work"
mkdir -p "$work"
ours='#include <clquant/clquant.h>'
count=0

# compile FIRST_LINES COMPILER LANGUAGE STANDARD flags…
compile() {
  { printf "$1\n"; cat "$source/tests/install/opencl_version.c"; } >"$work/program.$3"
  compiler=$2 language=$3 standard=$4
  shift 4
  "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic "$@" -I"$source/include" "$work/program.$language" \
    -x none -o "$work/program" -L"$build" -lclquant -Wl,-rpath,"$build" -lOpenCL 2>"$work/said" || {
    cat "$work/said"; echo "$compiler -std=$standard does not compile: $what"; exit 1
  }
  status=0
  "$work/program" || status=$?
  [ $status -ne 77 ] || { echo "SKIPPED: no device"; exit 77; }
  [ $status -eq 0 ] || { echo "$compiler -std=$standard, $what: the program ended with $status"; exit 1; }
  count=$((count + 1))
}

# every COMPILER LANGUAGE STANDARD
every() {
  command -v "$1" >/dev/null || { echo "no $1"; return 0; }
  what="no version"
  compile "$ours" "$@" -Werror -DVERSION=300
  for number in 120 200 300; do
    version="#define CL_TARGET_OPENCL_VERSION $number"
    what="$number before our header"
    compile "$version\n$ours" "$@" -Werror -DVERSION=$number
    what="$number and OpenCL's header before ours"
    compile "$version\n#include <CL/cl.h>\n$ours" "$@" -Werror -DVERSION=$number
    what="$number after our header"
    compile "$ours\n$version" "$@" -DVERSION=300
    # CL/cl.h has chosen its newest by then: the same one is no news, and of another the compiler warns
    if [ $number -eq 300 ]; then wanted=0; else wanted=1; fi
    [ "$(grep -c 'warning:.*redefined' "$work/said")" -eq $wanted ] || {
      cat "$work/said"; echo "$compiler, $what: not $wanted warnings"; exit 1
    }
  done
}

for compiler in $compilers; do
  every "$compiler" c c11
done
for compiler in $cxx_compilers; do
  every "$compiler" c++ c++11
  every "$compiler" c++ c++17
done
[ $count -ge 30 ] || { echo "only $count programs ran"; exit 1; }
echo "$count programs"
