#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What ci/setup.sh installs, with a dpkg-query and an apt that only say so.
#   setup.sh SOURCE WORK
set -euo pipefail
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work/bin" "$work/tree/ci"
cp "$source/ci/setup.sh" "$work/tree/ci"
cat >"$work/tree/ci/packages.txt" <<'LIST'
there: present
all: present missing offered? refused? unknown?
LIST

tool() {
  cat >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
tool dpkg-query <<'TOOL'
#!/bin/sh
for last; do :; done
[ "$last" = present ] && printf installed
TOOL
# Like the real one it goes on writing behind the line that matters, and fails where nobody reads on.
tool apt-cache <<'TOOL'
#!/bin/sh
case $2 in
  refused) printf 'refused:\n  Installed: (none)\n  Candidate: (none)\n'; exit 0 ;;
  offered) printf 'offered:\n  Installed: (none)\n  Candidate: 1.0\n' ;;
  *) exit 0 ;;
esac
i=0
while [ $i -lt 5000 ]; do
  echo "        500 a version table that is longer than a pipe holds, line $i" || exit 1
  i=$((i + 1))
done
TOOL
tool apt-get <<'TOOL'
#!/bin/sh
[ "$1" = update ] || echo "apt-get $*" >&2
TOOL
tool id <<'TOOL'
#!/bin/sh
echo 0
TOOL

# expect PURPOSE WHAT: what is printed and what apt-get is told
expect() {
  printed=$(PATH="$work/bin:$PATH" "$work/tree/ci/setup.sh" $1 2>&1)
  [ "$printed" = "$2" ] || { printf 'for %s it printed:\n%s\nnot:\n%s\n' "$1" "$printed" "$2"; exit 1; }
}
expect there ""
expect all "Not in this release, and what needs it is left out: refused
Not in this release, and what needs it is left out: unknown
Installing: missing offered
apt-get install -y -qq --no-install-recommends missing offered"

dry() {
  status=0
  printed=$(PATH="$1" "$work/tree/ci/setup.sh" --dry-run "$2" 2>&1) || status=$?
  [ "$status: $printed" = "$3" ] || { printf 'without installing, for %s: %s: %s\n' "$2" "$status" "$printed"; exit 1; }
}
dry "$work/bin:$PATH" there "0: "
dry "$work/bin:$PATH" all "1: not installed: missing; this installs them: ci/setup.sh all"
mkdir "$work/foreign" # a system without dpkg
ln -s "$(command -v bash)" "$(command -v env)" "$(command -v dirname)" "$work/foreign"
dry "$work/foreign" all "0: "

status=0
printed=$(PATH="$work/bin:$PATH" "$work/tree/ci/setup.sh" nonsense 2>&1) || status=$?
[ $status -eq 2 ] && [ "$printed" = "setup.sh: ci/packages.txt knows no purpose 'nonsense'" ] || {
  echo "a purpose that there is not: $status, $printed"
  exit 1
}
