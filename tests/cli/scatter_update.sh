#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documented calls that write rows as they are: by coordinates and by starts, into a copy and in place, and into
# pages.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make nd.st input:F16:2x3x2:9 indices:I64:2x1x2:1,2,0,0 updates:F16:2x1x2:1,2,3,4
succeeds "by coordinates, into a copy" "$CLQUANT" npu_scatter_nd_update nd.st -o out.st
holds "rows of coordinates" out.st "output F16 [2,3,2] 3 4 9 9 9 9 9 9 9 9 1 2"
succeeds "by coordinates, in place" "$CLQUANT" npu_scatter_nd_update_ nd.st -o out.st --strict
holds "the same in place" out.st "input F16 [2,3,2] 3 4 9 9 9 9 9 9 9 9 1 2"

"$TENSOR_FILE" make away.st input:I32:4:9 indices:I32:3x1:-1,4,2 updates:I32:3:1,2,3
for name in npu_scatter_nd_update npu_scatter_nd_update_; do
    run "$CLQUANT" $name away.st -o out.st
    check "$name drops" test "$status" = 0
    check "what was dropped is said of the call's own indices" grep -qF \
        "away.st: $name: 2 entries out of range dropped; the first: indices[0, 0] is -1: it must be from 0 to 3, input.shape[0] less one" <<<"$err"
    check "the others are written" grep -q " I32 \[4\] 9 9 3 9$" <("$TENSOR_FILE" show out.st)
    refuses "$name, strict" 1 "indices[0, 0] is -1: it must be from 0 to 3, input.shape[0] less one" "$CLQUANT" $name away.st -o none.st --strict
done
run "$CLQUANT" npu_scatter_nd_update away.st -o none.st --tensor updates=indices
refused "updates of another rank" 1 "updates's rank is 2: it must be 1, the 1 of indices but its last, and the 0 of input behind its first 1"

"$TENSOR_FILE" make step.st data:I8:2x3x2:9 indices:I32:2:1,2 updates:I8:2x1x2:1,2,3,4
succeeds "by starts, into a copy" "$CLQUANT" scatter_update step.st -o out.st
holds "rows of starts" out.st "output I8 [2,3,2] 9 9 1 2 9 9 9 9 9 9 3 4"
succeeds "by starts, in place" "$CLQUANT" scatter_update_ step.st -o out.st --axis 1 --strict
holds "the same in place" out.st "data I8 [2,3,2] 9 9 1 2 9 9 9 9 9 9 3 4"
refuses "the first axis" 1 "--axis is 0: it must be" "$CLQUANT" scatter_update_ step.st -o none.st --axis 0
"$TENSOR_FILE" make long.st data:I8:2x3x2:9 indices:I32:2:1,2 updates:I8:2x4x2:1
refuses "updates that are longer" 1 "updates.shape[1] is 4: it must be at most output.shape[1], 3" "$CLQUANT" scatter_update long.st -o none.st
"$TENSOR_FILE" make pages.st key:F16:3x1x4:1,2,3,4,5,6,7,8,9,10,11,12 value:F16:3x1x2:1,2,3,4,5,6 slot_mapping:I32:3:3,-1,0 \
    key_cache:F16:2x2x2x2:0 value_cache:F16:2x1x2x2:0
succeeds "keys and values into parts of pages" "$CLQUANT" npu_scatter_pa_kv_cache pages.st -o out.st
holds "parts of keys lie a page's positions apart" out.st "key_cache F16 [2,2,2,2] 9 10 0 0 11 12 0 0 0 0 1 2 0 0 3 4
value_cache F16 [2,1,2,2] 5 6 0 0 0 0 1 2"
"$TENSOR_FILE" make norm.st key:F16:2x1x2:1,2,3,4 value:F16:2x1x2:5,6,7,8 slot_mapping:I64:2:4,1 key_cache:F16:2x2x1x2:0 value_cache:F16:2x2x1x2:0
run "$CLQUANT" npu_scatter_pa_kv_cache norm.st -o out.st --cache-mode Norm
check "a slot past the cache" test "$status" = 0
check "is said" grep -qF "npu_scatter_pa_kv_cache: 1 entry out of range dropped; the first: slot_mapping[0] is slot 4" <<<"$err"
holds "the others are written" out.st "key_cache F16 [2,2,1,2] 0 0 3 4 0 0 0 0
value_cache F16 [2,2,1,2] 0 0 7 8 0 0 0 0"
refuses "strict" 1 "slot_mapping[0] is slot 4" "$CLQUANT" npu_scatter_pa_kv_cache norm.st -o none.st --cache-mode Norm --strict
run "$CLQUANT" npu_scatter_pa_kv_cache norm.st -o none.st
refused "caches of the other mode" 1 "key has 2 elements an entry: with --cache-mode PA_NZ it must have key_cache.shape[1] * key_cache.shape[3], 2 * 2"
finish
