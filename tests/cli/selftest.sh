#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command's own comparison with the reference: it passes here, and a part of it has the lines that it has in the
# whole. selftest.sh own: a CPU's form and arithmetic; selftest.sh others: those that no CPU chooses.
source "$(dirname "$0")/library.sh"

case $1 in
own) settings=("own form, own arithmetic" "item form, own arithmetic") ;;
others) settings=("group form, own arithmetic" "item form, exact arithmetic" "group form, exact arithmetic") ;;
esac

for setting in "${settings[@]}"; do
    timeout 540 "$CLQUANT" selftest --seed 1 --only "\"$setting\"" >lines
    check "the self-test passes, $setting" test "$?" = 0
    check "a line each, $setting" test "$(grep -cE "^pass  (npu_quantize|quantize|group_quantize|quantize_scatter|dynamic_quantize|find_scales|dequantize), $setting: " lines)" -gt 120
    check "every operator with a kernel of its own has lines, $setting" test "$(grep -oE '^pass  [a-z_]+' lines | grep -v npu_ | sort -u | wc -l)" = 6
    check "no line fails, $setting" test "$(grep -c ^FAIL lines)" = 0
    check "the seed is printed" grep -qx "seed 1" lines
    check "the lines are counted, $setting" grep -qE "^$(grep -c ^pass lines) lines, [0-9]+ comparisons, 0 failed$" lines
    check "nothing else is printed, $setting" test "$(grep -vc "^pass  [a-z_]*, $setting: " lines)" = 2
    if [ "$setting" = "own form, own arithmetic" ]; then
        check "the documented call is compared" test "$(grep -c '^pass  npu_quantize, ' lines)" = 7
        run "$CLQUANT" selftest --seed 1 --only 'dequantize, "own form"'
        check "the same lines in a part" test "$(grep ^pass <<<"$out")" = "$(grep '^pass  dequantize, ' lines)"
        check "the whole begins so" test "$(timeout 60 "$CLQUANT" selftest --seed 1 | head -40)" = "$(head -40 lines)"
    fi
done

# With arithmetic that PoCL is told to be careless of: NaN above all. What always passes would pass every check above.
if [ "$1" = own ]; then
    mkdir pocl
    run env OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR="$directory/pocl" CLQ_CACHE_DIR=/dev/null \
        POCL_EXTRA_BUILD_FLAGS=-cl-fast-relaxed-math "$CLQUANT" selftest --seed 1 --only 'find_scales "own form" "per tensor"'
    failures_told=$(grep -c ^FAIL <<<"$out")
    refused "a device that computes wrongly" 3 "$failures_told of 3 lines failed on this device; --seed 1 repeats them"
    check "says what is wrong" grep -qE "^FAIL  find_scales, own form, own arithmetic: per tensor.*: byte .* is right$" <<<"$out"
    check "counts it" grep -qE "^3 lines, [0-9]+ comparisons, $failures_told failed$" <<<"$out"
fi

run "$CLQUANT" selftest --only "exact uint9"
refused "words that no line has" 2 "--only 'exact uint9': no line has it"
run "$CLQUANT" selftest --only '"own form" "group form"'
refused "words that no line has together" 2 "no line has it"
run "$CLQUANT" selftest --seed 1x
refused "a seed that is no number" 2 "--seed '1x': a whole number is expected"
run "$CLQUANT" selftest --only
refused "words that are not there" 2 "--only TEXT"
run "$CLQUANT" selftest now
refused "no argument" 2 "no argument is expected"
run "$CLQUANT" selftest --device none-of-this-name
refused "no such device" 3 "none-of-this-name"
finish
