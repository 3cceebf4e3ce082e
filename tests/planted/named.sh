#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each test that a record names, as what found its fault, is one of a build's: named.sh BUILD.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all=$(ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p')
names=$(sed -n '/] missed by all of /d; s/^\[.*\] *//p' "$here"/*.faults | sed 's/, */\n/g' | sort -u)
[ -n "$all" ] && [ -n "$names" ]
gone=$(grep -Fxv -f <(echo "$all") <<<"$names") || exit 0
echo "tests/planted: records name what is no test of the build:"$'\n'"$gone" >&2
exit 1
