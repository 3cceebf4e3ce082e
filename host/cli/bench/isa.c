/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction sets the processor has. */
#include "isa.h"

enum isa isa_best(void)
{
#ifdef BENCH_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return ISA_AVX512;
    /* Every processor with AVX2 has F16C, which gcc 12 has no name for here. */
    if (__builtin_cpu_supports("avx2"))
        return ISA_AVX2;
#endif
    return ISA_PLAIN;
}

const char *isa_name(enum isa isa)
{
    static const char *const names[ISA_COUNT] = {"plain C", "AVX2", "AVX-512"};
    return names[isa];
}
