/* SPDX-License-Identifier: Apache-2.0 */
/* Every path of the host through the library, each short enough that all of its calls can be failed in turn.
 */
#ifndef CLQUANT_FAULTS_PATHS_H
#define CLQUANT_FAULTS_PATHS_H

#include "world.h"

enum path_flag {
    PATH_CACHED = 1 << 0,  /* keeps binaries: allocations on the way are the cache's, which may do without */
    PATH_WARM = 1 << 1,    /* its programs come out of the cache: what the driver refuses is built anew */
    PATH_CHOOSES = 1 << 2, /* looks at names of devices, and skips one that has none */
    PATH_UNTIED = 1 << 3,  /* gives no wait list */
    PATH_COPIED = 1 << 4,  /* copies first: where a later command failed, y may hold RESULT_COPIED */
    PATH_APART = 1 << 5,   /* the same with RESULT_APART */
    PATH_QUEUE = 1 << 6,   /* makes a queue for its caller */
    PATH_AWAITS = 1 << 7,  /* waits for its command: where that fails, y may hold the result */
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
bool place_paths_prime(struct world *world);
bool scales_paths_prime(struct world *world);
bool dynamic_paths_prime(struct world *world);
bool back_paths_prime(struct world *world);

extern const struct path paths[];
extern const size_t num_paths;
/* Of the operators that read indices. */
extern const struct path place_paths[];
extern const size_t num_place_paths;
extern const struct path scales_paths[];
extern const size_t num_scales_paths;
/* Of dynamic quantization. */
extern const struct path dynamic_paths[];
extern const size_t num_dynamic_paths;
/* Of dequantization. */
extern const struct path back_paths[];
extern const size_t num_back_paths;

/* A set_up and a tear_down: a context without a cache. */
bool path_new_context(struct world *world);
void path_destroy_context(struct world *world);

#endif
