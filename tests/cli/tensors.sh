#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which tensor an argument is: other names, names that are not there, and tensors that are left out.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:2:1,2 scale:F32:1:0.5 model.layers.0.Scales:F32:1:1 zero_points:I8:1:3

# Names that are not there
run "$CLQUANT" quantize in.st -o out.st
refused "a name that is nearly there" 1 "in.st: quantize needs the tensor 'scales'; similar names in the file are model.layers.0.Scales, scale (--tensor scales=NAME chooses a tensor, \`clquant list\` shows all of them)"
run "$CLQUANT" quantize in.st -o out.st --tensor scales=sacle
refused "a mistyped name" 1 "needs the tensor 'sacle' for scales; a similar name in the file is scale ("
run "$CLQUANT" quantize in.st -o out.st --tensor scales=scale --tensor x=X
refused "upper case" 1 "needs the tensor 'X' for x; a similar name in the file is x ("
run "$CLQUANT" quantize in.st -o out.st --tensor scales=scale --tensor x=y
refused "another letter is not similar" 1 "needs the tensor 'y' for x; the file has model.layers.0.Scales, scale, x, zero_points ("
run "$CLQUANT" quantize in.st -o out.st --tensor x=in.st:zero_point
refused "similar to the name behind a file's" 1 "for x; a similar name in the file is zero_points ("
"$TENSOR_FILE" make many.st a1:I8:1:1 a2:I8:1:1 a3:I8:1:1 a4:I8:1:1 a5:I8:1:1 a6:I8:1:1 a7:I8:1:1 a8:I8:1:1 a9:I8:1:1 b:I8:1:1
run "$CLQUANT" quantize many.st -o out.st
refused "nothing similar: the first names" 1 "needs the tensor 'x'; the file has a1, a2, a3, a4, a5, a6, a7, a8, and 2 more ("
refuses "three similar names are enough" 1 "similar names in the file are a1, a2, a3 (" "$CLQUANT" quantize many.st -o out.st --tensor x=a0
cp many.st same.st
refuses "each name once" 1 "similar names in the files are a1, a2, a3 (" "$CLQUANT" quantize many.st same.st -o out.st --tensor x=a0
rm same.st many.st

# Left out
run "$CLQUANT" quantize in.st -o out.st --tensor scales=scale
holds "an optional tensor that is in the file" out.st "y I8 [2] 5 7"
succeeds "is left out" "$CLQUANT" quantize in.st -o out.st --tensor scales=scale --tensor zero_points=
holds "and has no part in y" out.st "y I8 [2] 2 4"
rm out.st
run "$CLQUANT" quantize in.st -o out.st --tensor scales=
refused "one that is needed" 2 "--tensor 'scales=': ARGUMENT=NAME is expected, for scales cannot be left out"

# Other names of an argument: what one operator writes another reads.
"$TENSOR_FILE" make y.st y:I8:3:1,2,3 scale:F32:1:1
"$TENSOR_FILE" make both.st y:I8:3:1,2,3 q:I8:2:7,8 scale:F32:1:1
succeeds "the other name alone" "$CLQUANT" dequantize y.st -o out.st
holds "the other name alone" out.st "y F32 [3] 1 2 3"
run "$CLQUANT" dequantize both.st -o out.st
holds "the own name comes first" out.st "y F32 [2] 7 8"
run "$CLQUANT" dequantize y.st both.st -o out.st --tensor scale=y.st:scale
holds "also where it is in another file" out.st "y F32 [2] 7 8"
run "$CLQUANT" dequantize both.st -o out.st --tensor q=y
holds "--tensor chooses" out.st "y F32 [3] 1 2 3"
run "$CLQUANT" dequantize both.st -o out.st --tensor y=q
holds "--tensor knows the other name too" out.st "y F32 [2] 7 8"
cp y.st second.st
run "$CLQUANT" dequantize y.st second.st -o out2.st --tensor scale=y.st:scale
refused "the other name in two files" 1 "y.st: tensor 'y', which dequantize needs for q, is in second.st too"
refuses "neither name" 1 "in.st: dequantize needs the tensor 'q' or 'y' or 'cache'; the file has " "$CLQUANT" dequantize in.st -o out2.st
run "$CLQUANT" dequantize y.st -o out2.st --axis 0 --of uint8
refused "a message names the tensor of the file" 1 "y.st: tensor 'y' is I8, and --of is uint8"
"$TENSOR_FILE" make bad.st y:I8:3:1 scale:F32:2:1
refuses "and says which argument it is" 1 "; q is tensor 'y'" "$CLQUANT" dequantize bad.st -o out2.st
run "$CLQUANT" dequantize --help
check "the help has the other name" grep -q "^  q .*; or named y; or named cache$" "$directory/.stdout"

only_files "nothing is left behind" bad.st both.st in.st out.st second.st y.st
finish
