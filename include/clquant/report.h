/* What the operators that read indices found wrong with them, counted on the device.
 *
 * A report costs one compare a row and no synchronization: the caller zeroes it, calls add to it, and the
 * caller reads it when it likes. One work-item counts an entry. An operator's clq_<operator>_explain says in
 * words which entry is wrong and why. */
#ifndef CLQUANT_REPORT_H
#define CLQUANT_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 16 bytes in device memory, 4-byte aligned. */
struct clq_report {
    uint32_t dropped;  /* entries that were dropped; of group_quantize, rows of no group */
    uint32_t moved;    /* entries that CLQ_CLAMP moved; a start that CLQ_WRAP wraps is not counted */
    uint32_t first;    /* 2^32-1 minus the lowest entry concerned, kept by atomic_max; 0: none */
    uint32_t reserved; /* zero */
};

/* The lowest entry that was dropped or moved; -1 where none was. Entries from 2^32-2 on all count as 2^32-2.
 */
static inline int64_t clq_report_first(const struct clq_report *report)
{
    return report->dropped == 0 && report->moved == 0 ? -1 : (int64_t)(UINT32_MAX - report->first);
}

#ifdef __cplusplus
}
#endif
#endif
