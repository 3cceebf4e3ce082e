#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kind of malformed file is refused with status 1 and its own sentence, and nothing is written.
source "$(dirname "$0")/library.sh"

# file HEADER DATA_BYTES: makes bad.st.
file() { file_of bad.st "$1" "$2"; }

# bad NAME TEXT HEADER DATA_BYTES
bad() {
    file "$3" "$4"
    refuses "$1" 1 "$2" "$CLQUANT" quantize bad.st -o out.st
    only_files "$1" bad.st
}

# raw NAME TEXT: bad.st is what stdin holds.
raw() {
    cat >bad.st
    refuses "$1" 1 "$2" "$CLQUANT" quantize bad.st -o out.st
    only_files "$1" bad.st
}

x='"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
s='"scales":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}'

# The pattern itself is right: zero by zero is NaN, which gives 0.
file "{$x,$s}" 12
succeeds "the file that the others are made from" "$CLQUANT" quantize bad.st -o out.st
holds "the file that the others are made from" out.st "y I8 [2] 0 0"
rm out.st
file "{\"__metadata__\":{\"format\":\"pt\"},$x,\"u\":{\"dtype\":\"F64\",\"shape\":[1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[12,20]},
    \"e\":{\"dtype\":\"BOOL\",\"shape\":[0,7],\"data_offsets\":[12,12]},\"f\":{\"dtype\":\"F4\",\"shape\":[4],\"data_offsets\":[20,22]},$s}   " 22
succeeds "metadata, empty tensors, other types and ranks are fine where no argument needs them" "$CLQUANT" quantize bad.st -o out.st
rm out.st

# The frame
raw "an empty file" "bad.st: is an empty file" </dev/null
raw "shorter than the length" "has 7 bytes" < <(head -c 7 /dev/zero)
raw "a header of no bytes" "does not begin with {" < <(little_endian 0)
raw "zeros" "does not begin with {" < <(head -c 4096 /dev/zero)
raw "a brace and zeros are no JSON" "header of 123 bytes runs past the end" < <(little_endian 123)
raw "a length that a pickle could begin with" "header of 640 bytes runs past the end" < <(
    little_endian 640
    printf '{"x":'
)
raw "a length that a gzip file could begin with" "header of 559903 bytes runs past the end" < <(
    little_endian 559903
    printf '{"x":'
)
raw "a length and nothing else that a pickle could begin with" "header of 640 bytes runs past the end" < <(little_endian 640)
raw "a header over the format's limit" "100000001 bytes, more than 100000000" < <(
    little_endian 100000001
    head -c 100 /dev/zero
)
raw "a header over all limits" "more than 100000000" < <(
    printf '\377\377\377\377\377\377\377\377'
    head -c 100 /dev/zero
)
raw "a header past the end" "header of 300 bytes runs past the end of the file, 208 bytes" < <(
    little_endian 300
    head -c 200 /dev/zero
)
raw "a header past the end by one byte" "header of 3 bytes runs past the end" < <(
    little_endian 3
    printf '{}'
)
raw "a truncated header" "header of 107 bytes runs past the end of the file, 100 bytes" < <(
    little_endian 107
    printf '%s' "{$x,$s}" | head -c 92
)
bad "truncated data" "tensor 'scales': data_offsets [8, 12] run past the file's 11 bytes of data" "{$x,$s}" 11
bad "trailing garbage" "the last 3 bytes belong to no tensor" "{$x,$s}" 15
bad "data and no tensor" "the last 1 bytes belong to no tensor" "{}" 1
bad "no tensor at all" "needs the tensor 'x'; the file has no tensor" "{}" 0

# The text
bad "not an object" "does not begin with {: byte 8 of the file is 0x5b" "[1]" 0
bad "a header padded in front" "does not begin with {: byte 8 of the file is 0x20" " {$x,$s}" 12
raw "a header padded with zeros" "bad.st: byte 121, 0x00: text follows the end" < <(
    little_endian 114
    printf '%s\0' "{$x,$s}"
    head -c 12 /dev/zero
)
bad "an object that does not end" "bad.st: byte 61, where the header ends: a comma or }" "{$x" 8
bad "text after the object" "bad.st: byte 121, 0x78 (x): text follows the end" "{$x,$s}x" 12
bad "a second object" "text follows the end" "{$x,$s}{}" 12
bad "a missing colon" "tensor 'x': a colon is expected" '{"x"{}}' 0
bad "a missing comma" "a comma or } is expected" "{$x $s}" 12
bad "a comma too many" "a string in double quotes" "{$x,}" 8
bad "a comment" "a string in double quotes" "{/**/$x}" 8
bad "a value that is no JSON" "tensor 'x': a JSON value is expected" '{"x":nan}' 0
bad "a missing value" "tensor 'x': a JSON value is expected" '{"x":}' 0
bad "an unfinished string" "a string does not end" '{"x' 0
bad "an unknown escape" "an unknown escape" '{"\q":1}' 0
bad "a short escape" "four hexadecimal digits" '{"\u12' 0
bad "an escape that is not hexadecimal" "four hexadecimal digits" '{"\u12g4":1}' 0
for half in '\ud800' '\uDC00' '\ud83d\u0041' '\udBff\ud800' '\ud83d\ue000' '\ud83d\uffff' '\ud800\n'; do
    bad "half of a surrogate pair, $half" "a string holds half of a surrogate pair" "{\"$half\":{}}" 0
done
bad "half of a surrogate pair in the metadata" "tensor '__metadata__': a string holds half" '{"__metadata__":{"a":"\ud800"}}' 0
bad "a pair that ends early" "four hexadecimal digits" '{"\ud83d\ude0' 0
bad "a NUL escape in a name" "bad.st: byte 11, 0x5c (\\): a string holds a NUL" '{"x\u0000y":{}}' 0
bad "a NUL escape in a name that begins like the metadata's" "a string holds a NUL" '{"__metadata__\u0000":{"a":"1"}}' 0
bad "a NUL escape in a type" "tensor 'x': a string holds a NUL" '{"x":{"dtype":"I8\u0000","shape":[0],"data_offsets":[0,0]}}' 0
bad "a control character in a name" "a string holds a control character" $'{"x\ny":{}}' 0
bad "a byte that is no UTF-8" "not valid UTF-8" $'{"\xff":{}}' 0
bad "UTF-8 longer than needed" "not valid UTF-8" $'{"\xc0\xaf":{}}' 0
bad "a surrogate in UTF-8" "not valid UTF-8" $'{"\xed\xa0\x80":{}}' 0
raw "a NUL byte in a name" "a string holds a control character" < <(
    little_endian 10
    printf '{"x\000y":{}}'
)
bad "deep nesting" "nested too deep" '{"x":[[[1]]]}' 0
bad "very deep nesting" "nested too deep" "{\"x\":$(printf '[%.0s' {1..5000})" 0

# The members
bad "a tensor given twice" "tensor 'x' is given twice" \
    '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}}' 2
bad "a tensor given twice, spelt differently" "tensor 'x' is given twice" \
    '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},"\u0078":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}}' 2
bad "a tensor that is a number" "tensor 'x': its entry is not an object" '{"x":1}' 0
bad "a field given twice" "tensor 'x': dtype is given twice" '{"x":{"dtype":"I8","shape":[0],"dtype":"I8"}}' 0
bad "a field too many" "tensor 'x': 4 fields" '{"x":{"dtype":"I8","shape":[0],"data_offsets":[0,0],"a":0}}' 0
bad "a field of another name" "'Shape' is not a field" '{"x":{"dtype":"I8","Shape":[0],"data_offsets":[0,0]}}' 0
bad "no dtype" "tensor 'x': dtype is missing" '{"x":{"shape":[0],"data_offsets":[0,0]}}' 0
bad "no shape" "tensor 'x': shape is missing" '{"x":{"dtype":"I8","data_offsets":[0,0]}}' 0
bad "no offsets" "tensor 'x': data_offsets is missing" '{"x":{"dtype":"I8","shape":[0]}}' 0
bad "a dtype that is no string" "dtype is not a string" '{"x":{"dtype":8,"shape":[0],"data_offsets":[0,0]}}' 0
bad "an unknown dtype" "dtype 'F31' is not one of" '{"x":{"dtype":"F31","shape":[0],"data_offsets":[0,0]}}' 0
bad "a dtype in lower case" "dtype 'f32' is not one of" '{"x":{"dtype":"f32","shape":[0],"data_offsets":[0,0]}}' 0
bad "a shape that is no array" "shape is not an array" '{"x":{"dtype":"I8","shape":1,"data_offsets":[0,1]}}' 1
bad "a shape of strings" "shape holds something that is not a number" \
    '{"x":{"dtype":"I8","shape":["1"],"data_offsets":[0,1]}}' 1
bad "a shape of too many dimensions" "tensor 'x': more than 64 values in an array or an object" \
    "{\"x\":{\"dtype\":\"I8\",\"shape\":[1$(printf ',1%.0s' {1..64})],\"data_offsets\":[0,1]}}" 1
bad "a shape of as many as may be" "tensor 'x' has 64 dimensions, more than 8" \
    "{\"x\":{\"dtype\":\"I8\",\"shape\":[1$(printf ',1%.0s' {1..63})],\"data_offsets\":[0,1]}}" 1

# Numbers
bad "a negative dimension" "tensor 'x': a number is not whole, or is negative" \
    '{"x":{"dtype":"I8","shape":[-1],"data_offsets":[0,0]}}' 0
bad "a fraction" "tensor 'x': a number is not whole" '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1.5]}}' 1
bad "a fraction that a double hides" "tensor 'x': a number is not whole" \
    '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1.00000000000000000001]}}' 1
bad "an exponent" "tensor 'x': a number is not whole" '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1e0]}}' 1
bad "a leading zero" "a number begins with a zero" '{"x":{"dtype":"I8","shape":[01],"data_offsets":[0,1]}}' 1
bad "a number past 2^53" "larger than 2^53" '{"x":{"dtype":"I8","shape":[9007199254740993],"data_offsets":[0,1]}}' 1
bad "a number past 64 bits" "larger than 2^53" \
    '{"x":{"dtype":"I8","shape":[18446744073709551617],"data_offsets":[0,1]}}' 1
bad "one offset" "data_offsets has 1 numbers, not 2" '{"x":{"dtype":"I8","shape":[1],"data_offsets":[1]}}' 1
bad "three offsets" "data_offsets has 3 numbers, not 2" '{"x":{"dtype":"I8","shape":[1],"data_offsets":[0,1,2]}}' 1
bad "an end before the beginning" "data_offsets [2, 1] end before they begin" \
    '{"x":{"dtype":"I8","shape":[1],"data_offsets":[2,1]}}' 2
bad "a product past 63 bits" "the product of its shape does not fit" \
    '{"x":{"dtype":"I8","shape":[4294967296,4294967296],"data_offsets":[0,0]}}' 0
bad "a product past 63 bits beside a zero" "the product of its shape does not fit" \
    '{"x":{"dtype":"I8","shape":[0,4294967296,4294967296],"data_offsets":[0,0]}}' 0
bad "a product that wraps to the bytes given" "does not fit" \
    '{"x":{"dtype":"F32","shape":[242243305,19037413721],"data_offsets":[0,4]}}' 4
bad "fewer bytes than the shape asks" "hold 7 bytes, its shape of F32 8" \
    '{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}}' 7
bad "more bytes than the shape asks" "hold 9 bytes, its shape of F32 8" \
    '{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}' 9
bad "half a byte" "F4 elements do not fill whole bytes" '{"x":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}' 2

# Places
bad "an overlap" "tensor 'scales' begins at byte 4, and overlaps 'x', which ends at 8" \
    "{$x,\"scales\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}" 8
bad "the same bytes twice" "overlaps" "{$x,\"scales\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}" 8
bad "a hole" "tensor 'scales' begins at byte 9, and leaves a hole after byte 8" \
    "{$x,\"scales\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[9,13]}}" 13
bad "a hole at the start" "tensor 'x' begins at byte 1, and leaves a hole after byte 0" \
    '{"x":{"dtype":"I8","shape":[1],"data_offsets":[1,2]}}' 2

# Metadata
bad "metadata that is no object" "__metadata__" '{"__metadata__":1}' 0
bad "metadata that is no string map" "__metadata__: the value of 'a' is not a string" '{"__metadata__":{"a":1}}' 0
bad "metadata with a list" "__metadata__: the value of 'a' is not a string" '{"__metadata__":{"a":["b"]}}' 0
bad "a name twice in the metadata" "__metadata__: 'a' is given twice" '{"__metadata__":{"a":"1","b":"2","a":"3"}}' 0
bad "a name twice in the metadata, spelt differently" "__metadata__: 'a😀' is given twice" \
    '{"__metadata__":{"a😀":"1","\u0061\uD83d\uDe00":"2"}}' 0
bad "a name with a NUL twice in the metadata" "__metadata__: 'a' is given twice" '{"__metadata__":{"a\u0000b":"1","a\u0000b":"2"}}' 0
bad "metadata given twice, once null" "__metadata__ is given twice" '{"__metadata__":null,"__metadata__":{}}' 0
bad "metadata given twice" "__metadata__ is given twice" '{"__metadata__":{},"__metadata__":{}}' 0

# Memory: much of one thing in a header. What is refused takes little more than the header.
# large NAME TEXT: the header is what stdin holds.
large() {
    cat >header
    { little_endian "$(stat -c %s header)" && cat header; } >bad.st
    rm header
    refuses "$1" 1 "$2" bash -c 'ulimit -v 150000; exec "$@"' - "$CLQUANT" quantize bad.st -o out.st
    only_files "$1" bad.st
}

# many BYTES TEXT: TEXT again and again.
many() { yes "$2" | tr -d '\n' | head -c "$1"; }

large "a shape of millions" "tensor 'x': more than 64 values" < <(
    printf '{"x":{"dtype":"F32","shape":['
    many 24000000 '1,'
    printf '1],"data_offsets":[0,4]}}'
)
large "a field of millions" "tensor 'x': more than 64 values" < <(
    printf '{"x":{"dtype":{'
    many 24000000 '"":0,'
    printf '"":0},"shape":[],"data_offsets":[0,4]}}'
)
large "millions of empty members" "tensor '': dtype is missing" < <(
    printf '{'
    many 24000000 '"":{},'
    printf '"":{}}'
)
large "metadata of millions" "__metadata__: '1' is given twice" < <(
    printf '{"__metadata__":{'
    seq 1000000 | sed 's/.*/"&":"",/' | tr -d '\n'
    printf '"1":""}}'
)

# What an argument needs
bad "a type that is not computed with" "tensor 'x' is F64; clquant computes with" \
    '{"x":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}' 8
bad "a rank that is not computed with" "tensor 'x' has 9 dimensions, more than 8" \
    '{"x":{"dtype":"I8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}}' 1
bad "a missing argument" "needs the tensor 'scales'; the file has x" "{$x}" 8
bad "a type that the operator refuses" "x's type is I64: it must be F32, F16 or BF16" "{\"x\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},$s}" 12
file $'{"\\u001b[31mx":{"dtype":"I31","shape":[],"data_offsets":[0,0]}}' 0
refuses "a name that steers the terminal is shown tame" 1 "?[31mx" "$CLQUANT" quantize bad.st -o out.st
# named CHARACTER: a file whose message shows that character between angle brackets.
named() {
    file "{\"<$1>\":{\"dtype\":\"I31\",\"shape\":[],\"data_offsets\":[0,0]}}" 0
    run "$CLQUANT" quantize bad.st -o out.st
}
for character in $'\x7f' $'\xc2\x80' $'\xc2\x9b' $'\xc2\x9f' $'\xd8\x9c' $'\xe2\x80\x8e' $'\xe2\x80\x8f' $'\xe2\x80\xaa' \
    $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\xe2\x81\xa9'; do
    named "$character"
    refused "$(printf %q "$character") is shown tame" 1 "tensor '<?>': dtype"
done
for character in $'\xc2\xa0' $'\xc3\xa9' $'\xd8\x9b' $'\xe2\x80\x8d' $'\xe2\x80\xa9' $'\xe2\x80\xaf' $'\xe2\x81\xa5' \
    $'\xe2\x81\xaa' $'\xe4\xb8\xad' $'\xf0\x9f\x98\x80'; do
    named "$character"
    refused "$(printf %q "$character") is shown" 1 "tensor '<$character>': dtype"
done
refuses "a path that is no UTF-8" 1 "clquant: ?.st: No such file" "$CLQUANT" quantize $'\x9b.st' -o out.st

# What is no file
refuses "a missing file" 1 "missing.st: No such file or directory" "$CLQUANT" quantize missing.st -o out.st
refuses "a directory" 1 ".: is not a regular file" "$CLQUANT" quantize . -o out.st
refuses "a device" 1 "is not a regular file" "$CLQUANT" quantize /dev/zero -o out.st
mkfifo pipe.st
refuses "a pipe, without waiting for its writer" 1 "is not a regular file" "$CLQUANT" quantize pipe.st -o out.st
rm pipe.st

finish
