#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a compiler does not check: layers, sizes, formatting, words. Prints each breach and fails if there was one. 77: git
# does not say which files there are, as in an unpacked archive, and nothing is checked.
set -euo pipefail
set -f # the patterns of files are git's to expand
export LC_ALL=C.UTF-8 # columns are characters, also where the system has no language
cd "$(dirname "$0")/.."

refusal=$(git ls-files --error-unmatch ci/style.sh 2>&1 >/dev/null) || {
  echo "style: not checked, for git does not list these files: ${refusal%%$'\n'*}"
  exit 77
}

failed=0
breach() { echo "style: $*"; failed=1; }

# may_not WHERE PATTERN WHY: no line of the files may match
may_not() {
  local hits status=0
  hits=$(git grep -nE "$2" -- $1) || status=$?
  [ "$status" -le 1 ] || { echo "style: git grep failed"; exit 1; }
  [ -z "$hits" ] || breach "$3:"$'\n'"$hits"
}
may_not 'include' '#include "' 'a public header includes by <…> alone'
may_not 'include' '#include <(base|runtime|plan|ops|args)/' 'a public header knows nothing of host/ and cl/'
may_not 'host/base' '#include .(CL/|runtime/|plan/|ops/|args/([^t]|types)|clquant/(context|tensor|quantize|npu))' 'host/base makes no OpenCL call and knows no layer above'
may_not 'host/runtime' '#include .(plan/|ops/|args/)' 'host/runtime knows no operator'
may_not 'host/plan host/ops' '\bcl[A-Z][A-Za-z]+\(' 'host/plan and host/ops make no OpenCL call: host/runtime does'
may_not 'host/plan' '#include "ops/' 'host/plan knows no single operator: host/ops is made of it'
may_not 'host/base host/runtime host/plan host/ops include' 'clblast' 'libclquant needs no CLBlast'
may_not 'tests/reference' '#include <(clquant|CL|dlpack)/|#include "(base|runtime|plan|ops|args)/' 'tests/reference shares nothing with the library'
may_not 'cl/*.cl' '#include "[^"]*\.cl"' 'a kernel file includes no other kernel file'
may_not '*.md' '^.{151}' 'a line of a page has more than 150 columns'
may_not '*.c *.h cl/*.cl cl/*.clh' '^.{111}' 'a line has more than 110 columns'
may_not 'cl host/cli/bench' 'get_(local|global|enqueued_local)_size|get_num_groups' 'Adreno breaks loops whose step asks for the sizes of a launch: the host passes them'
may_not 'cl' '\basm\b|__asm' 'PoCL 6 ends the process at assembly in a kernel'
may_not '*.c *.h *.cpp *.cl *.clh *.sh *.txt *.md *.py' "\\b(TO""DO|FIX""ME|XX""X|HA""CK)\\b" 'unfinished'

sources=('*.c' '*.h' '*.cpp' '*.cl' '*.clh' '*.sh' '*.cmake' '*CMakeLists.txt' '*.py')
while read -r file; do
  breach "$file does not say its licence in its first three lines"
done < <(git ls-files -- "${sources[@]}" | xargs -r awk '
  FNR == 1 { silent[FILENAME] }
  FNR <= 3 && /SPDX-License-Identifier: Apache-2\.0/ { delete silent[FILENAME] }
  END { for (file in silent) print file }' | sort)

while read -r lines file; do
  limit=400
  case "$file" in
    total) continue ;;
    cl/*) limit=250 ;;
    include/*) limit=200 ;;
    tests/*) limit=500 ;;
  esac
  [ "$lines" -le "$limit" ] || breach "$file has $lines lines, more than $limit: which second idea has moved in?"
done < <(git ls-files -- '*.c' '*.h' '*.cpp' '*.cl' '*.clh' '*.sh' | xargs wc -l)

# Other versions break lines elsewhere.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  differs=$(git ls-files -- '*.c' '*.h' '*.cpp' | xargs clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | sort -u | head -20 || true)
  [ -z "$differs" ] || breach "clang-format differs:"$'\n'"$differs"
else
  echo "style: no clang-format 14, the formatting is not checked"
fi

for script in ci/rooms.py ci/words.py; do
  if [ ! -f "$script" ]; then
    :
  elif command -v python3 >/dev/null; then
    said=$(python3 -B "$script") || breach "$said"
  else
    echo "style: no python3, what $script looks at is not checked"
  fi
done

# Pages name files that are there, by their path or the end of it.
gone=$(awk 'NR == FNR { for (path = $0; path; path = path ~ "/" ? substr(path, index(path, "/") + 1) : "") there[path]; next }
  !($0 in there)' <(git ls-files) <(git grep -hoE '\b(host|cl|tests|python|ci|examples|base|plan|runtime|index)/[a-z_0-9/]+\.(c|h|cl|clh|sh|py|txt)\b' -- '*.md' |
  sort -u))
[ -z "$gone" ] || breach "pages name files that are not there:"$'\n'"$gone"

# The tables of measured devices are those that their files make.
if [ ! -f tests/lab/gpu_report.py ]; then
  :
elif command -v python3 >/dev/null; then
  tables=$(python3 -B tests/lab/gpu_report.py --check 2>&1) || breach "$tables"
else
  echo "style: no python3, the tables of docs/devices are not checked"
fi

exit "$failed"
