#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model's folder OUT: runs that were killed and go on, links, permissions.
source "$(dirname "$0")/model.sh"

# A second run keeps the shards that the same options and version made of the same input, and knows their errors.
make_model
quantize --json errors.json
table=$out
cp out/a.safetensors whole.st
check "a shard has its input's time" test "$(stat -c %y out/a.safetensors)" = "$(stat -c %y in/a.safetensors)"
quantize --json later.json --device none
succeeded "where all shards are there, no device is opened"
check "it says so" grep -qxF "2 of 2 shards were there already" <<<"$out"
check "all else is what the first run said" test "$(grep -v already <<<"$out")" = "$table"
check "and so are the errors by name" cmp -s errors.json later.json
rm errors.json later.json
a=out/a.safetensors
while IFS='|' read -r name command; do
    eval "$command"
    ln -f $a held
    quantize
    check "$name" eval '! test $a -ef held'
    check "$name: the same bytes" cmp -s $a whole.st
done <<'ROWS'
an input that is newer|touch in/a.safetensors
an input that is older|touch -d 2001-01-01 in/a.safetensors
another version|sed -i 's/version":"./version":"9/' $a && touch -r in/a.safetensors $a
errors that are none|sed -i 's/errors":"./errors":"x/' $a && touch -r in/a.safetensors $a
other options|quantize --asymmetric
one that was cut|truncate -s -1 $a && touch -r in/a.safetensors $a
one at the end of a link|rm held && mv $a held && ln -s ../held $a
another input of the same time|LC_ALL=C sed -i 's/.$/\x41/' in/a.safetensors && touch -d 2001-01-01 in/a.safetensors && quantize && LC_ALL=C sed -i 's/A$/\x40/' in/a.safetensors && touch -d 2001-01-01 in/a.safetensors
ROWS
ln -f $a held
head -c 100 out/b.safetensors >out/.clquant-Ab12Cd # as kill -9 leaves it
cp out/.clquant-Ab12Cd out/.clquant-Ef34Gh
touch -d '61 minutes ago' out/.clquant-Ab12Cd
rm out/b.safetensors
quantize --shard b.safetensors
check "beside other machines none is taken away" test -e out/.clquant-Ab12Cd
rm out/b.safetensors
quantize
succeeded "a run that goes on"
check "the whole shard stays" test $a -ef held
check "the other one is made" test -s out/b.safetensors
check "what a killed run left an hour ago is gone" test ! -e out/.clquant-Ab12Cd
check "what is newer may be of another machine" test -e out/.clquant-Ef34Gh
rm held
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
quantize
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
    [ ! -e "$file" ] || { flock -w 60 "$file" true && touch -d '2 hours ago' "$file"; }
done
quantize
succeeded "after eighteen kills"
check "the first shard" cmp -s out/a.safetensors whole.st
check "the second shard" cmp -s out/b.safetensors other.st
check "no private file" test -z "$(find out -name '.clquant-*')"
touch -d '2 hours ago' out/.clquant-Held00
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

# OUT of other options: index and config.json go before the first shard does. Those of nobody's run stay.
make_model
quantize --to plain
echo '{"by": "hand"}' | tee out/config.json >out/other.index.json
quantize --to plain --dtype int8
check "a config.json by hand, and an index, stay in a plain OUT" cmp -s out/config.json out/other.index.json
quantize
mv $index in/other.index.json
run "$CLQUANT" quantize_model in/other.index.json -o out --block 32 --to plain
succeeded "a plain model over another"
check "has neither its config.json nor its index" test ! -e out/config.json -a ! -e out/model.safetensors.index.json -a -s out/other.index.json

[ -n "$(command -v strace)" ] && strace -o /dev/null true 2>/dev/null || skip "strace does not run here"
mv in/other.index.json $index
options_in() { grep -ahom1 'quantize_model --to [^"]*' "$@" | sort -u; }
rm -rf out
quantize
mv out base
exec 8>&2 2>/dev/null # the shell says of each that it was killed
for call in rename unlinkat; do
    for ((n = 1; n < 20; n++)); do
        rm -rf out && cp -a base out
        run strace -f -o .trace -e trace=$call -e inject=$call:signal=KILL:when=$n "$CLQUANT" quantize_model $index -o out --block 32 --dtype int8
        [ "$status" = 0 ] && break
        [[ $(options_in out/*.safetensors) =~ int([48])[^$'\n']*$ ]] && bits=${BASH_REMATCH[1]}
        check "killed at $call $n: OUT of two runs has no index and no config.json" eval '[ "$(options_in out/*.safetensors | wc -l)" = 1 ] ||
            test ! -e out/config.json -a ! -e out/model.safetensors.index.json'
        check "killed at $call $n: config.json is the shards'" eval '[ ! -e out/config.json ] || grep -q "num_bits\":$bits" out/config.json'
    done
    check "$call was reached" test "$n" -gt 1
done
exec 2>&8 8>&-
rm -r .trace base

# Two runs at once, and inputs that change while they are read: `slowly` begins a run that writes slowly.
slowly() {
    rm -f .trace
    strace -f -o .trace -e trace=pwrite64 -e inject=pwrite64:delay_enter=2000000:when=1 "$CLQUANT" quantize_model $index -o out --block 32 "$@" \
        >.slow_stdout 2>.slow_stderr &
    until grep -qs pwrite64 .trace; do sleep 0.05; done
}
ended() {
    wait $!
    status=$? out=$(<.slow_stdout) err=$(<.slow_stderr)
}
rm -rf out
slowly
quantize --dtype int8
refused "beside a run" 3 "-o out: another run writes there: wait for its end, or give another folder"
quantize --shard a.safetensors
refused "a shard beside a run" 3 "-o out: another run writes there"
ended
succeeded "the first of two runs"
rm -r out
slowly --shard a.safetensors
quantize --shard b.safetensors
succeeded "two shards at once"
quantize
check "a run for all waits for those of shards" test "$status:$err" = "0:clquant: -o out: runs with --shard write there, and this one waits for their end"
check "and finds what they made" grep -qxF "2 of 2 shards were there already" <<<"$out"
ended
succeeded "the shard that was awaited"
rm -r out
quantize --dtype int8
mv out/a.safetensors other.st
slowly
until [ -e out/a.safetensors ]; do sleep 0.05; done
mv other.st out/a.safetensors # as another machine does
ended
refused "beside a run of another machine" 3 "out/a.safetensors: another run has written there meanwhile; the same command again makes what is missing"
check "OUT of two runs has no index" test ! -e out/config.json -a ! -e out/model.safetensors.index.json
for way in replaced written; do
    make_model
    "$TENSOR_FILE" make new b.weight:BF16:9x64:2,1 ids:I64:2:7,-7
    slowly --only b.weight
    if [ $way = replaced ]; then mv new in/b.safetensors; else cat new >in/b.safetensors; fi
    ended
    [ $way = replaced ] && succeeded "a shard that is replaced while it is read"
    [ $way = written ] && refused "a shard that is written to while it is read" 3 "in/b.safetensors: was written to while it was read"
    quantize --only b.weight
    check "$way: the next run has the new one" test "$("$CLQUANT" quantize_model in/b.safetensors -o fresh --block 32 --only b.weight >/dev/null &&
        cmp fresh/b.safetensors out/b.safetensors && echo same)" = same
    rm -rf fresh new
done
rm .trace .slow_*

finish
