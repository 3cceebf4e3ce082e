#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The device header by itself: it includes nothing, each name that it declares is the library's, each function that its first comment
# documents is there, and it compiles without a warning where it is included.
#   names.sh FILE KERNELS
set -euo pipefail
header=$1 kernels=$2
fail() { echo "FAILED: $*"; exit 1; }

! grep -n '^ *# *include' "$header" || fail "it includes another file"
strangers=$(grep -oE '^(static inline .*[ *][A-Za-z0-9_]+\(|#define [A-Za-z0-9_]+|struct [A-Za-z0-9_]+ \{)' "$header" |
  sed -E 's/\($//; s/ \{$//; s/.*[ *]//' | grep -vE '^(clq_|CLQ_|CLQUANT_CLH$)' || true)
[ -z "$strangers" ] || fail "names of users that it takes:" $strangers
own=$(grep -cE '^static inline .*clq__' "$header")
[ "$own" -gt 10 ] || fail "only $own functions are the library's own"
command -v clang >/dev/null || { echo "SKIPPED: no clang"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  echo '#include "clquant.clh"'
  echo '#include "clquant.clh"' # once more is no harm
  for name in STORAGE LOAD ELEMENT PACK ARITHMETIC TOP UNIT ELEMENT_OFFSET widen_f16 multiply divide exact native plain; do
    echo "#undef $name"
    echo "#define $name this name is mine"
  done
} >"$work/user.cl"
cp "$header" "$work/clquant.clh"
for target in spir64 amdgcn-mesa-mesa3d; do
  for options in "" -DCLQ_NATIVE; do
    clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target $target $options -fsyntax-only -Wall -Wextra -Wconversion \
      -Werror "$work/user.cl" || fail "$target $options"
  done
done
# Every name of the comment can be called.
macros=$(clang -x cl -cl-std=CL1.2 -E -P "$header" | grep -oE '\bclq_[a-z0-9_]+\(' | tr -d '(' | sort -u)
names=$(printf '#include "args/type_rows.h"\n#define X(t, id) CLQ_TYPE_NAME(t)\nCLQ_VALUE_TYPES(X)\n' | clang -x c -E -P -I "$kernels" -)
[ "$(wc -w <<<"$names")" -ge 10 ] || fail "types: $names"
for name in $names; do
  for width in "" 4 8; do
    grep -qx "clq_load${width}_$name" <<<"$macros" || fail "no clq_load${width}_$name"
  done
done
for name in divide multiply dynamic; do
  for width in "" 4 8; do
    grep -qx "clq_undo_$name$width" <<<"$macros" || fail "no clq_undo_$name$width"
  done
done
for name in $(sed -n '/^#ifndef CLQUANT_CLH/q; s/^\/\/.*[ *]\(clq_[a-z0-9_]*\)(.*/\1/p' "$header"); do
  case $name in clq_load*_) continue ;; esac
  grep -qx "$name" <<<"$macros" || fail "the comment has $name, which is not there"
done
