#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The names of a build's tests that a list of this folder chooses: ci/chosen.sh BUILD LIST [PREFIX…], by the lines behind these
# prefixes too. Names, because ctest's own expressions may have only nine parentheses. Without a prefix it fails where a
# line names no test of the build.
set -euo pipefail
list=$(dirname "$0")/$2
all=$(ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p')
patterns=$(sed -E '/^#|^$|^[a-z]+: /d' "$list")
while [ $# -eq 2 ] && read -r line; do
  grep -Exq -- "$line" <<<"$all" || { echo "ci/$2: \"$line\" names no test" >&2; exit 1; }
done <<<"$patterns"
for prefix in "${@:3}"; do
  patterns+=$'\n'$(sed -n "s/^$prefix: //p" "$list")
done
grep -Ex -f <(echo "$patterns") <<<"$all" || true
