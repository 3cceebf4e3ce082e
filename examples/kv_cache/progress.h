/* SPDX-License-Identifier: Apache-2.0 */
/* What the program is busy with while it says nothing else: on a terminal a line that is rewritten every
 * second and goes away, elsewhere one plain line; both only where it takes longer than a second. */
#ifndef CLQ_KV_CACHE_PROGRESS_H
#define CLQ_KV_CACHE_PROGRESS_H

struct progress;

/* NULL where there is no memory or no thread: then nothing is shown. what must live until the end. */
struct progress *progress_begin(const char *what);
void progress_end(struct progress *progress);

#endif
