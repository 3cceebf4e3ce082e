#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration on a small file. DEMO and TENSOR_FILE name the programs.
. "$(cd "$(dirname "$0")" && pwd)/../../tests/cli/library.sh"

"$TENSOR_FILE" make in.st $'a\xc2\x9bb\xe2\x80\xaec:F32:4x8:1,-2,3,4' odd:F16:3:1,2,3 whole:I8:2:1,2
run "$DEMO" in.st
succeeded "a file of floats"
check "int8 and int4 are right" test "$(grep -c 'equals the plain C reference in all' <<<"$out")" = 3
check "int4 needs an even dimension" grep -q "int4 is left out" <<<"$out"
check "a name that steers the terminal is shown tame" grep -qxF "a?b?c: F32, 2 dimensions, 0.0 MiB" <<<"$out"
run "$DEMO" missing.st
check "a missing file" test "$status" = 1 -a "$err" = "demo: missing.st: No such file or directory"
run "$DEMO" --help
succeeded "help"
check "help says what it takes" grep -q "FILE.safetensors" <<<"$out"
speaker=demo
run "$DEMO" --nothing
refused "no such option" 2 "'--nothing': one file or --help is expected"
run "$DEMO" in.st in.st
refused "two files" 2 "'in.st': one file"

finish
