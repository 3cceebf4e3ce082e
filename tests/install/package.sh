#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into a scratch prefix, moves it, and builds and runs a user's program against each way in.
#   package.sh CMAKE CC BUILD SOURCE WORK
set -eu
cmake=$1 cc=$2 build=$3 source=$4 work=$5
here=$source/tests/install

rm -rf "$work"
mkdir -p "$work"
"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # an installed tree has no path of its own in it
prefix=$work/prefix
pc=$(find "$prefix" -name clquant.pc)
libraries=$(dirname "$(dirname "$pc")")

run() {
  status=0
  LD_LIBRARY_PATH=$libraries "$@" || status=$?
  [ $status -eq 0 ] || { echo "$1 ended with $status"; exit $status; }
}

for shared in "" -DBUILD_SHARED_LIBS=ON -DBUILD_SHARED_LIBS=OFF; do
  "$cmake" -S "$here/package" -B "$work/user$shared" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" $shared >/dev/null
  "$cmake" --build "$work/user$shared" >/dev/null
done
for kind in clquant clquant_static clquant_shared; do
  run "$work/user/user_$kind"
done
# what is asked for another minor version is refused: its interface is another one
minor=$(sed -n 's/^#define CLQ_VERSION_MINOR \([0-9]*\)$/\1/p' "$prefix/include/clquant/version.h")
mkdir "$work/versions"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(user C)\nfind_package(clquant 0.${MINOR} REQUIRED)\n' >"$work/versions/CMakeLists.txt"
versions() { "$cmake" -S "$work/versions" -B "$work/versions/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DMINOR="$1" 2>&1; }
versions "$minor" >/dev/null || { echo "the package refuses its own version, 0.$minor"; exit 1; }
for other in $((minor - 1)) $((minor + 1)); do
  ! versions "$other" >"$work/versions/log" || { echo "the package of 0.$minor takes itself for 0.$other"; exit 1; }
  grep -q "compatible with requested version" "$work/versions/log" || { cat "$work/versions/log"; exit 1; }
done
# clquant::clquant is what the user's BUILD_SHARED_LIBS asks for
ldd "$work/user-DBUILD_SHARED_LIBS=ON/user_clquant" | grep -q libclquant
if ldd "$work/user-DBUILD_SHARED_LIBS=OFF/user_clquant" | grep libclquant; then
  echo "clquant::clquant is the shared library though BUILD_SHARED_LIBS is OFF"; exit 1
fi

# defined WHAT FILE: the definitions that a target of the package brings, CLQ_STATIC and nothing else or none
defined() {
  [ "$(cat "$2")" = "$1" ] || { echo "$2 has '$(cat "$2")', not '$1'"; exit 1; }
}
defined CLQ_STATIC "$work/user/user_clquant_static.definitions"
defined "" "$work/user/user_clquant_shared.definitions"
defined "" "$work/user-DBUILD_SHARED_LIBS=ON/user_clquant.definitions"
defined CLQ_STATIC "$work/user-DBUILD_SHARED_LIBS=OFF/user_clquant.definitions"

# pkg-config, and with --static where both libraries lie, and where the static ones are alone
alone=$work/alone
cp -R "$prefix" "$alone"
find "$alone" -name 'libclquant*.so*' -exec rm {} +
static_pc=$alone${pc#"$prefix"}
pkg() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "$@"; }
pkg_alone() { PKG_CONFIG_PATH=$(dirname "$static_pc") pkg-config "$@"; }

# is_static PROGRAM: it has the library inside
is_static() {
  if ldd "$1" | grep libclquant; then echo "$1 needs the shared library"; exit 1; fi
  run "$1"
}
"$cc" -std=c11 "$here/user.c" -o "$work/user_pc" $(pkg --cflags --libs clquant)
ldd "$work/user_pc" | grep -q libclquant
version=$(run "$work/user_pc")
[ "$version" = "clquant $(pkg --modversion clquant)" ] || { echo "$version, but the package is $(pkg --modversion clquant)"; exit 1; }
for word in -DCLQ_STATIC -lpthread; do # of the static library alone
  if pkg --cflags --libs clquant | grep -- $word; then echo "pkg-config says $word without --static"; exit 1; fi
  pkg --static --cflags --libs clquant | grep -q -- $word || { echo "pkg-config --static does not say $word"; exit 1; }
done
"$cc" -std=c11 "$here/user.c" -o "$work/user_pc_static" $(pkg_alone --static --cflags --libs clquant)
is_static "$work/user_pc_static"
"$cc" -std=c11 "$here/user.c" -o "$work/user_pc_chosen" $(pkg --static --cflags --libs clquant | sed 's/-lclquant/-l:libclquant.a/')
is_static "$work/user_pc_chosen"
# The device header, by pkg-config and by CMake.
[ -f "$(pkg --variable=clh clquant)" ] && [ "$(pkg --variable=clh clquant)" -ef "$prefix/include/clquant/clquant.clh" ] ||
  { echo "pkg-config's clh is '$(pkg --variable=clh clquant)'"; exit 1; }
[ "$(cat "$work/user/clh")" -ef "$prefix/include/clquant/clquant.clh" ] || { echo "clquant_CLH is '$(cat "$work/user/clh")'"; exit 1; }
# The documentation: its pages where the README says, and examples that the package is enough for.
doc=$prefix/share/doc/clquant
for page in LICENSE README.md $(grep -o '](docs/[^)]*)' "$source/README.md" | sed 's/](\([^)#]*\).*/\1/'); do
  [ -f "$doc/$page" ] || { echo "$page is not installed"; exit 1; }
done
[ ! -f "$source/CHANGELOG.md" ] || [ -f "$doc/CHANGELOG.md" ] || { echo "CHANGELOG.md is not installed"; exit 1; }
# by their own CMakeLists from the installed copy, and those without kernels of their own by pkg-config as the README says
"$cmake" -S "$doc/examples" -B "$work/examples" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build "$work/examples" --parallel 2 >/dev/null
for example in quantize own_pipeline own_kernels decode paged record split ggml_cache; do
  run "$work/examples/$example" >/dev/null
done
run "$work/examples/demo" --help >/dev/null
if [ -x "$work/examples/kv_cache" ]; then # CLBlast is there
  run "$work/examples/kv_cache" --help >/dev/null
fi
for example in quantize own_pipeline own_kernels 'decode/*' 'paged/*' 'record/*' 'split/*'; do
  "$cc" -std=c11 "$doc"/examples/$example.c -o "$work/example" $(pkg --cflags --libs clquant) -lm
  run "$work/example" >/dev/null
done
# component NAME PATTERN: what it installs is of these files alone
component() {
  "$cmake" --install "$build" --prefix "$work/components/$1" --component "$1" >/dev/null
  files=$(cd "$work/components/$1" && find . ! -type d)
  [ -n "$files" ] || { echo "component $1 installs nothing"; exit 1; }
  strangers=$(echo "$files" | grep -vE "$2" || true)
  [ -z "$strangers" ] || { echo "component $1 brings with it:" $strangers; exit 1; }
}
component runtime '/libclquant\.so\.[0-9.]+$|/LICENSE$'
component development '/include/clquant/|/libclquant\.(a|so)$|/cmake/clquant/|/pkgconfig/clquant\.pc$'
component documentation '/doc/clquant/'
if [ -x "$prefix/bin/clquant" ]; then
  component command '/bin/clquant$|/man1/clquant\.1$|/completions/clquant$|/_clquant$|/clquant\.fish$'
fi
whole=$(cd "$prefix" && find . ! -type d | sort)
parts=$(for part in "$work"/components/*; do (cd "$part" && find . ! -type d); done | sort)
[ "$whole" = "$parts" ] || { echo "in no component, or in two:" $(printf '%s\n' "$whole" "$parts" | sort | uniq -u); exit 1; }

if ldd "$work/user_pc" | grep -i clblast; then
  echo "libclquant needs CLBlast"; exit 1
fi
if [ -x "$prefix/bin/clquant" ]; then
  run "$prefix/bin/clquant" --version
fi
