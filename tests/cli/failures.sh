#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Full disks, signals and permissions: a failed run leaves no OUT and no stray file, and an old OUT whole.
source "$(dirname "$0")/library.sh"
unset CLQ_CACHE_DIR # with the cache: a driver that builds writes files, too

"$TENSOR_FILE" make in.st x:F32:64x64:1,2,3,4 scales:F32:1:1
"$TENSOR_FILE" make old.st old:I8:3:1,2,3
run "$CLQUANT" quantize in.st -o out.st # the kernels are built now, and nothing but OUT is written below
succeeded "the run that the others are made from"
cp out.st whole.st

# survives NAME: the old OUT is whole, and there is no stray file.
survives() {
    check "$1: the old OUT stays" cmp -s out.st old.st
    only_files "$1" in.st old.st whole.st out.st
}

# The system's limits
cp old.st out.st
run bash -c 'ulimit -f 1; exec "$@"' - "$CLQUANT" quantize in.st -o out.st
refused "a file that grows past the limit" 3 "out.st: cannot be written: File too large"
survives "a file that grows past the limit"
refuses "a full standard output" 3 "standard output cannot be written" bash -c 'exec "$@" >/dev/full' - "$CLQUANT" devices
refuses "a closed standard output" 3 "standard output cannot be written" bash -c 'exec "$@" >&-' - "$CLQUANT" devices
for closed in '>&- 2>&-' '2>&-' '<&- >&- 2>&-' '<&- 2>&-'; do # which file would be number 2 differs
    cp old.st out.st
    succeeds "closed standard streams, $closed" bash -c "exec \"\$@\" $closed" - env POCL_DEBUG=all "$CLQUANT" quantize in.st -o out.st
    check "$closed: what the driver prints is not in OUT" cmp -s out.st whole.st
done
cp old.st out.st
refuses "a directory that is not there" 3 "missing/out.st: cannot be created: No such file" "$CLQUANT" quantize in.st -o missing/out.st
refuses "a path that is too long" 3 "cannot be created: File name too long" "$CLQUANT" quantize in.st -o "$(printf 'd/%.0s' {1..2050})out.st"
long=$(printf 'x%.0s' {1..9000})
refuses "a path so long that a sentence has no room for it" 3 "xxx: cannot be created: File name too long" "$CLQUANT" quantize in.st -o "$long"
check "the middle of such a path is left out" test "${#err}" -lt 7000
refuses "an input path so long that a sentence has no room for it" 1 "xxx: File name too long" "$CLQUANT" quantize "$long" -o out.st
# Before the work: there is no device to work on.
run env OCL_ICD_VENDORS=/nonexistent "$CLQUANT" quantize in.st -o "${long:0:256}"
refused "a name that is too long, though that of the private file is not" 3 "xxx: cannot be created: File name too long"

# A report that cannot be read is known before OUT is in place.
"$TENSOR_FILE" make scatter.st cache:I8:2x3x2:0 indices:I32:2:2,9 updates:F32:2x1x2:1,2 scales:F32:1:0.5
run env OPENCL_LAYERS="$LAYER" CLQ_LAYER=no_read "$CLQUANT" quantize_scatter scatter.st -o out.st
refused "a report that cannot be read" 3 "scatter.st: reading the report: clEnqueueReadBuffer("
check "and the code of OpenCL" grep -q "failed with CL_OUT_OF_RESOURCES (-5)$" <<<"$err"
rm scatter.st
survives "a report that cannot be read"

# What stands in OUT's place.
for mode in 600 640 444 777; do
    (umask 022 && rm -f out.st && cp old.st out.st && chmod "$mode" out.st)
    succeeds "an old OUT of mode $mode" bash -c 'umask 022; exec "$@"' - "$CLQUANT" quantize in.st -o out.st
    check "an old OUT of mode $mode keeps it" test "$(stat -c %a out.st)" = "$mode"
done
if [ "$(id -u)" = 0 ]; then
    (rm -f out.st && cp old.st out.st && chmod 600 out.st && chown 65534:65533 out.st)
    succeeds "an old OUT of another user" "$CLQUANT" quantize in.st -o out.st
    check "an old OUT of another user keeps its owner and mode" test "$(stat -c %u:%g:%a out.st)" = 65534:65533:600
fi
rm out.st
run bash -c 'umask 027; exec "$@"' - "$CLQUANT" quantize in.st -o out.st
check "a new OUT has the umask's" test "$(stat -c %a out.st)" = 640
mkdir links
ln -s ../out.st links/there.st
cp old.st out.st
succeeds "a symbolic link" "$CLQUANT" quantize in.st -o links/there.st
check "a symbolic link is followed" cmp -s out.st whole.st
check "a symbolic link stays" test -L links/there.st
ln -s missing.st links/dangling.st
run "$CLQUANT" quantize in.st -o links/dangling.st
refused "a link to nothing" 2 "-o links/dangling.st: is a symbolic link that leads to no file: No such file or directory"
ln -s loop.st links/loop.st
refuses "a link to itself" 2 "is a symbolic link that leads to no file: Too many levels" "$CLQUANT" quantize in.st -o links/loop.st
check "links stay as they are" test "$(ls links | tr '\n' ' ')" = "dangling.st loop.st there.st " -a -L links/dangling.st
rm -r links
cp old.st out.st

# Another user, and a directory that cannot be written: root may write everywhere.
mkdir -m 755 closed
cp in.st closed/
chmod 755 "$directory"
as_user=()
[ "$(id -u)" = 0 ] && as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
[ "$(id -u)" = 0 ] || chmod 555 closed
if "${as_user[@]}" test -x "$CLQUANT"; then
    run "${as_user[@]}" "$CLQUANT" quantize closed/in.st -o closed/out.st
    refused "a directory that cannot be written" 3 "closed/out.st: cannot be created: Permission denied"
    [ "$(id -u)" != 0 ] || chmod 600 closed/in.st
    [ "$(id -u)" = 0 ] || chmod 0 closed/in.st
    refuses "a file that cannot be read" 1 "closed/in.st: Permission denied" "${as_user[@]}" "$CLQUANT" quantize closed/in.st -o out.st
    mkdir -m 777 cache
    touch cache/kept.clqbin
    chmod 555 cache
    run "${as_user[@]}" env CLQ_CACHE_DIR=cache "$CLQUANT" cache clear
    refused "a cache that cannot be cleared" 3 "kept.clqbin: cannot be removed: Permission denied"
    check "a cache that cannot be cleared: nothing is said to be removed" test -z "$out" -a -e cache/kept.clqbin
    chmod 755 cache
    rm -r cache
else
    echo "not tested: another user cannot run $CLQUANT"
fi
chmod 755 closed
rm -rf closed
survives "permissions"

[ -n "$(command -v strace)" ] && strace -o /dev/null true 2>/dev/null || skip "strace does not run here"

# traced INJECTION: the run, with strace's injection; $injected says whether it came to it.
traced() {
    run env --default-signal strace -o "$directory/.trace" -e trace=write,pread64,fsync,close,rename,openat,fstat,fchmod,unlink \
        -e "inject=$1" "$CLQUANT" quantize in.st -o out.st
    injected=$(grep -cE "INJECTED|killed by|--- SIG[^C]" "$directory/.trace")
    rm -f "$directory/.trace"
}

synced=0
# The n-th call fails, for every n: a success with the whole OUT, or status 3 and the old one.
for fault in write:error=ENOSPC write:error=EIO pread64:error=EIO pread64:retval=0 fsync:error=EIO \
    rename:error=EXDEV; do
    reached=0
    refusals=0
    for ((n = 1; n < 200; n++)); do
        cp old.st out.st
        traced "$fault:when=$n"
        [ "$injected" = 0 ] && break
        reached=$n
        if [[ $err == *"while loading shared libraries"* ]]; then
            continue # the program had not begun
        elif [ "$status" = 0 ]; then
            check "$fault:when=$n: OUT is whole" cmp -s out.st whole.st
        elif [ "$status" = 3 ]; then
            if [[ $err == *"out.st: its folder cannot be synced: Input/output error" ]]; then
                synced=$((synced + 1))
                cp old.st out.st # the new one has its name already
            else
                refusals=$((refusals + 1))
            fi
            survives "$fault:when=$n"
        else
            failed "$fault:when=$n: status 0 or 3 is expected"
        fi
    done
    check "$fault was reached, and refused at least once" test "$refusals" -gt 0
    echo "$fault: $reached injected, $refusals refused"
done
check "a folder that cannot be synced was said once" test "$synced" = 1

# Signals that end the program, in the middle of reading, of writing, and just before OUT is put into place.
ulimit -c 0 # no cores beside OUT
ended() { # SIGNAL SYSTEM_CALL:when=N
    local number=$1
    [[ $1 == [0-9]* ]] || number=$(kill -l "$1")
    cp old.st out.st
    traced "${2%:*}:signal=$1:${2#*:}"
    check "signal $1 at $2 came" test "$injected" -gt 0
    check "signal $1 at $2 ends the program" test "$status" = $((128 + number))
    survives "signal $1 at $2"
    rm -f .clquant-*
}
for signal in TERM INT HUP QUIT USR1 ABRT; do
    ended "$signal" pread64:when=5
    ended "$signal" write:when=2
    ended "$signal" fsync:when=1
    # A model's device is open, with the handlers of its compiler, before its private file is there.
    run env --default-signal strace -o "$directory/.trace" -e trace=fsync -e "inject=fsync:signal=$signal:when=1" \
        "$CLQUANT" quantize_model in.st -o model --to plain --block 64
    check "signal $signal ends a model" test "$status" = $((128 + $(kill -l "$signal"))) -a -z "$(ls -A model)"
    rm -r model .trace
done
# Every signal, once there is a private file.
for signal in HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU VTALRM PROF IO PWR SYS 34 64; do
    ended "$signal" fchmod:when=1
done

# What does nothing to other programs does nothing here, and what the caller ignores neither.
for signal in CHLD CONT URG WINCH XFSZ; do
    cp old.st out.st
    traced "fsync:signal=$signal:when=1"
    check "SIG$signal does not end the program" cmp -s out.st whole.st
done
cp old.st out.st
run bash -c 'trap "" HUP USR1; exec "$@"' - strace -o "$directory/.trace" -e trace=fsync,rename \
    -e inject=fsync:signal=HUP:when=1 -e inject=rename:signal=USR1:when=1 "$CLQUANT" quantize in.st -o out.st
succeeded "signals that the caller ignores"
check "signals that the caller ignores do nothing" cmp -s out.st whole.st

# The lock on the private file is held until the file has its name.
strace -y -o "$directory/.trace" -e trace=close,rename "$CLQUANT" quantize in.st -o out.st
check "the private file has its name before it is closed" test "$(grep -c 'close(.*\.clquant-' .trace):$(grep -c 'rename(' .trace)" = 0:1
rm .trace

# Nothing can be removed after SIGKILL, but the old OUT is whole.
for place in pread64:when=5 write:when=2 fsync:when=1 rename:when=1; do
    cp old.st out.st
    traced "${place%:*}:signal=KILL:${place#*:}"
    check "SIGKILL at $place came" test "$injected" -gt 0
    check "SIGKILL at $place: OUT is the old or the new one" eval 'cmp -s out.st old.st || cmp -s out.st whole.st'
    rm -f .clquant-*
done

finish
