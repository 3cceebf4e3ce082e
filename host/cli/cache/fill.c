/* SPDX-License-Identifier: Apache-2.0 */
/* clquant cache fill: builds variants for a device that is present, and keeps their binaries. */
#include "../build_log.h"
#include "cache.h"

#include <clquant/context.h>
#include <stdio.h>
#include <string.h>

/* What the library said on the way. */
struct said {
    char reason[512]; /* why there is no cache, or a binary was not kept; "": neither */
    bool has_failed;  /* to build: what comes then is the driver's log */
};

/* Shows where each kernel came from, and on stderr what went wrong, such as an entry that was damaged. A
 * driver's log stands behind the sentence. */
static void hear(void *user, const char *line)
{
    struct said *said = user;

    said->has_failed |= strstr(line, ": the build failed") != NULL;
    if (said->has_failed)
        return;
    if (strncmp(line, "no disk cache", 13) == 0 || strstr(line, "could not be kept") != NULL)
        snprintf(said->reason, sizeof said->reason, "%s", line);
    else if (strstr(line, ": built from source") != NULL || strstr(line, ": taken from the cache") != NULL)
        printf("%s\n", line);
    else if (strncmp(line, "device ", 7) != 0 && strstr(line, " was kept") == NULL)
        complain("%s", line);
    fflush(stdout);
}

static bool build(clq_context *context, const struct variant_lines *lines, const char *path,
                  const struct said *said, struct failure *failure)
{
    for (size_t i = 0; i < lines->count; i++) {
        const char *const text = lines->lines[i].text;

        failure->code = clq_context_build(context, 1, &text);
        if (failure->code != CLQ_OK)
            return fail(failure, STATUS_SYSTEM, "%s: line %zu: %s", path, lines->lines[i].number,
                        clq_error_detail());
        if (*said->reason != '\0')
            return fail(failure, STATUS_SYSTEM, "%s: line %zu: %s, in %s", path, lines->lines[i].number,
                        said->reason, clq_context_cache_dir(context));
    }
    return true;
}

static bool open_context(const char *device_text, struct said *said, clq_context **context,
                         struct failure *failure)
{
    const struct clq_context_desc desc = {.device_text = device_text, .log = hear, .log_user = said};

    if (clq_context_create(&desc, context) != CLQ_OK)
        return fail(failure, STATUS_SYSTEM, "%s", clq_error_detail());
    if (*clq_context_cache_dir(*context) == '\0')
        return fail(failure, STATUS_SYSTEM, "%s",
                    *said->reason != '\0' ? said->reason : "there is no cache directory");
    return true;
}

int cache_fill(const struct cache_options *options)
{
    struct variant_lines lines = {0};
    struct failure failure = {0};
    struct said said = {.reason = ""};
    clq_context *context = NULL;
    size_t built = 0, there = 0;
    char *log = NULL;
    bool good = false;

    if (options->variants_path == NULL) {
        complain("cache fill: --for FILE is expected, a file of variants");
        return STATUS_USAGE;
    }
    good = variant_lines_read(&lines, options->variants_path, &failure) &&
           open_context(options->device_text, &said, &context, &failure) &&
           build(context, &lines, options->variants_path, &said, &failure);
    if (good) {
        clq_context_count(context, &built, &there);
        printf("%s: %zu kernels, of which %zu were there\n", clq_context_cache_dir(context), built, there);
    } else {
        log = take_build_log(failure.code, failure.text, context);
        complain("%s", failure.text);
        say_log(log);
    }
    clq_context_destroy(context);
    variant_lines_clear(&lines);
    return good ? STATUS_DONE : (int)failure.status;
}
