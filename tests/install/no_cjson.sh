#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where cJSON is not installed the libraries are built, with a word about the command, and whoever asks for the command is
# refused with a sentence. When it is there later, so is the command.
#   no_cjson.sh CMAKE CC SOURCE WORK
set -eu
cmake=$1 cc=$2 source=$3 work=$4
rm -rf "$work"
mkdir -p "$work/empty"
cp "$(pkg-config --variable=pcfiledir cmocka)/cmocka.pc" "$work/empty" # of the tests

configure() { "$cmake" -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$cc" "$@" >"$work/log" 2>&1; }
without() { PKG_CONFIG_LIBDIR=$work/empty PKG_CONFIG_PATH='' configure "$@"; }
fail() { cat "$work/log"; echo "$1"; exit 1; }
says() { tr '\n' ' ' <"$work/log" | tr -s ' ' | grep -q "$1"; }
has_command() { "$cmake" --build "$work/build" --target help | grep -q clquant_command; }
word='no cJSON, for pkg-config finds no libcjson (Debian: libcjson-dev and pkg-config): the command clquant is left out'

without || fail "no libraries without cJSON"
says "$word" || fail "no word about cJSON"
if has_command; then fail "the command is built without cJSON"; fi
without -DCLQ_BUILD_TESTS=ON -DCLQ_BUILD_EXAMPLES=ON || fail "no tests and examples without cJSON"
if without -DCLQ_BUILD_COMMAND=ON; then fail "the command was asked for, and cannot be built, and nothing failed"; fi
says 'CLQ_BUILD_COMMAND is ON, but the command needs cJSON, and pkg-config finds no libcjson' || fail "no sentence about cJSON"
without -DCLQ_BUILD_COMMAND=OFF -DCLQ_BUILD_TESTS=OFF || fail "no libraries without the command"
if says cJSON; then fail "a word about what nobody asked for"; fi
without -DCLQ_BUILD_COMMAND=AUTO || fail "no libraries without cJSON"
configure || fail "not with cJSON either"
if says cJSON; then fail "cJSON is there, and it is not found"; fi
has_command || fail "cJSON is there, and the command is not"
