#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds with two compilers and passes the tests but those of ci/all.txt, which are ci/all.sh's.
# CLQ_TEST_ONLY=TEXT runs the tests whose name matches, in each build. The last lines are those of ctest.
# The builds share one folder of compiled kernels, which the first tests fill: a driver's compiler is slow, and slower
# still under a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/builds.sh
ci/setup.sh build run demo test python

step "style and layers"
ci/style.sh || [ $? -eq 77 ] # where there is no git it says so

step "gcc, all warnings are errors"
configure "$build" gcc "${plain[@]}"
cmake --build "$build" -j "$jobs"

# All that follows runs beside it.
python=
if [ -z "${CLQ_TEST_ONLY-}" ]; then
  set -m # a group of its own, so that nothing of it is left behind where a test fails
  XDG_CACHE_HOME=$build/cache ci/python.sh "$build/python" "$build" >"$build/python.log" 2>&1 &
  python=$!
  set +m
  trap 'kill -- "-$python" 2>/dev/null || true' EXIT
fi

step "clang with sanitizers of addresses and undefined behaviour, all warnings are errors"
configure "$build/clang" clang "${sanitized[@]}" -DCLQ_SANITIZE=address,undefined
cmake --build "$build/clang" -j "$jobs" --target stub_tests

step "tests"
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable # its optimizer would take most of the time, and is ci/all.sh's
left_out=$(all_names "$build" plain)
run_quick "$build" "$left_out" --no-tests=error | tee "$build/tests.log"

step "sanitizers, on the stub"
left_out=$(all_names "$build/clang" sanitized)
run_quick "$build/clang" "$left_out" -L sanitize -LE device --no-tests=$few

if [ -n "$python" ]; then
  step "the Python package, which ran beside these"
  wait "$python" || { cat "$build/python.log"; exit 1; }
  tail -3 "$build/python.log"
fi

step "everything passed; of the tests without sanitizers"
sed -n '/tests passed/,$p' "$build/tests.log"
