#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The quick answer: style, one build, and the tests of ci/check.txt, which find a fault planted in any layer. What only
# other compilers, sanitizers, drivers and exhaustive inputs find is ci/test.sh's. CLQ_TEST_ONLY=TEXT runs those of them
# whose name matches. Where packages are missing it says how to install them. ci/check.sh --names configures the build and
# prints the tests of ci/check.txt, no more.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${CLQ_BUILD_DIR:-$PWD/build-check}

ci/setup.sh --dry-run build run demo test
configure() { cmake -S . -B "$build" -DCLQ_WERROR=ON -DCLQ_BUILD_TESTS=ON -DCLQ_BUILD_EXAMPLES=ON >/dev/null; }
if [ "${1-}" = --names ]; then
  configure
  exec ci/chosen.sh "$build" check.txt
fi
ci/style.sh || [ $? -eq 77 ] # where there is no git it says so
configure
cmake --build "$build" -j "$(nproc)" >"$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }
chosen=$(ci/chosen.sh "$build" check.txt | { grep -E -- "${CLQ_TEST_ONLY-}" || true; } | paste -sd '|')
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable # its optimizer would take most of the time
ctest --test-dir "$build" --output-on-failure -j "$(nproc)" --no-tests=error -R "^($chosen)\$"
echo "checked in $SECONDS s"
