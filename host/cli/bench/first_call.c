/* SPDX-License-Identifier: Apache-2.0 */
/* What the first call of a new process costs, with our disk cache warm and with it cold. The driver's own
 * cache is empty on both sides, or it would answer for ours. Each side is a process of its own. */
#include "bench.h"
#include "timing.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 5, COLUMNS = 8192, ROWS = 64 };

extern char **environ;

/* Variables that name or turn off caches, ours and those of drivers, and where the process finds them. */
struct caches {
    char directory[4096];
    char ours[4200], pocl[4200];
    char *environment[512];
};

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static bool is_replaced(const char *variable)
{
    static const char *const names[] = {
        "CLQ_CACHE_DIR=", "POCL_CACHE_DIR=", "CUDA_CACHE_DISABLE=", "MESA_SHADER_CACHE_DISABLE="};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool make_environment(struct bench *bench, struct caches *caches, int turn)
{
    const size_t most = sizeof caches->environment / sizeof *caches->environment;
    size_t count = 0;

    snprintf(caches->ours, sizeof caches->ours, "CLQ_CACHE_DIR=%s/ours", caches->directory);
    snprintf(caches->pocl, sizeof caches->pocl, "POCL_CACHE_DIR=%s/driver%d", caches->directory, turn);
    caches->environment[count++] = caches->ours;
    caches->environment[count++] = caches->pocl;
    caches->environment[count++] = "CUDA_CACHE_DISABLE=1";
    caches->environment[count++] = "MESA_SHADER_CACHE_DISABLE=true";
    for (char **variable = environ; *variable; variable++) {
        if (is_replaced(*variable))
            continue;
        if (count + 1 == most)
            return fail(&bench->failure, STATUS_SYSTEM, "bench: the environment has more than %zu variables",
                        most);
        caches->environment[count++] = *variable;
    }
    caches->environment[count] = NULL;
    return true;
}

static bool read_seconds(struct bench *bench, int from, pid_t child, double *seconds)
{
    char text[64] = "";
    size_t length = 0;
    ssize_t got = 0;
    int status = 0;

    while (length + 1 < sizeof text && (got = read(from, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *seconds = strtod(text, NULL);
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0 && *seconds > 0) ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: the process of a first call failed");
}

static bool run_child(struct bench *bench, struct caches *caches, int turn, double *seconds)
{
    char name[] = "clquant", command[] = "bench", option[] = "--first-call", device[] = "--device";
    char *arguments[] = {name,
                         command,
                         option,
                         bench->options.device_text ? device : NULL,
                         (char *)(size_t)bench->options.device_text,
                         NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], code = 0;
    pid_t child = 0;
    bool done = false;

    if (!make_environment(bench, caches, turn))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: pipe failed: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    code = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, caches->environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    done = code == 0
               ? read_seconds(bench, ends[0], child, seconds)
               : fail(&bench->failure, STATUS_SYSTEM, "bench: starting a process failed: %s", strerror(code));
    close(ends[0]);
    return done;
}

/* Cold, then warm with what the cold one left. */
static bool measure_pair(struct bench *bench, double *cold, double *warm)
{
    struct caches caches;
    const char *temporary = getenv("TMPDIR");
    bool done = false;

    snprintf(caches.directory, sizeof caches.directory, "%s/clquant-bench-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(caches.directory))
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no temporary directory '%s': %s",
                    caches.directory, strerror(errno));
    done = run_child(bench, &caches, 0, cold) && run_child(bench, &caches, 1, warm);
    nftw(caches.directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return done;
}

bool first_call_rows(struct bench *bench)
{
    struct report_row row = {.operator_name = "quantize",
                             .src = "float16",
                             .dst = "int8",
                             .mode = "multiply",
                             .note = "first call, disk cache warm",
                             .axis = -1,
                             .has_axis = 1,
                             .ndim = 2,
                             .shape = {ROWS, COLUMNS}};
    double warm[PAIRS], ratios[PAIRS];

    if (!bench_wants(bench, "quantize float16 to int8, multiply, first call, disk cache warm"))
        return true;
    for (int i = 0; i < PAIRS; i++) {
        double cold = 0;

        if (!measure_pair(bench, &cold, &warm[i]))
            return false;
        ratios[i] = cold / warm[i];
    }
    row.median_s = median(warm, PAIRS);
    row.vs[0].name = "cold";
    row.vs[0].ratio = median(ratios, PAIRS);
    row.peers = 1;
    return bench_add(bench, &row);
}

static clq_status quantize_once(clq_context *context, cl_command_queue queue,
                                const struct clq_quantize_desc *desc)
{
    cl_event done = NULL;
    clq_status status = clq_quantize(context, queue, desc, 0, NULL, &done);

    if (status == CLQ_OK) {
        status = clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
    return status;
}

/* From nothing to the first result, tensors included. */
static clq_status first_call(const char *device_text, clq_context **context)
{
    const struct clq_context_desc how = {.device_text = device_text};
    const int64_t shape[] = {ROWS, COLUMNS};
    DLManagedTensor *x = NULL, *scales = NULL, *y = NULL;
    cl_command_queue queue = NULL;
    clq_status status = clq_context_create(&how, context);

    if (status == CLQ_OK)
        queue = clCreateCommandQueue(clq_context_cl(*context), clq_context_device(*context), 0, &status);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_FLOAT16, 2, shape, &x);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_FLOAT32, 1, shape + 1, &scales);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_INT8, 2, shape, &y);
    if (status == CLQ_OK)
        status = quantize_once(*context, queue,
                               &(struct clq_quantize_desc){.x = &x->dl_tensor,
                                                           .scales = &scales->dl_tensor,
                                                           .y = &y->dl_tensor,
                                                           .axis = -1,
                                                           .mode = CLQ_MULTIPLY});
    clq_tensor_destroy(y);
    clq_tensor_destroy(scales);
    clq_tensor_destroy(x);
    if (queue)
        clReleaseCommandQueue(queue);
    return status;
}

int first_call_main(const char *device_text)
{
    clq_context *context = NULL;
    const double start = now_s();
    const clq_status status = first_call(device_text, &context);
    const double took = now_s() - start;

    clq_context_destroy(context);
    if (status != CLQ_OK) {
        complain("bench: first call: %s", clq_error_detail());
        return STATUS_SYSTEM;
    }
    printf("%.9f\n", took);
    return STATUS_DONE;
}
