/* SPDX-License-Identifier: Apache-2.0 */
/* clquant cache export: a source for each variant, and a manifest, for an offline compiler. */
#include "cache.h"

#include <clquant/export.h>
#include <clquant/version.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
    char path[PATH_MAX]; /* the folder that is written, and becomes the one that was asked for */
    FILE *manifest;
    size_t count;
    struct failure *failure;
};

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* The folder is made beside its place, so that what is there is whole. */
static bool begin(struct target *target, const char *directory)
{
    char path[PATH_MAX + 16];
    size_t length = strlen(directory);

    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (snprintf(target->path, sizeof target->path, "%.*s.new-XXXXXX", (int)length, directory) >=
        (int)sizeof target->path)
        return fail(target->failure, STATUS_USAGE, "%s: the name is too long", directory);
    if (mkdtemp(target->path) == NULL || chmod(target->path, 0755) != 0)
        return fail(target->failure, STATUS_SYSTEM, "%s: a folder cannot be made beside it: %s", directory,
                    strerror(errno));
    snprintf(path, sizeof path, "%s/manifest.json", target->path);
    target->manifest = fopen(path, "we");
    if (target->manifest == NULL)
        return fail(target->failure, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
    fprintf(target->manifest, "{\"clquant\": \"%s\", \"kernels\": [", clq_version());
    return true;
}

static clq_status write_source(struct target *target, const char *path, int fd,
                               const struct clq_exported *exported)
{
    FILE *file = fdopen(fd, "w");
    const bool written =
        file != NULL && fwrite(exported->source, 1, exported->source_bytes, file) == exported->source_bytes;

    if (file == NULL)
        close(fd);
    if (file == NULL || fclose(file) != 0 || !written) {
        fail(target->failure, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
        return CLQ_ERROR_SYSTEM;
    }
    return CLQ_OK;
}

/* No name or text here has a character that JSON escapes. */
static clq_status put(void *user, const struct clq_exported *exported)
{
    struct target *target = user;
    char path[PATH_MAX + 512];
    int fd;

    snprintf(path, sizeof path, "%s/%s.cl", target->path, exported->kernel);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0 && errno == EEXIST) /* a line names it that was before */
        return CLQ_OK;
    if (fd < 0) {
        fail(target->failure, STATUS_SYSTEM, "%s: %s", path, strerror(errno));
        return CLQ_ERROR_SYSTEM;
    }
    fprintf(target->manifest,
            "%s\n  {\"file\": \"%s.cl\", \"kernel\": \"%s\", \"variant\": \"%s\", \"options\": \"%s\"}",
            target->count++ > 0 ? "," : "", exported->kernel, exported->kernel, exported->variant,
            exported->options);
    return write_source(target, path, fd, exported);
}

static bool put_all(struct target *target, const struct variant_lines *lines)
{
    clq_status status = lines == NULL ? clq_export_variants(NULL, put, target) : CLQ_OK;

    for (size_t i = 0; lines != NULL && i < lines->count && status == CLQ_OK; i++)
        status = clq_export_variants(lines->lines[i].text, put, target);
    if (status != CLQ_OK && target->failure->status == STATUS_DONE)
        fail(target->failure, STATUS_SYSTEM, "%s", clq_error_detail());
    return status == CLQ_OK;
}

static bool end(struct target *target, const char *directory)
{
    const bool written = fprintf(target->manifest, "\n]}\n") > 0 && !ferror(target->manifest);
    const bool closed = fclose(target->manifest) == 0;

    target->manifest = NULL;
    if (!written || !closed)
        return fail(target->failure, STATUS_SYSTEM, "%s/manifest.json: %s", target->path, strerror(errno));
    if (rename(target->path, directory) != 0)
        return fail(target->failure,
                    errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ? STATUS_REFUSED
                                                                              : STATUS_SYSTEM,
                    "%s: it must be a new folder, or an empty one: %s", directory, strerror(errno));
    return true;
}

static void discard(struct target *target)
{
    if (target->manifest != NULL)
        fclose(target->manifest);
    nftw(target->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

int cache_export(const char *directory, const struct cache_options *options)
{
    struct variant_lines lines = {0};
    struct failure failure = {0};
    struct target target = {.failure = &failure};
    const char *const path = options->variants_path;
    bool good = false;

    if (options->device_text != NULL) {
        complain("cache export: --device is for fill: no device is opened");
        return STATUS_USAGE;
    }
    good = (path == NULL || variant_lines_read(&lines, path, &failure)) && begin(&target, directory) &&
           put_all(&target, path != NULL ? &lines : NULL) && end(&target, directory);
    if (good)
        printf("%s: %zu kernels and manifest.json\n", directory, target.count);
    else
        complain("%s", failure.text);
    if (!good && *target.path != '\0')
        discard(&target);
    variant_lines_clear(&lines);
    return good ? STATUS_DONE : (int)failure.status;
}
