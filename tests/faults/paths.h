/* SPDX-License-Identifier: Apache-2.0 */
/* Every path of the host through the library, each short enough that all of its calls
 * can be failed in turn. */
#ifndef CLQUANT_FAULTS_PATHS_H
#define CLQUANT_FAULTS_PATHS_H

#include "chosen.h"

enum path_flag {
    PATH_CACHED = 1 << 0,  /* keeps binaries: allocations on the way are the cache's, which may do without */
    PATH_WARM = 1 << 1,    /* its programs come out of the cache: what the driver refuses is built anew */
    PATH_CHOOSES = 1 << 2, /* looks at names of devices, and skips one that has none */
    PATH_UNTIED = 1 << 3,  /* gives no wait list */
    PATH_WRITES = 1 << 4, /* the buffers hold the result; where it failed, a copy that comes first may stay */
    PATH_QUEUE = 1 << 5,  /* makes a queue for its caller */
    PATH_ADDS = 1 << 7,   /* adds a binary */
    PATH_AWAITS = 1 << 6, /* waits for its command: where that fails, the buffers may hold the result */
    PATH_GATHERS = 1 << 7, /* has one event of many commands: likewise */
    PATH_ROOMY = 1 << 8,   /* is given all memory that it needs: it makes no buffer */
};

struct path {
    const char *name;
    unsigned flags;
    clq_status base;                 /* of a run without a fault */
    void (*make)(struct call *call); /* its subject, by hand; NULL: it has none, or one that was drawn */
    bool (*set_up)(struct world *world);
    clq_status (*run)(struct world *world); /* repeated after a failure: makes what is not there yet */
    void (*tear_down)(struct world *world);
};

/* By hand: contexts, caches, queues and tensors. */
extern const struct path paths[];
extern const size_t num_paths;

/* What is asked of calls that were drawn: of those of these kinds, or of the longest of its operator. */
struct asked {
    struct path path; /* its base: with right indices */
    unsigned kinds;
    bool longest;
    bool in_workspace; /* one is given */
};
enum { ASKED_CALL = 0 }; /* the call itself */
extern const struct asked asked[];
extern const size_t num_asked;
/* A run whose base is CLQ_ERROR_INDEX where indices are wrong. */
clq_status asked_check_indices(struct world *world);

/* A set_up and a tear_down: a context without a cache. */
bool path_new_context(struct world *world);
void path_destroy_context(struct world *world);

/* A run: the subject's call on the context that was set up. */
clq_status path_first_call(struct world *world);
clq_status path_build(struct world *world);

#endif
