#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel that does not build: every command that builds one prints the driver's log behind its sentence. Under LAYER
# the compiler refuses everything.
source "$(dirname "$0")/library.sh"
export CLQ_CACHE_DIR=$directory/kernels CLQ_LAYER=no_build=$'quantize.cl:13:5: error: no such\ttype\n\x1b]0;a title\x07of a terminal\nsecond warning'
want=$'quantize.cl:13:5: error: no such type\n?]0;a title?of a terminal\nsecond warning'

# unbuilt NAME COMMAND...: status 3; stderr is one sentence with $sentence, then $log, then $more.
sentence="the driver's log follows" log=$want more=""
unbuilt() {
    run env OPENCL_LAYERS="$LAYER" "${@:2}"
    checks=$((checks + 1))
    if [[ $status != 3 || $err != "clquant: "*"$sentence"*$'\n'"$log"$more ]]; then
        failed "$1: status 3, a sentence and the log are expected"
    fi
    check "$1: the sentence is the command's" bash -c '! grep -q clq_context <<<"$1"' - "$out$err"
    check "$1: the log stands there once" test "$(grep -c "second warning" <<<"$err")" = "$(grep -c "second warning" <<<"$log")"
}

"$TENSOR_FILE" make in.st x:F32:2x4:1,2,3,4 scales:F32:1:1
unbuilt "quantize" "$CLQUANT" quantize in.st -o out.st
check "quantize: the sentence names the kernel" grep -q "^clquant: in.st: quantize: clBuildProgram failed with CL_BUILD_PROGRAM_FAILURE (-11) for .*quantize.cl" <<<"$err"
unbuilt "scales" "$CLQUANT" scales in.st -o out.st
echo 'quantize.cl SRC=f32 DST=i8 MODE=divide PARAMS=one' >variants
unbuilt "cache fill" "$CLQUANT" cache fill --for variants
unbuilt "bench" "$CLQUANT" bench --size 1 --only '"quantize float32" int8 divide "inner size 256"'
run env OPENCL_LAYERS="$LAYER" "$CLQUANT" selftest --seed 1 --only '"find_scales, own form" "float16 to uint8"'
check "the self-test: the line fails" grep -q "^FAIL  find_scales.*: the driver's log follows" <<<"$out"
check "the self-test: the log stands before how to run the line again" bash -c '[[ $1 == *"$2"$'"'\\n'"'"once more: "* ]]' - "$err" "$want"
# Names that hold the library's words on a log are names: neither is a log looked for, nor do they change.
words="clq_context_build_log has the driver's log"
"$TENSOR_FILE" make "$words" "$words:F32:2x4:1,2,3,4" scales:F32:1:1 three:F32:3:1,1,1
run "$CLQUANT" quantize_model "$words" -o out --device "$words"
refused "a model's file named so, before there is a device" 1 "$words: nothing is left to quantize"
run "$CLQUANT" quantize "$words" --tensor "x=$words" --tensor scales=three -o out.st
refused "a tensor named so, of a call that is refused" 1 "x is tensor '$words'"
run env OPENCL_LAYERS="$LAYER" "$CLQUANT" quantize "$words" --tensor "x=$words" -o out.st
check "a file named so, of a kernel that does not build" bash -c \
    '[[ $1 == "clquant: $2: quantize: clBuildProgram failed with "*": the driver'"'s"' log follows"$'"'\n'"'"$3" ]]' - "$err" "$words" "$want"
rm "$words"
CLQ_LAYER=no_build
refuses "a driver that is silent" 3 ": the driver wrote no log" env OPENCL_LAYERS="$LAYER" "$CLQUANT" quantize in.st -o out.st
rm variants in.st
finish
