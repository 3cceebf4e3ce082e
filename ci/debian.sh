#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A command in a fresh clone on another Debian: debian.sh RELEASE FOLDER COMMAND, as debian.sh trixie /var/tmp/trixie 'ci/test.sh
# && ci/demo.sh'. debootstrap makes the system in FOLDER, which keeps it and what was installed there; its clquant is a clone of
# what is committed here. The command is root's, with this machine's certificates, proxies and settings of pip and apt; what it
# leaves running or mounted ends with it. Ends with 77 and says why where that cannot be.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: debian.sh RELEASE FOLDER COMMAND" >&2; exit 2; }
release=$1 root=$(realpath -m -- "$2")
cd "$(dirname "$0")/.."

lacks() {
  echo "debian.sh: no Debian $release: $1" >&2
  exit 77
}
[ "$(id -u)" -eq 0 ] || lacks "only root can make it"
ci/setup.sh debian || lacks "debootstrap cannot be installed"
alone=(unshare --mount --pid --fork --kill-child) # mounts and processes end with their command
"${alone[@]}" true 2>/dev/null || lacks "this machine does not let root mount"

if [ ! -f "$root/etc/debian_version" ]; then
  mkdir -p "$(dirname "$root")"
  work=$(mktemp -d "$root.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  chmod 755 "$work"
  "${alone[@]}" debootstrap --variant=minbase --include=ca-certificates,git "$release" "$work" >"$root.log" 2>&1 || lacks "$(tail -n 1 "$root.log")"
  mv -T "$work" "$root"
fi
for file in /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt /etc/pip.conf "$HOME/.config/pip/pip.conf"; do
  [ ! -f "$file" ] || install -D -m 644 "$file" "$root/${file/#$HOME//root}"
done
apt-config dump | grep -E '^Acquire::(https?|Check)' >"$root/etc/apt/apt.conf.d/99host" || true
rm -rf "$root/clquant"
git clone -q . "$root/clquant"

mapfile -t passed < <(env | grep -E '^(PIP_\w+|SSL_CERT_\w+|\w+_(proxy|PROXY)|TERM)=')
"${alone[@]}" bash -e -c '
  mount --bind "$0" "$0" # the root of a mount, for tests that mount
  mount -t proc proc "$0/proc"
  mount --rbind /sys "$0/sys"
  mount --rbind /dev "$0/dev"
  exec chroot "$0" env -i -C /clquant HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}" bash -c "$1"' "$root" "$3" "${passed[@]}"
