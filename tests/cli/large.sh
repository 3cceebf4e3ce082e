#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tensors of several transfer pieces, whose values repeat every 7: no piece begins as another does.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F16:10001x2048:1,2,3,4,5,6,7 scales:F32:2048:1
succeeds "a tensor of three pieces" "$CLQUANT" quantize in.st -o out.st
bytes=$((10001 * 2048))
check "every byte is right" cmp -s <(tail -c $bytes out.st) <(yes $'\001\002\003\004\005\006\007' | tr -d '\n' | head -c $bytes)
run "$CLQUANT" quantize in.st -o out.st --dtype int4
check "every nibble is right" cmp -s <(tail -c $((bytes / 2)) out.st) <(yes $'\x21\x43\x65\x17\x32\x54\x76' | tr -d '\n' | head -c $((bytes / 2)))
check "the file has the size of its parts" test "$(stat -c %s out.st)" -lt $((bytes / 2 + 200))

# On a terminal, what takes longer than a second says how far it is; elsewhere nothing is said.
slowly=(strace -o /dev/null -e trace=pread64 -e inject=pread64:delay_enter=1200000:when=5
    "$CLQUANT" quantize in.st -o out.st)
if [ -n "$(command -v script)" ] && [ -n "$(command -v strace)" ] && strace -o /dev/null true 2>/dev/null; then
    run script -qec "${slowly[*]}" /dev/null
    check "progress is shown on a terminal" grep -qE 'clquant: (reading x|writing y), [0-9]+ %' "$directory/.stdout"
    succeeds "and nowhere else" "${slowly[@]}"
else
    echo "not tested: progress on a terminal needs script and strace"
fi

finish
