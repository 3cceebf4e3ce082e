#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command's own comparison with the reference: it passes here, and a part of it has the lines that it has in the
# whole. selftest.sh own: a CPU's own kernels; selftest.sh others: the portable ones; selftest.sh options: a few lines, and
# what can be asked for.
operators=$(sed -nE 's/^    X\(([a-z_0-9]+)\).*/\1/p' "$(dirname "$0")/../../include/clquant/options.h" | sort)
source "$(dirname "$0")/library.sh"

case $1 in
own) settings=("own form, own arithmetic") ;;
options) settings=() ;;
others) settings=("item form, own arithmetic" "group form, own arithmetic" "item form, exact arithmetic" "group form, exact arithmetic") ;;
esac

# Most of the time is PoCL's, which builds kernels for each line: it need not optimize them, which tests of the operators have.
export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
for setting in "${settings[@]}"; do
    least=20
    [ "$setting" = "own form, own arithmetic" ] && least=55
    timeout 540 "$CLQUANT" selftest --seed 1 --only "\"$setting\"" >lines
    check "the self-test passes, $setting" test "$?" = 0
    check "a line each, $setting" test "$(grep -cE "^pass  [a-z_0-9]+, $setting: [a-z0-9_]+ to [a-z0-9_]+(, [a-z]+)?$" lines)" -gt "$least"
    check "every operator has lines, $setting" test "$(sed -nE 's/^pass  ([a-z_0-9]+), .* to [a-z0-9_]+$/\1/p' lines | sort -u)" = "$operators"
    for type in float32 float16 bfloat16 int8 uint8 int32 int4 uint4 float8_e4m3fn float8_e5m2; do
        check "$type is read, $setting" grep -q ": $type to " lines
        check "$type is written, $setting" grep -q " to $type$" lines
    done
    check "no line fails, $setting" test "$(grep -c ^FAIL lines)" = 0
    check "the seed is printed" grep -qx "seed 1" lines
    check "the lines are counted, $setting" grep -qE "^$(grep -c ^pass lines) lines, [0-9]+ comparisons, 0 failed$" lines
    check "nothing else is printed, $setting" test "$(grep -vc "^pass  [a-z_0-9]*, $setting: " lines)" = 2
    if [ "$setting" = "own form, own arithmetic" ]; then
        for type in int8 int4; do
            for mode in multiply divide dynamic; do
                check "$type is read back to float16 by $mode" grep -qx "pass  dequantize, $setting: $type to float16, $mode" lines
            done
        done
        for call in npu_quantize npu_group_quant npu_quant_scatter npu_quant_scatter_ npu_dynamic_quant npu_dynamic_quant_asymmetric dynamic_quant_update_scatter_v2 \
            npu_scatter_nd_update npu_scatter_nd_update_ scatter_update scatter_update_ npu_scatter_pa_kv_cache npu_anti_quant npu_dynamic_mx_quant npu_dynamic_block_quant; do
            check "the documented call $call is compared" grep -qx "pass  $call, $setting: every type" lines
        done
        run "$CLQUANT" selftest --seed 1 --only 'dequantize, "own form"'
        check "the same lines in a part" test "$(grep ^pass <<<"$out")" = "$(grep '^pass  dequantize, ' lines)"
        check "the whole begins so" test "$(timeout 60 "$CLQUANT" selftest --seed 1 | head -40)" = "$(head -40 lines)"
    fi
done

# A time: what it does not reach is summed up, and is another part for another seed.
if [ "$1" = options ]; then
    run "$CLQUANT" selftest --seed 1 --only '"own form" dequantize "to float16"'
    check "a few lines pass" test "$status" = 0
    lines=$(grep -c "^pass  dequantize, " <<<"$out")
    run "$CLQUANT" selftest --seed 1 --seconds 1 --only '"own form" dequantize "to float16"'
    check "the lines that a time reaches pass" test "$status" = 0
    rest=$((lines - $(grep -c ^pass <<<"$out")))
    check "what it does not reach is summed up" grep -qx "not run: $rest of $lines lines of dequantize" <<<"$out"
    check "a time's lines are counted" grep -qE "^$((lines - rest)) lines, [0-9]+ comparisons, 0 failed; $rest lines not run: 1 seconds were over$" <<<"$out"
    check "and no more is said" test "$(wc -l <<<"$out")" = $((lines - rest + 3))
    begin=$SECONDS
    run "$CLQUANT" selftest --seed 1 --seconds 40
    check "a time is kept" test $((SECONDS - begin)) -le 42
    reached=$(sed -n 's/^pass  \([a-z_0-9]*\),.*/\1/p' <<<"$out" | head -6) # a slow machine has less
    check "lines of several operators are reached" test $((2 * $(sort -u <<<"$reached" | wc -l))) -gt "$(wc -l <<<"$reached")"
    firsts=$(sed -nE 's/^pass  ([a-z_0-9]+), (.*): (.*)$/\2|\1 \3/p' <<<"$out" | awk -F '|' '!seen[$1]++ { print $2 }')
    check "each setting goes on behind the one before" test "$(sort -u <<<"$firsts")" = "$(sort <<<"$firsts")"
    begins=$(for seed in 1 300 600; do "$CLQUANT" selftest --seed $seed --seconds 1 --only '"own form"' | sed -n 2p; done)
    check "another seed begins elsewhere" test "$(sort -u <<<"$begins" | wc -l)" -gt 1
fi

# With arithmetic that PoCL is told to be careless of: NaN above all. What always passes would pass every check above.
if [ "$1" = options ]; then
    mkdir pocl
    careless() {
        run env OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR="$directory/pocl" CLQ_CACHE_DIR=/dev/null \
            POCL_EXTRA_BUILD_FLAGS=-cl-fast-relaxed-math "$CLQUANT" selftest "$@"
    }
    careless --seed 1 --only 'find_scales "own form" "to int8"'
    failures_told=$(grep -c ^FAIL <<<"$out")
    check "a device that computes wrongly" test "$status" = 3
    check "is refused in a sentence" grep -qx "clquant: selftest: $failures_told of 3 lines failed on this device; --seed 1 repeats them" <<<"$err"
    check "says what is wrong" grep -qE "^FAIL  find_scales, own form, own arithmetic: [a-z0-9]+ to int8: byte [0-9]+ of [a-z_]+ is 0x..: the reference has 0x..$" <<<"$out"
    check "counts it" grep -qE "^3 lines, [0-9]+ comparisons, $failures_told failed$" <<<"$out"
    check "shows the call" grep -qE "^  x +[a-z0-9]+ \[[0-9, ]*\]" <<<"$err"
    first=$(grep -m 1 ^FAIL <<<"$out")
    again=$(grep -m 1 '^once more: clquant selftest ' <<<"$err")
    eval "careless ${again#once more: clquant selftest }"
    check "the line is run again as told" test "$(grep ^FAIL <<<"$out")" = "$first"
fi

[ "$1" = options ] || { finish; exit; }
refuses "no time" 2 "--seconds '0': a whole number from 1 to 1000000 is expected" "$CLQUANT" selftest --seconds 0
refuses "words that no line has" 2 "--only 'exact uint9': no line has it" "$CLQUANT" selftest --only "exact uint9"
refuses "words that no line has together" 2 "no line has it" "$CLQUANT" selftest --only '"own form" "group form"'
refuses "a seed that is no number" 2 "--seed '1x': a whole number from 0 to 18446744073709551615 is expected" "$CLQUANT" selftest --seed 1x
refuses "words that are not there" 2 "--only needs a value" "$CLQUANT" selftest --only
refuses "no argument" 2 "no argument is expected" "$CLQUANT" selftest now
refuses "no such device" 3 "none-of-this-name" "$CLQUANT" selftest --device none-of-this-name
finish
