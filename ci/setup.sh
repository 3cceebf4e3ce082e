#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing of the packages for the purposes given (of ci/packages.txt): ci/setup.sh build run. With --dry-run first
# it installs nothing, and fails where a package is missing that every release has; a system without dpkg is not asked.
set -euo pipefail
cd "$(dirname "$0")/.."

dry=
[ "${1-}" != --dry-run ] || { dry=yes; shift; }
[ -z "$dry" ] || command -v dpkg-query >/dev/null || exit 0
missing=() optional=()
for purpose in "$@"; do
  packages=$(sed -n "s/^$purpose: //p" ci/packages.txt)
  [ -n "$packages" ] || { echo "setup.sh: ci/packages.txt knows no purpose '$purpose'" >&2; exit 2; }
  for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "${package%\?}" 2>/dev/null || true)
    case "$status,$package" in
      installed,*) ;;
      *\?) optional+=("${package%\?}") ;;
      *) missing+=("$package") ;;
    esac
  done
done
if [ -n "$dry" ]; then
  [ "${#missing[@]}" -gt 0 ] || exit 0
  echo "not installed: ${missing[*]}; this installs them: ci/setup.sh $*" >&2
  exit 1
fi
[ "${#missing[@]}" -gt 0 ] || [ "${#optional[@]}" -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
  echo "setup.sh: not a Debian system; install by hand what corresponds to: ${missing[*]} ${optional[*]}" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup.sh: run as root, or install: ${missing[*]}" >&2
    return 1
  fi
}
# Not through a pipe: grep ends at the first match, and where apt-cache still writes then, its failure would be the answer.
has_candidate() { grep -q '^  Candidate: [^(]' <<<"$(apt-cache policy "$1" 2>/dev/null)"; }

# Nobody is asked for root and the network because of what this release does not have.
[ "${#missing[@]}" -eq 0 ] || as_root apt-get update -qq
for package in "${optional[@]}"; do
  if has_candidate "$package"; then
    missing+=("$package")
  else
    echo "Not in this release, and what needs it is left out: $package"
  fi
done
[ "${#missing[@]}" -gt 0 ] || exit 0
echo "Installing: ${missing[*]}"
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
