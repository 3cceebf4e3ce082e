#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything, for a release: ci/test.sh, and what it leaves out (ci/all.txt), sanitizers on drivers, the thread sanitizer, the
# code of every kernel for GPUs, and ci/test.sh and ci/demo.sh on another Debian. ci/all.sh --share I/N: of what is left out one
# of N shares, of which all N together have each test. That of the other Debian has ci/test.sh there alone, where it can be made. The last
# lines are those of ctest, of the tests of ci/test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/builds.sh
share=1 shares=1
if [ $# -gt 0 ]; then
  [[ $# -eq 2 && $1 == --share && $2 =~ ^([1-9][0-9]?)/([1-9][0-9]?)$ ]] || { echo "usage: all.sh [--share I/N]" >&2; exit 2; }
  share=${BASH_REMATCH[1]} shares=${BASH_REMATCH[2]}
  [ "$share" -le "$shares" ] || { echo "all.sh: --share $2: I must be at most N" >&2; exit 2; }
  [ "$shares" -eq 1 ] || [ "$shares" -ge 4 ] || { echo "all.sh: --share $2: N must be 1 or at least 4, for there are four builds" >&2; exit 2; }
fi
read -r part of shares_of <<<"$(part_of "$share" "$shares")"

unset CLQ_TEST_ONLY # a part of everything is ci/test.sh's

# run_named FOLDER NAMES
run_named() { [ -z "$2" ] || run_tests "$1" -R "$(as_regex <<<"$2")" --no-tests=error; }

is_part() { [ "$part" = all ] || [ "$part" = "$1" ]; }

log=$build/tests.log
if is_part debian; then
  release=trixie
  ! grep -qx VERSION_CODENAME=trixie /etc/os-release || release=bookworm
  commands=$(printf '%s\n' ci/test.sh ci/demo.sh | shared "$of" "$shares_of" | paste -sd ';')
  step "on Debian $release: $commands"
  status=0
  ci/debian.sh "$release" "$build/$release" "set -e;$commands" || status=$?
  [ $status -eq 0 ] || [ $status -eq 77 ] || exit $status
  [ "$status,$part,${commands%%;*}" != 0,debian,ci/test.sh ] || log=$build/$release/clquant/build-test/tests.log
fi
[ "$log" != "$build/tests.log" ] || ci/test.sh

if is_part plain; then
  step "what ci/test.sh leaves out, share $of of $shares_of"
  ci/intel.sh || [ $? -eq 77 ] # gpu_code says so, and does without
  # The peers are in the environment that ci/test.sh made for the Python package.
  configure "$build" gcc "${plain[@]}" -DCLQ_BUILD_LAB=ON -DPython3_EXECUTABLE="$build/python/venv/bin/python"
  cmake --build "$build" -j "$jobs" >/dev/null
  run_named "$build" "$(all_names "$build" plain | shared "$of" "$shares_of")"
fi
if is_part sanitized; then
  step "sanitizers on drivers, share $of of $shares_of"
  cmake --build "$build/clang" -j "$jobs" >/dev/null
  sanitized_names() { ctest --test-dir "$build/clang" -N -L sanitize "$@" | sed -n 's/^ *Test *#[0-9]*: //p'; }
  left_out=$({ sanitized_names -L device; sanitized_names | grep -Fx -f <(all_names "$build/clang" sanitized); } | sort -u)
  run_named "$build/clang" "$(shared "$of" "$shares_of" <<<"$left_out")"
fi
if is_part thread; then
  step "thread sanitizer"
  configure "$build/thread" clang "${sanitized[@]}" -DCLQ_SANITIZE=thread
  cmake --build "$build/thread" -j "$jobs" --target test_cache_disk test_threads test_match test_added
  run_tests "$build/thread" -L threads --no-tests=error
  step "the Python package as a wheel"
  XDG_CACHE_HOME=$build/cache ci/wheel.sh "$build/python"
fi
if [ "$part" = all ]; then
  step "the code of every kernel, as GPUs' compilers make it"
  ci/gpu_code.sh
fi

step "everything passed; of the tests without sanitizers"
sed -n '/tests passed/,$p' "$log"
