/* SPDX-License-Identifier: Apache-2.0 */
/* A user's process for the scripts: one call, with the cache that the environment names. It prints what it
 * built, what of it came from the cache, and the microseconds.
 *
 *   first_call [--limit BYTES] [--die] [--log]
 *
 * With a limit no file may grow past it once the kernel is compiled: a write is cut, and the next one fails,
 * or with
 * --die ends the process in the middle of the file. */
#include "call.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct options {
    bool log, die;
    rlim_t limit; /* 0: none */
};

static void listen(void *user, const char *line)
{
    const struct options *options = user;
    const struct rlimit no_core = {0, 0}, limit = {options->limit, RLIM_INFINITY};

    if (options->log)
        printf("%s\n", line);
    if (options->limit > 0 && strstr(line, "built from source") != NULL) {
        /* LLVM has a handler of its own there */
        signal(SIGXFSZ, options->die ? SIG_DFL : SIG_IGN);
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

int main(int argc, char **argv)
{
    struct options options = {0};
    const struct clq_context_desc desc = {.log = listen, .log_user = &options};
    struct call_result result;
    clq_status status;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--log") == 0)
            options.log = true;
        else if (strcmp(argv[i], "--die") == 0)
            options.die = true;
        else if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc)
            options.limit = strtoul(argv[++i], NULL, 10);
    }
    status = single_call(&desc, &result);
    if (status != CLQ_OK) {
        fprintf(stderr, "%s: %s\n", clq_status_name(status), clq_error_detail());
        return status == CLQ_ERROR_DEVICE ? 77 : 1;
    }
    printf("built %zu cached %zu us %.0f dir %s\n", result.built, result.from_cache, 1e6 * result.seconds,
           result.cache_dir);
    return 0;
}
