#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds with two compilers and passes the tests. CLQ_TEST_ONLY=TEXT runs the tests whose name
# matches, in each build. The last lines are those of ctest.
# The builds share one folder of compiled kernels, which the first tests fill: a driver's compiler is slow, and slower
# still under a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
ci/setup.sh build run demo test bench python
jobs=$(nproc)
tests=$((jobs + 1)) # some wait
# What a sanitizer's report needs, and no more: the compiler takes a tenth less time.
sanitized=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -gline-tables-only -DNDEBUG")
build=${CLQ_BUILD_DIR:-$top/build-test}

step() { printf '\n== %s (%d s so far)\n' "$1" "$SECONDS"; }

step "style and layers"
ci/style.sh || [ $? -eq 77 ] # where there is no git it says so

step "gcc, all warnings are errors"
cmake -S . -B "$build" -DCMAKE_C_COMPILER=gcc -DCLQ_WERROR=ON -DCLQ_BUILD_TESTS=ON -DCLQ_BUILD_EXAMPLES=ON \
  -DCLQ_BUILD_LAB=ON >/dev/null
cmake --build "$build" -j "$jobs"

step "clang, all warnings are errors"
cmake -S . -B "$build/clang" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCLQ_WERROR=ON -DCLQ_BUILD_TESTS=ON -DCLQ_BUILD_EXAMPLES=ON \
  -DCLQ_SANITIZE=address,undefined "${sanitized[@]}" -DCLQ_TEST_CACHE="$build/cache" >/dev/null
cmake --build "$build/clang" -j "$jobs"

run_tests() {
  ctest --test-dir "$1" --output-on-failure -j "$tests" ${CLQ_TEST_ONLY:+-R "$CLQ_TEST_ONLY"} "${@:2}"
}
few=error # what is chosen by name need not be in the builds for sanitizers
[ -z "${CLQ_TEST_ONLY-}" ] || few=ignore

step "tests"
run_tests "$build" --no-tests=error | tee "$build/tests.log"

step "address and undefined behaviour sanitizers"
run_tests "$build/clang" -L sanitize --no-tests=$few

step "thread sanitizer"
cmake -S . -B "$build/thread" -DCMAKE_C_COMPILER=clang -DCLQ_BUILD_TESTS=ON -DCLQ_SANITIZE=thread \
  "${sanitized[@]}" -DCLQ_TEST_CACHE="$build/cache" >/dev/null
cmake --build "$build/thread" -j "$jobs" --target test_quantize_threads test_cache_disk test_threads test_match \
  test_added
run_tests "$build/thread" -L threads --no-tests=$few

step "the Python package"
if [ -z "${CLQ_TEST_ONLY-}" ]; then
  XDG_CACHE_HOME=$build/cache ci/python.sh "$build/python"
fi

step "everything passed; of the tests without sanitizers"
sed -n '/tests passed/,$p' "$build/tests.log"
