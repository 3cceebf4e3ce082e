#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# From file to file: what comes out, and where it goes.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:2x4:1,2.5,-3.5,1000,inf,nan,-0.5,0.5 scales:F32:4:1,2,0.5,4 zero_points:I8:1:3 \
    other:F16:2x2:1,2,3,4
succeeds "divide is the default" "$CLQUANT" quantize in.st -o out.st
holds "divide" out.st "y I8 [2,4] 4 4 -4 127 127 0 2 3"
only_files "a success leaves OUT alone" in.st out.st

succeeds "an old OUT is replaced" "$CLQUANT" quantize in.st -o out.st --mode multiply --dtype int32
holds "multiply to int32" out.st "y I32 [2,4] 4 8 1 4003 2147483647 0 3 5"

run "$CLQUANT" quantize in.st -o out.st --dtype uint8
holds "uint8" out.st "y U8 [2,4] 4 4 0 253 255 0 2 3"
run "$CLQUANT" quantize in.st -o out.st --dtype int4
holds "int4, the low nibble first" out.st "y U8 [2,2] 68 124 7 50"
run "$CLQUANT" quantize in.st -o out.st --dtype float8_e5m2
holds "float8_e5m2" out.st "y F8_E5M2 [2,4] 4 4 -4 256 57344 nan 2 3"
"$TENSOR_FILE" make float8.st x:F32:1x6:-0,1.0625,1e9,-inf,nan,-1e-30 scales:F32:1:1
run "$CLQUANT" quantize float8.st -o y.st --dtype float8_e4m3fn
holds "float8_e4m3fn: -0 stays, ends and NaN" y.st "y F8_E4M3 [1,6] -0 1 448 -448 nan -0"
succeeds "float8 needs no --of" "$CLQUANT" dequantize y.st float8.st -o back.st
holds "and comes back" back.st "y F32 [1,6] -0 1 448 -448 nan -0"
refuses "float8 is no input" 1 "x's type is F8_E4M3: it must be F32, F16 or BF16" "$CLQUANT" quantize y.st float8.st -o out.st --tensor x=y
"$TENSOR_FILE" make ties.st x:F32:6:0.5,1.5,2.5,-0.5,-2.5,2.25 scales:F32:1:1 zero_points:I8:1:1 half:F32:1:0.5
run "$CLQUANT" quantize ties.st -o out.st
holds "ties of the sum" out.st "y I8 [6] 2 2 4 0 -2 3"
succeeds "rounded before the zero point is added" "$CLQUANT" quantize ties.st -o out.st --round-first
holds "ties of the quotient" out.st "y I8 [6] 1 3 3 1 -1 3"
run "$CLQUANT" quantize ties.st -o out.st --round-first --mode multiply --dtype uint8 --tensor zero_points=half
holds "rounded twice" out.st "y U8 [6] 0 2 2 0 0 2"
refuses "no option of a documented call" 2 "--round-first" "$CLQUANT" npu_quantize ties.st -o out.st --tensor input=x --round-first
refuses "a scale of the wrong shape" 1 "scales" "$CLQUANT" quantize in.st -o out.st --tensor scales=other

"$TENSOR_FILE" make rows.st x:BF16:2x8:1,2,3,4,5,6,7,8 scales:F16:2:1,2
run "$CLQUANT" quantize rows.st -o out.st --axis 0
holds "the first axis, no zero points" out.st "y I8 [2,8] 1 2 3 4 5 6 7 8 0 1 2 2 2 3 4 4"
run "$CLQUANT" quantize rows.st -o out.st --axis=-2 --dtype int4 --container words
holds "eight in a word" out.st "y I32 [2,1] 2003125025 1144136208" # 0x77654321 0x44322210

"$TENSOR_FILE" make scalar.st x:F32::-2.5 scales:F32:1:1
run "$CLQUANT" quantize scalar.st -o out.st
holds "a number alone; ties go to even" out.st "y I8 [] -2"
"$TENSOR_FILE" make empty.st x:F32:0x4:0 scales:F32:1:1
succeeds "an empty tensor" "$CLQUANT" quantize empty.st -o out.st
holds "an empty tensor" out.st "y I8 [0,4]"

"$TENSOR_FILE" make model.st model.layers.0.k:F16:1x8:1,-2,3,-4,5,-6,7,-8 s:F32:8:1 z:F32:8:0.5
succeeds "tensors by other names" "$CLQUANT" npu_quantize model.st -o out.st --tensor input=model.layers.0.k --tensor scales=s
holds "an absent zero point" out.st "output I8 [1,8] 1 -2 3 -4 5 -6 7 -8"
run "$CLQUANT" npu_quantize --tensor input=model.layers.0.k --tensor scales=s --tensor zero_points=z \
    --dtype quint4x2 --div-mode false -o out.st model.st
succeeded "options before the file"
holds "quint4x2" out.st "output I32 [1,1] -2019113758" # 0x87a6c4e2
run "$CLQUANT" npu_quantize model.st -o out.st --tensor input=model.layers.0.k --tensor scales=s --dtype qint32
holds "qint32 is int32" out.st "output I32 [1,8] 1 -2 3 -4 5 -6 7 -8"

ln -s target.st link.st
cp out.st target.st
run "$CLQUANT" quantize in.st -o link.st
check "a symbolic link stays one" test -L link.st
holds "and its target is written" target.st "y I8 [2,4] 4 4 -4 127 127 0 2 3"
(umask 027 && "$CLQUANT" quantize in.st -o mode.st)
check "OUT has the mode of any new file" test "$(stat -c %a mode.st)" = 640

finish
