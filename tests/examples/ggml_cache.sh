#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A cache of each of ggml's types, its bytes by their checksums, and what is refused. GGML_CACHE names the program. (python/tests
# compares the bytes themselves with the gguf package's and ggml's.)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/library.sh"
speaker=ggml_cache

succeeds "all types" "$GGML_CACHE"
check "their bytes" diff "$here/ggml_cache.expected" - <<<"$out"
for type in q4_0 iq4_nl; do
    succeeds "$type by itself" "$GGML_CACHE" "$type" .
    check "$type: the same bytes" test "$out" = "$(grep "^$type: " "$here/ggml_cache.expected")"
    check "$type: a cache of 64 rows" test "$(stat -c %s "cache.$type")" = $((64 * $(sed -n 's/.* values is \([0-9]*\) bytes.*/\1/p' <<<"$out")))
done

refuses "no such type" 2 "usage: ggml_cache" "$GGML_CACHE" q6_0
refuses "no such folder" 1 "'nowhere/k.f32' cannot be written" "$GGML_CACHE" q8_0 nowhere
refuses "no such device" 1 "nothing" env CLQ_DEVICE=nothing "$GGML_CACHE" q8_0
finish
