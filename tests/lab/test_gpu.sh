# SPDX-License-Identifier: Apache-2.0
# gpu.sh from outside: by a clquant that this test plays, which hangs and fails; on PoCL, whole; and on the stub as a GPU by its names.
# BUILD and STUB name a build with the lab and the stub's library.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/library.sh"
gpu=$here/gpu.sh
speaker=gpu.sh
ends() { sed -n 's/^ {"part": "\([^"]*\)".*"end": "\([^"]*\)".*/\1: \2/p' "$1"; }
is_json() { ! command -v python3 >/dev/null || python3 -c 'import json, sys; json.load(open(sys.argv[1], encoding="ascii"))' "$1"; }
# says TEXT FILE: the file has this text
says() { grep -qF -- "$1" "$2"; }

# A machine without a compiler, CMake and Python, whose driver has no file for the loader: the linker alone knows it.
mkdir tools
ln -s /usr/bin/* /bin/* tools 2>/dev/null
rm -f tools/*cmake* tools/cc tools/*gcc* tools/*clang* tools/*python* tools/ldconfig
cat >tools/ldconfig <<'BASH'
#!/bin/bash
[ "$1" = -p ] && printf '\tlibnvidia-opencl.so.1 (libc6,x86-64) => /nowhere/libnvidia-opencl.so.1\n'
BASH
mkdir played
cat >played/clquant <<'BASH'
#!/bin/bash
case "$*" in
  version) echo "clquant 0.2.0" ;;
  devices)
    [ "$(cat "$OCL_ICD_VENDORS"/*.icd 2>/dev/null)" = /nowhere/libnvidia-opencl.so.1 ] || { echo "clquant: no OpenCL driver" >&2; exit 3; }
    printf 'NVIDIA CUDA: OpenCL 3.0 CUDA\n   0  CPU: another\n      OpenCL 1.2, driver 1, OpenCL C 1.2\n      1 compute units\n'
    printf '   1  GPU: NVIDIA "H100" \\ 80GB\n      OpenCL 3.0 CUDA, driver 580.1, OpenCL C 1.2 \n      132 compute units, 80.0 GiB of memory\n'
    printf '      the default: the first GPU or accelerator that runs the kernels\n' ;;
  selftest*)
    printf 'seed 7\npass  quantize, own form: float16 to int8\nFAIL  find_scales, own form: float16 to int8: byte "2" is 0x80\n'
    printf 'not run: 1 of 2 lines of dequantize\n2 lines, 80 comparisons, 1 failed; 1 lines not run: 3 seconds were over\n'
    echo "clquant: selftest: 1 of 2 lines failed on this device; --seed 7 repeats them" >&2
    exit 3 ;;
  *find_scales*)
    printf '{\n\t"rows":\t[{\n\t\t\t"operator":\t"find_scales"\n\t\t}]\n}\n' >"${!#}"
    echo $$ >hung
    trap '' TERM
    sleep 1000 ;;
  *bfloat16*) printf 'clquant: bench: --only: no row has it\n' >&2; exit 2 ;;
  *)
    file=${!#}
    printf '{\n\t"copy_gbps":\t1,\n\t"rows":\t[{\n\t\t\t"operator":\t"quantize",\n\t\t\t"note":\t"per tensor, %s"\n\t\t}, {\n\t\t\t"operator":\t"x"\n\t\t}]\n}\n' "${*//\"/ }" >"$file"
    [[ $* != *dequantize* ]] || echo "3 rows not run: 2 seconds were over" ;;
esac
BASH
cat >played/host_cost <<'BASH'
#!/bin/bash
printf '{\n\t"rows":\t[{\n\t\t\t"operator":\t"quantize",\n\t\t\t"note":\t"host cost"\n\t\t}]\n}\n' >"${!#}"
BASH
chmod 755 tools/ldconfig played/{clquant,host_cost}

began=$SECONDS
run env -u OCL_ICD_VENDORS PATH="$PWD/tools" "$gpu" all.json --binaries played --seconds 24
check "a part that fails and one that hangs are an exit status of 1" test "$status" = 1
check "what is not whole is said last" says "gpu.sh: not whole: self-test; dequantize; find_scales" .stderr
check "a part that hangs does not make it longer" test $((SECONDS - began)) -le 26
check "it is gone" test -s hung -a -z "$(sed -n "/^State:[^ZX]*$/p" "/proc/$(cat hung)/status" 2>/dev/null)" # or waits to be collected
check "it is JSON" is_json all.json
check "each part says how it ended" test "$(ends all.json | tr '\n' ';')" = "self-test: failed;quantize, float16: done;dynamic_quantize, float16: done;\
dequantize: out of time;quantize_scatter: done;dynamic_quantize_scatter: done;find_scales: cut off;move_rows: done;quantize, float32: done;quantize, bfloat16: no such row;\
dynamic_quantize, float32: done;dynamic_quantize, bfloat16: no such row;host cost: done;"
check "the default device is named" says '"device": {"name": "NVIDIA \"H100\" \\ 80GB", "driver": "580.1", "type": "GPU", "traits": "132 compute units, 80.0 GiB of memory"}' all.json
check "a GPU gets 1 GiB" says '"size_mib": 1024, "limit_s": 24,' all.json
check "a folder that does not say what it is" says '"commit": "unknown"' all.json
check "lines of the self-test that failed" says '"selftest": {"seed": 7, "lines": 2, "failed": 1, "not_run": 1, "comparisons": 80, "failures": ["find_scales, own form: float16 to int8: byte \"2\" is 0x80"]}' all.json
check "what a part that failed said" says '"said": "clquant: selftest: 1 of 2 lines failed on this device; --seed 7 repeats them"' all.json
check "what a part that was cut off had" grep -q '^  {"operator":"find_scales"}]}' all.json
check "a line for each row" test "$(grep -c '^  {"operator":"' all.json)" = 18
check "a log is beside it" says '== find_scales: cut off' all.log
check "nothing else is left" test ! -e all.json.part

# What cannot be is refused before anything runs.
: >ran
cat >refused.sh <<'BASH'
#!/bin/bash
echo "$*" >>ran
BASH
mkdir empty part only folder.json
for folder in part only; do cp refused.sh "$folder/clquant" && chmod 755 "$folder/clquant"; done
cp part/clquant only/lab
while IFS='|' read -r arguments sentence; do
    eval "run \"\$gpu\" $arguments"
    refused "$arguments" 2 "$sentence"
done <<'CALLS'
out.txt|a JSON file, which ends in .json, is expected
nowhere/out.json|there is no folder nowhere
folder.json|is no file that could be replaced
out.json --seconds 9|--seconds '9': a whole number from 10 to 3600 is expected
out.json --seconds 1e2|--seconds '1e2': a whole number
out.json --size 0|--size '0': a whole number from 1
out.json --against empty|--against 'empty' holds no libclquant.so
out.json --binaries nowhere|--binaries 'nowhere' holds no program clquant
out.json --binaries empty|--binaries 'empty' holds no program clquant
out.json --binaries part --against "$BUILD"|--binaries 'part' holds no program lab, which --against takes
out.json --binaries only --against "$BUILD"|--binaries 'only' holds no libclquant.so, which --against takes
CALLS
run "$gpu"
check "without a file: how to call it" test "$status" = 2 -a -n "$err"
run "$gpu" out.json --no-such-option 1
check "another option: how to call it" test "$status" = 2 -a -n "$err"
run env PATH="$PWD/tools" CLQ_BUILD_DIR=none "$gpu" out.json
refused "no CMake and no folder" 2 "there is no cmake to build with: carry a folder that gpu.sh --pack made"
printf '#!/bin/sh\necho "libcjson.so.1: cannot open shared object file" >&2\nexit 127\n' >part/clquant
refuses "binaries that do not run" 2 "does not run here: libcjson.so.1: cannot open shared object file" "$gpu" out.json --binaries part
check "nothing ran, and nothing was written" test ! -s ran -a ! -e out.json -a ! -e out.log

[ -f "$BUILD/libclquant.so" ] || skip "no shared library"
"$BUILD/clquant" devices >/dev/null 2>&1 || skip "no device"
refuses "no device" 2 "no device: clquant: no OpenCL driver" env OCL_ICD_VENDORS=/nowhere "$gpu" out.json --binaries played

LIMIT=420
run env CLQ_BUILD_DIR="$BUILD" "$gpu" --pack carried
check "a folder to carry" test "$status" = 0 -a -x carried/lab -a -x carried/host_cost -a -f carried/libclquant.so -a -f carried/libOpenCL.so.1 -a -s carried/COMMIT
run "$gpu" pocl.json --binaries carried --against "$BUILD" --size 1 --seconds 400 --only '"per tensor" float16 int8 -multiply'
check "some rows on PoCL" test "$status" = 0
check "are JSON" is_json pocl.json
check "are those that were asked for" test "$(ends pocl.json | grep -v 'no such row' | tr '\n' ';')" = "quantize, float16: done;dequantize: done;\
find_scales: done;race: quantize, float16: done;race: dequantize: done;race: find_scales: done;"
check "are raced" grep -q '{"row": "quantize float16 to int8, divide, per tensor", "is": "[a-z]*", "ratio": [0-9.]*, "low": [0-9.]*, "high": [0-9.]*, "a_ms": [0-9.]*, "b_ms": [0-9.]*}' pocl.json
check "are of this commit" says "\"commit\": \"$(cat carried/COMMIT)\"" pocl.json

# Whatever this machine gets done in so short a time: the file is whole.
began=$SECONDS
run env CLQ_BUILD_DIR="$BUILD" "$gpu" whole.json --size 1 --seconds 60
check "the whole on PoCL ends in time" test $((SECONDS - began)) -le 64 -a "$status" -le 1
check "has all parts" test "$(ends whole.json | wc -l)" = 13
check "failed in none" test "$(ends whole.json | grep -c ': failed$')" = 0
check "is JSON with rows" is_json whole.json
check "has rows" grep -q '^  {"operator":"' whole.json
if command -v python3 >/dev/null; then
    succeeds "the tables of both" python3 -B "$here/gpu_report.py" pocl.json whole.json
    check "have a column for each" grep -qE '^\| share of the stream loop \| aim \| [^|]+ \| [^|]+ \|$' <<<"$out"
    check "have the races" says '| quantize float16 to int8, divide, per tensor |' .stdout
fi

# A GPU by its names, whose kernels do nothing: the self-test says so.
run env OCL_ICD_VENDORS="$STUB" CLQ_STUB="name=NVIDIA H100,driver=580,type=gpu,alloc=16777216" "$gpu" stub.json --binaries carried --seconds 60 --only "float16 int8"
check "a GPU whose bytes are wrong is an exit status of 1" test "$status" = 1
check "is named" says '"device": {"name": "NVIDIA H100", "driver": "580", "type": "GPU"' stub.json
check "gets 1 GiB" says '"size_mib": 1024' stub.json
check "fails in the self-test" says '"part": "self-test"' stub.json
check "is JSON" is_json stub.json

finish
