/* SPDX-License-Identifier: Apache-2.0 */
/* What the first call of a new process costs, built from source and with a binary from our cache. The
 * driver's own cache is empty on both sides, or it would answer for ours: so what a driver compiles anew
 * though it has the binary counts. Each side is a process of its own, which says
 * where its kernel came from. */
#include "../build_log.h"
#include "bench.h"
#include "timing.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 5, COLUMNS = 8192, ROWS = 64 };

extern char **environ;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* What the process says: the seconds, and the kernels that it did not build. */
static bool read_seconds(struct bench *bench, int from, pid_t child, bool cached, double *seconds)
{
    char text[64] = "", *rest = text;
    size_t length = 0;
    ssize_t got = 0;
    int status = 0;

    while (length + 1 < sizeof text && (got = read(from, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    *seconds = strtod(text, &rest);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || *seconds <= 0)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: the process of a first call failed");
    return (strtol(rest, NULL, 10) > 0) == cached ||
           fail(&bench->failure, STATUS_SYSTEM, "bench: the kernel of a first call %s from the cache",
                cached ? "did not come" : "came");
}

/* A process of this program, started by env with caches in the directory: ours, which the second turn finds
 * warm, and an empty one of the driver for each turn.
 * Variables that turn a cache off are for drivers that cannot be given a place. */
static bool run_child(struct bench *bench, const char *directory, int turn, double *seconds)
{
    char ours[4200], pocl[4200], program[4096] = "", name[] = "env", cuda[] = "CUDA_CACHE_DISABLE=1",
                                 mesa[] = "MESA_SHADER_CACHE_DISABLE=true", command[] = "bench",
                                 option[] = "--first-call", device[] = "--device";
    char *arguments[] = {name,
                         ours,
                         pocl,
                         cuda,
                         mesa,
                         program,
                         command,
                         option,
                         bench->options.device_text ? device : NULL,
                         (char *)(size_t)bench->options.device_text,
                         NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], code = 0;
    pid_t child = 0;
    bool done = false;

    snprintf(ours, sizeof ours, "CLQ_CACHE_DIR=%s/ours", directory);
    snprintf(pocl, sizeof pocl, "POCL_CACHE_DIR=%s/driver%d", directory, turn);
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: /proc/self/exe: %s", strerror(errno));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: pipe failed: %s", strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    code = posix_spawnp(&child, "env", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    done = code == 0
               ? read_seconds(bench, ends[0], child, turn > 0, seconds)
               : fail(&bench->failure, STATUS_SYSTEM, "bench: starting a process failed: %s", strerror(code));
    close(ends[0]);
    return done;
}

/* Cold, then warm with what the cold one left. */
static bool measure_pair(struct bench *bench, double *cold, double *warm)
{
    char directory[2048];
    const char *temporary = getenv("TMPDIR");
    bool done = false;

    snprintf(directory, sizeof directory, "%s/clquant-bench-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(directory))
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no temporary directory '%s': %s", directory,
                    strerror(errno));
    done = run_child(bench, directory, 0, cold) && run_child(bench, directory, 1, warm);
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return done;
}

static struct report_row row_of(const char *where)
{
    struct report_row row = {.operator_name = "quantize",
                             .src = "float16",
                             .dst = "int8",
                             .mode = "multiply",
                             .axis = -1,
                             .has_axis = 1,
                             .ndim = 2,
                             .shape = {ROWS, COLUMNS}};

    snprintf(row.note, sizeof row.note, "first call, %s", where);
    return row;
}

/* Both are measured in turn, whichever is asked for. */
bool first_call_rows(struct bench *bench)
{
    struct report_row built = row_of("built from source"), kept = row_of("binary from the cache");
    double cold[TURNS], warm[TURNS], ratios[TURNS];
    const bool wants_built =
                   bench_wants(bench, "quantize float16 to int8, multiply, first call, built from source"),
               wants_kept = bench_wants(
                   bench, "quantize float16 to int8, multiply, first call, binary from the cache");

    if (!wants_built && !wants_kept)
        return true;
    for (int i = 0; i < TURNS; i++) {
        if (!measure_pair(bench, &cold[i], &warm[i]))
            return false;
        ratios[i] = cold[i] / warm[i];
    }
    built.median_s = median(cold, TURNS);
    kept.median_s = median(warm, TURNS);
    kept.vs[0].name = "cold";
    kept.vs[0].ratio = median(ratios, TURNS);
    kept.peers = 1;
    return (!wants_built || bench_add(bench, &built)) && (!wants_kept || bench_add(bench, &kept));
}

/* From nothing to the first result, tensors included. */
static clq_status first_call(const char *device_text, clq_context **context)
{
    const struct clq_context_desc how = {.device_text = device_text};
    const int64_t shape[] = {ROWS, COLUMNS};
    DLManagedTensor *x = NULL, *scales = NULL, *y = NULL;
    cl_command_queue queue = NULL;
    cl_event done = NULL;
    clq_status status = clq_context_create(&how, context);

    if (status == CLQ_OK)
        status = clq_queue_create(*context, 0, &queue);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_FLOAT16, 2, shape, &x);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_FLOAT32, 1, shape + 1, &scales);
    if (status == CLQ_OK)
        status = clq_tensor_create(*context, CLQ_INT8, 2, shape, &y);
    if (status == CLQ_OK)
        status = clq_quantize(*context, queue,
                              &(struct clq_quantize_desc){.x = &x->dl_tensor,
                                                          .scales = &scales->dl_tensor,
                                                          .y = &y->dl_tensor,
                                                          .axis = -1,
                                                          .mode = CLQ_MULTIPLY},
                              0, NULL, &done);
    if (status == CLQ_OK)
        status = clWaitForEvents(1, &done);
    if (done)
        clReleaseEvent(done);
    clq_tensor_destroy(y);
    clq_tensor_destroy(scales);
    clq_tensor_destroy(x);
    clq_queue_destroy(queue);
    return status;
}

int first_call_main(const char *device_text)
{
    clq_context *context = NULL;
    const double start = now_s();
    const clq_status status = first_call(device_text, &context);
    const double took = now_s() - start;
    size_t from_cache = 0;
    char sentence[1024], *log = NULL;

    if (status == CLQ_OK)
        clq_context_count(context, NULL, &from_cache);
    snprintf(sentence, sizeof sentence, "%s", clq_error_detail());
    log = take_build_log(status, sentence, context);
    clq_context_destroy(context);
    if (status != CLQ_OK) {
        complain("bench: first call: %s", sentence);
        say_log(log);
        return STATUS_SYSTEM;
    }
    printf("%.9f %zu\n", took, from_cache);
    return STATUS_DONE;
}
