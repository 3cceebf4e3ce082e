/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, starting and quoting. */
#include "gnuplot.h"

#include <errno.h>
#include <output_file.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_there(void)
{
    const char *path = getenv("PATH");
    char name[4096];

    for (const char *at = path ? path : ""; *at;) {
        size_t length = strcspn(at, ":");

        snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, at);
        if (access(name, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool gnuplot_can_draw(const char *path, struct failure *failure)
{
    if (is_there())
        return output_file_possible("--plot", path, failure);
    return fail(failure, STATUS_SYSTEM,
                "--plot needs gnuplot, which is not in PATH (Debian: apt install gnuplot-nox)");
}

/* gnuplot succeeds on a full disk too, so how a picture ends tells whether it is all there: SVG or PNG. */
static bool is_whole(const struct output_file *file)
{
    static const char svg[] = "</svg>", png[] = "IEND";
    char end[16] = "";
    const off_t size = lseek(file->fd, 0, SEEK_END);
    const ssize_t count =
        size >= (off_t)sizeof end ? pread(file->fd, end, sizeof end, size - (off_t)sizeof end) : 0;

    return count == (ssize_t)sizeof end && (memmem(end, sizeof end, svg, strlen(svg)) != NULL ||
                                            memmem(end, sizeof end, png, strlen(png)) != NULL);
}

static bool draw(const char *path, void (*put)(const void *, const char *, FILE *), const void *what,
                 struct failure *failure)
{
    FILE *gnuplot;
    int status;

    signal(SIGPIPE, SIG_IGN);
    gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return fail(failure, STATUS_SYSTEM, "gnuplot cannot be started: %s", strerror(errno));
    put(what, output_file_private_name(), gnuplot);
    status = pclose(gnuplot);
    if (status == -1)
        return fail(failure, STATUS_SYSTEM, "gnuplot cannot be waited for: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return fail(failure, STATUS_SYSTEM, "gnuplot failed to draw '%s' (%s %d)", path,
                WIFEXITED(status) ? "exit status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

bool gnuplot_draw(const char *path, void (*put)(const void *what, const char *output, FILE *to),
                  const void *what, struct failure *failure)
{
    struct output_file file;
    bool done = output_file_create(&file, "--plot", path, failure) && draw(path, put, what, failure);

    if (done && !is_whole(&file))
        done = fail(failure, STATUS_SYSTEM, "gnuplot left '%s' unfinished: is the disk full?", path);
    done = done && output_file_commit(&file, failure);

    output_file_discard(&file);
    return done;
}

void gnuplot_put_quoted(const char *text, FILE *to)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        fputc(*text, to);
    }
    fputc('\'', to);
}
