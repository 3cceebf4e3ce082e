/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a context. Only files of host/runtime see them. */
#ifndef CLQ_RUNTIME_CONTEXT_H
#define CLQ_RUNTIME_CONTEXT_H

#include "base/variant.h"
#include "runtime/device.h"

#include <clquant/context.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

struct clq__program;

struct clq_context {
    cl_context cl;
    struct clq__device device;
    struct clq__variant device_plugs[2]; /* by form: FORM and ARITHMETIC, of no kernel */
    char *build_options;                 /* the caller's, "" where there are none */
    clq_log log;
    void *log_user;
    bool log_stderr; /* CLQ_LOG */

    clq_cache_get cache_get; /* both NULL where nothing is kept */
    clq_cache_put cache_put;
    void *cache_user;
    char *cache_dir; /* NULL where the disk is not used */
    size_t cache_limit_bytes;

    FILE *recording; /* NULL: variants are not recorded */

    cl_program *binaries; /* that the caller added; guarded by building */
    size_t num_binaries;

    /* building serializes builds and is held while the driver compiles; lock guards the fields below it, for
     * the few instructions of a look-up */
    pthread_mutex_t building, lock;
    struct clq__program **slots; /* open addressing, a power of two */
    size_t num_slots, num_programs, num_from_cache;
    atomic_size_t group_items; /* that every kernel takes that was built */
    char *build_log;
};

void clq__log(const clq_context *context, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
