#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The types that the help of an operator names are those that it takes: each passes the check, which ends at a device that is not
# there, in some way to give it; and a name of another type is refused with them.
source "$(dirname "$0")/library.sh"
export OCL_ICD_VENDORS=/nonexistent # what gets as far as a device has passed

"$TENSOR_FILE" make in.st x:F32:2x32:1 scales:F32:1:1 ends:I32:1:2 rows:F32:1x32:1 at:I32:2:0 steps:F32:2x1x8:1 row:F32:2x3:1 \
    U8:U8:2x3x8:1 I8:I8:2x3x8:1 I32:I32:2x3x1:1 F8_E4M3:F8_E4M3:2x3x8:1 F8_E5M2:F8_E5M2:2x3x8:1 steps4:F32:2x1x16:1
"$TENSOR_FILE" make blocks.st b34:U8:2x3x34:1 b18:U8:2x3x18:1 b20:U8:2x3x20:1 b22:U8:2x3x22:1 b24:U8:2x3x24:1 steps32:F32:2x1x32:1

# each OPERATOR OPTION ARGUMENT...: the types of that option. WAYS are further arguments, by lines, of which one must do.
each() {
    local operator=$1 option=$2 page types type way way_did
    shift 2
    page=$("$CLQUANT" "$operator" --help | tr -s ' \n' ' ')
    types=$(sed -E "s/.*--$option TYPE [^:]*: ([a-z0-9_, ]*[a-z0-9_]).*/\1/" <<<"$page")
    check "$operator: --$option has types" test "$(wc -w <<<"$types")" -ge 3
    for type in ${types//,/}; do
        way_did=no
        while read -r way; do
            run "$CLQUANT" "$operator" in.st blocks.st -o out.st "--$option" "$type" "$@" $way
            [ "$status" = 3 ] && way_did=yes && break
        done <<<"$WAYS"
        check "$operator takes --$option $type" test "$way_did" = yes
    done
    run "$CLQUANT" "$operator" in.st blocks.st -o out.st "--$option" int64 "$@"
    refused "$operator does not take int64" 2 "--$option 'int64': one of $types is expected"
}

WAYS=""
each quantize dtype
each group_quantize dtype --tensor scales=rows --tensor group_index=ends
each scales dtype
each dequantize dtype --tensor q=I8
WAYS=$'\n--symmetric'
each dynamic_quantize dtype
each dynamic_quantize scale-dtype
files=$(for type in U8 I8 I32 F8_E4M3 F8_E5M2; do printf -- "--tensor q=$type\n"; done)
blocks=$(for bytes in 34 18 20 22 24; do printf -- "--tensor q=b$bytes --tensor scales=\n"; done)
WAYS=$files$'\n'$blocks each dequantize of
WAYS=$(sed 's/q=/cache=/; p; s/$/ --tensor updates=steps4/' <<<"$files")
each quantize_scatter dtype --tensor indices=at --tensor updates=steps
WAYS=$(sed 'p; s/$/ --symmetric --tensor cache_offsets=/' <<<"$WAYS")$'\n'$(
    sed 's/q=/cache=/; s/scales=$/updates=steps32 --tensor cache_scales= --tensor cache_offsets=/' <<<"$blocks")
each dynamic_quantize_scatter dtype --tensor indices=at --tensor updates=steps --tensor cache_scales=row --tensor cache_offsets=row

finish
