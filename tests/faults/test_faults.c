/* SPDX-License-Identifier: Apache-2.0 */
/* Every call fails once, and from every call on: allocations, file operations and OpenCL calls of each path
 * through the library, one after the other until none is left to fail. After each: the right status, nothing
 * alive that was not before, the outputs whole or untouched, and the same path works.
 *
 *   test_faults LAYER DIRECTORY [PATH [MODE [AT]]]   a failure prints the line that repeats it */
#include "inject.h"
#include "paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const mode_names[FAULT_MODES] = {"once", "from", "every"};
static const char before[] = "size_bytes is NULL: it must point to a size_t";

enum verdict { MUST_FAIL, MUST_PASS, EITHER };

struct snapshot {
    size_t live, over_released, shared, refused;
    long blocks, files, callers[6];
};

static struct world world;
static const char *program, *layer, *directory;
static size_t failures, runs;

static bool fault_in_opencl(const char *name, int *code)
{
    return inject_here(FAULT_OPENCL, name, code);
}

static struct snapshot look(void)
{
    const void *callers[6] = {world.cl, world.queue, world.x, world.scales, world.y, world.ready};
    struct snapshot now = {.live = world.layer->live,
                           .over_released = world.layer->over_released,
                           .shared = world.layer->shared,
                           .refused = world.layer->refused,
                           .blocks = inject_live_blocks(),
                           .files = inject_live_files()};

    for (size_t i = 0; i < 6; i++)
        now.callers[i] = world.references(callers[i]);
    return now;
}

static bool is(const struct fault *fault, const char *name)
{
    return strcmp(fault->name, name) == 0;
}

/* Where they are made anew for each call, a second one of a program may fail too. */
static bool keeps_kernels(void)
{
    return strcmp(world.platform_name, "rusticl") != 0;
}

/* Others may refuse a kernel with a NULL buffer. */
static bool takes_null(void)
{
    return strcmp(world.platform_name, "Portable Computing Language") == 0;
}

/* Whether the path has to fail for this fault, or to do without. */
static enum verdict verdict_of(const struct path *path, const struct fault *fault, clq_status *status)
{
    *status = fault->code;
    switch (fault->kind) {
    case FAULT_FILE:
        return MUST_PASS; /* files are only the cache's */
    case FAULT_MEMORY:
        *status = CLQ_ERROR_MEMORY;
        return path->flags & PATH_CACHED || path->base != CLQ_OK ? EITHER : MUST_FAIL;
    case FAULT_MUTEX:
        *status = CLQ_ERROR_SYSTEM;
        return MUST_FAIL;
    default:
        break;
    }
    if (path->flags & PATH_QUEUE && is(fault, "clCreateCommandQueue"))
        return MUST_FAIL;
    if (fault->rehearsal || is(fault, "clCreateCommandQueue") || strncmp(fault->name, "clRelease", 9) == 0 ||
        is(fault, "clGetProgramInfo") || is(fault, "clCreateProgramWithBinary") ||
        is(fault, "clGetProgramBuildInfo"))
        return MUST_PASS;
    if (path->flags & PATH_WARM && is(fault, "clBuildProgram"))
        return MUST_PASS;
    if (path->flags & PATH_WARM && is(fault, "clCreateKernel"))
        return keeps_kernels() ? MUST_PASS : EITHER; /* its program is built anew */
    if (path->flags & PATH_CHOOSES && (is(fault, "clGetPlatformInfo") || is(fault, "clGetDeviceInfo")))
        return EITHER;
    if (fault->code == CL_BUILD_PROGRAM_FAILURE)
        *status = CLQ_ERROR_BUILD;
    return MUST_FAIL;
}

static void complain(const struct path *path, enum fault_mode mode, size_t at, const struct fault *fault,
                     const char *what)
{
    failures++;
    printf("FAILED: \"%s\", call %zu (%s%s) fails %s: %s\n", path->name, at,
           fault->name ? fault->name : "nothing", fault->rehearsal ? ", in the rehearsal" : "",
           mode_names[mode], what);
    printf("  repeat: %s %s %s \"%s\" %s %zu\n", program, layer, directory, path->name, mode_names[mode], at);
}

#define EXPECT(condition, ...)                                                                               \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            char what[768];                                                                                  \
            snprintf(what, sizeof what, __VA_ARGS__);                                                        \
            complain(path, mode, at, &fault, what);                                                          \
        }                                                                                                    \
    } while (0)

/* In every mode the first fault decides, where it has to be fatal; what follows it when the first could be
 * done without is any of the codes. */
static void check_status(const struct path *path, enum fault_mode mode, size_t at, struct fault fault,
                         clq_status status)
{
    clq_status wanted = CLQ_OK;
    enum verdict verdict = verdict_of(path, &fault, &wanted);
    const char *detail = clq_error_detail();
    const bool named = path->flags & PATH_CHOOSES && status == CLQ_ERROR_DEVICE;

    if (mode == FAULT_FROM && verdict != MUST_FAIL)
        verdict = EITHER;
    if (verdict == MUST_FAIL)
        EXPECT(status == wanted, "the status is %s, not %s", clq_status_name(status),
               clq_status_name(wanted));
    if (verdict == MUST_PASS)
        EXPECT(status == path->base, "the status is %s (%s), though it could do without",
               clq_status_name(status), detail);
    if (verdict == EITHER && mode == FAULT_ONCE)
        EXPECT(status == path->base || status == wanted || named, "the status is %s (%s)",
               clq_status_name(status), detail);
    if (status == CLQ_OK)
        EXPECT(strcmp(detail, before) == 0, "a call that succeeded left the sentence \"%s\"", detail);
    else
        EXPECT(*detail != '\0' && strcmp(detail, before) != 0, "no sentence says why");
    if (verdict == MUST_FAIL && fault.kind == FAULT_OPENCL)
        EXPECT(strstr(detail, fault.name) != NULL, "the sentence does not name the call: \"%s\"", detail);
}

static void check_outputs(const struct path *path, enum fault_mode mode, size_t at, struct fault fault,
                          clq_status status)
{
    EXPECT((world.done != NULL) <= (status == CLQ_OK), "a call that failed gave an event");
    if (world.done != NULL) {
        EXPECT(clWaitForEvents(1, &world.done) == CL_SUCCESS, "the event failed");
        clReleaseEvent(world.done);
        world.done = NULL;
    }
    if (world.mapped != NULL) {
        clEnqueueUnmapMemObject(world.queue, world.y, world.mapped, 0, NULL, NULL);
        world.mapped = NULL;
        world_fill(&world);
    }
    clFinish(world.queue);
    if (world.out_of_order != NULL)
        clFinish(world.out_of_order);
    const int result = world_result(&world);
    const int wanted = status == CLQ_OK ? (int)path->result : RESULT_NONE;

    const bool copied = status != CLQ_OK && ((path->flags & PATH_COPIED && result == RESULT_COPIED) ||
                                             (path->flags & PATH_APART && result == RESULT_APART));
    const bool written = status != CLQ_OK && path->flags & PATH_AWAITS && is(&fault, "clWaitForEvents") &&
                         result == (int)path->result;

    EXPECT(result == wanted || copied || written,
           "y holds result %d, not %d (0 is untouched, -1 is none of them)", result, wanted);
    world_fill(&world);
}

/* What a chain of commands owes to a queue without an order: each follows on the caller's wait list, and what
 * each made is waited for. A call that failed half-way leaves events that nobody waits for. */
static void check_order(const struct path *path, enum fault_mode mode, size_t at, struct fault fault,
                        size_t unawaited, size_t adrift)
{
    EXPECT(world.layer->unawaited == unawaited, "%zu events were made that nothing waits for",
           world.layer->unawaited - unawaited);
    EXPECT(path->flags & PATH_UNTIED || adrift == 0, "%zu commands do not follow on the caller's wait list",
           adrift);
}

static void check_nothing_left(const struct path *path, enum fault_mode mode, size_t at, struct fault fault,
                               const struct snapshot *was)
{
    const struct snapshot now = look();

    EXPECT(now.live == was->live, "%zd OpenCL references were left", (ssize_t)(now.live - was->live));
    EXPECT(now.over_released == was->over_released, "an object was released too often");
    EXPECT(now.blocks == was->blocks, "%ld blocks of memory were left", now.blocks - was->blocks);
    EXPECT(now.files == was->files, "%ld open files were left", now.files - was->files);
    EXPECT(memcmp(now.callers, was->callers, sizeof now.callers) == 0,
           "the references of the caller's objects changed");
    EXPECT(now.shared == was->shared, "a kernel object was used by two threads");
    EXPECT(takes_null() || world.layer->given_null == 0, "%zu kernels had work and a NULL buffer",
           world.layer->given_null);
    /* a driver that was kept from building has no log of it */
    EXPECT(now.refused == was->refused || path->base != CLQ_OK ||
               strcmp(world.layer->refused_name, "clGetProgramBuildInfo") == 0,
           "the driver refused %s with %s", world.layer->refused_name,
           clq_status_name(world.layer->refused_code));
    if (mode == FAULT_ONCE)
        EXPECT(world_count_files(world.cold_dir, ".new-") + world_count_files(world.warm_dir, ".new-") == 0,
               "a temporary file was left");
}

/* Adds the commands that do not follow on the caller's wait list. */
static clq_status run(const struct path *path, size_t *adrift)
{
    const size_t before_run = world.layer->adrift;
    const clq_status status = path->run(&world);

    *adrift += world.layer->adrift - before_run;
    return status;
}

/* True while there was a call to fail. */
static bool attempt(const struct path *path, enum fault_mode mode, size_t at)
{
    const struct snapshot was = look();
    struct fault fault = {.kind = FAULT_NONE};
    size_t unawaited, adrift = 0;
    clq_status status;

    if (path->set_up != NULL && !path->set_up(&world)) {
        EXPECT(path->set_up(&world), "the path could not be set up: %s", clq_error_detail());
        return false;
    }
    clq_tensor_size_bytes(NULL, NULL); /* leaves the sentence `before` */
    world_fill(&world);
    inject_arm(mode, at);
    status = run(path, &adrift);
    fault = inject_disarm();
    if (fault.kind != FAULT_NONE)
        check_status(path, mode, at, fault, status);
    check_outputs(path, mode, at, fault, status);
    unawaited = world.layer->unawaited;
    status = run(path, &adrift);
    EXPECT(status == path->base, "the next call failed with %s: %s", clq_status_name(status),
           clq_error_detail());
    check_outputs(path, mode, at, fault, status);
    check_order(path, mode, at, fault, unawaited, adrift);
    if (path->tear_down != NULL)
        path->tear_down(&world);
    check_nothing_left(path, mode, at, fault, &was);
    return fault.kind != FAULT_NONE;
}

static bool applies(const struct path *path)
{
    if (strstr(path->name, "out of order") == NULL || world.out_of_order != NULL)
        return true;
    printf("SKIPPED: \"%s\": the device has no such queue\n", path->name);
    return false;
}

/* Oclgrind compiles anew in every run, and what follows a first fault is the library's own doing: there the
 * faults that last begin at every third call. */
static size_t step_of(int mode)
{
    return mode == FAULT_FROM && strstr(world.platform_name, "Oclgrind") != NULL ? 3 : 1;
}

static void run_path(const struct path *path, int only_mode, size_t only_at)
{
    size_t calls = 0;
    struct timespec start, end;

    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int mode = FAULT_ONCE; mode <= FAULT_FROM; mode++) {
        if (only_mode >= 0 && mode != only_mode)
            continue;
        if (only_at > 0)
            attempt(path, (enum fault_mode)mode, only_at);
        for (size_t at = 1; only_at == 0 && attempt(path, (enum fault_mode)mode, at) && failures < 20;
             at += step_of(mode))
            calls++;
    }
    runs += calls;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%-34s %5zu runs with a fault, %6.2f s\n", path->name, calls,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    fflush(stdout);
}

static void run_paths(const struct path *list, size_t count, const char *only, int mode, size_t at)
{
    for (size_t i = 0; i < count && failures < 20; i++)
        if ((only == NULL || strcmp(list[i].name, only) == 0) && applies(&list[i]))
            run_path(&list[i], mode, at);
}

int main(int argc, char **argv)
{
    const char *only = argc > 3 ? argv[3] : NULL;
    const int mode = argc > 4 ? strcmp(argv[4], "from") == 0 : -1;
    const size_t at = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;

    if (argc < 3)
        return 2;
    program = argv[0];
    layer = argv[1];
    directory = argv[2];
    if (!world_open(&world, layer, directory))
        return 77;
    if (!paths_prime(&world) || !place_paths_prime(&world) || !scales_paths_prime(&world) ||
        !dynamic_paths_prime(&world) || !back_paths_prime(&world)) {
        printf("FAILED: no path works: %s\n", clq_error_detail());
        return 1;
    }
    world.layer->fails = fault_in_opencl;
    world.layer->builds_once_in(world.cl);
    printf("%s\n", world.platform_name);
    run_paths(paths, num_paths, only, mode, at);
    run_paths(place_paths, num_place_paths, only, mode, at);
    run_paths(scales_paths, num_scales_paths, only, mode, at);
    run_paths(dynamic_paths, num_dynamic_paths, only, mode, at);
    run_paths(back_paths, num_back_paths, only, mode, at);
    world.layer->builds_once_in(NULL);
    world_close(&world);
    world_remove(directory);
    if (world.layer->live != 0) {
        printf("FAILED: %zu OpenCL references were left at the end\n", world.layer->live);
        failures++;
    }
    printf("%zu runs with a fault, %zu calls failed in them, %zu failures\n", runs, inject_total(), failures);
    return failures > 0;
}
