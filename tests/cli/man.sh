#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The manual page says what the command says: every line of every help stands in the section of its operator or command, and no
# section is of anything else. MAN names the page.
. "$(cd "$(dirname "$0")" && pwd)/library.sh"
command -v groff >/dev/null || { echo "SKIPPED: no groff"; exit 77; }

succeeds "the page has no mistake of roff" groff -man -ww -Tascii -P-cbou -rLL=400n "$MAN"
page=$out
words() { tr -s '[:space:]' ' '; }
# section NAME: its text, words alone
section() { awk -v name="   $1" '/^   [^ ]/ || /^[A-Z]/ { inside = $0 == name; next } inside' <<<"$page" | words; }

names=$("$CLQUANT" --help | awk '/^  [a-z]/ { print $1 }')
check "there are operators and commands" test "$(wc -l <<<"$names")" -ge 15
check "a section for each and no other" test "$(grep -oP '^   \K[^ ].*' <<<"$page" | sort)" = "$(sort <<<"$names")"
for name in $names; do
    text=$(section "$name")
    while read -r line; do
        case $line in "" | "clquant $name IN"* | "-o OUT.safetensors [options]" | "Exit status: 0 done"*) continue ;; esac
        check "$name: $line" grep -qF -- "$(words <<<"$line")" <<<"$text"
    done < <("$CLQUANT" "$name" --help)
done
check "the version" grep -qF "$("$CLQUANT" --version)" <<<"$page"
finish
