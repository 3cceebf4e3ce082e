#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the libraries show and what they run by themselves: what the headers declare and the list has, and nothing else, and
# nothing before main or at exit.
#   symbols.sh NM READELF STATIC SHARED LIST HEADER…
set -eu
nm=$1 readelf=$2 static=$3 shared=$4 list=$5
shift 5

exported=$("$nm" -D --defined-only "$shared" | awk '{ print $3 }' | sort)
declared=$(cat "$@" | tr '\n' ' ' | grep -oE 'CLQ_API [^;(]*[ *]clq_[a-z0-9_]+\(' | sed 's/.*[ *]\(clq_[a-z0-9_]*\)($/\1/' | sort)
[ -n "$declared" ] || { echo "no header declares anything: $*"; exit 1; }
[ "$exported" = "$declared" ] || {
  echo "exported, and declared by no header:" $(printf '%s\n' "$declared" "$declared" "$exported" | sort | uniq -u)
  echo "declared by a header, and not exported:" $(printf '%s\n' "$exported" "$exported" "$declared" | sort | uniq -u)
  exit 1
}

# The list is kept, so that what programs link with never changes unseen: a new function is a new line, and a line that goes
# is a new minor version.
if grep -vE '^(#.*|clq_[a-z0-9_]+ [0-9]+\.[0-9]+\.[0-9]+)$' "$list"; then echo "$list: a line is a name and a version"; exit 1; fi
kept=$(sed -n 's/^\(clq_[^ ]*\) .*/\1/p' "$list")
[ "$kept" = "$(printf '%s\n' "$kept" | LC_ALL=C sort -u)" ] || { echo "$list is not sorted, or has a line twice"; exit 1; }
[ "$exported" = "$(printf '%s\n' "$kept" | sort)" ] || {
  echo "exported, and not in $list:" $(printf '%s\n' "$kept" "$kept" "$exported" | sort | uniq -u)
  echo "in $list, and not exported:" $(printf '%s\n' "$exported" "$exported" "$kept" | sort | uniq -u)
  exit 1
}

# a static library shares one space of names with its user's program
strangers=$("$nm" -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -v '^clq_' || true)
[ -z "$strangers" ] || { echo "global in the static library, and no clq_ name:" $strangers; exit 1; }

sections=$("$readelf" -SW "$static")
echo "$sections" | grep -q '\.text' || { echo "readelf shows no code"; exit 1; }
if echo "$sections" | grep -E '\.(init_array|fini_array|ctors|dtors|preinit_array)'; then
  echo "the library has constructors or destructors"; exit 1
fi
if "$nm" -u "$static" | grep -wE 'atexit|__cxa_atexit|on_exit|pthread_atfork|printf|puts|abort|exit'; then
  echo "the library prints, ends the process or runs at exit"; exit 1
fi
