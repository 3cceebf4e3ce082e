#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model's folder OUT: runs that were killed and go on, links, permissions.
source "$(dirname "$0")/model.sh"

# A second run keeps whole shards that the same options made of an input that is no newer.
make_model
quantize
cp out/a.safetensors whole.st
stamp() { stat -c %y:%i "out/$1.safetensors"; }
a=$(stamp a) b=$(stamp b)
head -c 100 out/b.safetensors >out/.clquant-Ab12Cd # as kill -9 leaves it
rm out/b.safetensors
quantize
succeeded "a run that goes on"
check "it says so" grep -qF "1 of 2 shards were there already" <<<"$out"
check "the whole shard stays" test "$(stamp a)" = "$a"
check "the other one is made" test -s out/b.safetensors
check "what a killed run left is gone" test ! -e out/.clquant-Ab12Cd
touch in/a.safetensors
quantize
check "an input that is newer is read again" test "$(stamp a)" != "$a"
check "with the same bytes" cmp -s out/a.safetensors whole.st
"$TENSOR_FILE" make in/a.safetensors embed.weight:F32:4x32:1 a.weight:F32:3x32:0,1,2,14 a.bias:F32:3:1,2,3 narrow.weight:F16:2x12:1,2
touch -d 2001-01-01 in/a.safetensors
quantize
check "another input with the same header, and older, is read" eval '! cmp -s out/a.safetensors whole.st'
"$TENSOR_FILE" make in/a.safetensors embed.weight:F32:4x32:1 a.weight:F32:3x32:0,1,2,15 a.bias:F32:3:1,2,3 narrow.weight:F16:2x12:1,2
quantize
check "and the first again" cmp -s out/a.safetensors whole.st
a=$(stamp a)
quantize --asymmetric
check "other options make another" test "$(stamp a)" != "$a"
quantize
truncate -s -1 out/a.safetensors
quantize
check "one that was cut is made again" cmp -s out/a.safetensors whole.st
rm -rf out
run bash -c 'ulimit -f 1; exec "$@"' - "$CLQUANT" quantize_model $index -o out --block 32 --only b.weight
refused "a full disk" 3 "cannot be written: File too large"
check "nothing half is left of it" test -z "$(find out -name '.clquant-*')"
quantize
check "and the next run makes the rest" cmp -s out/a.safetensors whole.st

# One shard by one machine, the other by another, and the rest by a third; errors as JSON.
cp out/b.safetensors other.st
rm -r out
quantize --shard b.safetensors --json errors.json
succeeded "one shard alone"
check "it says how much of it" grep -q '^1 of 2 tensors quantized to int4, ' <<<"$out"
only_files "no index yet" errors.json in in/a.safetensors in/b.safetensors in/config.json $index other.st out out/b.safetensors whole.st
check "errors of its matrix alone" test "$(cut -d: -f1 errors.json | tr -d '{}\n\t ')" = '"b.weight"'
quantize --shard b.safetensors --shard a.safetensors
check "shards that are named may be there" grep -qF "1 of 2 shards were there already" <<<"$out"
quantize --json errors.json --device none
succeeded "where all shards are there, no device is opened"
check "its errors are none" test "$(tr -d '\n' <errors.json)" = "{}"
check "the same shards" cmp -s out/a.safetensors whole.st
check "and the other" cmp -s out/b.safetensors other.st
check "with index and config.json" test -s out/config.json -a -s out/model.safetensors.index.json
quantize --shard c.safetensors
refused "a shard that is none" 2 "--shard 'c.safetensors': the input has no shard of that name"
run "$CLQUANT" quantize_model in/a.safetensors -o out2 --block 32 --json none/errors.json
refused "no place for the errors" 3 "none/errors.json: cannot be created"
check "is seen before OUT is made" test ! -e out2
rm errors.json
ln -s out/config.json link.json
while read -r json sentence; do
    cp -r in before && cp -r out before/out
    quantize --json "$json"
    refused "--json $json" 2 "$sentence"
    check "--json $json: nothing is lost" diff -r out before/out
    rm -r before/out && diff -r in before >/dev/null || failed "--json $json: the input"
    rm -r before
done <<ROWS
in/a.safetensors is a file of the input, which would be lost
$index is a file of the input
in/../in/config.json is a file of the input
out/b.safetensors is a file of the model in OUT
./out/../out/model.safetensors.index.json is a file of the model in OUT
link.json is a file of the model in OUT
out is there already, and is not a regular file
ROWS
rm link.json
run "$CLQUANT" quantize_model $index -o out2 --block 32 --json out2/a.safetensors
refused "a file that OUT gets" 2 "--json out2/a.safetensors: is a file of the model in OUT"
check "before OUT is there" test ! -e out2
run "$CLQUANT" quantize_model $index -o out2 --block +32 --json out2/errors.json
succeeded "errors in OUT, of the first run"
check "they are there" grep -q a.weight out2/errors.json
rm -r out2

# Killed at any moment of a run: a shard has its name once it is whole.
rm out/*
started=$(date +%s%3N)
quantize
lasts=$(($(date +%s%3N) - started))
exec 8>&2 2>/dev/null # the shell says of each that it was killed
for tenth in 1 2 3 4 5 6 7 8 9; do
    printf -v seconds '%d.%03d' $((lasts * tenth / 10000)) $((lasts * tenth / 10 % 1000))
    for options in --asymmetric ""; do # neither keeps what the other made
        timeout -s KILL "$seconds" "$CLQUANT" quantize_model $index -o out --block 32 $options >/dev/null
    done
done
exec 2>&8 8>&-
for file in out/.clquant-*; do # the last ones may still be ending
    [ ! -e "$file" ] || flock -w 60 "$file" true
done
quantize
succeeded "after eighteen kills"
check "the first shard" cmp -s out/a.safetensors whole.st
check "the second shard" cmp -s out/b.safetensors other.st
check "no private file with bytes" test -z "$(find out -name '.clquant-*' -size +0)"
echo held >out/.clquant-Held00
exec 9<out/.clquant-Held00
flock 9
quantize
succeeded "beside another run"
check "whose private file stays" test -e out/.clquant-Held00
exec 9<&-
rm other.st whole.st

# A link in OUT, to whatever it leads, is replaced: what it leads to is another model's. One at --json elsewhere is followed.
while read -r name target; do
    rm -rf out && mkdir out && echo blob >blob && cp -r in before
    ln -s "$target" "out/$name"
    quantize --json out/errors.json
    succeeded "a link in OUT, $name to $target"
    check "$name to $target is a file now" test -f "out/$name" -a ! -L "out/$name"
    check "$name to $target: what it led to stays" eval 'test "$(<blob)" = blob && diff -r in before && test ! -e out/missing'
    rm -r before
done <<'ROWS'
a.safetensors ../blob
b.safetensors ../in/b.safetensors
a.safetensors b.safetensors
b.safetensors ../in
config.json ../blob
model.safetensors.index.json missing
errors.json ../blob
errors.json missing
ROWS
mkdir elsewhere && ln -s elsewhere link && ln -s ../blob elsewhere/errors.json
run "$CLQUANT" quantize_model $index -o link --block 32 --json elsewhere/errors.json
succeeded "OUT is a link to a folder, and so is what --json says"
check "which is OUT too" test -L link -a ! -L elsewhere/errors.json -a -s elsewhere/a.safetensors
rm -r link elsewhere
ln -s blob errors.json
quantize --json errors.json
check "a link elsewhere is followed" eval 'test -L errors.json && grep -q { blob'
rm -r errors.json blob
mkdir snapshot && ln -s ../in/a.safetensors snapshot/
run "$CLQUANT" quantize_model snapshot/a.safetensors -o snapshot --block 32
refused "an input that is a link, and its own folder as OUT" 2 "a.safetensors there is a file of the input"
run "$CLQUANT" quantize_model snapshot/a.safetensors -o out2 --block 32
succeeded "an input that is a link"
rm -r snapshot out2

# OUT is as private as its input.
modes() { stat -c %a "$@" | tr '\n' ' '; }
make_model
chmod 600 in/a.safetensors && chmod 640 in/b.safetensors $index && chmod 444 in/config.json && chmod 750 in
run bash -c 'umask 022; exec "$@"' - "$CLQUANT" quantize_model $index -o out --block 32
check "a folder and its files are as private as the input's" test \
    "$(modes out out/a.safetensors out/b.safetensors out/model.safetensors.index.json out/config.json)" = "750 600 640 640 640 "
chmod 666 out/* && chmod 777 out && chmod 700 in
touch in/*
quantize
check "those that were there too, and a folder that nobody may enter closes its files" test "$(modes out out/*)" = "777 600 600 600 600 "
chmod 755 in && rm -r out
run bash -c 'umask 077; exec "$@"' - "$CLQUANT" quantize_model $index -o out --block 32
check "the umask counts besides" test "$(modes out out/*)" = "700 600 600 600 600 "

finish
