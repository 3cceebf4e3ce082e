#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ci/style.sh looks at, in a tree of its own.
#   style.sh SOURCE WORK
set -euo pipefail
source=$1 work=$2
command -v git >/dev/null || { echo "SKIPPED: no git"; exit 77; }
rm -rf "$work"
mkdir -p "$work/ci" "$work/docs" "$work/tests"
cp "$source/ci/style.sh" "$work/ci"
cd "$work"
touch README.md CMakeLists.txt docs/numerics.md tests/CMakeLists.txt

# expect WHAT STATUS TEXT: the status, and a text in what is printed, which has no other lines where it is nothing
expect() {
  local status=0
  printed=$(LC_ALL=C ci/style.sh 2>&1) || status=$?
  [ "$status" -eq "$2" ] && [[ $printed == *"$3"* ]] || { printf '%s: %s, and it printed:\n%s\n' "$1" "$status" "$printed"; exit 1; }
}
expect_one_line() { [[ $printed != *$'\n'* ]] || { printf '%s: more than a line:\n%s\n' "$1" "$printed"; exit 1; }; }

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null # which may call any repository safe
expect "no repository" 77 "style: not checked"
expect_one_line "no repository"
git init -q
git add .
expect "a clean tree" 0 ""
export GIT_TEST_ASSUME_DIFFERENT_OWNER=1
expect "the repository of another" 77 "dubious ownership"
expect_one_line "the repository of another"
unset GIT_TEST_ASSUME_DIFFERENT_OWNER
licence='SPDX-License-Identifier: Apache-2.0'
for file in tests/new.c tests/new.h tests/new.cpp cl_new.cl new.clh tests/new.sh tests/new.cmake tests/new/CMakeLists.txt new.py; do
  mkdir -p "$(dirname "$file")"
  printf '\n\n\n// %s\n' "$licence" >"$file"
  git add "$file"
  expect "$file without its licence" 1 "$file does not say its licence in its first three lines"
  printf '\n\n// %s\n' "$licence" >"$file"
  case $file in *.[ch] | *.cpp) printf '// %s\n' "$licence" >"$file" ;; esac # as clang-format has it
  expect "$file with its licence" 0 ""
done
for file in README.md docs/numerics.md tests/CMakeLists.txt; do
  echo "# TO""DO" >"$file"
  expect "an unfinished $file" 1 "$file:1:"
  : >"$file"
done
if command -v python3 >/dev/null; then
  mkdir -p tests/lab
  printf '# %s\nraise SystemExit("a table is another one")\n' "$licence" >tests/lab/gpu_report.py
  expect "a table of devices that is another one" 1 "style: a table is another one"
  rm tests/lab/gpu_report.py
  cp "$source"/ci/{rooms,words}.py ci
  git add ci
  # breaks FILE WHAT TEXT: a file with this text is a breach, and without it there is none
  breaks() {
    mkdir -p "$(dirname "$1")"
    case $1 in *.c) printf '/* %s */\n%s\n' "$licence" "$3" >"$1" ;; *) printf '// %s\n%s\n' "$licence" "$3" >"$1" ;; esac
    git add "$1"
    expect "$1" 1 "$2"
    git rm -qf "$1"
    expect "$1 once more" 0 ""
  }
  mkdir -p host/base cl/base cl/static
  printf '/* %s */\nvoid one(void)\n{\n    two();\n}\n' "$licence" >host/base/one.c
  printf '// %s\n#include "base/shared.clh"\n#define OWN 1\n' "$licence" >cl/static/kernel.cl
  git add host cl
  breaks host/base/two.c "these know each other: host/base/one.c host/base/two.c" $'void two(void)\n{\n    one();\n}'
  breaks cl/base/shared.clh "cl/base/shared.clh is of static alone" "#define SHARED 1"
  printf '// %s\n#include "static/kernel_part.clh"\n#define OWN 1\n' "$licence" >cl/static/kernel.cl
  breaks cl/static/kernel_part.clh "cl/static/kernel_part.clh reads OWN of cl/static/kernel.cl" "#define PART OWN"
  breaks host/base/word.c "the field's word is extreme" "int is_wild;"
  breaks host/base/sentence.c "a sentence has its noun: Where it lies" "/* Where it lies. */"
  git rm -qf host/base/one.c cl/static/kernel.cl ci/rooms.py ci/words.py
fi
mkdir -p cl include
for file in cl/long.cl cl/long.clh cl/long.h include/long.h; do
  for columns in 111 110; do
    printf '// %s\n// …%0*d\n' "$licence" $((columns - 4)) 0 >"$file"
    git add "$file"
    if [ "$columns" -gt 110 ]; then expect "$file with $columns columns" 1 "$file:2:"; else expect "$file with $columns columns" 0 ""; fi
  done
done
for columns in 151 150; do
  printf '%0*d\n' "$columns" 0 >README.md
  if [ "$columns" -gt 150 ]; then expect "a page with $columns columns" 1 "README.md:1:"; else expect "a page with $columns columns" 0 ""; fi
done
echo 'cl/gone.cl, host/NAME.c' >README.md
expect "a page with a file that is not there" 1 "cl/gone.cl"
echo 'long.cl, cl/long.cl' >README.md
expect "a page with a file that is there" 0 ""
