#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A device without a compiler, from outside: what is recorded, filled, exported, compiled by other programs, and run where nothing can
# be compiled. USER, COMPILER, LAYER and EXAMPLE name the programs and the layer.
source "$(dirname "$0")/../cli/library.sh"

own="quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=each"
export CLQ_CACHE_DIR=/dev/null # nothing is kept
locked() { run env OPENCL_LAYERS="$LAYER" CLQ_LAYER=no_compiler "$@"; }
# ran NAME WHERE: the call succeeded, and its kernel came from there
ran() { check "$1" test "$status" = 0 -a "$(sed -E '/^(device|no disk cache) /d; s/ in [0-9.]+ s$//' <<<"$out")" = "cpu/$own: taken from $2
built 1, not from source 1"; }

# What a process builds, and what it takes from the cache, is recorded.
run env CLQ_RECORD=used.txt CLQ_CACHE_DIR="$directory/first" "$USER"
check "a call" test "$status" = 0
run env CLQ_RECORD=used.txt CLQ_CACHE_DIR="$directory/first" "$USER"
check "is recorded when it is built and when it is taken" test "$(sort used.txt | uniq -c | sed 's/^ *//')" = "2 cpu/$own"
run env CLQ_RECORD="$directory/no/folder" "$USER"
check "a file that cannot be written to" test "$status" = 1
check "is named" grep -q 'CLQ_RECORD is ".*no/folder": it must name a file that can be written to' "$directory/.stderr"

# Without a compiler there is a context, and a call that needs one says which variant it is.
locked "$CLQUANT" devices
check "the device is listed, and that it has none" grep -q 'compiler: no' "$directory/.stdout"
locked "$USER"
check "nothing is kept" test "$status" = 1
check "the variant and its options are named" grep -q "CL_COMPILER_NOT_AVAILABLE: cpu/$own (-cl-std=CL1.2 .*-D KERNEL_NAME=clq_cpu_quantize_f32_i8_divide_each .*has no compiler" "$directory/.stderr"
locked env CLQ_CACHE_DIR="$directory/empty" "$CLQUANT" cache fill --for used.txt
refused "a fill without a compiler" 3 "used.txt: line 1: cpu/$own (-cl-std=CL1.2"

# A cache that was filled is enough.
export CLQ_CACHE_DIR=$directory/filled
succeeds "fill" "$CLQUANT" cache fill --for used.txt
check "keeps it" test "$(ls "$CLQ_CACHE_DIR" | wc -l)" = 1
locked "$USER"
ran "and that runs" "the cache"
run env CLQ_RECORD=decode.txt CLQ_CACHE_DIR=/dev/null "$EXAMPLE"
want=$(grep -v microseconds <<<"$out")
succeeds "fill for an example" "$CLQUANT" cache fill --for decode.txt
locked "$EXAMPLE"
check "an example runs so" test "$status" = 0 -a "$(grep -v microseconds <<<"$out")" = "$want" -a -n "$want"

rm -r "$CLQ_CACHE_DIR"
run "$CLQUANT" cache fill --for used.txt
entry=$(ls "$CLQ_CACHE_DIR"/*.clqbin)
rm "$entry" && mkdir "$entry" # where no file can be written
run "$CLQUANT" cache fill --for used.txt
refused "a binary that cannot be kept" 3 "used.txt: line 1: cache entry $(basename "$entry" .clqbin)"

# Exported sources, compiled apart and linked: one binary with many kernels.
export CLQ_CACHE_DIR=/dev/null # nothing is kept
printf '%s\n' "cpu/$own # the call's" "quantize.cl SRC=f32|f16 DST=i8 MODE=divide PARAMS=each|one FORM=item ARITHMETIC=native" \
    "widen.cl" "widen.cl ARITHMETIC=exact" >many.txt
succeeds "export" "$CLQUANT" cache export sources --for many.txt
check "a source each, once" test "$(ls sources | wc -l)" = 8
check "without includes" test -z "$(grep -l '^#include "' sources/*.cl)"
run "$COMPILER" sources all.bin
check "compiled and linked" test "$status" = 0 -a "$out" = "7 kernels"
locked "$USER" --has "$own" all.bin
ran "and run" "an added binary"
locked "$USER" --has "quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=each|both FORM=item ARITHMETIC=native" all.bin
check "a kernel that is missing" test "$status" = 1
check "is named" grep -q 'CLQ_ERROR_VALUE: binary has no kernel clq_quantize_f32_i8_divide_both_item_native_[0-9a-f]\{8\}, of "quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=both FORM=item ARITHMETIC=native"' "$directory/.stderr"
head -c 1000 all.bin >cut.bin
printf 'no binary at all' >none.bin
locked "$USER" none.bin
check "no binary" test "$status" = 1
check "is refused" grep -q '^CL_INVALID_BINARY: binary of 16 bytes' "$directory/.stderr"

# By PoCL's own offline compiler: a binary for each kernel.
if command -v poclcc >/dev/null; then
    for source in sources/*.cl; do
        poclcc -b "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" -o "$source.bin" "$source" >poclcc.log 2>&1 || cat poclcc.log
    done
    locked "$USER" --has "$own" sources/clq_quantize*.bin sources/clq_cpu_*.bin
    ran "what poclcc made" "an added binary"
    locked "$USER" sources/clq_widen*.bin
    check "where poclcc's lack it" test "$status" = 1
    check "that is said" grep -q "neither the cache nor an added binary has this kernel" "$directory/.stderr"
else
    echo "skipped: poclcc is not installed"
fi

# The files of variants.
# wrong TEXT SAYS: a third line that is refused, and by both
wrong() {
    printf '# comment\n\n%s\n' "$1" >wrong.txt
    for action in "fill --for wrong.txt" "export new --for wrong.txt"; do
        refuses "$action of $1" 1 "wrong.txt: line 3: variant \"$1\": $2" "$CLQUANT" cache $action
        check "nothing is made" test ! -e new
    done
}
wrong "quantize.cl SRC=f16 DST=i8 MODE=div PARAMS=one" '"MODE=div" must be one of'
wrong "quantise.cl SRC=f16" "it must begin with one of claim.cl, "
wrong "quantize.cl SRC=f16 DST=i8 PARAMS=one" 'it must have "MODE=divide|multiply"'
wrong "widen.cl widen.cl" '"widen.cl" must be one of'
printf '# nothing\n' >empty.txt
refuses "a file without a variant" 1 "empty.txt: it names no variant" "$CLQUANT" cache fill --for empty.txt
printf 'widen.cl\0\n' >nul.txt
refuses "a NUL" 1 "nul.txt: line 1 has a NUL" "$CLQUANT" cache fill --for nul.txt
refuses "no file" 1 "missing.txt: No such file" "$CLQUANT" cache fill --for missing.txt
refuses "fill without a file" 2 "--for FILE" "$CLQUANT" cache fill
refuses "export without a folder" 2 "DIR is expected" "$CLQUANT" cache export
refuses "export for a device" 2 "no device is opened" "$CLQUANT" cache export new --device 0
refuses "list with a file" 2 "'--for'" "$CLQUANT" cache list --for many.txt
refuses "a folder that is not empty" 1 "sources: it must be a new folder, or an empty one" "$CLQUANT" cache export sources --for many.txt
refuses "a file in the folder's place" 1 "many.txt: it must be a new folder" "$CLQUANT" cache export many.txt --for many.txt
refuses "a folder in no folder" 3 "no/such" "$CLQUANT" cache export no/such --for many.txt
mkdir new
succeeds "an empty folder" "$CLQUANT" cache export new/ --for many.txt
check "is filled" test "$(ls new | wc -l)" = 8
refuses "no place to keep anything" 3 "no disk cache in /dev/null" env CLQ_CACHE_DIR=/dev/null "$CLQUANT" cache fill --for many.txt
check "no stray folder is left" test -z "$(ls -d *.new-* 2>/dev/null)"
succeeds "every variant, and no device" env OCL_ICD_VENDORS=/nowhere "$CLQUANT" cache export everything
check "is there" test "$(ls everything/*.cl | wc -l)" -gt 1000 -a -z "$(ls everything/clq_cpu_* 2>/dev/null)"
finish
