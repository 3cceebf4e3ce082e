# SPDX-License-Identifier: Apache-2.0
# The race from outside: a build beside itself is the same, one that waits is slower and the other way round faster, and
# wrong bytes and what is no library are refused. LAB, BUILD and CC name the program, a build and a compiler.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/library.sh"
race=$here/race.sh

[ "$(ls "$BUILD"/libclquant.so 2>/dev/null)" ] || skip "no shared library"
"$BUILD/clquant" devices >/dev/null 2>&1 || skip "no device"
only='quantize float16 int8 multiply "per tensor"'

succeeds "a build beside itself" "$race" --self "$BUILD" --size 8 --only "$only"
check "is neither faster nor slower" grep -qE '^(same|unsure) ' <<<"$out"
check "says so at the end" grep -q '^1 rows: B is faster in 0, slower in 0, the same in ' <<<"$out"
# A library that passes every call on, and does something else on the way.
cat >stub.c <<'C'
#define _GNU_SOURCE
#include <clquant/clquant.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void *real(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen(getenv("REAL"), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    return dlsym(library, name);
}
const char *clq_error_detail(void)
{
    return ((const char *(*)(void))real("clq_error_detail"))();
}
clq_status clq_context_create(const struct clq_context_desc *desc, clq_context **context)
{
    return ((clq_status (*)(const struct clq_context_desc *, clq_context **))real("clq_context_create"))(desc, context);
}
#define OPERATOR(name)                                                                                                  \
    clq_status clq_##name(clq_context *c, cl_command_queue q, const struct clq_##name##_desc *d, cl_uint n,             \
                          const cl_event *w, cl_event *e)                                                               \
    {                                                                                                                   \
        BEFORE(name)                                                                                                    \
        return ((clq_status (*)(clq_context *, cl_command_queue, const struct clq_##name##_desc *, cl_uint,             \
                                const cl_event *, cl_event *))real("clq_" #name))(c, q, d, n, w, e);                    \
    }
#ifdef WRONG
#define BEFORE(name) struct clq_quantize_desc changed = {0}; \
    if (sizeof *d == sizeof changed) { changed = *(const struct clq_quantize_desc *)(const void *)d; changed.mode = CLQ_DIVIDE; d = (const void *)&changed; }
#else
#define BEFORE(name) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
#endif
OPERATOR(quantize)
#undef BEFORE
#define BEFORE(name)
OPERATOR(group_quantize)
OPERATOR(quantize_scatter)
OPERATOR(dynamic_quantize)
OPERATOR(dynamic_quantize_scatter)
OPERATOR(find_scales)
OPERATOR(dequantize)
OPERATOR(move_rows)
C
# stub FOLDER FLAGS…
stub() {
    mkdir "$1"
    "$CC" -std=c11 -shared -fPIC -DCL_TARGET_OPENCL_VERSION=120 -I"$here/../../include" "${@:2}" stub.c -o "$1/libclquant.so"
}
export REAL=$BUILD/libclquant.so
stub waits && stub wrong -DWRONG || failed "the stubs compile"
succeeds "a build beside one that waits" "$race" "$BUILD" waits --size 8 --only "$only"
check "B is slower" grep -q '^slower ' <<<"$out"
run "$race" waits "$BUILD" --size 8 --only "$only"
check "and the other way round faster" grep -q '^faster ' <<<"$out"
speaker=lab
refuses "wrong bytes" 3 "is another one in B" "$race" "$BUILD" wrong --size 8 --only "$only"

refuses "no row" 2 "no such row" "$race" --self "$BUILD" --only "no such row"
refuses "no size" 2 "--size MIB, 1 to" "$race" --self "$BUILD" --size 0
refuses "too few rounds" 2 "--rounds N, 5 to" "$race" --self "$BUILD" --rounds 4
speaker=race.sh
refuses "a folder without a library" 1 "'.' holds no libclquant.so" "$race" "$BUILD" .
speaker=lab
mkdir empty
: >empty/libclquant.so
refuses "a file that is no library" 1 "libclquant.so" "$race" "$BUILD" empty
run "$race"
check "without builds: how to call it" test "$status" = 2 -a -n "$err"

finish
