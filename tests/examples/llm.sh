#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The options of the example, and files that are none. LLM names the program. (python/tests runs a model.)
. "$(cd "$(dirname "$0")" && pwd)/../cli/library.sh"
speaker=llm

succeeds "help" "$LLM" --help
check "help lists the formats" grep -q "int4_symmetric_rotated" <<<"$out"
printf 'GGUF\3\0\0\0' >short.gguf
bad() { # STATUS TEXT ARGUMENT…
    local status_wanted=$1 text=$2
    shift 2
    refuses "$*" "$status_wanted" "$text" "$LLM" "$@"
}
bad 2 "no model is given"
bad 2 "either --text or --prompt is expected" short.gguf
bad 2 "either --text or --prompt is expected" short.gguf --text a --prompt b
bad 2 "'--nothing' is no option" short.gguf --nothing 1
bad 2 "'other.gguf' is no option" short.gguf other.gguf
bad 2 "'--prompt' is no option, or its value is missing" short.gguf --prompt
bad 2 "--cache is 'int3'" short.gguf --prompt a --cache int3
bad 2 "--prompt writes with one --cache, and 18 are given" short.gguf --prompt a --cache all
bad 2 "--plot is 'x.pdf'" short.gguf --text a --plot x.pdf
bad 2 "--plot is 'x.svg': it belongs to --text" short.gguf --prompt a --plot x.svg
for number in "--tokens 0" "--tokens 1x" "--context 1" "--batch -1" "--batch 100000"; do
    bad 2 "it must be a number from" short.gguf --text a $number
done
bad 1 "--plot" short.gguf --text a --plot nowhere/x.svg # a directory that is not there, or no gnuplot
bad 1 "missing.gguf: No such file or directory" missing.gguf --prompt a
bad 1 "short.gguf: ends within its header" short.gguf --prompt a
bad 1 "Is a directory" . --prompt a
finish
