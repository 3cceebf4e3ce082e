#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shares of ci/all.sh have each line once, all together, and what .ci/run takes on seven days is each of them.
#   shares.sh SOURCE WORK
set -euo pipefail
rm -rf "$2"
mkdir -p "$2/ci" "$2/.ci"
cd "$1"
. ci/builds.sh
for shares in 1 2 7; do
  for lines in 1 5 20; do
    together=$(for share in $(seq "$shares"); do seq "$lines" | shared "$share" "$shares"; done | sort -n)
    [ "$together" = "$(seq "$lines")" ] || { echo "of $lines lines $shares shares have: $together"; exit 1; }
  done
done

cp .ci/run "$2/.ci"
cat >"$2/ci/all.sh" <<'SCRIPT'
#!/bin/sh
echo "$*"
SCRIPT
cat >"$2/date" <<'SCRIPT'
#!/bin/sh
echo $((DAY * 86400 + 5))
SCRIPT
chmod +x "$2/ci/all.sh" "$2/date"
taken=$(for day in 20000 20001 20002 20003 20004 20005 20006; do DAY=$day PATH="$2:$PATH" "$2/.ci/run"; done | sort)
[ "$taken" = "$(seq -f '--share %g/7' 7)" ] || { echo "within a week .ci/run takes: $taken"; exit 1; }

status=0
printed=$(ci/all.sh --share 8/7 2>&1) || status=$?
[ $status -eq 2 ] && [ "$printed" = "all.sh: --share 8/7: I must be at most N" ] || { echo "$status, and: $printed"; exit 1; }
