#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clquant move_rows: into a cache, out of one, and between two.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make append.st src:I8:2x1x2:1,2,3,4 dst:I8:2x3x2:9 dst_indices:I32:2:5,0
succeeds "rows into slots" "$CLQUANT" move_rows append.st -o out.st --dst-index-kind slots
holds "slots" out.st "dst I8 [2,3,2] 3 4 9 9 9 9 9 9 9 9 1 2"

"$TENSOR_FILE" make gather.st src:F32:2x3x2:0,1,2,3,4,5,6,7,8,9,10,11 src_indices:I32:2x2:1,0,0,7
run "$CLQUANT" move_rows gather.st -o out.st --src-out-of-range clamp --positions 2
holds "gathered" out.st "dst F32 [2,2,2] 6 7 8 9 2 3 4 5"
check "what was clamped is said" grep -qF "1 entry out of range clamped; the first: src_indices[1] has start 7" <<<"$err"
run "$CLQUANT" move_rows gather.st -o out.st --dtype float16
holds "converted, and dropped entries are zeros" out.st "dst F16 [2,1,2] 6 7 0 0"
refuses "strict" 1 "src_indices[1] has start 7: it must be from 0 to 2" "$CLQUANT" move_rows gather.st -o none.st --strict
run "$CLQUANT" move_rows gather.st -o out.st --src-index-kind nd
holds "rows of coordinates" out.st "dst F32 [2,2] 6 7 0 0"

"$TENSOR_FILE" make turn.st pages:U8:1x3x2:1,2,3,4,5,6 src_indices:I64:3:0,1,2 dst_indices:I64:3:1,2,0
succeeds "cache to cache" "$CLQUANT" move_rows turn.st -o out.st --tensor src=pages --tensor dst=pages --src-index-kind slots --dst-index-kind slots
holds "each row is where it goes" out.st "dst U8 [1,3,2] 5 6 1 2 3 4"

run "$CLQUANT" move_rows append.st -o none.st --tensor dst_indices=
refused "no indices" 1 "src_indices and dst_indices are not there: one of them is needed"
refuses "no cache" 1 "move_rows needs the tensor '' for dst" "$CLQUANT" move_rows append.st -o none.st --dst-index-kind slots --tensor dst=
run "$CLQUANT" move_rows append.st -o none.st --dst-index-kind slots --dst-out-of-range clamp
refused "slots are dropped" 1 "--dst-out-of-range is clamp: with --dst-index-kind slots it must be drop"
refuses "a type of what is there" 2 "--dtype is for a call that makes dst only" "$CLQUANT" move_rows append.st -o none.st --dtype float16

finish
