#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model: matrices whose rows are cut have the bytes that the library's operators give whole ones, in
# bounded memory.
source "$(dirname "$0")/library.sh"

# Nine rows of 513 KiB: two tiles of eight rows, and two of one. Rows have their largest magnitudes at both ends of
# a tile and of the row; one is of NaN, one has an infinity in one tile and its largest number in the other.
make() {
    local size=$([ "$1" = F32 ] && echo 4 || echo 2) at r
    local tile=$((524288 / size)) columns=$((525312 / size))
    local places=(0 $((tile - 1)) $tile 0 $((columns - 1)) 5 $((tile + 8)) $((columns - 1)) $tile $((3 + (6 - 9) * columns))) # the tenth is in row 6
    "$TENSOR_FILE" make in.st "w.weight:$1:9x$columns:$(seq -s, -2 0.0173 2)"
    "$TENSOR_FILE" make edges.st "e:$1:10:4,-5,6,-7,8,-9,inf,11,-12,3.5"
    at=$(($(stat -c %s in.st) - 9 * columns * size))
    put() { dd of=in.st bs=$size oflag=seek_bytes conv=notrunc status=none "$@"; }
    for r in {0..9}; do
        tail -c $((10 * size)) edges.st | put skip=$r count=1 seek=$((at + (r * columns + places[r]) * size))
    done
    tr '\0' '\377' </dev/zero | put count=$columns iflag=fullblock seek=$((at + 3 * columns * size))
}
# bytes FILE TENSOR
bytes() {
    local range=$(header_of "$1" | sed -E "s/.*\"$2\":\{[^}]*\"data_offsets\":\[([0-9]+),([0-9]+).*/\1 \2/")
    tail -c "+$((9 + $(od -An -tu8 -N8 "$1") + ${range% *}))" "$1" | head -c $((${range#* } - ${range% *}))
}
# Four bits that count from -8, counted from 0.
from_zero() { LC_ALL=C tr "$(printf '\\%03o' {0..255})" "$(for i in {0..255}; do printf '\\%03o' $((i ^ 136)); done)"; }
# Of nine rows of zero points two lines of words, as numbers.
words() { od -An -v -w$(($1)) -tu1 | awk '{ for (i = 1; i <= NF; i++) w[int((NR - 1) / 8), i] += $i * 16 ^ ((NR - 1) % 8) }
    END { for (l = 0; l < 2; l++) for (i = 1; i <= NF; i++) printf "%.0f\n", w[l, i] }'; }

last=
while IFS='|' read -r type options operator with parts; do
    [ "$type" = "$last" ] || make "$type"
    last=$type
    name="$type, $options"
    rm -rf out want
    mkdir want
    run "$CLQUANT" quantize_model in.st -o out $options
    check "$name" test "$status" = 0
    if [ "$operator" = scales ]; then
        succeeds "$name: scales" "$CLQUANT" scales in.st -o want/scales.st --tensor x=w.weight --method minmax $with
        run "$CLQUANT" quantize in.st want/scales.st -o want/y.st --tensor x=w.weight $with
    else
        [[ $options != *nvfp4* ]] || with+=" --tensor global_scale=out/in.st:w.weight_global_scale"
        run "$CLQUANT" dynamic_quantize in.st out/in.st -o want/y.st --tensor x=in.st:w.weight $with
    fi
    succeeded "$name: $operator"
    for part in $parts; do
        IFS=: read -r ours theirs as <<<"$part:"
        [ -e want/scales.st ] && [ "$theirs" != y ] && file=want/scales.st || file=want/y.st
        case $as in
        from_zero*) cmp -s <(bytes out/in.st "w.weight$ours") <(bytes $file $theirs | from_zero) ;;
        words=*) cmp -s <(bytes out/in.st "w.weight$ours" | od -An -v -w4 -tu4 | tr -d ' ') <(bytes $file $theirs | words "${as//[!0-9]/}") ;;
        *) cmp -s <(bytes out/in.st "w.weight$ours") <(bytes $file $theirs) ;;
        esac
        check "$name: w.weight$ours" test $? = 0
    done
done <<'ROWS'
F32|--symmetric|dynamic|--dtype int4 --block 128 --symmetric|_packed:y:from_zero _scale:scales
F32|--symmetric --block 0|dynamic|--dtype int4 --symmetric|_packed:y:from_zero _scale:scales
F32|--dtype int4 --asymmetric|scales|--dtype uint4 --block 128|_packed:y _scale:scales _zero_point:zero_points:words=1026
F32|--dtype int4 --asymmetric --block 0|scales|--dtype uint4 --axis 0|_packed:y _scale:scales _zero_point:zero_points:words=1
F32|--dtype int8 --asymmetric|scales|--dtype int8 --axis 0|:y _scale:scales _zero_point:zero_points
F32|--to plain --dtype int8|dynamic|--dtype int8|_q:y _scales:scales _offsets:offsets
F32|--to plain --block 0|dynamic|--dtype int4|_q:y _scales:scales _offsets:offsets
F32|--to plain --rotate 256 --block 32|dynamic|--dtype int4 --block 32 --rotate 256|_q:y _scales:scales _offsets:offsets
F32|--to plain --rotate 256 --block 0|dynamic|--dtype int4 --rotate 256|_q:y _scales:scales _offsets:offsets
F32|--to plain --scale-rule nvfp4|dynamic|--dtype float4_e2m1fn --scale-rule nvfp4|_q:y _scales:scales
F16|--dtype int8|dynamic|--dtype int8 --symmetric --scale-dtype float16|:y _scale:scales
F16|--dtype int8 --asymmetric|scales|--dtype int8 --axis 0|:y _scale:scales _zero_point:zero_points
F16|--to plain --dtype uint8|dynamic|--dtype uint8 --scale-dtype float16|_q:y _scales:scales _offsets:offsets
BF16|--dtype float8_e4m3fn|dynamic|--dtype float8_e4m3fn --symmetric --scale-dtype bfloat16|:y _scale:scales
BF16|--to plain --dtype int8|dynamic|--dtype int8 --scale-dtype bfloat16|_q:y _scales:scales _offsets:offsets
BF16|--scale-rule mx_even|dynamic|--dtype float4_e2m1fn --scale-rule mx_even --symmetric|_packed:y _scale:scales
ROWS

# Ways that cut otherwise: the errors of runs of their own.
succeeds "ways side by side" "$CLQUANT" quantize_model in.st --compare nvfp4,int8:asymmetric,int8:rotate=256 --json ways.json
errors() { grep -oE '"(error|w.weight)":[^,}]*' "$@" | sed 's/.*:[^0-9]*//' | xargs printf '%.5g\n'; }
check "--compare: the errors of runs of their own" test "$(errors ways.json)" = "$(
    for options in '--scale-rule nvfp4' '--dtype int8 --asymmetric' '--to plain --dtype int8 --rotate 256'; do
        "$CLQUANT" quantize_model in.st -o out --json run.json $options >log
        errors run.json
    done 2>log)"

# An expert of Llama 4, [in, out], with rows that are alike, becomes what a matrix of such rows does, or stays.
mkdir llama
echo '{"model_type": "llama4_text"}' >llama/config.json
"$TENSOR_FILE" make llama/in.st "l.experts.down_proj:F32:1x131312x8:$(seq -2 0.0173 2 | sed 'p;p;p;p;p;p;p' | paste -sd,)" \
    "w.weight:F32:8x131312:$(seq -s, -2 0.0173 2)"
succeeds "an expert" "$CLQUANT" quantize_model llama/in.st -o out --dtype int8
for end in weight weight_scale; do
    check "an expert: $end" cmp -s <(bytes out/in.st "l.experts.0.down_proj.$end") <(bytes out/in.st "w.$end")
done
succeeds "an expert that stays" "$CLQUANT" quantize_model llama/in.st -o out --dtype int8 --skip 'l.*'
check "an expert that stays: its bytes" cmp -s <(bytes out/in.st l.experts.0.down_proj.weight) <(bytes llama/in.st w.weight)

# peak COLUMNS: the most KiB of memory that a run with one row had by its last piece.
mkfifo progress
peak() {
    local kib=0 key value
    file_of long.st '{"w.weight":{"dtype":"F32","shape":[1,'"$1"'],"data_offsets":[0,'$(($1 * 4))']}}' $(($1 * 4))
    "$CLQUANT" quantize_model long.st -o "long$1" --dtype int8 --progress 7 7>progress >log 2>&1 &
    while read -r _; do
        while read -r key value _; do [ "$key" != VmHWM: ] || kib=$value; done <"/proc/$!/status"
    done <progress
    wait $! && echo "$kib"
}
few=$(peak 131072)
many=$(peak $((1 << 25)))
check "a row of 128 MiB takes a few pieces: $few, $many" test "$many" -lt $((few + 100 * 1024))
check "the bound was measured" test "$few" -gt 1024
rm -r long*

# Turned rows of one scale are read whole.
file_of long.st '{"w.weight":{"dtype":"F16","shape":[1,2097664],"data_offsets":[0,4195328]},"v.weight":{"dtype":"F16","shape":[2,512],"data_offsets":[4195328,4197376]}}' 4197376
succeeds "a long row that is turned" "$CLQUANT" quantize_model long.st -o out --to plain --block 0 --rotate 512
check "it stays" grep -qF "w.weight [1,2097664], 4195328 bytes: its rows are longer than 4 MiB, and --rotate" <<<"$out"
finish
