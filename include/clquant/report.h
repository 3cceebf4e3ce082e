/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong indices, which the operators that read indices count on the device.
 *
 * A report costs one compare a row and no synchronization: the caller zeroes it, calls add to it, and the
 * caller reads it when it likes. One work-item counts an entry. An operator's clq_<operator>_check_indices
 * says in words which entry is wrong and why. */
#ifndef CLQUANT_REPORT_H
#define CLQUANT_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 16 bytes in device memory, 4-byte aligned, zeroed by the caller. Entries from 2^32-2 on all count as 2^32-2
 * in `first`. */
struct clq_report {
    uint32_t dropped;  /* entries that were dropped; of group_quantize, rows of no group */
    uint32_t clamped;  /* entries that CLQ_CLAMP moved; a start that CLQ_WRAP wraps is not counted */
    uint32_t first;    /* the lowest of these entries + 1; 0: none */
    uint32_t reserved; /* zero */
};

#ifdef __cplusplus
}
#endif
#endif
