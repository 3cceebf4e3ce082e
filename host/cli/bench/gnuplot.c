/* Finding, starting and quoting. */
#include "gnuplot.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool gnuplot_is_there(void)
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

FILE *gnuplot_open(void)
{
    signal(SIGPIPE, SIG_IGN);
    return popen("gnuplot", "w");
}

int gnuplot_close(FILE *gnuplot)
{
    return pclose(gnuplot);
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
