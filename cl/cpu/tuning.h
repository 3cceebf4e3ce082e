/* SPDX-License-Identifier: Apache-2.0 */
/* Every number that was measured for the kernels of cl/cpu. None changes a byte of a result. The figures are
 * in docs/kernels.md. Tests give some a smaller value, so that small tensors take the ways of large ones
 * (tests/engine). */
#ifndef CLQ_CPU_TUNING_H
#define CLQ_CPU_TUNING_H

/* Streams of rows that a work-item does side by side, a step of each in turn. */
#define CLQ_CPU_STREAMS 4
/* Bytes of what is read from which on a work-item has more than one. */
#ifndef CLQ_CPU_STREAMS_BYTES
#define CLQ_CPU_STREAMS_BYTES 16384
#endif
/* Units of y in a step: what rows that are joined have a multiple of. */
#define CLQ_CPU_STEP 64
/* Units of a part of a long row: what a stream does of it at once. */
#ifndef CLQ_CPU_SLICE
#define CLQ_CPU_SLICE 16384
#endif
/* Rows of a stream that are found together; as many later ones are known meanwhile, to be prefetched. */
#ifndef CLQ_CPU_BATCH
#define CLQ_CPU_BATCH 32
#endif
/* Streams of entries that are gathered; entries that each has at least, and those that are found together, no
 * more than CLQ_CPU_BATCH. */
#define CLQ_CPU_GATHER_STREAMS 8
#ifndef CLQ_CPU_GATHERED
#define CLQ_CPU_GATHER_LEAST 4
#define CLQ_CPU_GATHERED     16
#endif
/* Prefetch distance in bytes of what is read, in each stream. */
#ifndef CLQ_CPU_AHEAD_QUANTIZE
#define CLQ_CPU_AHEAD_DEQUANTIZE 1024
#define CLQ_CPU_AHEAD_QUANTIZE   4096
#define CLQ_CPU_AHEAD_DYNAMIC    2048
#endif
#define CLQ_CPU_AHEAD_MOVE 2048
/* Bytes of a row of whole lines that moves past the caches, at least; of others four times as many. */
#ifndef CLQ_CPU_MOVE_LEAST
#define CLQ_CPU_MOVE_LEAST 256
#endif
/* Rows of a stream whose scales are found at once, half as many where each has more than half of these bytes
 * of x (the cache that is nearest holds two blocks of each stream), and one where it has more. */
#define CLQ_CPU_BLOCK_ROWS      8
#define CLQ_CPU_BLOCK_ROW_BYTES 512
/* Results smaller than this are stored through the caches: who reads them next finds them there. */
#ifndef CLQ_CPU_STORE_PAST
#define CLQ_CPU_STORE_PAST (8 << 20)
#endif
/* Scales whose inverses a work-item keeps in a table: what fits a nearest cache beside the rows. */
#ifndef CLQ_CPU_INVERSES
#define CLQ_CPU_INVERSES 8192
#endif
/* The write-combining buffer of rows that are not whole lines (cpu/combine.clh): lines that are collected
 * before any is stored, values at once, and values before them that may be written again. */
#define CLQ_CPU_COMBINED_LINES 2
#define CLQ_CPU_COMBINED_MOST  512
#define CLQ_CPU_COMBINED_AGAIN 64
/* Positions of entries that a work-item claims, and those whose words are prefetched together. */
#define CLQ_CPU_CLAIM_ITEM 1024
#ifndef CLQ_CPU_CLAIMS
#define CLQ_CPU_CLAIMS 32
#endif
/* Bytes of columns that a work-item of find_scales holds ranges for, 512 MiB of rows of 16 and 32 KiB: 0.84
 * of a loop that only reads with 4 KiB, 0.86 with 8, 0.89 with 16. */
#define CLQ_CPU_FIND_COLUMN_BYTES 16384

#endif
