#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# quantize_model of a folder: its model and the small files beside it; and what an earlier run left in OUT.
source "$(dirname "$0")/model.sh"

folder() { run "$CLQUANT" quantize_model in -o out --block 32 "$@"; }
small="LICENSE README.md added_tokens.json chat_template.jinja generation_config.json merges.txt modeling_x.py preprocessor_config.json \
special_tokens_map.json tokenizer.json tokenizer.model tokenizer_config.json vocab.json"
make_model
for name in $small; do printf '%s\0\r\n' "$name" >"in/$name"; done
mkdir in/tokenizer.d
touch in/tokenizer.safetensors in/pytorch_model.bin in/.README in/notes.txt
chmod 600 in/tokenizer.json
folder
succeeded "a folder"
check "it says what it copied" grep -qxF "copied beside it: ${small// /, }" <<<"$out"
only=(out out/{a,b}.safetensors out/config.json out/model.safetensors.index.json)
mkdir there && mv in there
only_files "and copied nothing else" there there/in "${only[@]}" $(printf 'out/%s ' $small) $(cd there && find in -mindepth 1 -printf 'there/%p ')
mv there/in . && rmdir there
for name in $small; do check "$name is the input's" cmp -s "in/$name" "out/$name"; done
check "a copy is as private as the input's" test "$(stat -c %a out/tokenizer.json)" = 600
echo other >in/tokenizer.json
folder
succeeded "where all shards are there"
check "small files are the input's" cmp -s in/tokenizer.json out/tokenizer.json
rm -r out
folder --no-copy
succeeded "without copies"
check "there are none" test "$(ls out | wc -l)" = 4
rm -r out
folder --shard a.safetensors
check "a shard alone comes without them" test "$(ls out)" = a.safetensors
run "$CLQUANT" quantize_model $index -o index --block 32
check "nor do they come with an index" test ! -e index/tokenizer.json
rm -r index
mkdir -p out/vocab.json
folder
refused "a folder in the place of a copy" 2 "-o out: vocab.json there is not a regular file"
rm -r out/vocab.json
folder --json out/vocab.json
refused "errors in the place of a copy" 2 "--json out/vocab.json: is a file of the model in OUT"
rm -rf out
(cd in && run "$CLQUANT" quantize_model . -o ../out --block 32 && check "the folder where one is" cmp -s tokenizer.json ../out/tokenizer.json)
rm -r out
mkdir snapshot
for name in a.safetensors b.safetensors config.json tokenizer.json model.safetensors.index.json; do ln -s ../in/$name snapshot/; done
run "$CLQUANT" quantize_model snapshot -o out --block 32
succeeded "a folder of links"
check "copies are files" test -f out/tokenizer.json -a ! -L out/tokenizer.json
run "$CLQUANT" quantize_model snapshot -o snapshot --block 32
refused "a folder of links into itself" 2 "-o snapshot: a.safetensors there is a file of the input"
rm -r snapshot out

run "$CLQUANT" quantize_model in in/a.safetensors -o out
refused "a folder and a file" 2 "in: is a folder, and 2 inputs are given; give it alone"
cp in/a.safetensors in/model.safetensors
folder
refused "two models in a folder" 1 "in: has both model.safetensors and model.safetensors.index.json; give the file that is meant"
rm $index
folder
succeeded "a folder with one file"
check "which it is" test -s out/model.safetensors
rm -r in/model.safetensors out
folder
refused "no model in a folder" 1 "in: has neither model.safetensors nor model.safetensors.index.json"

# What an earlier run left: of other names, by hand, or of another format.
make_model
folder
mv in/a.safetensors in/c.safetensors
sed -i 's/a\.safetensors/c.safetensors/g' $index
file_of out/by_hand.safetensors '{"__metadata__":{"format":"pt"}}' 0
echo '{"weight_map": {}}' >out/hand.safetensors.index.json
cp out/model.safetensors.index.json out/old.safetensors.index.json
folder --shard b.safetensors
check "a shard alone says nothing of it" eval '[[ $out != *"earlier run"* ]]'
folder --shard b.safetensors --clean
refused "a shard alone removes nothing" 2 "--clean: with --shard nothing is removed"
folder --shard c.safetensors # whose commit takes old indexes away
check "an old index goes with the first shard" test ! -e out/old.safetensors.index.json
cp out/b.safetensors out/d.safetensors
folder
succeeded "another name of a shard"
check "what is left is said" grep -qxF "left in OUT by an earlier run (--clean removes it): a.safetensors, d.safetensors" <<<"$out"
folder --clean
succeeded "--clean"
check "it says what it removed" grep -qxF "removed, for an earlier run left it in OUT: a.safetensors, d.safetensors" <<<"$out"
check "and leaves what no run made" test "$(ls out | tr '\n' ' ')" = \
    "b.safetensors by_hand.safetensors c.safetensors config.json hand.safetensors.index.json model.safetensors.index.json "
folder --clean
check "then there is nothing" eval '[[ $out != *"earlier run"* ]]'
finish
