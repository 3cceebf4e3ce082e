#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clquant list: the tensors and the metadata of files.
source "$(dirname "$0")/library.sh"
export OCL_ICD_VENDORS=/nonexistent # no device is needed

# lists NAME WANT FILE...
lists() {
    local name=$1 want=$2
    shift 2
    succeeds "$name" "$CLQUANT" list "$@"
    check "$name: $want is expected" test "$out" = "$want"
}

"$TENSOR_FILE" make in.st x:F32:2x4:1 layers.0.k:BF16::1 empty:I64:0x12:1
lists "names, types, shapes and bytes, by name" 'in.st: 3 tensors, 34 bytes of data
  empty       I64   [0,12]   0 bytes
  layers.0.k  BF16  []       2 bytes
  x           F32   [2,4]   32 bytes' in.st
file_of one.st '{"__metadata__":{"format":"pt","note":"a\u0000b\u001b[31m\nc","\u00e9":""},"é":{"dtype":"F8_E4M3FNUZ","shape":[1],"data_offsets":[0,1]}}' 1
lists "metadata, tamed; one tensor" 'one.st: 1 tensor, 1 bytes of data
  é  F8_E4M3FNUZ  [1]  1 bytes
  __metadata__ format = pt
  __metadata__ note = a?b?[31m?c
  __metadata__ é = ' one.st
file_of none.st '{}' 0
file_of any.st '{"many":{"dtype":"F64","shape":[1,2,3,4,1,1,1,1,5,6],"data_offsets":[3,5763]},"nibbles":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]}}' 5763
lists "several files; types and ranks that nothing computes with" 'none.st: 0 tensors, 0 bytes of data
any.st: 2 tensors, 5763 bytes of data
  many     F64  [1,2,3,4,1,1,1,1,5,6]  5760 bytes
  nibbles  F4   [2,3]                     3 bytes' none.st any.st
file_of most.st "{\"x\":{\"dtype\":\"U8\",\"shape\":[9007199254740992$(printf ',0%.0s' {1..63})],\"data_offsets\":[0,0]}}" 0
lists "as many dimensions as may be" "most.st: 1 tensor, 0 bytes of data
  x  U8  [9007199254740992$(printf ',0%.0s' {1..63})]  0 bytes" most.st
file_of long.st "{\"__metadata__\":{\"a\":\"$(printf 'v%.0s' {1..101})\",\"b\":\"$(printf 'v%.0s' {1..100})\"}}" 0
lists "a long value is cut" "long.st: 0 tensors, 0 bytes of data
  __metadata__ a = $(printf 'v%.0s' {1..100})...
  __metadata__ b = $(printf 'v%.0s' {1..100})" long.st
file_of steer.st $'{"\\u001b]0;x":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}' 1
lists "a name that steers the terminal is shown tame" 'steer.st: 1 tensor, 1 bytes of data
  ?]0;x  I8  [1]  1 bytes' steer.st
long=$(printf 'n%.0s' {1..70})
file_of wide.st "{\"$long\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[1,2]}}" 2
lists "a long name does not push the others away" "wide.st: 2 tensors, 2 bytes of data
  a$(printf ' %.0s' {1..59})  I8  [1]  1 bytes
  $long  I8  [1]  1 bytes" wide.st
cp none.st ./-dash.st
lists "a file whose name begins with a dash" '-dash.st: 0 tensors, 0 bytes of data' -- -dash.st

refuses "a file that is missing" 1 "missing.st: No such file" "$CLQUANT" list missing.st none.st
check "does not hide the others" test "$out" = "none.st: 0 tensors, 0 bytes of data"
refuses "a full standard output" 3 "standard output cannot be written" bash -c 'exec "$@" >/dev/full' - "$CLQUANT" list none.st

finish
