#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages: what they are called, need and hold, and that their files together are an installation that works.
#   deb.sh SOURCE CC READELF WORK
set -euo pipefail
source=$1 cc=$2 readelf=$3 work=$4
for tool in dpkg-deb dpkg-shlibdeps dpkg-buildflags; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool"; exit 77; }
done
rm -rf "$work"
CC=$cc DEB_BUILD_OPTIONS=noopt "$source/ci/deb.sh" "$work" >/dev/null # what is optimized is not looked at here
cd "$work"
version=$(sed -n 's/^#define CLQ_VERSION  *"\(.*\)"/\1/p' "$source/include/clquant/version.h")
minor=${version%.*}
fail() { echo "$1"; exit 1; }

packages="clquant libclquant-dev libclquant$minor"
architecture=$(dpkg --print-architecture)
for package in $packages; do
  file=${package}_${version}_$architecture.deb
  [ -f "$file" ] || fail "$file was not made, but" *.deb
  dpkg-deb --fsys-tarfile "$file" | tar t | grep -v '/$' | sed 's/^\.//' | LC_ALL=C sort >"$package.files"
  dpkg-deb -e "$file" "$package.control"
  dpkg-deb -x "$file" root
done
[ "$(ls ./*.deb | wc -l)" -eq 3 ] || fail "there are other packages:" *.deb

# no file is in two of them, and each has its own copyright and changelog
[ -z "$(cat ./*.files | sort | uniq -d)" ] || fail "in two packages: $(cat ./*.files | sort | uniq -d)"
for package in $packages; do
  for name in copyright changelog.gz; do
    sed -i "\\|^/usr/share/doc/$package/$name\$|d" "$package.files"
    [ -s "root/usr/share/doc/$package/$name" ] || fail "$package has no $name"
  done
done

# holds PACKAGE FILE…: these and nothing else, patterns of the shell
holds() {
  local package=$1 file
  shift
  for pattern in "$@"; do
    while read -r file; do
      [[ $file == $pattern ]] && echo found >found
      [[ $file == $pattern ]] || echo "$file"
    done <"$package.files" >rest
    [ -s found ] || fail "$package has no $pattern"
    rm found
    mv rest "$package.files"
  done
  [ ! -s "$package.files" ] || fail "$package has besides: $(cat "$package.files")"
}
libraries=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
holds clquant /usr/bin/clquant /usr/share/man/man1/clquant.1.gz /usr/share/bash-completion/completions/clquant \
  /usr/share/zsh/vendor-completions/_clquant /usr/share/fish/vendor_completions.d/clquant.fish
holds "libclquant$minor" "$libraries/libclquant.so.$minor" "$libraries/libclquant.so.$version"
holds libclquant-dev '/usr/include/clquant/*.h' /usr/include/clquant/clquant.clh "$libraries/libclquant.a" "$libraries/libclquant.so" \
  "$libraries/pkgconfig/clquant.pc" "$libraries/cmake/clquant/*.cmake" /usr/share/doc/clquant/README.md \
  /usr/share/doc/clquant/CHANGELOG.md '/usr/share/doc/clquant/docs/*' '/usr/share/doc/clquant/examples/*'

# needs PACKAGE DEPENDENCY…
needs() {
  local package=$1 dependency
  shift
  for dependency in "$@"; do
    dpkg-deb -f "${package}_${version}_$architecture.deb" Depends | tr ',' '\n' | sed 's/^ //' | grep -qE "^$dependency( |\$)" ||
      fail "$package does not depend on $dependency"
  done
}
needs clquant "libclquant$minor \\(= $version\\)" libc6 libcjson1 ocl-icd-libopencl1
needs "libclquant$minor" libc6 ocl-icd-libopencl1
needs libclquant-dev "libclquant$minor \\(= $version\\)" ocl-icd-opencl-dev opencl-c-headers libdlpack-dev
diff <(echo "libclquant $minor libclquant$minor (>= $version)") "libclquant$minor.control/shlibs"
diff <(echo "libclquant.so.$minor libclquant$minor #MINVER#"; sed -n 's/^\(clq_.*\) \(.*\)/ \1@Base \2/p' "$source/host/symbols.txt") \
  "libclquant$minor.control/symbols"
grep -qxF 'activate-noawait ldconfig' "libclquant$minor.control/triggers"
if "$readelf" -d root/usr/bin/clquant | grep -E 'RPATH|RUNPATH'; then fail "the command looks for libraries in a place of its own"; fi

export LD_LIBRARY_PATH=$work/root$libraries
[ "$(root/usr/bin/clquant --version)" = "clquant $version" ] || fail "the command is of another version"
export PKG_CONFIG_PATH=root$libraries/pkgconfig
"$cc" -std=c11 "$source/tests/install/user.c" -o user $(pkg-config --cflags --libs clquant)
"$readelf" -d user | grep -qF "[libclquant.so.$minor]" || fail "a user's program does not need libclquant.so.$minor"
./user || { status=$?; echo "the user's program ended with $status"; exit $status; }

# Of its warnings two are of scripts that cpack writes itself.
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error ./*.deb
else
  echo "no lintian"
fi
