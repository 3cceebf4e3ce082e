#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every page of help, on a terminal of 80 columns: the command's, also as it answers no argument, and those of all names. OTHERS are
# programs with a page of their own.
source "$(dirname "$0")/library.sh"

fits() { # NAME: the last run's page, which is in $out
    check "$1: a page" test "$(wc -l <<<"$out")" -ge 2
    check "$1: no line is wider than 80" test -z "$(LC_ALL=C grep -nE '^.{81,}' <<<"$out")"
    check "$1: no line ends in a space" test -z "$(grep -nE ' $' <<<"$out")"
}

run "$CLQUANT"
out=$err
fits "no argument"
run "$CLQUANT" --help
fits "--help"
names=$(awk '/^  [a-z]/ { print $1 }' <<<"$out")
check "there are operators and commands" test "$(wc -l <<<"$names")" -ge 15
for name in $names; do
    run "$CLQUANT" "$name" --help
    fits "$name --help"
    page=$out
    run "$CLQUANT" help "$name"
    check "help $name is the same page" test "$out" = "$page"
done
for name in "cache fill" "cache export"; do
    run "$CLQUANT" $name --help
    fits "$name --help"
done
for program in $OTHERS; do
    run "$program" --help
    fits "$(basename "$program") --help"
done
finish
