#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets Intel's compiler for its GPUs, ocloc, for ci/gpu_code.sh: intel.sh [FOLDER], by default clquant-ocloc in the user's cache.
# Debian's packages are unpacked there and not installed: their driver would be one more platform for every test. Ends with 77
# and says why where it cannot be had.
set -euo pipefail
packages=(intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14 libclang-cpp14 libllvm14)
folder=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/clquant-ocloc}
[ ! -x "$folder/usr/bin/ocloc" ] || exit 0
if [ $# -eq 0 ] && command -v ocloc >/dev/null; then exit 0; fi # the machine has it

lacks() {
  echo "intel.sh: no ocloc, and Intel's GPUs are left out: $1" >&2
  exit 77
}
command -v apt-get >/dev/null || lacks "not a Debian system"
mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/root" "$work/packages"

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
get() { (cd "$work/packages" && apt-get download -qq "${missing[@]}" 2>"$work/why"); }
# A fresh machine has no lists of packages, or old ones.
get || { [ "$(id -u)" -eq 0 ] && apt-get update -qq && get; } || lacks "$(head -1 "$work/why")"
for package in "$work"/packages/*.deb; do
  dpkg -x "$package" "$work/root"
done

# All of it is there only if it compiles.
echo 'kernel void k(global int *x) { x[get_global_id(0)]++; }' >"$work/k.cl"
LD_LIBRARY_PATH=$(echo "$work"/root/usr/lib/*-linux-gnu) "$work/root/usr/bin/ocloc" compile -q -file "$work/k.cl" -device dg2 \
  -out_dir "$work" >"$work/why" 2>&1 || lacks "$(head -1 "$work/why")"
mv -T "$work/root" "$folder" 2>/dev/null || [ -x "$folder/usr/bin/ocloc" ] # somebody else was first
echo "intel.sh: ocloc is in $folder"
