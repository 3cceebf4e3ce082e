#!/usr/bin/env bash
# Installs what is missing of the packages for the purposes given (of ci/packages.txt): ci/setup.sh build run
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
for purpose in "$@"; do
  packages=$(sed -n "s/^$purpose: //p" ci/packages.txt)
  [ -n "$packages" ] || { echo "setup.sh: ci/packages.txt knows no purpose '$purpose'" >&2; exit 2; }
  for package in $packages; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "${package%\?}" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
  done
done
[ "${#missing[@]}" -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
  echo "setup.sh: not a Debian system; install by hand what corresponds to: ${missing[*]}" >&2
  exit 1
}
root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup.sh: run as root, or install: ${missing[*]}" >&2; exit 1; }
  root=(sudo)
fi
"${root[@]}" apt-get update -qq
install=()
for package in "${missing[@]}"; do
  if [[ $package != *\? ]] || apt-cache show "${package%\?}" >/dev/null 2>&1; then
    install+=("${package%\?}")
  else
    echo "Not in this distribution, and what needs it is left out: ${package%\?}"
  fi
done
[ "${#install[@]}" -gt 0 ] || exit 0
echo "Installing: ${install[*]}"
"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${install[@]}" >/dev/null
