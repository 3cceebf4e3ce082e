#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example on small sizes: bytes exactly, errors in order, its options and the user's own keys. KV_CACHE and
# TENSOR_FILE name the programs.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/library.sh"
speaker=kv_cache
LIMIT=400 # for PoCL optimizes the kernels of the first run, CLBlast's among them, which took 80 s of an idle processor

# rows: "name bytes max rms" of the table in $out, without the times; rms is per cent of the outputs' own, which output_rms prints
output_rms() { sed -n "s/^the float16 cache's outputs, of RMS \([0-9.]*\),.*/\1/p" <<<"$out"; }
rows() { sed -n 's/ | */|/g; s/^| *\(float16\|float8 [a-z]*\|u\?int[48],\? [a-z0-9, ]*\)/\1/p' <<<"$out" | awk -F'|' '{ gsub(/ +$/, "", $1); sub(/ %/, "", $5); print $1 "|" $2 "|" $4 "|" $5 }'; }
bytes() { rows | awk -F'|' -v name="$1" '$1 == name { print $2 + 0 }'; }
# The errors must come in this order, each at least a tenth above the one before.
in_order() {
    rows | awk -F'|' -v own="$(output_rms)" '{ rms[$1] = $4; max[$1] = $3; if ($3 + 0 < own * $4 / 100 || own <= 0) exit 1 }
        END {
            right = "float16;int8 static;int4 dynamic, rotated;int4 dynamic"
            split(right, names, ";")
            if (NR != 9 || rms["float16"] != 0 || max["float16"] != 0) exit 1
            for (i = 2; i <= 4; i++) if (rms[names[i]] <= 1.1 * rms[names[i - 1]]) exit 1
            if (rms["float8 dynamic"] <= 1.1 * rms["int8 dynamic"]) exit 1
            if (rms["int4, blocks of 32"] * 1.1 >= rms["int4 dynamic"] || rms["uint4 in slots"] > 1.05 * rms["int4 dynamic"]) exit 1
            if (rms["int4 dynamic"] > 1.05 * rms["uint4 in slots"]) exit 1
            if (rms["int8 dynamic"] <= 0 || 1.1 * rms["int8 dynamic"] >= rms["int4 dynamic, rotated"]) exit 1
        }'
}

# token_bytes HEADS SIZE: keys and values of all heads, in each format
token_bytes() {
    local rows=$((2 * $1)) size=$2
    check "$1 x $2: float16" test "$(bytes float16)" = $((rows * 2 * size))
    check "$1 x $2: int8 static" test "$(bytes 'int8 static')" = $((rows * size))
    check "$1 x $2: int8 dynamic" test "$(bytes 'int8 dynamic')" = $((rows * (size + 4)))
    check "$1 x $2: int4 dynamic" test "$(bytes 'int4 dynamic')" = $((rows * (size / 2 + 8)))
    check "$1 x $2: float8 dynamic" test "$(bytes 'float8 dynamic')" = $((rows * (size + 4)))
    check "$1 x $2: blocks of 64" test "$(bytes 'int4, blocks of 64')" = $((rows * (size / 2 + (size + 63) / 64 * 4)))
    check "$1 x $2: blocks of 32" test "$(bytes 'int4, blocks of 32')" = $((rows * (size / 2 + (size + 31) / 32 * 4)))
    check "$1 x $2: uint4 in slots" test "$(bytes 'uint4 in slots')" = $((rows * (size / 2 + 8)))
    check "$1 x $2: int4 rotated" test "$(bytes 'int4 dynamic, rotated')" = $((rows * (size / 2 + 8)))
}

for seed in 1 2 3; do
    run "$KV_CACHE" --batch 2 --heads 3 --queries 2 --head-size 64 --context 80 --steps 3 --seed "$seed"
    check "seed $seed runs" test "$status" = 0
    check "seed $seed: errors in order" in_order
    check "seed $seed: scores are read from int8 and int4 caches" test "$(grep -c '^scores read from the int[48] dynamic cache, with clquant.clh: ' <<<"$out")" = 2
    token_bytes 3 64
done
run "$KV_CACHE" --batch 1 --heads 1 --queries 1 --head-size 96 --context 1 --steps 1
check "one of everything" test "$status" = 0
token_bytes 1 96
run "$KV_CACHE" --batch 2 --heads 2 --head-size 50 --context 8 --steps 1
check "heads of 50 are rotated by 2" test "$(rows | wc -l)" = 9
check "and what is behind whole vectors of 8 is read" grep -q '^scores read from the int4' <<<"$out"

# The same keys in three orders, and as rows of all heads.
numbers() { awk -v order="$1" 'BEGIN {
    n["t"] = 9; n["h"] = 2; n["c"] = 8
    for (i = 0; i < n[substr(order, 1, 1)]; i++) for (j = 0; j < n[substr(order, 2, 1)]; j++)
        for (k = 0; k < n[substr(order, 3, 1)]; k++) {
            at[substr(order, 1, 1)] = i; at[substr(order, 2, 1)] = j; at[substr(order, 3, 1)] = k
            x = (at["t"] * 16 + at["h"] * 8 + at["c"]) * 37 % 13
            printf "%s%s", separator, x / 4 + (at["c"] == 3 ? 12 : 0); separator = ","
        }
    }'; }
"$TENSOR_FILE" make keys.safetensors "thc:F16:9x2x8:$(numbers thc)" "htc:F32:2x9x8:$(numbers htc)" \
    "cth:BF16:8x9x2:$(numbers cth)" "flat:F32:9x16:$(numbers thc)" "other:I32:2:1,2" "odd:F32:9x2x3:1,2,3"
keys() { run "$KV_CACHE" --keys keys.safetensors --steps 2 "$@"; }
keys --tensor thc
check "thc" test "$status" = 0 -a -n "$(rows)"
token_bytes 2 8
check "thc: all its tokens" grep -q "7 + 2 tokens" <<<"$out"
want=$(rows)
keys --tensor htc --order htc
check "htc" test "$(rows)" = "$want"
keys --tensor flat --head-size 8
check "flat" test "$(rows)" = "$want"
keys --tensor cth --order cth
check "cth" test "$(rows)" = "$want"
keys --tensor thc --context 3
check "the first tokens alone" grep -q "3 + 2 tokens" <<<"$out"

keys
refused "which tensor" 2 "--tensor"
keys --tensor nothing
refused "no such tensor" 1 "no tensor 'nothing'"
keys --tensor other
refused "no floats" 1 "other has type I32"
keys --tensor odd
refused "odd heads" 1 "even number"
keys --tensor thc --context 8
refused "too few tokens" 1 "9 tokens"
keys --tensor thc --order tc
refused "an order of another rank" 2 "3 dimensions"
keys --tensor thc --order tht
refused "an order with a letter twice" 2 "each once"
keys --tensor thc --order thb
refused "an order without channels" 2 "must have t and c"
keys --tensor thc --head-size 16
refused "heads of another size" 2 "it must be the 8 of the heads of thc"
keys --tensor flat --head-size 12
refused "heads that do not divide" 2 "no multiple"
keys --tensor thc --heads 2
refused "heads that the tensor has" 2 "--heads cannot be given"
"$TENSOR_FILE" make wide.safetensors "k:F32:9x2x8:1,2,100000"
refuses "too large for float16" 1 "element 2 of k" "$KV_CACHE" --keys wide.safetensors --steps 2

for bad in "--batch" "--batch 0" "--batch 1x" "--steps -3" "--head-size 7" "--nothing 1" "--plot x.pdf" "--order tc" \
    "--context 2000000 --heads 1000"; do
    refuses "$bad" 2 "kv_cache: " "$KV_CACHE" $bad
done
refuses "a plot in no directory" 3 "nowhere/x.svg" "$KV_CACHE" --plot nowhere/x.svg
echo old >old.svg
refuses "no device: the old plot stays" 3 "nothing" "$KV_CACHE" --device nothing --plot old.svg
check "the old plot stays" test "$(cat old.svg)" = old -a -z "$(ls *.part 2>/dev/null)"
run "$KV_CACHE" --device nothing --plot new.svg
check "no device: no plot is begun" test "$status" = 3 -a ! -e new.svg
if [ -w /dev/full ]; then
    refuses "a full disk" 3 "standard output" sh -c '"$0" --help >/dev/full' "$KV_CACHE"
fi
run "$KV_CACHE" --help
check "help" test "$status" = 0
if command -v gnuplot >/dev/null; then
    for end in svg png; do
        run "$KV_CACHE" --batch 1 --heads 1 --head-size 32 --context 8 --steps 1 --plot "it's a plot.$end"
        check "plot $end" test "$status" = 0 -a -s "it's a plot.$end"
    done
    check "svg" grep -q "int4 dynamic, rotated" "it's a plot.svg"
fi
finish
