#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the disk cache survives that needs processes of its own. Each case ends with a call that finds the cache whole.
#   survives.sh CASE FIRST_CALL DIRECTORY
set -euo pipefail
case=$1 first_call=$2 top=$3
rm -rf "$top"
mkdir -p "$top/pocl"
export CLQ_CACHE_DIR=$top/cache POCL_CACHE_DIR=$top/pocl
unset XDG_CACHE_HOME

skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*"; exit 1; }
entries() { find "$CLQ_CACHE_DIR" -name '*.clqbin' 2>/dev/null | wc -l; }
temporaries() { find "$CLQ_CACHE_DIR" -name '.new-*' 2>/dev/null | wc -l; }
# wants PATTERN COMMAND...: the call succeeds and says so
wants() {
  local pattern=$1 said status=0
  shift
  said=$("$@") || status=$?
  [ $status -ne 77 ] || skip "no device: $said"
  [ $status -eq 0 ] || fail "status $status from $*: $said"
  [[ $said =~ $pattern ]] || fail "'$said' is not '$pattern'"
}
whole() { # a further call works, and the one after it comes from the cache
  wants 'built 1' "$first_call"
  wants 'built 1 cached 1' "$first_call"
}
# PoCL's own files are then in place. The limit lets all of them through: an entry holds them and more.
warm_driver() {
  CLQ_CACHE_DIR=$top/other wants 'built 1' "$first_call"
  limit=$(($(stat -c %s "$top"/other/*.clqbin) - 1000))
}

case $case in
two_processes)
  for round in 1 2 3; do
    rm -rf "$CLQ_CACHE_DIR"
    "$first_call" >"$top/a" & a=$!
    "$first_call" >"$top/b" & b=$!
    wait $a || fail "one of two ended with $?"
    wait $b || fail "one of two ended with $?"
    [ "$(entries)" -eq 1 ] && [ "$(temporaries)" -eq 0 ] || fail "$(ls -A "$CLQ_CACHE_DIR")"
    wants 'cached 1' "$first_call"
  done ;;
killed_in_the_middle) # the signal of the file limit ends the process inside write()
  warm_driver
  "$first_call" --die --limit $limit && fail "the process was not killed"
  [ "$(entries)" -eq 0 ] || fail "there is an entry"
  [ "$(temporaries)" -eq 1 ] || fail "there is no half file: $(ls -A "$CLQ_CACHE_DIR")"
  [ "$(stat -c %s "$CLQ_CACHE_DIR"/.new-*)" -eq $limit ] || fail "the file is not cut"
  whole
  [ "$(temporaries)" -eq 1 ] || fail "a young temporary file was removed"
  touch -d '2 hours ago' "$CLQ_CACHE_DIR"/.new-*
  rm "$CLQ_CACHE_DIR"/*.clqbin
  whole
  [ "$(temporaries)" -eq 0 ] || fail "a stale temporary file was kept" ;;
killed_before_the_rename)
  strace -f -qq -o "$top/trace" -e trace=renameat true 2>/dev/null || skip "strace cannot trace here"
  warm_driver
  strace -f -qq -o "$top/trace" -e trace=renameat,renameat2 -e inject=renameat,renameat2:signal=KILL:when=1 \
    "$first_call" && fail "the process was not killed"
  grep -q 'renameat.*\.new-.*INJECTED\|renameat.*\.new-' "$top/trace" || fail "it was killed elsewhere: $(cat "$top/trace")"
  [ "$(temporaries)" -eq 1 ] || fail "there is no temporary file"
  whole ;;
killed_at_any_moment)
  warm_driver
  for delay in 0.005 0.01 0.015 0.02 0.025 0.03 0.035 0.04 0.045 0.05 0.055 0.06 0.065 0.07 0.08 0.09 0.1 0.12 0.15; do
    "$first_call" >/dev/null & pid=$!
    sleep $delay
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
  done
  whole ;;
short_writes) # a write is cut and the next one fails, as on a full disk
  warm_driver
  wants 'built 1 cached 0' "$first_call" --limit $limit
  [ "$(entries)" -eq 0 ] && [ "$(temporaries)" -eq 0 ] || fail "$(ls -A "$CLQ_CACHE_DIR")"
  whole ;;
full_disk)
  warm_driver
  mkdir -p "$CLQ_CACHE_DIR"
  unshare -m mount -t tmpfs -o size=8k none "$CLQ_CACHE_DIR" 2>/dev/null || skip "tmpfs cannot be mounted here"
  said=$(unshare -m bash -c "mount -t tmpfs -o size=8k,mode=0700 none '$CLQ_CACHE_DIR' && '$first_call' --log && ls -A '$CLQ_CACHE_DIR' | wc -l") ||
    fail "$said"
  [[ $said =~ "could not be kept" && $said =~ built\ 1\ cached\ 0 ]] || fail "$said"
  [ "$(tail -n 1 <<<"$said")" -eq 0 ] || fail "files were left: $said"
  whole ;;
read_only) # root ignores permission bits
  mkdir "$top/home"
  chmod 555 "$top/home"
  run=()
  if [ "$(id -u)" -eq 0 ]; then
    chmod 777 "$top/pocl"
    run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${run[@]}" test -x "$first_call" || skip "another user cannot reach $first_call"
    chmod 755 "$top"
  fi
  unset CLQ_CACHE_DIR
  HOME=$top/home wants 'built 1 cached 0 us [0-9]+ dir $' "${run[@]}" "$first_call"
  [ -z "$(ls -A "$top/home")" ] || fail "something was written"
  chmod 755 "$top/home" ;;
unwritable_directory) # it is there and holds nothing; files cannot be made in it
  mkdir -m 700 "$CLQ_CACHE_DIR"
  run=()
  if [ "$(id -u)" -eq 0 ]; then
    chmod 777 "$top/pocl"
    chmod 755 "$top"
    chown 65534:65534 "$CLQ_CACHE_DIR"
    run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    "${run[@]}" test -x "$first_call" || skip "another user cannot reach $first_call"
  fi
  chmod 500 "$CLQ_CACHE_DIR"
  wants 'built 1 cached 0' "${run[@]}" "$first_call"
  wants 'could not be kept' "${run[@]}" "$first_call" --log
  chmod 700 "$CLQ_CACHE_DIR"
  [ "$(ls -A "$CLQ_CACHE_DIR" | wc -l)" -eq 0 ] || fail "something was written" ;;
no_home)
  unset CLQ_CACHE_DIR
  wants 'built 1 cached 0 us [0-9]+ dir $' env -u HOME "$first_call"
  HOME=/nonexistent/home
  [ "$(id -u)" -eq 0 ] && HOME=/proc/home
  HOME=$HOME wants 'built 1 cached 0 us [0-9]+ dir $' "$first_call"
  touch "$top/file"
  HOME=$top/file wants 'built 1 cached 0 us [0-9]+ dir $' "$first_call" ;;
warm_is_a_fifth) # PoCL's own cache is empty on both sides; medians of five
  microseconds() {
    rm -rf "$top/pocl"
    mkdir "$top/pocl"
    "$first_call" | sed -n "s/^built 1 cached $1 us \([0-9]*\) .*/\1/p"
  }
  cold=() warm=()
  for round in 1 2 3 4 5; do
    rm -rf "$CLQ_CACHE_DIR"
    cold+=("$(microseconds 0)")
    warm+=("$(microseconds 1)")
  done
  median() { printf '%s\n' "$@" | sort -n | sed -n 3p; }
  c=$(median "${cold[@]}") w=$(median "${warm[@]}")
  echo "context and first call: cold $c us, warm $w us, $(awk "BEGIN { printf \"%.3f\", $w / $c }") of it"
  [ "${#cold[@]}" -eq 5 ] && [ -n "$c" ] && [ -n "$w" ] || fail "a call did not say how long it took"
  [ $((5 * w)) -le "$c" ] || fail "warm is more than a fifth of cold" ;;
*) fail "no case $case" ;;
esac
