/* The report of an operator that reads indices: what became of the entries that were not as they should be.
 */
#include "reference.h"

/* The lowest entry is the largest of these numbers, so it can be kept by a maximum that starts at 0. */
static void note_first(struct reference_report *report, int64_t entry)
{
    const uint32_t first = UINT32_MAX - (uint32_t)(entry < UINT32_MAX - 1 ? entry : UINT32_MAX - 1);

    if (report->first < first)
        report->first = first;
}

void reference_report_dropped(struct reference_report *report, int64_t entry)
{
    report->dropped++;
    note_first(report, entry);
}

void reference_report_moved(struct reference_report *report, int64_t entry)
{
    report->moved++;
    note_first(report, entry);
}
