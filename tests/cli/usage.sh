#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line: what is asked for on stdout with status 0, mistakes with status 2, devices with status 3.
source "$(dirname "$0")/library.sh"

"$TENSOR_FILE" make in.st x:F32:2x4:1,2,3,4 scales:F32:1:1 four:F32:4:1

# usage NAME TEXT ARGUMENT...: a mistake
usage() {
    local name=$1 text=$2
    shift 2
    refuses "$name" 2 "$text" "$CLQUANT" "$@"
    only_files "$name" in.st
}

# shows NAME TEXT ARGUMENT...: text on stdout
shows() {
    local name=$1 text=$2
    shift 2
    succeeds "$name" "$CLQUANT" "$@"
    check "$name: $text is expected" grep -qF -- "$text" "$directory/.stdout"
}

shows "the version" "clquant 0." --version
shows "the version, asked for as a command" "clquant 0." version
shows "the help" "npu_quantize" --help
shows "the help, asked for as a command" "npu_quantize" help
shows "the help of an operator, asked for as a command" "--div-mode true|false" help npu_quantize
shows "the help of a command, asked for as a command" "clquant devices" help devices
shows "the help of an operator" "--div-mode true|false" npu_quantize --help
shows "the help before all else" "--container bytes|words" quantize in.st --help
shows "the help of the devices" "clquant devices" devices --help
shows "the help of the cache" "CLQ_CACHE_DIR" cache --help
shows "what the cache is filled with" "clquant cache fill --for FILE" cache fill --help
shows "the help of the self-test" "--only TEXT" selftest --help
shows "the help of the list" "clquant list" list --help
shows "the devices and the default" "the default: " devices
shows "the devices as JSON" '"default":	true' devices --json
shows "the version of command buffers" '"command_buffers":	"' devices --json

run "$CLQUANT"
check "no argument is a mistake" test "$status" = 2
check "and shows the help" grep -q "clquant OPERATOR" "$directory/.stderr"
usage "a mistyped operator" "'quantise' is no operator and no command; did you mean quantize?" quantise in.st -o out.st
usage "a mistyped command" "'device' is no operator and no command; did you mean devices?" device
usage "the help of a mistyped name" "did you mean selftest?" help selftets
usage "a name that is near none" "see clquant --help" frobnicate
usage "an argument of version" "version: no argument is expected: 'extra'" version extra
usage "an argument of --version" "--version: no argument is expected: '--help'" --version --help
usage "the help of two names" "help takes one name, and there are 2" help quantize dequantize
usage "an unknown option" "--mod-e: quantize has no such option" quantize in.st -o out.st --mod-e divide
usage "an unknown letter" "-x: quantize has no such option" quantize in.st -x -o out.st
usage "an option without its value" "--axis needs a value" quantize in.st -o out.st --axis
usage "-o without its value" "-o needs a value" quantize in.st -o
usage "no input" "an input file is expected" quantize -o out.st
usage "no output" "-o OUT.safetensors is expected" quantize in.st
usage "an axis that is no number" "--axis 'last': a whole number" quantize in.st -o out.st --axis last
usage "an axis that is no whole number" "--axis '1.5': a whole number" quantize in.st -o out.st --axis 1.5
usage "an empty axis" "--axis '': a whole number" quantize in.st -o out.st --axis ''
usage "an axis beyond all numbers" "--axis '99999999999': a whole number from -2147483648 to 2147483647 is expected" quantize in.st -o out.st --axis 99999999999
usage "a size that is none" "bench: --size '0': a whole number from 1 to 1048576 is expected" bench --size 0
usage "a seed beyond all numbers" "--seed '18446744073709551616': a whole number from 0 to 18446744073709551615" selftest --seed 18446744073709551616
usage "an unknown type" "--dtype 'int5': one of int8, uint8, int32, int4, uint4, float8_e4m3fn, float8_e5m2" quantize in.st -o out.st --dtype int5
usage "an unknown mode" "--mode 'add': one of divide, multiply" quantize in.st -o out.st --mode add
usage "a container of nothing" "--container is for types of less than 8 bits, and --dtype is int8" quantize in.st -o out.st --container words
usage "a binding without =" "ARGUMENT=NAME is expected" quantize in.st -o out.st --tensor x
usage "a binding of no argument" "quantize has no argument of that name" quantize in.st -o out.st --tensor y=x
usage "the beginning of an argument's name" "quantize has no argument of that name" quantize in.st -o out.st --tensor s=x
usage "an empty output" "-o '': a file's name is expected" quantize in.st -o ''
usage "an output that is a directory" "is not a regular file" quantize in.st -o .
usage "an output that ends in a slash" "a file's name is expected" quantize in.st -o out/
usage "an output that is a device" "is not a regular file" quantize in.st -o /dev/null
check "the device is still one" test -c /dev/null
usage "standard output" "-o -: standard output is not possible" quantize in.st -o -
run bash -c 'set -o pipefail; "$@" | cat' - "$CLQUANT" quantize in.st -o /dev/stdout
refused "standard output, by its file: a pipe" 2 "-o /dev/stdout: is there already, and is not a regular file"
only_files "standard output, by its file" in.st
usage "list needs a file" "list: a safetensors file is expected" list
usage "list has no options" "list: '--all': list has no options" list --all in.st
usage "devices takes no argument" "no argument is expected" devices in.st
usage "devices takes one argument" "no argument is expected" devices --json --json
usage "the cache is listed or cleared" "list, clear, fill --for FILE or export DIR is expected" cache empty
usage "the cache is listed once" "list, clear, fill --for FILE or export DIR is expected" cache list now

run "$CLQUANT" quantize in.st -o out.st --tensor x=y
refused "an optional name is not optional once given" 1 "needs the tensor 'y' for x; the file has four, scales, x (--tensor x=NAME"
refuses "also for an optional argument" 1 "needs the tensor 'z' for zero_points" "$CLQUANT" quantize in.st -o out.st --tensor zero_points=z
run "$CLQUANT" quantize in.st -o out.st --tensor zero_points=zero_points
refused "also where its own name is given" 1 "needs the tensor 'zero_points' for zero_points"
refuses "an axis that the input has not" 1 "axis" "$CLQUANT" npu_quantize in.st -o out.st --tensor input=x --tensor scales=four --axis 2
refuses "a type that the mode has not" 1 "dtype is quint8" "$CLQUANT" npu_quantize in.st -o out.st --tensor input=x --dtype quint8 --div-mode false
run "$CLQUANT" quantize in.st -o out.st --dtype int4 --container words
refused "a dimension that does not divide" 1 "'x': its last dimension, 4, is not a multiple of 8"

for text in 0 POCL PTHREAD ortable; do
    run "$CLQUANT" quantize in.st -o out.st --device "$text"
    [ "$status" = 3 ] && continue # the machine's devices have other names; 0 is always there
    succeeded "--device $text"
done
check "a device was chosen by number or name" test -e out.st
rm -f out.st
refuses "a device that is not there" 3 "device is \"999\": it must be" "$CLQUANT" quantize in.st -o out.st --device 999
run env CLQ_DEVICE=none-of-this-name "$CLQUANT" quantize in.st -o out.st
refused "a device that is not there, by the environment" 3 "CLQ_DEVICE is \"none-of-this-name\": it must be"
refuses "a value of a flag" 2 "--symmetric=1: it takes no value" "$CLQUANT" dynamic_quantize in.st -o out.st --symmetric=1
refuses "a value of --help" 2 "--help=1: it takes no value" "$CLQUANT" quantize in.st -o out.st --help=1
refuses "an option cut too short" 2 "or several that begin so" "$CLQUANT" dynamic_quantize in.st -o out.st --d 1
refuses "no device at all" 3 "pocl-opencl-icd" env OCL_ICD_VENDORS=/nonexistent "$CLQUANT" quantize in.st -o out.st
refuses "no platform at all" 3 "pocl-opencl-icd" env OCL_ICD_VENDORS=/nonexistent "$CLQUANT" devices
only_files "nothing is left behind" in.st

export CLQ_CACHE_DIR=$directory/cache
shows "an empty cache" "cache: 0 entries" cache
run env CLQ_LOG=stderr "$CLQUANT" quantize in.st -o out.st
check "the log of a first call: the device, a kernel and its seconds, what was kept" \
    test "$(sed -E 's/ [^ ]*quantize.cl .*:/ KERNEL:/; s/[0-9.]+ s$/N s/; s/entry [0-9a-f]+ of [0-9]+/entry/; s/device .*/device/' <<<"$err")" = \
    "clquant: device
clquant: KERNEL: built from source in N s
clquant: cache entry bytes was kept"
run env CLQ_LOG=stderr "$CLQUANT" quantize in.st -o out.st
check "the log of a second one" grep -qE "^clquant: .*: taken from the cache in [0-9.]+ s$" <<<"$err"
refuses "a log elsewhere" 1 'CLQ_LOG is "x": it must be stderr, or unset' env CLQ_LOG=x "$CLQUANT" quantize in.st -o out.st
shows "a cache with an entry" "cache: 1 entries" cache list
touch cache/.new-1-2-3 cache/mine
shows "the entry is removed" "cache: 2 entries" cache clear
shows "and is gone" "cache: 0 entries" cache list
check "a file that is no entry stays" test -e cache/mine
succeeds "the cache needs no device" env OCL_ICD_VENDORS=/nonexistent "$CLQUANT" cache list
(unset CLQ_CACHE_DIR XDG_CACHE_HOME HOME
    "$CLQUANT" cache >"$directory/.stdout")
check "no directory, and no failure" grep -q "there is no cache directory: none of CLQ_CACHE_DIR" "$directory/.stdout"
CLQ_CACHE_DIR=in.st run "$CLQUANT" quantize in.st -o out.st
succeeded "a cache that cannot be is no failure"

finish
