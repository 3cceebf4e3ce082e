#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ci/debian.sh where no other Debian can be made: it says why, and leaves nothing. debootstrap, unshare and id are played.
#   debian.sh SOURCE WORK
set -euo pipefail
work=$2
rm -rf "$work"
mkdir -p "$work/bin" "$work/tree/ci"
cp "$1/ci/debian.sh" "$work/tree/ci"
tool() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
tool "$work/tree/ci/setup.sh" 'exit $SETUP'
tool "$work/bin/id" 'echo $USER_ID'
tool "$work/bin/unshare" 'shift 4; exec "$@"'
tool "$work/bin/debootstrap" 'for last; do :; done; mkdir "$last/etc"; touch "$last/etc/debian_version"; echo "E: no mirror"; exit 1'

# expect STATUS SENTENCE [variable=value…]
expect() {
  local status=0
  printed=$(env PATH="$work/bin:$PATH" SETUP=0 USER_ID=0 "${@:3}" "$work/tree/ci/debian.sh" trixie "$work/system" true 2>&1) || status=$?
  [ "$status: $printed" = "$1: debian.sh: no Debian trixie: $2" ] || { echo "$status: $printed"; exit 1; }
}
expect 77 "only root can make it" USER_ID=1000
expect 77 "debootstrap cannot be installed" SETUP=1
expect 77 "E: no mirror"
[ "$(ls "$work")" = $'bin\nsystem.log\ntree' ] || { echo "it left: $(ls "$work")"; exit 1; }
tool "$work/bin/unshare" 'exit 1'
expect 77 "this machine does not let root mount"
