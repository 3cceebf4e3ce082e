/* SPDX-License-Identifier: Apache-2.0 */
/* One line on a terminal about work that takes longer than a second; nothing anywhere else. */
#ifndef CLQUANT_CLI_PROGRESS_H
#define CLQUANT_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
    bool terminal;
    bool shown;
    int percent;
    struct timespec begin;
};

void progress_begin(struct progress *progress);

/* what, such as "reading x", is done of total; a total of 0 shows no percentage. */
void progress_show(struct progress *progress, const char *what, uint64_t done, uint64_t total);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
