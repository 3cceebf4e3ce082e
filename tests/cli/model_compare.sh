#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model --compare: a table of several ways, and nothing is written.
source "$(dirname "$0")/model.sh"

make_model
run "$CLQUANT" quantize_model $index --compare int8,uint4:block=32:rotate=32,nvfp4,int4 --json ways.json
succeeded "ways side by side"
check "a column for each, what none quantizes is -" test "$(awk 'NR == 1 || /^bits/ || /^all/ { print NF, $NF }' <<<"$out" | tr '\n' ' ')" = "4 int4 7 - 5 - "
check "a row for each kind of tensor" test "$(awk 'NR > 6 { print $1 }' <<<"$out" | sort | tr '\n' ' ')" = "a b narrow "
check "the same as JSON" test "$(grep -cE '"(bits|bytes|error|kinds)"' ways.json)" = 16
only_files "nothing is written" in in/a.safetensors in/b.safetensors $index in/config.json ways.json
# Names and numbers of five digits, of the lines that have both.
numbers() { sed -n 's/^.*"\([a-z]*\)[.a-z]*":[^0-9]*\([0-9][-+.e0-9]*\),*$/\1 \2/p' | awk '{ printf "%s %.5g\n", $1, $2 }' | sort; }
for way in int8 "uint4 --block 32 --rotate 32 --to plain"; do
    run "$CLQUANT" quantize_model $index -o out --dtype $way --json run.json
    sed -n "/\"${way%% *}[^a-z]/,/^\t}/p" ways.json >way.json
    check "$way: the bytes of a run of its own" grep -qE "became $(numbers <way.json | sed -n 's/^bytes //p')$" <<<"$out"
    check "$way: its errors" test "$(sed '1,/"kinds"/d' way.json | numbers)" = "$(numbers <run.json)"
    check "$way: there are some" test "$(numbers <run.json | wc -l)" -ge 2
    rm -r out
done
while IFS='|' read -r ways text; do
    run "$CLQUANT" quantize_model $index --compare $ways
    refused "--compare $ways" 2 "$text"
done <<'ROWS'
int9|--compare int9: --dtype 'int9': one of int4,
int4:block=7|--compare int4:block=7: --block '7': one of 0, 32, 64, 128, auto is expected
int8,int4:width=3|--compare int4:width=3: 'width=3': dtype=TYPE, block=N, rotate, rotate=R, symmetric or asymmetric is expected
int8,|a way is empty
int8 -o out|--compare int8: with it nothing is written: neither -o nor --shard is expected
int8 --progress 77|--progress '77': the number of an open file descriptor is expected
ROWS
finish
