#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that is to be known of a device, in seven minutes, as one JSON file and a log beside it:
#
#   gpu.sh OUT.json [--against BUILD] [--binaries FOLDER] [--seconds N] [--size MIB] [--only TEXT]
#   gpu.sh --pack FOLDER      the binaries of this tree, for a machine that cannot build
#
#   --against BUILD    a folder with another libclquant.so: each row is raced, BUILD against this one
#   --binaries FOLDER  what --pack made; without it this tree is built into $CLQ_BUILD_DIR, build-gpu where that is not set
#   --seconds N        for all of it, 420 where left out
#   --size MIB         of input; 1024 where left out, of a CPU 64
#   --only TEXT        rows and lines that hold every word of TEXT, as of clquant bench
#
# CLQ_DEVICE chooses the device. Besides clquant it runs what every Linux has: a bare machine with a driver lacks Python and compilers.
# JSON is put together here from what clquant prints, and gpu_report.py reads it on another machine.
# Exit status: 0, all of it was measured; 1, a part failed or was cut off, as OUT says; 2, refused, and nothing was measured.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
refuse() { echo "gpu.sh: $*" >&2; exit 2; }
usage() { sed -n 's/^#   //p' "$0" >&2; exit 2; }
# number OPTION TEXT LEAST MOST
number() { [[ $2 =~ ^[1-9][0-9]{0,6}$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || refuse "$1 '$2': a whole number from $3 to $4 is expected"; }

out='' against='' binaries='' seconds=420 size='' only='' pack=''
[ $# -gt 0 ] || usage
if [ "$1" = --pack ]; then
  [ $# -eq 2 ] || usage
  pack=$2
else
  out=$1
  shift
fi
while [ -z "$pack" ] && [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
    --against) against=$2 ;;
    --binaries) binaries=$2 ;;
    --seconds) number "$1" "$2" 10 3600; seconds=$2 ;;
    --size) number "$1" "$2" 1 1048576; size=$2 ;;
    --only) only=$2 ;;
    *) usage ;;
  esac
  shift 2
done

build=${CLQ_BUILD_DIR:-$root/build-gpu}
work=$(mktemp -d) || refuse "no temporary folder"
job=
trap 'rm -rf "$work"' EXIT
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; exit 1' INT TERM

# build TARGET…: with what the machine has, within half of the time.
build() {
  command -v cmake >/dev/null || refuse "there is no cmake to build with: carry a folder that gpu.sh --pack made, and name it by --binaries"
  echo "gpu.sh: building into $build" >&2
  { [ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -DCLQ_BUILD_COMMAND=ON -DCLQ_BUILD_LAB=ON; } >"$work/build" 2>&1 &&
    timeout $((seconds / 2)) cmake --build "$build" --parallel "$(nproc)" --target "$@" >>"$work/build" 2>&1 && return
  tail -n 5 "$work/build" >&2
  refuse "this tree did not build within $((seconds / 2)) s: $build keeps what is done; or name a folder that gpu.sh --pack made by --binaries"
}
commit_here() {
  local commit
  commit=$(git -C "$root" rev-parse HEAD 2>/dev/null) || commit=unknown
  [ -z "$(git -C "$root" status --porcelain 2>/dev/null)" ] || commit+=', changed'
  echo "$commit"
}

if [ -n "$pack" ]; then
  seconds=3600
  build clquant_command clquant_shared lab host_cost
  mkdir -p "$pack" || refuse "--pack '$pack': no such folder can be made"
  { cp -L "$build/"{clquant,lab,host_cost,libclquant.so} "$pack" &&
    ldd "$pack/clquant" | awk '$1 ~ /^lib(OpenCL|cjson)\./ { print $3 }' | xargs -r cp -L -t "$pack" &&
    commit_here >"$pack/COMMIT"; } || refuse "--pack '$pack': not everything could be copied"
  echo "gpu.sh: $pack holds $(cd "$pack" && echo *)"
  exit 0
fi

# Everything that can be refused is refused before anything is built or measured.
[ -n "$out" ] && [[ $out != -* ]] || usage
[[ $out == *.json ]] || refuse "'$out': the name of a JSON file, which ends in .json, is expected"
[ -d "$(dirname "$out")" ] || refuse "'$out': there is no folder $(dirname "$out")"
[ ! -e "$out" ] || [ -f "$out" ] || refuse "'$out' is no file that could be replaced"
[ -w "$(dirname "$out")" ] || refuse "'$out': nothing can be written into $(dirname "$out")"
log=${out%.json}.log
if [ -n "$against" ] && [ ! -f "$against/libclquant.so" ]; then
  refuse "--against '$against' holds no libclquant.so: build clquant there first"
fi
if [ -n "$binaries" ]; then
  [ -x "$binaries/clquant" ] || refuse "--binaries '$binaries' holds no program clquant: gpu.sh --pack makes such a folder"
  if [ -n "$against" ]; then
    [ -x "$binaries/lab" ] || refuse "--binaries '$binaries' holds no program lab, which --against takes"
    [ -f "$binaries/libclquant.so" ] || refuse "--binaries '$binaries' holds no libclquant.so, which --against takes"
  fi
  binaries=$(cd "$binaries" && pwd)
  commit=$(cat "$binaries/COMMIT" 2>/dev/null || echo unknown)
  export LD_LIBRARY_PATH=$binaries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
else
  build clquant_command host_cost ${against:+clquant_shared lab}
  binaries=$(cd "$build" && pwd)
  commit=$(commit_here)
fi
said=$("$binaries/clquant" version 2>&1) || refuse "$binaries/clquant does not run here: ${said%%$'\n'*}"
. "$here/gpu_parts.sh"
# Nothing is kept of a run, and none begins with another one's kernels, unless a folder is named.
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-$work/cache}
find_device
: >"$log"
plan_parts
run_parts
end_parts
