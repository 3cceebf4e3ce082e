#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/command.md has a row for each operator, and it and docs/quantize_model.md name options that --help has.
manual=$(cd "$(dirname "$0")/../../docs" && pwd)/command.md
source "$(dirname "$0")/library.sh"

operators=$("$CLQUANT" --help | sed -nE '/^clquant OPERATOR/,/^$/ s/^  ([a-z_0-9]+)( .*)?$/\1/p')
check "there are operators" test "$(wc -w <<<"$operators")" -ge 14
for operator in $operators; do
    check "$operator has its row" grep -qE "^\| .*\`$operator\`" "$manual"
done

words() { grep -oE -e '--[a-z][a-z-]*' | sort -u; }
for command in selftest bench; do
    out=$(diff <(grep -E "^    clquant $command " "$manual" | words) <("$CLQUANT" "$command" --help | words) 2>&1)
    err="< docs/command.md, > clquant $command --help"
    check "the options of $command" test -z "$out"
done

all=$(for name in $operators quantize_model list devices selftest bench cache; do "$CLQUANT" "$name" --help; done | words; echo --help; echo --version)
for page in command quantize_model; do
    out=$(grep -vxF -e "$all" <(words <"${manual%/*}/$page.md"))
    err="options of docs/$page.md that no command has: $out"
    check "the options of $page.md" test -z "$out"
done
finish
