/* SPDX-License-Identifier: Apache-2.0 */
/* A user's program: it adds binaries and makes one call, whose bytes are compared. It prints how many kernels
 * are ready, and how many were not built.
 *
 *   compile_user [--has VARIANT] [BINARY…]      what the last binary must have */
#include "call.h"
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(void *user, const char *line)
{
    (void)user;
    printf("%s\n", line);
}

static int failed(clq_status status)
{
    fprintf(stderr, "%s: %s\n", clq_status_name(status), clq_error_detail());
    return 1;
}

static clq_status add(clq_context *context, const char *path, const char *variant)
{
    size_t size = 0;
    unsigned char *binary = files_read(path, &size);
    const clq_status status = binary == NULL
                                  ? clq_error_set(CLQ_ERROR_SYSTEM, "%s cannot be read", path)
                                  : clq_context_add_binary(context, binary, size, variant != NULL, &variant);

    free(binary);
    return status;
}

int main(int argc, char **argv)
{
    const bool asks = argc > 2 && strcmp(argv[1], "--has") == 0;
    clq_context *context = NULL;
    struct call_result result;
    clq_status status = clq_context_create(&(struct clq_context_desc){.log = print}, &context);

    for (int i = asks ? 3 : 1; i < argc && status == CLQ_OK; i++)
        status = add(context, argv[i], asks && i + 1 == argc ? argv[2] : NULL);
    if (status == CLQ_OK)
        status = call_in(context, &result);
    if (status != CLQ_OK)
        return failed(status);
    printf("built %zu, not from source %zu\n", result.built, result.from_cache);
    clq_context_destroy(context);
    return 0;
}
