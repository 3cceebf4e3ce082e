#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tensors that no buffer of the device can hold: known before anything is read.
source "$(dirname "$0")/library.sh"
export POCL_MEMORY_LIMIT=1 # GiB; where the device is another, 64 GiB are too much for a buffer of it

file_of big.st '{"x":{"dtype":"F16","shape":[34359738368],"data_offsets":[0,68719476736]},"scales":{"dtype":"F32","shape":[1],"data_offsets":[68719476736,68719476740]}}' 68719476740
refuses "an input" 3 "big.st: tensor 'x' has 68719476736 bytes, more than the " "$CLQUANT" quantize big.st -o out.st
check "the device, its limit and what helps" grep -qE "more than the [0-9]+ that a buffer of the device '.+' can have; --device" <<<"$err"
"$TENSOR_FILE" make small.st zero_points:I8:1:1
refuses "an input in the second file" 3 "clquant: big.st: tensor 'x' has 68719476736 bytes" "$CLQUANT" quantize small.st big.st -o out.st
rm small.st
if "$CLQUANT" devices | grep -q "Portable Computing Language"; then
    refused "what PoCL heeds" 3 "POCL_MEMORY_LIMIT, in GiB"
    file_of half.st '{"q":{"dtype":"I8","shape":[134217728],"data_offsets":[0,134217728]},"scale":{"dtype":"F32","shape":[1],"data_offsets":[134217728,134217732]}}' 134217732
    refuses "an output" 3 "half.st: the output 'y' has 536870912 bytes, more than the 268435456 that a buffer" "$CLQUANT" dequantize half.st -o out.st
    rm half.st
else
    echo "not tested: an output, for the device's limit is not known"
fi
only_files "nothing is left behind" big.st

finish
