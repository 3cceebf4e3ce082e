/* SPDX-License-Identifier: Apache-2.0 */
/* Every call fails once, and from every call on: allocations, file operations and OpenCL calls of each path
 * through the library, one after the other until none is left to fail. After each: the right status, nothing
 * alive that was not before, the outputs whole or untouched, and the same path works.
 *
 *   test_faults LAYER DIRECTORY [--seed N] [--drawn 0] [--only PATTERN] [--mode once|from]
 *               [--at N]
 *
 * --drawn 0: only paths by hand. --only: the paths whose names match, as file names do.
 * A failure prints the line that repeats it. */
#include "inject.h"
#include "options.h"
#include "paths.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const mode_names[FAULT_MODES] = {"once", "from", "every"};
static const char before[] = "size_bytes is NULL: it must point to a size_t";

enum verdict { MUST_FAIL, MUST_PASS, EITHER };

struct snapshot {
    size_t live, over_released, shared, refused;
    long blocks, files, callers[3 + OPERATOR_MOST_TENSORS + 2];
};

static struct world world;
static const char *program, *layer, *directory, *only = "*", *only_mode;
static uint64_t seed, drawn = 1, only_at;
static size_t failures, runs;

static bool fault_in_opencl(const char *name, int *code)
{
    return inject_here(FAULT_OPENCL, name, code);
}

static struct snapshot look(void)
{
    const void *const own[] = {world.device.cl, world.device.queue, world.ready};
    const int buffers = world.subject != NULL ? world.subject->placed.count : 0;
    struct snapshot now = {.live = world.layer->live,
                           .over_released = world.layer->over_released,
                           .shared = world.layer->shared,
                           .refused = world.layer->refused,
                           .blocks = inject_live_blocks(),
                           .files = inject_live_files()};

    for (int i = 0; i < 3; i++)
        now.callers[i] = world.references(own[i]);
    for (int i = 0; i < buffers; i++)
        now.callers[3 + i] = world.references(world.subject->placed.buffers[i].whole);
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
    if (path->flags & PATH_ADDS && is(fault, "clCreateProgramWithBinary"))
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
    printf("  repeat: %s %s %s --seed %" PRIu64 " --only \"%s\" --mode %s --at %zu\n", program, layer,
           directory, seed, path->name, mode_names[mode], at);
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
    EXPECT(!(path->flags & PATH_ROOMY) || !is(&fault, "clCreateBuffer"),
           "a buffer is made for a call that was given a workspace");
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

/* Programs are built, and buffers made, before the first command that writes an output. Not kernel objects:
 * some devices need one for each launch. */
static bool is_of_preparing(const struct fault *fault)
{
    return is(fault, "clCreateProgramWithSource") || is(fault, "clBuildProgram") ||
           is(fault, "clCreateBuffer");
}

/* Which bytes there may be. */
static unsigned may_hold(const struct path *path, struct fault fault, clq_status status)
{
    if (status == CLQ_OK)
        return path->flags & PATH_WRITES ? SUBJECT_DONE : SUBJECT_BEFORE;
    if (path->flags & PATH_AWAITS && is(&fault, "clWaitForEvents"))
        return SUBJECT_BEFORE | SUBJECT_DONE;
    if (!(path->flags & PATH_WRITES))
        return SUBJECT_BEFORE;
    if (path->flags & PATH_GATHERS &&
        (is(&fault, "clEnqueueMarkerWithWaitList") || is(&fault, "clReleaseEvent")))
        return subject_failed_bytes(world.subject) | SUBJECT_DONE;
    return subject_failed_bytes(world.subject) & ~(is_of_preparing(&fault) ? (unsigned)SUBJECT_IN_PART : 0u);
}

static void check_outputs(const struct path *path, enum fault_mode mode, size_t at, struct fault fault,
                          clq_status status)
{
    unsigned found;

    EXPECT((world.done != NULL) <= (status == CLQ_OK), "a call that failed gave an event");
    EXPECT(world_await(&world), "the event failed");
    clFinish(world.device.queue);
    if (world.out_of_order != NULL)
        clFinish(world.out_of_order);
    if (world.subject == NULL)
        return;
    if (world.mapped != NULL) {
        clEnqueueUnmapMemObject(world.device.queue, world.mapped_buffer, world.mapped, 0, NULL, NULL);
        world.mapped = NULL;
    } else {
        found = subject_bytes(world.subject);
        EXPECT(found & may_hold(path, fault, status), "the buffers hold %s",
               found & SUBJECT_DONE     ? "what the call writes"
               : found & SUBJECT_COPIED ? "a copy"
               : found & SUBJECT_BEFORE ? "what they did before"
                                        : "neither what they did before nor what the call writes");
    }
    subject_reset(world.subject);
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

static void reset(void)
{
    if (world.subject == NULL)
        return;
    subject_bytes(world.subject);
    subject_reset(world.subject);
}

/* What that takes may write as well. */
static bool set_up(const struct path *path)
{
    const bool good = path->set_up == NULL || path->set_up(&world);

    if (path->set_up != NULL)
        reset();
    return good;
}

/* True while there was a call to fail. */
static bool attempt(const struct path *path, enum fault_mode mode, size_t at)
{
    const struct snapshot was = look();
    struct fault fault = {.kind = FAULT_NONE};
    size_t unawaited, adrift = 0;
    clq_status status;

    if (!set_up(path)) {
        EXPECT(false, "the path could not be set up: %s", clq_error_detail());
        return false;
    }
    clq_tensor_size_bytes(NULL, NULL); /* leaves the sentence `before` */
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
    if (fnmatch(only, path->name, 0) != 0)
        return false;
    if (strstr(path->name, "out of order") == NULL || world.out_of_order != NULL)
        return true;
    printf("SKIPPED: \"%s\": the device has no such queue\n", path->name);
    return false;
}

/* Builds what the path uses of the warm context. */
static bool prime(const struct path *path)
{
    const bool good = set_up(path) && path->run(&world) == path->base;

    world_await(&world);
    if (path->tear_down != NULL)
        path->tear_down(&world);
    reset();
    return good;
}

static void run_path(const struct path *path)
{
    size_t calls = 0;
    struct timespec start, end;

    if (!prime(path)) {
        failures++;
        printf("FAILED: \"%s\" does not work: %s\n", path->name, clq_error_detail());
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int mode = FAULT_ONCE; mode <= FAULT_FROM; mode++) {
        if (only_mode != NULL && strcmp(only_mode, mode_names[mode]) != 0)
            continue;
        if (only_at > 0)
            attempt(path, (enum fault_mode)mode, only_at);
        for (size_t at = 1; only_at == 0 && attempt(path, (enum fault_mode)mode, at) && failures < 20; at++)
            calls++;
    }
    runs += calls;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%-56s %5zu runs with a fault, %6.2f s\n", path->name, calls,
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    fflush(stdout);
}

static void run_by_hand(const struct path *list, size_t count)
{
    static struct subject subject;

    for (size_t i = 0; i < count && failures < 20; i++) {
        if (!applies(&list[i]))
            continue;
        world.subject = list[i].make != NULL ? &subject : NULL;
        if (list[i].make == NULL || subject_make(&subject, &world.device, list[i].make))
            run_path(&list[i]);
        else
            failures++;
        if (list[i].make != NULL)
            subject_clear(&subject);
    }
}

/* Of the documented calls what stands before the operator that they are made of. */
static void run_documented(const struct documented_call *documented)
{
    static struct subject subject;
    struct path path = asked[ASKED_CALL].path;

    path.name = documented->name;
    if (!applies(&path))
        return;
    world.subject = &subject;
    if (subject_document(&subject, &world.device, documented))
        run_path(&path);
    else
        failures++;
    subject_clear(&subject);
}

static void run_asked(const struct chosen *chosen, const struct asked *ask)
{
    static struct subject subject;
    struct path path = ask->path;
    char name[128];

    snprintf(name, sizeof name, "%s %" PRIu64 ", %s", chosen->op->name, chosen->number, path.name);
    path.name = name;
    if (path.run == asked_check_indices && chosen->kinds & CHOSEN_WRONG)
        path.base = CLQ_ERROR_INDEX;
    if (!applies(&path))
        return;
    world.subject = &subject;
    if (subject_draw(&subject, &world.device, chosen->op, seed, chosen->number, ask->in_workspace))
        run_path(&path);
    else
        failures++;
    subject_clear(&subject);
}

static void run_operator(const struct operator_row *op)
{
    struct chosen list[CHOSEN_MOST];
    const size_t count = chosen_find(&world, op, seed, list);

    failures += count == 0;
    for (size_t i = 0; i < count; i++) {
        chosen_print(&list[i]);
        for (size_t ask = 0; ask < num_asked && failures < 20; ask++)
            if (asked[ask].longest ? list[i].longest : (asked[ask].kinds & list[i].kinds) != 0)
                run_asked(&list[i], &asked[ask]);
    }
}

static bool read_arguments(int argc, char **argv)
{
    const struct option options[] = {{"--seed", &seed, NULL},  {"--drawn", &drawn, NULL},
                                     {"--only", NULL, &only},  {"--mode", NULL, &only_mode},
                                     {"--at", &only_at, NULL}, {NULL, NULL, NULL}};

    seed = options_seed();
    if (argc < 3)
        return false;
    program = argv[0];
    layer = argv[1];
    directory = argv[2];
    return options_read(argc - 2, argv + 2, options);
}

int main(int argc, char **argv)
{
    if (!read_arguments(argc, argv))
        return 2;
    if (!world_open(&world, layer, directory))
        return 77;
    world.layer->fails = fault_in_opencl;
    world.layer->builds_once_in(world.device.cl);
    printf("%s, seed %" PRIu64 "\n", world.platform_name, seed);
    run_by_hand(paths, num_paths);
    for (int i = 0; i < DOCUMENTED_CALLS && failures < 20; i++)
        run_documented(&documented_calls[i]);
    for (int i = 0; i < OPERATORS && drawn && failures < 20; i++)
        run_operator(operators[i]);
    world.layer->builds_once_in(NULL);
    world_close(&world);
    world_remove(directory);
    if (world.layer->live != 0) {
        printf("FAILED: %zu OpenCL references were left at the end\n", world.layer->live);
        failures++;
    }
    printf("%zu runs with a fault, %zu calls failed in them, %zu failures\n", runs, inject_total(), failures);
    return failures > 0 || runs == 0;
}
