#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/demo.sh refuses a file that is not there before it installs and builds.
#   demo.sh SOURCE WORK
set -euo pipefail
source=$1 work=$2
rm -rf "$work"
mkdir -p "$work/ci" "$work/folder"
cp "$source/ci/demo.sh" "$work/ci"
printf '#!/bin/sh\necho installs\nexit 9\n' >"$work/ci/setup.sh"
chmod +x "$work/ci/setup.sh"
cd "$work"
touch here

# expect FILE STATUS WHAT: the status, and what is printed
expect() {
  local status=0
  printed=$(ci/demo.sh "$1" 2>&1) || status=$?
  [ "$status" -eq "$2" ] && [ "$printed" = "$3" ] || { printf 'for %s: %s, and it printed:\n%s\n' "$1" "$status" "$printed"; exit 1; }
}
expect missing.st 1 "demo.sh: 'missing.st' is no file that can be read"
expect folder 1 "demo.sh: 'folder' is no file that can be read"
expect --no-model 9 "Looking at the packages that are needed; what is missing is installed
installs"
expect here 9 "Looking at the packages that are needed; what is missing is installed
installs"
