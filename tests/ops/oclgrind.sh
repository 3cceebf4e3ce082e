#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a test under Oclgrind: oclgrind.sh LOG PROGRAM ARGUMENTS… Oclgrind exits with 0 whatever it finds, so the log
# decides: it must be empty.
#
# With --roomy among the arguments uninitialized values are looked for too. Oclgrind 21.10 keeps what it knows of a
# buffer when the buffer is released, and takes it for the next one in its place, with the old size: what a kernel
# stores past that size counts as uninitialized. It does not where no buffer is smaller than those that only kernels
# write, so that run makes all of them large; the other run has buffers of exact sizes, for the bounds. It also compiles
# without the optimizer, and keeps nothing: of an optimized store of a vector that is made of elements, Oclgrind makes a
# store of nothing defined and then stores of the elements, and complains of the first.
command -v oclgrind >/dev/null || { echo "SKIPPED: no Oclgrind"; exit 77; }
log=$1
shift
rm -f "$log"
flags="--data-races --check-api"
case " $* " in
*" --roomy "*)
    flags="$flags --uninitialized --build-options -cl-opt-disable"
    export CLQ_CACHE_DIR=/dev/null
    ;;
esac
oclgrind $flags --log "$log" "$@" || exit
[ ! -s "$log" ] || {
    head -60 "$log"
    echo "oclgrind.sh: Oclgrind has something to say ($log)"
    exit 1
}
