#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/command.md and docs/quantize_model.md name what --help does: operators, and options of other commands.
manual=$(cd "$(dirname "$0")/../../docs" && pwd)/command.md
source "$(dirname "$0")/library.sh"

operators=$("$CLQUANT" --help | sed -nE '/^clquant OPERATOR/,/^$/ s/^  ([a-z_0-9]+)( .*)?$/\1/p')
check "there are operators" test "$(wc -w <<<"$operators")" -ge 14
for operator in $operators; do
    check "$operator has its row" grep -qE "^\| .*\`$operator\`" "$manual"
done

words() { grep -oE -e '--[a-z-]+' | sort -u; }
for command in selftest bench; do
    out=$(diff <(grep -E "^    clquant $command " "$manual" | words) <("$CLQUANT" "$command" --help | words) 2>&1)
    err="< docs/command.md, > clquant $command --help"
    check "the options of $command" test -z "$out"
done
out=$(diff <(grep -E '^\| `--' "${manual%/*}/quantize_model.md" | cut -d'|' -f2 | words) <("$CLQUANT" quantize_model --help | grep -E '^  --' | words) 2>&1)
err="< docs/quantize_model.md, > clquant quantize_model --help"
check "the options of quantize_model" test -z "$out"
finish
