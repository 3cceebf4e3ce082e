#!/bin/bash
# The command's own comparison with the reference: it passes here, the same seed gives the same lines.
source "$(dirname "$0")/library.sh"

timeout 540 "$CLQUANT" selftest --seed 1 >lines
check "the self-test passes" test "$?" = 0
check "a line each" test "$(grep -cE '^pass  (npu_quantize|quantize|group_quantize|quantize_scatter|dynamic_quantize|find_scales|dequantize), (own|item|group) form, (own|exact) arithmetic: ' lines)" -gt 350
check "every operator has lines" test "$(grep -oE '^pass  [a-z_]+' lines | sort -u | wc -l)" = 7
check "no line fails" test "$(grep -c ^FAIL lines)" = 0
check "the seed is printed" grep -qx "seed 1" lines
run "$CLQUANT" selftest --seed 1
check "the same seed, the same lines" test "$out" = "$(cat lines)"
run "$CLQUANT" selftest --seed 1x
refused "a seed that is no number" 2 "--seed N"
run "$CLQUANT" selftest now
refused "no argument" 2 "no argument is expected"
run "$CLQUANT" selftest --device none-of-this-name
refused "no such device" 3 "none-of-this-name"
finish
