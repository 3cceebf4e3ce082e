# SPDX-License-Identifier: Apache-2.0
# The bench from outside, on data too small to say anything about speed: what it prints, writes and refuses.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/library.sh"

"$CLQUANT" devices >/dev/null 2>&1 || { echo "skipped: no device"; exit 77; }
export TMPDIR=$directory/temporary
mkdir "$TMPDIR"

# SIZE, how many rows there are of it, and FILTER; each has its line and its JSON.
while read -r size count filter; do
    succeeds "$filter" "$CLQUANT" bench --size "$size" --only "$filter" --json rows.json
    check "$filter: a line each" test "$(grep -cE '^[a-z_]+ +[a-z]+[0-9]+ ' <<<"$out")" = "$count"
    check "$filter: its JSON" "$CHECK_JSON" rows.json "$count"
done <<'ROWS'
1  2 float16 int4 multiply
3  2 strided bfloat16
1  4 axis 1, float32
1  4 int32
1  1 rounded first
1  2 "quantize float16" divide "per tensor" -float8
1  2 -"quantize" -dequantize int8 "per tensor"
1  3 quantize_scatter divide prefill
1  4 overlap
1  2 slots float16 int8 divide
1  1 uneven groups
1  6 dynamic_quantize bfloat16 symmetric
3  3 dynamic_quantize float32 int4 asymmetric
1  4 dynamic_quantize_scatter int4 unique
2  4 dynamic_quantize_scatter 1-D
1  4 dynamic_quantize_scatter last wins
1  9 dequantize int8
1  6 rotated
3  2 dequantize gathered int4 divide
1  3 find_scales float16
ROWS

# A second is over before the rows are: those that were done are there.
succeeds "a bench that ends in time" "$CLQUANT" bench --size 4 --seconds 1 --only "dynamic_quantize" --json rows.json
left=$(sed -n 's/^\([0-9]*\) rows not run: 1 seconds were over$/\1/p' <<<"$out")
check "says how many rows it left out" test "${left:-0}" -gt 0
check "so does its JSON" grep -q "\"not_run\":	$left\$" rows.json
check "which has the others" "$CHECK_JSON" rows.json $(grep -c '^dynamic_quantize' <<<"$out")

# Its JSON is there after the first row, so that what ends it leaves the rows before.
"$CLQUANT" bench --size 1 --seconds 1000 --only "rotated" --json killed.json >killed &
for ((i = 0; i < 1200; i++)); do [ ! -s killed.json ] || break; sleep 0.1; done
kill $!
wait $!
check "a bench that is ended has its rows" "$CHECK_JSON" killed.json "$(grep -c '"operator"' killed.json)"
rm -f killed killed.json .clquant-*

# cannot_be OPTION: places where no file can be are refused by the option's rule, before anything is measured.
cannot_be() {
    local name
    mkdir directory
    for name in "" directory directory/ /dev/null; do
        refuses "$1 '$name'" 2 "clquant: $1 " "$CLQUANT" bench --size 1 --only "bfloat16 int4 multiply per tensor" "$1" "$name"
        check "$1 '$name': says so before it measures" test -z "$out"
    done
    rmdir directory
}
succeeds "a plot" "$CLQUANT" bench --size 1 --only "bfloat16 int4 multiply" --plot "it's.svg"
check "is an SVG" grep -q '^<svg' "it's.svg"
check "is whole" grep -q '^</svg>' "it's.svg"
check "names the rows" grep -q 'bfloat16 to int4, multiply, per tensor' "it's.svg"
check "has a bar for each" test "$(grep -c '<rect x=' "it's.svg")" = 2
refuses "a plot that cannot be written" 3 "nowhere/a.svg" "$CLQUANT" bench --size 1 --only "bfloat16 int4 multiply per tensor" --plot nowhere/a.svg
check "says so before it measures" test -z "$out"
cannot_be --plot

refuses "JSON that cannot be written" 3 "nowhere/a.json" "$CLQUANT" bench --size 1 --only "float16 int4 multiply per tensor" --json nowhere/a.json
check "says so before it measures" test -z "$out"
cannot_be --json
echo old >rows.json
run "$CLQUANT" bench --size 1 --device "no such device" --json rows.json
check "what is there stays until there are rows" test "$(cat rows.json)" = old
refuses "no row" 2 "no such row" "$CLQUANT" bench --only "no such row"
for size in 0 -1 1x 1048577 ""; do
    refuses "--size '$size'" 2 "a whole number from 1 to 1048576" "$CLQUANT" bench --size "$size"
done
for seconds in 0 -1 1x 1000001 ""; do
    refuses "--seconds '$seconds'" 2 "a whole number from 1 to 1000000" "$CLQUANT" bench --seconds "$seconds"
done
refuses "no device" 3 "no such device" "$CLQUANT" bench --device "no such device" --size 1
refuses "an argument" 2 "'file'" "$CLQUANT" bench file

finish
