#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The cache that is split over devices: the CPU as one, as two and as two by name, with the same bytes, and wrong devices.
# SPLIT names the program.
. "$(cd "$(dirname "$0")" && pwd)/../cli/library.sh"
speaker=split

# over DEVICES COUNTS ARGUMENT...: the sequences lie so, and the bytes are right, whose checksum every machine has
over() {
    local devices=$1 counts=$2
    shift 2
    succeeds "$devices" "$SPLIT" "$@"
    check "$devices: who has how many" grep -qxF "48 steps of 8 sequences over $devices: $counts" <<<"$out"
    check "$devices: the bytes" grep -qxF \
        "163840 bytes of int4 caches, scales and offsets equal those of one device, checksum 8257c456" <<<"$out"
}
over "1 device" "8"
over "3 devices" "2 3 3" CPU CPU CPU
export POCL_DEVICES="pthread pthread"
over "2 devices" "4 4"
over "2 devices" "4 4" 1 0
over "3 devices" "2 3 3" 0 1 CPU
over "8 devices" "1 1 1 1 1 1 1 1" 0 1 0 1 0 1 0 1

refuses "no such device" 1 'device is "nothing": it must be CPU, GPU, accelerator' "$SPLIT" 0 nothing
refuses "a number too many" 1 'device is "2": it must be' "$SPLIT" 0 2
refuses "more devices than sequences" 2 "9 devices: at most 8" "$SPLIT" 0 0 0 0 0 0 0 0 0
finish
