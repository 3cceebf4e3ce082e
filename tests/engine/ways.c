/* SPDX-License-Identifier: Apache-2.0 */
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AVX2  "-march=haswell"
#define WIDE  "-D CLQ_PACK_BYTES=64"
#define HALF  "-D CLQ_PACK_BYTES=32"
#define PLAIN "-D CLQ_PACK_BYTES=0"
#define FAR   " -D CLQ_PREFETCH_LEVEL=2" /* an AMD's */
#define NEAR  " -D CLQ_PREFETCH_LEVEL=3"
/* Numbers of cpu/tuning.h with which small tensors go the ways of large ones. */
#define SMALL                                                                                                \
    " -D CLQ_CPU_STREAMS_BYTES=1024 -D CLQ_CPU_BATCH=4 -D CLQ_CPU_STORE_PAST=2048 -D CLQ_CPU_INVERSES=256"   \
    " -D CLQ_CPU_GATHERED=2 -D CLQ_CPU_GATHER_LEAST=1 -D CLQ_CPU_CLAIMS=2"                                   \
    " -D CLQ_CPU_AHEAD_DEQUANTIZE=128 -D CLQ_CPU_AHEAD_QUANTIZE=128 -D CLQ_CPU_AHEAD_DYNAMIC=128"

const struct processor_way processor_ways[] = {
    {"avx2_divides", HALF FAR " -D CLQ_INVERTS=0", AVX2, false},
    {"avx2_inverts", HALF NEAR " -D CLQ_INVERTS=1", AVX2, false},
    {"avx512_divides", WIDE FAR " -D CLQ_INVERTS=0", AVX2, true},
    {"avx512_inverts", WIDE NEAR " -D CLQ_INVERTS=1", AVX2, true},
    {"avx2_small", HALF FAR " -D CLQ_INVERTS=0" SMALL, AVX2, false},
    {"avx512_small", WIDE NEAR " -D CLQ_INVERTS=1" SMALL, AVX2, true},
    {"sse2", PLAIN NEAR " -D CLQ_INVERTS=0", "-march=x86-64", false}, /* no FMA, no halves */
    {0},
};

const struct processor_way *processor_way_named(const char *name)
{
    for (const struct processor_way *way = processor_ways; way->name != NULL; way++)
        if (strcmp(way->name, name) == 0)
            return way;
    return NULL;
}

static bool runs_here(const struct processor_way *way)
{
#ifdef __x86_64__
    __builtin_cpu_init();
    if (strcmp(way->target, AVX2) == 0 && !__builtin_cpu_supports("avx2"))
        return false; /* a compiler for this processor does not know what packs */
    return !way->avx512 || __builtin_cpu_supports("avx512bw");
#else
    (void)way;
    return false;
#endif
}

const struct processor_way *processor_way_of_run(void)
{
    static const struct processor_way own = {.name = "the processor's own", .build_options = ""};
    const char *name = getenv("CLQ_TEST_WAY");
    const struct processor_way *way = &own;
    const struct processor_way *here[sizeof processor_ways / sizeof *processor_ways];
    size_t count = 0;

    here[count++] = &own;
    for (const struct processor_way *any = processor_ways; any->name != NULL; any++)
        if (runs_here(any))
            here[count++] = any;
    if (name != NULL && strcmp(name, "own") != 0) {
        way = processor_way_named(name);
        if (way == NULL) {
            fprintf(stderr, "CLQ_TEST_WAY is \"%s\": it must be own, or a name of tests/engine/ways.c\n",
                    name);
            exit(2);
        }
    } else if (name == NULL) {
        way = here[(size_t)time(NULL) / 86400 % count];
    }
    printf("kernels of a processor: %s\n", way->name);
    return way;
}
