#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/command.md, docs/quantize_model.md and --help name the same options, of the same defaults.
manual=$(cd "$(dirname "$0")/../../docs" && pwd)/command.md
source "$(dirname "$0")/library.sh"

# The options of an operator's row, a line each: the name and the default. "the same" is the row above; what is chosen
# by another thing, as (by q's type), is no default.
manual_options() {
    sed 's/\\|/\//g' "$manual" | awk -F'|' -v name=" \`$1\` " '
        $2 == name && index($4, "the same") { print above; exit }
        $2 == name { print $4; exit }
        { above = $4 }' |
        grep -oE '`--[^`]*`( \([^;)]*)?' | sed -E 's/`(--[a-z-]+)[^`]*`( \(by .*)?/\1/; s/ \(/ /' | sort
}

# The same of --help, where a switch says (off); what was broken for 80 columns is one line again.
help_options() {
    "$CLQUANT" "$1" --help | sed -E ':all; N; $!b all; s/\n {20,}/ /g' | sed -nE 's/^  (--[a-z-]+) .* \(([^()]*)\)$/\1 \2/p; t; s/^  (--[a-z-]+) .*/\1/p' |
        sed 's/ off$//' | grep -vxE -e '--(tensor|name|device)' | sort
}

operators=$("$CLQUANT" --help | sed -nE '/^clquant OPERATOR/,/^$/ s/^  ([a-z_0-9]+)( .*)?$/\1/p')
check "there are operators" test "$(wc -w <<<"$operators")" -ge 14
for operator in $operators; do
    out=$(diff <(manual_options "$operator") <(help_options "$operator") 2>&1)
    err="< docs/command.md, > clquant $operator --help"
    check "the options of $operator" test -z "$out"
    check "$operator has some" test -n "$(help_options "$operator")"
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
