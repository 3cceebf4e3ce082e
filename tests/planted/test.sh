#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What plant.sh does, with a tree of one function and one test.
#   test.sh SOURCE WORK
set -euo pipefail
source=$1 work=$2
command -v git >/dev/null && command -v python3 >/dev/null || { echo "SKIPPED: no git or no python3"; exit 77; }
rm -rf "$work"
mkdir -p "$work/tree/tests/planted"
cp "$source"/tests/planted/plant.{sh,py} "$work/tree/tests/planted"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cd "$work/tree"

cat >CMakeLists.txt <<'LIST'
cmake_minimum_required(VERSION 3.22)
project(tree LANGUAGES C)
add_compile_options(-Wall -Werror)
enable_testing()
foreach(name IN ITEMS sum slow)
  add_executable(test_${name} sum.c)
  add_test(NAME unit.${name} COMMAND test_${name} ${name})
endforeach()
add_library(part SHARED part.c)
set_target_properties(part PROPERTIES VERSION 1.2.3)
add_test(NAME library COMMAND test -f $<TARGET_FILE:part>)
add_test(NAME skipped COMMAND sh -c "exit 77")
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
LIST
echo 'int part;' >part.c
cat >sum.c <<'C'
static int sum(int a, int b)
{
    return a +
           b;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (volatile int i = 1; i < argc; i++)
        ;
    return sum(2, 2) == 4 ? 0 : 1;
}
C
cat >tests/planted/unit.faults <<'LIST'
# Faults of the example.

[unit/difference] unit.sum
file: sum.c
breaks: sums are differences
-return a + b;
+return a - b;

[unit/product] missed by all of unit
breaks: sums are products, as 2 and 2 do not show
-a + b
+a * b

[unit/endless] unit.sum
breaks: a loop does not end
-i < argc; i++)
+i < argc; i += 0)

[unit/warning] unit.sum
breaks: it does not compile
-(void)argv;
+int unused;
LIST
printf '/build\n' >.gitignore
git init -q
git add .

# expect WHAT STATUS TEXT ARGUMENTS…: the status of plant.sh, and a text in what it prints
expect() {
  local what=$1 wanted=$2 text=$3 status=0
  shift 3
  printed=$(tests/planted/plant.sh --at "$work/copy" "$@" 2>&1) || status=$?
  [ "$status" -eq "$wanted" ] && [[ $printed == *"$text"* ]] || {
    printf '%s: %s, not %s, and it printed:\n%s\nnot: %s\n' "$what" "$status" "$wanted" "$printed" "$text"
    exit 1
  }
}
expect "all records fit" 0 "4 faults, 0 of which do not fit the tree" --check
expect "the list" 0 "sums are differences" --list
expect "a table" 0 "| unit/product | sums are products, as 2 and 2 do not show | missed by all of \`unit\` |" --table
expect "the tests without a fault" 0 "passed ^(unit\\.sum)$" --clean unit/difference
expect "a test of a library with a version" 0 "passed library" --clean --tests library unit/difference
expect "a fault that is found" 0 "found   unit/difference" unit/difference
[[ $printed == *"unit.sum"*"1 faults: 1 found, 0 missed, 0 broken"* ]] || { echo "$printed"; exit 1; }
expect "a fault that is missed" 1 "missed  unit/product" unit/product
expect "a fault that hangs" 0 "it does not end within 2.0 s" --limit 2 unit/endless
expect "a fault that does not compile" 1 "broken  unit/warning" unit/warning
expect "a layer" 1 "4 faults: 2 found, 1 missed, 1 broken" --limit 2 --layer unit
expect "a command" 0 "found   unit/product" unit/product -- sh -c 'test "$CLQ_BUILD_DIR" && grep -q "a + b" sum.c'
expect "a fault that one kernel of all shows" 0 "found   unit/product" unit/product -- sh -c 'test -z "$CLQ_ALL_VARIANTS"'
expect "a command that finds nothing" 1 "missed  unit/difference" unit/difference -- true
expect "tests that there are not" 1 "no test matches 'nonesuch'" --tests nonesuch unit/difference
expect "tests that this machine skips" 1 "broken  unit/difference" --tests skipped unit/difference
git diff --quiet || { echo "it changed the tree"; git diff; exit 1; }
grep -q "a +" "$work/copy/tree/sum.c" || { echo "a fault stays in the copy"; exit 1; }

# What the tree has now, not what was committed.
sed -i 's/== 4/== 5/' sum.c
expect "a tree that fails by itself" 1 "FAILED ^(unit\\.sum)$" --clean unit/difference
git checkout -q sum.c

expect "no fault" 2 "a fault's NAME, --layer LAYER or --all is expected"
expect "an unknown fault" 2 "unit/none: there is no such fault; --list has them" unit/none
expect "an unknown layer" 2 "--layer none: it must be one of unit" --layer none
expect "a copy inside the tree" 2 "it must not be inside the tree" --at "$PWD/build" --all
mkdir -p "$work/theirs/tree"
touch "$work/theirs/tree/letter"
expect "a folder of somebody else" 2 "there is a 'tree' already" --at "$work/theirs" --all
[ -f "$work/theirs/tree/letter" ] || { echo "it removed a file of somebody else"; exit 1; }
exec 9>"$work/copy/planted"
flock 9
expect "two runs at once" 2 "another run of plant.sh works there" --all
exec 9>&-
expect "no command" 2 "a command is expected behind --" --all --
printf 'a + b\n' >moved.c
sed -i 's/return a +/return b +/' sum.c
git add moved.c
expect "a text that has gone" 2 "unit.faults:9: unit/product: its old text occurs 0 times in sum.c, and must occur once; it does in moved.c" --check
expect "a text that has gone, before anything runs" 2 "its old text occurs 0 times in sum.c" --all
printf 'int a + b a + b;\n' >sum.c
expect "a text that is there twice" 2 "its old text occurs 2 times in sum.c" --check
rm sum.c
expect "a file that has gone" 2 "there is no sum.c" --check
git checkout -q sum.c

printf '[unit/product] y\nbreaks: x\n-a\n' >>tests/planted/unit.faults
expect "a name twice" 2 "unit/product is there 2 times" --check
printf '[unit/empty] y\nfile: sum.c\nbreaks: x\n' >tests/planted/unit.faults
expect "no old text" 2 "unit.faults:1: unit/empty has no old text" --check
printf '[unit/no-file] y\nbreaks: x\n-a\n' >tests/planted/unit.faults
expect "no file" 2 "unit.faults:1: unit/no-file has no 'file:'" --check
printf '[other/name]\n' >tests/planted/unit.faults
expect "another layer's name" 2 "the name 'other/name' must be unit/ and small letters" --check
printf '[unit/no-test]\nbreaks: x\n' >tests/planted/unit.faults
expect "no test" 2 "unit.faults:1: unit/no-test names no test behind it" --check
printf '[unit/field] y\nwhat: x\n' >tests/planted/unit.faults
expect "an unknown field" 2 "unit.faults:2: 'what' must be one of file, breaks," --check
