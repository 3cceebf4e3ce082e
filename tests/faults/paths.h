/* Every path of the host through the library, each short enough that all of its calls can be failed in turn.
 */
#ifndef CLQUANT_FAULTS_PATHS_H
#define CLQUANT_FAULTS_PATHS_H

#include "world.h"

enum path_flag {
    PATH_CACHED = 1 << 0, /* keeps binaries: allocations on the way are the cache's, which may do without */
    PATH_WARM = 1 << 1,   /* its programs come out of the cache: what the driver refuses is built anew */
    PATH_CHOOSES = 1 << 2 /* looks at names of devices, and skips one that has none */
};

struct path {
    const char *name;
    unsigned flags;
    clq_status base; /* of a run without a fault */
    enum world_result result;
    bool (*set_up)(struct world *world); /* false: not on this device */
    clq_status (*run)(struct world *world);
    void (*tear_down)(struct world *world);
};

/* Builds what the paths on world->warm use. */
bool paths_prime(struct world *world);

extern const struct path paths[];
extern const size_t num_paths;

#endif
