#!/bin/sh
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
# clquant::clquant is what the user's BUILD_SHARED_LIBS asks for
ldd "$work/user-DBUILD_SHARED_LIBS=ON/user_clquant" | grep -q libclquant
if ldd "$work/user-DBUILD_SHARED_LIBS=OFF/user_clquant" | grep libclquant; then
  echo "clquant::clquant is the shared library though BUILD_SHARED_LIBS is OFF"; exit 1
fi

export PKG_CONFIG_PATH=$(dirname "$pc")
"$cc" -std=c11 "$here/user.c" -o "$work/user_pc" $(pkg-config --cflags --libs clquant)
ldd "$work/user_pc" | grep -q libclquant
run "$work/user_pc"
"$cc" -std=c11 "$here/user.c" -o "$work/user_pc_static" $(pkg-config --cflags clquant) "$libraries/libclquant.a" \
  $(pkg-config --static --libs-only-l clquant | sed 's/-lclquant//')
run "$work/user_pc_static"
# clquant_rotate, where it was built; a user who does not ask for it does not need CLBlast
if [ -f "$(dirname "$pc")/clquant_rotate.pc" ]; then
  for kind in rotate rotate_static rotate_shared; do
    run "$work/user/user_$kind"
  done
  ldd "$work/user-DBUILD_SHARED_LIBS=ON/user_rotate" | grep -q libclquant_rotate
  "$cc" -std=c11 "$here/user_rotate.c" -o "$work/user_rotate_pc" $(pkg-config --cflags --libs clquant_rotate)
  ldd "$work/user_rotate_pc" | grep -q libclquant_rotate
  run "$work/user_rotate_pc"
  "$cc" -std=c11 "$here/user_rotate.c" -o "$work/user_rotate_pc_static" $(pkg-config --cflags clquant_rotate) \
    "$libraries/libclquant_rotate.a" "$libraries/libclquant.a" \
    $(pkg-config --static --libs-only-l clquant_rotate | sed 's/-lclquant_rotate//; s/-lclquant//')
  run "$work/user_rotate_pc_static"
fi
if ldd "$work/user_pc" | grep -i clblast; then
  echo "libclquant needs CLBlast"; exit 1
fi
if [ -x "$prefix/bin/clquant" ]; then
  run "$prefix/bin/clquant" --version
fi
