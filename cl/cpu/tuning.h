/* SPDX-License-Identifier: Apache-2.0 */
/* Every number that was measured for the kernels of cl/cpu. None changes a byte of a result. The figures are in
 * docs/kernels.md. */
#ifndef CLQ_CPU_TUNING_H
#define CLQ_CPU_TUNING_H

/* Streams of rows that a work-item does side by side, a step of each in turn. */
#define CLQ_CPU_STREAMS 4
/* Units of y in a step: what rows that are joined have a multiple of. */
#define CLQ_CPU_STEP 64
/* Units of a part of a long row: what a stream does of it at once. */
#define CLQ_CPU_PART 16384
/* Rows of a stream that are found together; as many later ones are known meanwhile, to be prefetched. */
#define CLQ_CPU_BATCH 32
/* Prefetch distance in bytes of what is read, in each stream. */
#define CLQ_CPU_AHEAD_DEQUANTIZE 1024
#define CLQ_CPU_AHEAD_QUANTIZE   4096
/* Results smaller than this are stored through the caches: who reads them next finds them there. */
#define CLQ_CPU_STORE_PAST (8 << 20)
/* Scales whose inverses a work-item keeps in a table: what fits a nearest cache beside the rows. */
#define CLQ_CPU_INVERSES 8192
/* Bytes that rows which are not whole lines collect before they are stored as lines. */
#define CLQ_CPU_COMBINED 1024

#endif
