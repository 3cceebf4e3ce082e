#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shares of ci/all.sh have each line once, all together; they are each part's; and what .ci/run
# takes in the quarters of seven days is each of them,
# as is what it takes at one hour of 27 days.
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

for shares in 1 4 5 7 27; do
  parts=$(for share in $(seq "$shares"); do part_of "$share" "$shares"; done)
  for part in thread debian sanitized plain; do
    has=$(grep "^$part " <<<"$parts" | cut -d ' ' -f 2- || true) of=$(grep -c "^$part " <<<"$parts" || true)
    [ "$parts" = "all 1 1" ] || [ -n "$has" -a "$has" = "$(seq -f "%g $of" "$of")" ] ||
      { echo "of $shares shares $part has: $has"; exit 1; }
  done
done

cp .ci/run "$2/.ci"
cat >"$2/ci/all.sh" <<'SCRIPT'
#!/bin/sh
echo "$*"
SCRIPT
cat >"$2/date" <<'SCRIPT'
#!/bin/sh
echo $((QUARTER * 21600 + 5))
SCRIPT
chmod +x "$2/ci/all.sh" "$2/date"
for quarters in "60000 1 60026" "60000 4 60104"; do
  taken=$(for quarter in $(seq $quarters); do QUARTER=$quarter PATH="$2:$PATH" "$2/.ci/run"; done | sort -Vu)
  [ "$taken" = "$(seq -f '--share %g/27' 27)" ] || { echo "in the quarters $quarters .ci/run takes: $taken"; exit 1; }
done

# A share of the other Debian: its tests count instead of this machine's, where they are run there and not left out (77).
mkdir -p "$2/other/ci"
cp ci/all.sh ci/builds.sh "$2/other/ci"
cat >"$2/other/ci/debian.sh" <<'SCRIPT'
#!/bin/sh
mkdir -p "$2/clquant/build-test"
echo "tests passed there" >"$2/clquant/build-test/tests.log"
echo "there: $3"
exit $STATUS
SCRIPT
printf '#!/bin/sh\nmkdir -p build-test\necho "tests passed here" >build-test/tests.log\n' >"$2/other/ci/test.sh"
chmod +x "$2"/other/ci/*.sh
work=$2
# other STATUS SHARE STATUS-OF-ALL COMMAND LAST-LINE
other() {
  local status=0 printed
  printed=$(env -u CLQ_BUILD_DIR STATUS=$1 "$work/other/ci/all.sh" --share "$2" 2>&1) || status=$?
  [ $status -eq "$3" ] && [[ $printed == *"there: set -e;$4"* ]] && [[ $printed == *"$5" ]] || { echo "$*: $status, and: $printed"; exit 1; }
}
# refused SHARE SENTENCE
refused() {
  local status=0 printed
  printed=$(ci/all.sh --share "$1" 2>&1) || status=$?
  [ $status -eq 2 ] && [ "$printed" = "all.sh: --share $1: $2" ] || { echo "$status, and: $printed"; exit 1; }
}
refused 8/7 "I must be at most N"
refused 1/3 "N must be 1 or at least 4, for there are four builds"
other 0 2/27 0 ci/test.sh "tests passed there"
other 77 2/27 0 ci/test.sh "tests passed here"
other 1 2/27 1 ci/test.sh "there: set -e;ci/test.sh"
other 0 3/27 0 ci/demo.sh "tests passed here"
