#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What CLQ_API is for each who includes a header, on Windows and elsewhere. Of Windows the preprocessor is enough.
#   api.sh CC SOURCE DEFINITIONS…      DEFINITIONS are those that a library of ours is compiled with
set -eu
cc=$1 source=$2
shift 2

# expect WHAT flags…
expect() {
  wanted=$1
  shift
  got=$(printf '#include <clquant/status.h>\n[CLQ_API]\n' | "$cc" -E -P "$@" -I"$source/include" - | sed -n '$p')
  [ "$got" = "[$wanted]" ] || { echo "CLQ_API with '$*' is $got, not [$wanted]"; exit 1; }
}
visible='__attribute__((visibility("default")))'
expect "$visible"
expect "$visible" -DCLQ_BUILD_SHARED
expect "" -DCLQ_STATIC
expect "__declspec(dllimport)" -D_WIN32
expect "__declspec(dllexport)" -D_WIN32 -DCLQ_BUILD_SHARED
expect "" -D_WIN32 -DCLQ_STATIC

for definitions in "$@"; do
  case " $definitions " in
    *" CLQ_STATIC "*) echo "a library is compiled with CLQ_STATIC: $definitions"; exit 1 ;;
    *" CLQ_BUILD_SHARED "*) ;;
    *) echo "a library is compiled without CLQ_BUILD_SHARED: $definitions"; exit 1 ;;
  esac
done
