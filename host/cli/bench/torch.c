/* SPDX-License-Identifier: Apache-2.0 */
/* The process, its two pipes, and what is said through them. */
#include "torch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Written by CMakeLists.txt from torch_peer.py. */
static const char script[] = {
#include "torch_peer_py.inc"
    '\0'};

struct torch {
    pid_t process;
    FILE *to, *from;
};

extern char **environ;

/* The process reads what is written to ends[1], and writes what is read from ends[2]. */
static bool spawn(pid_t *process, const int ends[4])
{
    char name[] = "python3", option[] = "-c";
    char *arguments[] = {name, option, (char *)(size_t)script, NULL};
    posix_spawn_file_actions_t actions;
    int code = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[3], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* Its threads would otherwise spin on after a run, on the processors that the next contestant needs. */
    setenv("OMP_WAIT_POLICY", "passive", 0);
    code = posix_spawnp(process, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0;
}

static bool answer(struct torch *torch, char *text, int size)
{
    return fgets(text, size, torch->from) != NULL && strchr(text, '\n') != NULL;
}

static bool is_ready(struct torch *torch)
{
    char text[64];

    return answer(torch, text, sizeof text) && strcmp(text, "ready\n") == 0;
}

static bool say(struct torch *torch, const char *line)
{
    return fprintf(torch->to, "%s\n", line) > 0 && fflush(torch->to) == 0;
}

/* Two pipes, and a stream on our end of each. */
static bool open_pipes(struct torch *torch, int ends[4])
{
    if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(ends + 2, O_CLOEXEC) != 0)
        return false;
    torch->to = fdopen(ends[1], "w");
    torch->from = fdopen(ends[2], "r");
    return torch->to && torch->from;
}

struct torch *torch_start(void)
{
    struct torch *torch = calloc(1, sizeof *torch);
    int ends[4] = {-1, -1, -1, -1};
    bool there = torch && open_pipes(torch, ends) && spawn(&torch->process, ends);

    /* A process that has ended is told by its silence. */
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < 4; i++)
        if (ends[i] >= 0 && !(i == 1 && torch->to) && !(i == 2 && torch->from))
            close(ends[i]);
    there = there && is_ready(torch);
    if (there)
        return torch;
    torch_stop(torch);
    return NULL;
}

bool torch_prepare(struct torch *torch, const char *work)
{
    return say(torch, work) && is_ready(torch);
}

bool torch_run(struct torch *torch, double *seconds)
{
    char text[64] = "";

    *seconds = say(torch, "run") && answer(torch, text, sizeof text) ? strtod(text, NULL) : 0;
    return *seconds > 0;
}

void torch_stop(struct torch *torch)
{
    if (!torch)
        return;
    if (torch->to)
        fclose(torch->to);
    if (torch->from)
        fclose(torch->from);
    while (torch->process > 0 && waitpid(torch->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    free(torch);
}

static bool run(struct bench *bench, void *self)
{
    struct torch_peer *peer = self;

    if (!torch_run(bench->torch, &peer->seconds))
        return fail(&bench->failure, STATUS_SYSTEM, "bench: the process of PyTorch ended");
    peer->seconds *= peer->times;
    return true;
}

void torch_add(struct bench *bench, struct race *race, struct torch_peer *peer, const char *name, int calls,
               const char *work)
{
    char line[256];

    if (bench->pool && !bench->torch_tried) {
        bench->torch_tried = true;
        bench->torch = torch_start();
    }
    snprintf(line, sizeof line, "%d %s", calls, work);
    if (bench->torch && torch_prepare(bench->torch, line))
        race_add(race,
                 &(struct contestant){
                     .role = RACE_PEER, .name = name, .run = run, .self = peer, .own_s = &peer->seconds});
}
