#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration on a small file. DEMO and TENSOR_FILE name the programs.
. "$(cd "$(dirname "$0")" && pwd)/../cli/library.sh"

"$TENSOR_FILE" make in.st $'a\xc2\x9bb\xe2\x80\xaec:F32:4x8:1,-2,3,4' odd:F16:3:1,2,3 whole:I8:2:1,2
succeeds "a file of floats" "$DEMO" in.st
check "int8 and int4 are right" test "$(grep -c 'equals the same in plain C in all' <<<"$out")" = 3
check "each ratio is the quotient of the two figures beside it" awk '/GB\/s/ { n++; if ((r = $NF - $3 / $(NF - 3)) > 0.015 || r < -0.015) bad = 1 } END { exit bad || n != 3 }' <<<"$out"
check "errors are per cent of the values" test "$(grep -cE "^    error: RMS [0-9]+\.[0-9]{2} % of the values', at most " <<<"$out")" = 3
check "the file as a whole: int8 of both tensors, int4 of one" test "$(grep -A2 '^in all:$' <<<"$out" | sed 's/: saves.*//' | tr '\n' ' ')" = \
    "in all:   int8, 2 tensors: 0.0 MiB -> 0.0 MiB with its scales   int4, 1 tensor: 0.0 MiB -> 0.0 MiB with its scales "
check "the whole's error" test "$(grep -A2 '^in all:$' <<<"$out" | grep -cE '; error: RMS [0-9]+\.[0-9]{2} %$')" = 2
check "a word while kernels build comes before them" test "$(grep -n "building kernels" <<<"$out" | cut -d: -f1)" = 2
check "int4 needs an even dimension" grep -q "int4 is left out" <<<"$out"
check "a name that steers the terminal is shown tame" grep -qxF "a?b?c: F32, 2 dimensions, 0.0 MiB" <<<"$out"
run "$DEMO" missing.st
check "a missing file" test "$status" = 1 -a "$err" = "demo: missing.st: No such file or directory"
# Files that are none: each is refused with a sentence that begins with its name.
speaker=demo
wrong() {
    refuses "$1" 1 "wrong.st: $2" "$DEMO" wrong.st
}
printf 1234567 >wrong.st
wrong "seven bytes" "is no safetensors file: it has fewer than eight bytes"
file_of wrong.st '{"a":' 0
wrong "half a header" "is no safetensors file: its header is no JSON object"
head -c 9 in.st >wrong.st
wrong "a file that ends in its header" "is no safetensors file: its header would not end within it"
printf '\377\377\377\377\377\377\377\377{}' >wrong.st
wrong "a header of 2^64 bytes" "is no safetensors file: its header would not end within it"
entry() { file_of wrong.st "{\"a\":$1}" 16; }
entry '{"dtype":"F32","shape":[2,2],"data_offsets":[0,20]}'
wrong "a tensor past the end" "tensor 'a' does not lie within the file"
entry '{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}'
wrong "a tensor that ends before it begins" "tensor 'a' does not lie within the file"
entry '{"dtype":"F32","shape":[2,3],"data_offsets":[0,16]}'
wrong "a shape of other bytes" "tensor 'a' has not as many bytes as its shape and type ask for"
entry '{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,16]}'
wrong "a shape that overflows" "tensor 'a' has no shape of whole numbers"
entry '{"dtype":"F32","shape":[-4],"data_offsets":[0,16]}'
wrong "a negative shape" "tensor 'a' has no shape of whole numbers"
entry '{"shape":[4],"data_offsets":[0,16]}'
wrong "no type" "tensor 'a' has no type"
entry '{"dtype":"I32","shape":[4],"data_offsets":[0,16]}'
wrong "no floats" "it has no float32, float16 or bfloat16 tensor"
succeeds "help" "$DEMO" --help
check "help says what it takes" grep -q "FILE.safetensors" <<<"$out"
speaker=demo
refuses "no such option" 2 "'--nothing': one file or --help is expected" "$DEMO" --nothing
refuses "two files" 2 "'in.st': one file" "$DEMO" in.st in.st

advice=$(cd "$(dirname "$0")/../.." && eval "$(tail -n 1 ci/demo.sh)")
check "ci/demo.sh ends with the three lines of README.md that say which format to take" \
    test "$(grep -c '^- int[48]' <<<"$advice")" = 3 -a "$(wc -l <<<"$advice")" = 3

finish
