/* SPDX-License-Identifier: Apache-2.0 */
/* A line on stderr that overwrites itself. */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#define CLEAR_LINE "\r\033[K"

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){.terminal = isatty(STDERR_FILENO) == 1, .percent = -1};
    clock_gettime(CLOCK_MONOTONIC, &progress->begin);
}

void progress_show(struct progress *progress, const char *what, uint64_t done, uint64_t total)
{
    const int percent = total ? (int)((double)done / (double)total * 100.0) : -1;
    struct timespec now;

    if (!progress->terminal)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - progress->begin.tv_sec < 1 + (now.tv_nsec < progress->begin.tv_nsec))
        return;
    if (progress->shown && percent >= 0 && percent == progress->percent)
        return;
    progress->percent = percent;
    progress->shown = true;
    fprintf(stderr, CLEAR_LINE "clquant: %s", what);
    if (percent >= 0)
        fprintf(stderr, ", %d %%", percent);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs(CLEAR_LINE, stderr);
    progress->shown = false;
}
