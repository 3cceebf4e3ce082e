# SPDX-License-Identifier: Apache-2.0
# What the tests of the command share. CLQUANT and TENSOR_FILE name the programs; every test runs in a directory
# of its own, which is removed at the end.
set -u

failures=0
checks=0
directory=$(mktemp -d)
finished=
# A script that ends in another way, by its last line or by none, has not said whether it passed.
trap 'code=$?; rm -rf "$directory"; [ "$code" != 0 ] || [ -n "$finished" ] || { echo "finish is missing" >&2; exit 1; }' EXIT
cd "$directory" || exit 1

# Runs a command: its exit status is in $status, stdout in $out, stderr in $err.
run() {
    timeout "${LIMIT:-120}" "$@" >"$directory/.stdout" 2>"$directory/.stderr"
    status=$?
    out=$(<"$directory/.stdout")
    err=$(<"$directory/.stderr")
}

failed() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  status %s\n  stdout: %s\n  stderr: %s\n' "$1" "${status-}" "${out-}" "${err-}"
}

# check NAME CONDITION...: the condition is a command.
check() {
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" || failed "$name"
}

# The last run ended with this status, and its message holds this text and is a sentence of the command.
refused() {
    local name=$1 want=$2 text=$3
    checks=$((checks + 1))
    if [ "$status" != "$want" ]; then
        failed "$name: status $want is expected"
    elif [[ $err != "${speaker:-clquant}: "* || $err == *$'\n'* || $err != *"$text"* ]]; then
        failed "$name: one sentence with \"$text\" is expected"
    fi
}

# The last run succeeded, and said nothing on stderr.
succeeded() {
    checks=$((checks + 1))
    [ "$status" = 0 ] && [ -z "$err" ] || failed "$1"
}

# The same of a command that is run: refuses NAME STATUS TEXT COMMAND..., succeeds NAME COMMAND...
refuses() {
    run "${@:4}"
    refused "${@:1:3}"
}
succeeds() {
    run "${@:2}"
    succeeded "$1"
}

# FILE holds these tensors, a line each as tensor_file shows them.
holds() {
    local name=$1 file=$2 want=$3
    checks=$((checks + 1))
    out=$("$TENSOR_FILE" show "$file" 2>&1)
    [ "$out" = "$want" ] || failed "$name: $want is expected"
}

# Nothing but these files is in the current directory: no stray file was left behind.
only_files() {
    local name=$1 file found=" "
    shift
    checks=$((checks + 1))
    shopt -s dotglob globstar nullglob
    for file in **; do
        [ "$file" = .stdout ] || [ "$file" = .stderr ] || found+="$file "
    done
    shopt -u dotglob globstar nullglob
    out=$found
    for file in "$@"; do
        [[ $found == *" $file "* ]] || failed "$name: $file is expected"
        found=${found/" $file "/ }
    done
    [ "$found" = " " ] || failed "$name: only $* is expected"
}

# little_endian NUMBER: its eight bytes.
little_endian() {
    local number=$1 escapes="" byte i
    for i in 1 2 3 4 5 6 7 8; do
        printf -v byte '\\%03o' $((number & 255))
        escapes+=$byte
        number=$((number >> 8))
    done
    printf "$escapes"
}

# file_of FILE HEADER DATA_BYTES: zeros behind a header; backslashes in HEADER stand as they are.
file_of() {
    local LC_ALL=C
    {
        little_endian "${#2}"
        printf '%s' "$2"
    } >"$1"
    truncate -s "+$3" "$1"
}

# header_of FILE: the text of its header.
header_of() { tail -c +9 "$1" | head -c "$(od -An -tu8 -N8 "$1")"; }

# A test that cannot run here says so; ctest counts it as skipped.
skip() {
    echo "SKIPPED: $1"
    [ "$failures" = 0 ] && exit 77
    exit 1
}

finish() {
    finished=yes
    echo "$checks checks, $failures failures"
    [ "$failures" = 0 ] && [ "$checks" -gt 0 ]
}
