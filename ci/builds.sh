# SPDX-License-Identifier: Apache-2.0
# What ci/test.sh and ci/all.sh share: the builds and the runs of their tests.
top=$PWD
jobs=$(nproc)
tests=$((jobs + 1)) # some wait
build=${CLQ_BUILD_DIR:-$top/build-test}
# The last step of gcc's optimizer takes a fifth of its time, and finds no fault more.
plain=("-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG")
# What a sanitizer's report needs, and no more: the compiler takes a tenth less time.
sanitized=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -gline-tables-only -DNDEBUG")
# What is chosen by CLQ_TEST_ONLY need not be in every build.
few=error
[ -z "${CLQ_TEST_ONLY-}" ] || few=ignore

step() { printf '\n== %s (%d s so far)\n' "$1" "$SECONDS"; }

# configure FOLDER COMPILER options…
# Ninja takes a fifth less of the processor than make, which a kept folder may still have.
configure() {
  [ ! -f "$1/CMakeCache.txt" ] || grep -q '^CMAKE_GENERATOR:INTERNAL=Ninja$' "$1/CMakeCache.txt" || rm "$1/CMakeCache.txt"
  cmake -S . -B "$1" -G Ninja -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$([ "$2" = clang ] && echo clang++ || echo g++)" -DCLQ_WERROR=ON \
    -DCLQ_BUILD_TESTS=ON -DCLQ_BUILD_EXAMPLES=ON -DCLQ_TEST_CACHE="$build/cache" "${@:3}" >/dev/null
}

# all_names FOLDER plain|sanitized: the tests that ci/all.txt names there
all_names() {
  [ "$2" = sanitized ] || ci/chosen.sh "$1" all.txt >/dev/null # each line names one
  ci/chosen.sh "$1" all.txt maybe "$2"
}

as_regex() { sed 's/[.]/\\&/g' | paste -sd '|' | sed 's/.*/^(&)$/'; }

# run_tests FOLDER arguments of ctest…
run_tests() {
  ctest --test-dir "$1" --output-on-failure -j "$tests" ${CLQ_TEST_ONLY:+-R "$CLQ_TEST_ONLY"} "${@:2}"
}

# run_quick FOLDER NAMES arguments of ctest…: without these, but for a name that is asked for
run_quick() {
  local without=()
  [ -n "${CLQ_TEST_ONLY-}" ] || without=(-E "$(as_regex <<<"$2")")
  run_tests "$1" "${without[@]}" "${@:3}"
}

# shared I N: of the lines what share I of N has, in turn, for neighbours of the lists take as long as each other
shared() { awk -v share="$1" -v shares="$2" '(NR - share) % shares == 0'; }

# part_of I N: a part and the share of it, "plain 3 15", "sanitized 1 4", "debian 1 1" or "thread 1 1", that share I of N has of
# ci/all.sh, for each of these takes a build of its own; one share alone has "all 1 1"
part_of() {
  local drivers=$(($2 / 5 > 0 ? $2 / 5 : 1)) debians=$(($2 / 10 > 0 ? $2 / 10 : 1))
  if [ "$2" -eq 1 ]; then
    echo all 1 1
  elif [ "$1" -eq 1 ]; then
    echo thread 1 1
  elif [ "$1" -le $((1 + debians)) ]; then
    echo debian $(($1 - 1)) "$debians"
  elif [ "$1" -le $((1 + debians + drivers)) ]; then
    echo sanitized $(($1 - 1 - debians)) "$drivers"
  else
    echo plain $(($1 - 1 - debians - drivers)) $(($2 - 1 - debians - drivers))
  fi
}
