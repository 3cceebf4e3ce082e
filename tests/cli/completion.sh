#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The shells' completion: what bash offers is what the help of each name has. zsh and fish, where they are.
source "$(dirname "$0")/library.sh"
PATH=$(dirname "$CLQUANT"):$PATH

source <("$CLQUANT" completion bash)
# offers NAME WORDS...: what bash offers behind these words, the last of which is begun.
offers() {
    COMP_WORDS=(clquant "$@") COMP_CWORD=$# COMPREPLY=()
    _clquant clquant "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    printf '%s\n' "${COMPREPLY[@]}" | sort -u
}
names=$("$CLQUANT" --help | awk '/^  [-a-z]/ { print $1 }')
check "all names, and help" test "$(offers '')" = "$(printf '%s\nhelp\n--help\n' "$names" | sort -u)"
check "names that begin so" test "$(offers dyn)" = "$(grep ^dyn <<<"$names" | sort)"
for name in $names; do
    [ "$name" = --version ] && continue
    page=$("$CLQUANT" "$name" --help)
    for option in $(offers "$name" -); do
        check "$name: $option is in its help" grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)|--help|--output" <<<"$page $option"
    done
    for option in $(awk '/^Options|^  -/ { print $1 }' <<<"$page" | grep -oE -- '^--[a-z][a-z-]*'); do
        check "$name: $option is offered" grep -qx -- "$option" <<<"$(offers "$name" --)"
    done
done
check "an option's words" test "$(offers dequantize --mode '')" = $'divide\ndynamic\nmultiply'
check "those that begin so" test "$(offers dynamic_quantize --dtype float8)" = $'float8_e4m3fn\nfloat8_e5m2'
check "files where the shell has them" test -z "$(offers dequantize x)"
refuses "another shell" 2 "completion: 'tcsh': one of bash, zsh, fish is expected" "$CLQUANT" completion tcsh

for shell in zsh fish; do
    succeeds "$shell" "$CLQUANT" completion $shell
    command -v $shell >/dev/null || continue
    "$CLQUANT" completion $shell >script
    check "$shell reads it" $shell -n script
done
! command -v fish >/dev/null || check "fish offers an option's words" \
    test "$(fish -c 'source script; complete -C "clquant dequantize --mode d"' | cut -f 1 | sort)" = $'divide\ndynamic'

finish
