#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The names of a build's tests that ci/check.txt chooses: ci/chosen.sh BUILD. Names, because ctest's own expressions may
# have only nine parentheses. Fails where a line of check.txt names no test of the build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
all=$(ctest --test-dir "$1" -N | sed -n 's/^ *Test *#[0-9]*: //p')
lines=$(grep -v '^#' "$here/check.txt")
while read -r line; do
  grep -Exq -- "$line" <<<"$all" || { echo "ci/check.txt: \"$line\" names no test" >&2; exit 1; }
done <<<"$lines"
grep -Ex -f <(echo "$lines") <<<"$all"
