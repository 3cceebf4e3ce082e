/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction sets that the loops are compiled for: one source, a table of functions each. */
#ifndef CLQUANT_BENCH_ISA_H
#define CLQUANT_BENCH_ISA_H

enum isa { ISA_PLAIN, ISA_AVX2, ISA_AVX512, ISA_COUNT };

/* The widest that this processor and this build have; each smaller one is there too. */
enum isa isa_best(void);
const char *isa_name(enum isa isa);

#endif
