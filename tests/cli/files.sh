#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which files are read and which is written: several inputs, an output that is one of them, and metadata.
source "$(dirname "$0")/library.sh"

# An output in an input's place: what is no output of the operator would be lost.
"$TENSOR_FILE" make model.st x:F32:4:1,2,3,4 scales:F32:1:0.5 other.weight:F32:2:7
cp model.st kept.st
ln model.st hard.st
ln -s model.st soft.st
mkdir folder
ln -s ../model.st folder/soft.st
for name in model.st ./model.st hard.st soft.st folder/soft.st folder/../model.st; do
    refuses "the input as the output, by $name" 2 "-o $name: is the input file model.st" "$CLQUANT" quantize model.st -o "$name"
    refuses "$name as the input of an output model.st" 2 "-o model.st: is the input file $name" "$CLQUANT" quantize "$name" -o model.st
    check "$name: the input is whole" cmp -s model.st kept.st
done
"$TENSOR_FILE" make more.st zero_points:I8:1:1
refuses "the third input as the output" 2 "-o soft.st: is the input file model.st" "$CLQUANT" quantize more.st kept.st model.st -o soft.st
run env OCL_ICD_VENDORS=/nonexistent "$CLQUANT" quantize model.st -o hard.st
refused "before a device is looked for" 2 "-o hard.st: is the input file model.st"
rm -r folder hard.st soft.st
only_files "an output that is the input" kept.st model.st more.st
succeeds "a copy of the input is another file" "$CLQUANT" quantize model.st -o kept.st
holds "a copy of the input is another file" kept.st "y I8 [4] 2 4 6 8"

# Several inputs
"$TENSOR_FILE" make x.st x:F32:4:1,2,3,4 bias:F32:1:1
"$TENSOR_FILE" make scales.st scales:F32:1:0.5 bias:F32:1:1
succeeds "each tensor from its file; a name in two files does not matter where nothing needs it" "$CLQUANT" quantize x.st scales.st more.st -o out.st
holds "each tensor from its file" out.st "y I8 [4] 3 5 7 9"
run "$CLQUANT" quantize -o out.st scales.st -- x.st
holds "inputs before and after --, in any order" out.st "y I8 [4] 2 4 6 8"
rm out.st
"$TENSOR_FILE" make x2.st x:F32:4:5
run "$CLQUANT" quantize x.st x2.st scales.st -o out.st
refused "a name in two files" 1 "x.st: tensor 'x', which quantize needs for x, is in x2.st too; --tensor x=FILE:NAME chooses"
succeeds "a file is chosen" "$CLQUANT" quantize x.st x2.st scales.st -o out.st --tensor x=x2.st:x
holds "a file is chosen" out.st "y I8 [4] 10 10 10 10"
run "$CLQUANT" quantize x.st x2.st scales.st -o out.st --tensor x=x3.st:x
refused "a file that is none of the inputs" 1 "x.st, x2.st, scales.st: quantize needs the tensor 'x3.st:x' for x"
run "$CLQUANT" quantize x.st x2.st scales.st -o out.st --tensor x=x2.st:y
refused "a name that is not in the file that was chosen" 1 "needs the tensor 'x2.st:y' for x"
file_of colon.st '{"x.st:x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}' 8
succeeds "a tensor whose whole name it is" "$CLQUANT" quantize x.st colon.st scales.st -o out.st --tensor x=x.st:x
holds "comes before the file's" out.st "y I8 [2] 0 0"
rm colon.st out.st
refuses "one file twice" 2 "./x.st: is the same file as x.st" "$CLQUANT" quantize x.st scales.st ./x.st -o out.st
refuses "the second file is missing" 1 "missing.st: No such file" "$CLQUANT" quantize x.st missing.st -o out.st
head -c 30 scales.st >cut.st
refuses "the second file is malformed" 1 "clquant: cut.st: its header" "$CLQUANT" quantize x.st cut.st -o out.st
"$TENSOR_FILE" make three.st scales:F32:3:1
run "$CLQUANT" quantize x.st three.st -o out.st
refused "tensors that do not fit say where they are from" 1 "; x is tensor 'x' of x.st; scales is tensor 'scales' of three.st"
file_of double.st '{"scales":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}' 8
refuses "the message names the second file" 1 "clquant: double.st: tensor 'scales' is F64" "$CLQUANT" quantize x.st double.st -o out.st
"$TENSOR_FILE" make cache.st cache:I8:1x2x2:0 scales:F32:1:1
"$TENSOR_FILE" make step.st indices:I32:1:9 updates:F32:1x1x2:1
run "$CLQUANT" quantize_scatter cache.st step.st -o out.st
check "what was dropped names the file of the indices" test "$status,$err" = \
    "0,clquant: step.st: quantize_scatter: 1 entry out of range dropped; the first: indices[0] has start 9: it must be from 0 to 1, \
the cache's 2 on axis 1 less an entry's 1; 1-D indices are starts, entry 0's in batch 0"
rm -f ./*.st

# Metadata
x='"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
s='"scales":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}'
# keeps NAME TEXT INPUT...: the output's header begins so.
# keeps NAME MEMBERS FILES...: the members of the metadata behind those of the command.
keeps() {
    local name=$1 text='{"__metadata__":{"clquant":"quantize --dtype int8 --mode divide","clquant_tensor":"y"'${2:+,}$2'}'
    shift 2
    succeeds "$name" "$CLQUANT" quantize "$@" -o out.st
    out=$(header_of out.st)
    check "$name: $text is expected" test "${out%%,\"y\":*}" = "$text"
    holds "$name" out.st "y I8 [2] 0 0"
    check "$name: data at a multiple of 8" test $((($(stat -c %s out.st) - 2) % 8)) = 0
}
for text in '' '"format":"pt"' '"b" : "2","a":"\u00e9\ud83d\ude00\"\\é"' '"a":"\u0000","\u0000b":"1"'; do
    file_of in.st "{\"__metadata__\":{ $text },$x,$s}" 12
    keeps "members of the metadata are kept as they were written" "$text" in.st
done
file_of in.st "{$x,$s,\"\\u005f_metadata__\":{\"a\":\"1\"}}" 12
keeps "metadata behind the tensors, spelt with an escape" '"a":"1"' in.st
file_of in.st "{\"__metadata__\":null,$x,$s}" 12
keeps "metadata that is null" '' in.st
file_of in.st "{\"__metadata__\":{\"clquant\":\"dynamic_quantize --dtype int4\",\"clquant_tensor\":\"x\"},$x,$s}" 12
keeps "another command's record is gone" '' in.st

file_of x.st "{$x}" 8
file_of a.st '{"__metadata__":{"format":"pt","a":"1"},"scales":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' 4
file_of b.st '{"__metadata__":{"\u0061":"2","c": "3","a\u0000":"4"}}' 0
file_of empty.st '{"__metadata__":{ }}' 0
file_of null.st '{"__metadata__":null}' 0
keeps "the metadata of the file that has some" '"format":"pt","a":"1"' x.st null.st a.st
keeps "of one name the first file's value counts" '"format":"pt","a":"1","c": "3","a\u0000":"4"' x.st a.st b.st
keeps "in the order of the files" '"\u0061":"2","c": "3","a\u0000":"4","format":"pt"' x.st b.st a.st
keeps "behind metadata without a member" '"\u0061":"2","c": "3","a\u0000":"4","format":"pt"' empty.st x.st b.st a.st
keeps "before metadata without a member" '"format":"pt","a":"1"' a.st empty.st x.st
rm -f ./*.st

# Two headers that are each below the format's limit, and one that would be above it.
value=$(head -c 60000 /dev/zero | tr '\0' v)
for name in a b; do
    {
        printf '{"__metadata__":{'
        for ((i = 0; i < 900; i++)); do printf '"%s%d":"%s",' "$name" "$i" "$value"; done
        printf '"%s":""},%s,%s}' "$name" "${x/x/$name}" "$s"
    } >header
    { little_endian "$(stat -c %s header)" && cat header && head -c 12 /dev/zero; } >"$name.st"
done
run "$CLQUANT" quantize a.st b.st -o out.st --tensor x=a --tensor scales=a.st:scales
refused "metadata that is too much together" 1 "with the __metadata__ of a.st, b.st: the format has room for 100000000"
only_files "metadata that is too much together" a.st b.st header

finish
