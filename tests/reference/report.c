/* SPDX-License-Identifier: Apache-2.0 */
/* The report of an operator that reads indices: what became of the entries that were not as they should be.
 */
#include "reference.h"

static void note_first(struct reference_report *report, int64_t entry)
{
    const uint32_t number = (uint32_t)(entry < UINT32_MAX - 1 ? entry : UINT32_MAX - 1) + 1;

    if (report->first == 0 || number < report->first)
        report->first = number;
}

void reference_report_dropped(struct reference_report *report, int64_t entry)
{
    report->dropped++;
    note_first(report, entry);
}

void reference_report_clamped(struct reference_report *report, int64_t entry)
{
    report->clamped++;
    note_first(report, entry);
}
