/* SPDX-License-Identifier: Apache-2.0 */
/* What a test asks of the stub: counts, the record of launches, and who runs kernels. */
#include "kernel.h"

#include <stdlib.h>

static stub_run_function run_kernel;
static void *run_user;
static bool recording;
static struct stub_launch_copy **record;
static size_t num_recorded;

void stub_launch_run(struct stub_command *command)
{
    struct stub_launch_copy *const launch = command->launch;
    stub_run_function run;
    void *user;

    stub_lock();
    run = run_kernel;
    user = run_user;
    for (cl_uint i = 0; i < launch->launch.num_arguments; i++)
        if (launch->arguments[i].buffer != NULL)
            launch->arguments[i].buffer_bytes = launch->arguments[i].buffer->bytes;
    stub_unlock(CL_SUCCESS);
    if (run != NULL)
        run(&launch->launch, user);
}

void stub_launch_record(struct stub_launch_copy *launch)
{
    if (!recording)
        return;
    record = realloc(record, (num_recorded + 1) * sizeof *record);
    if (record == NULL)
        abort();
    launch->uses++;
    record[num_recorded++] = launch;
}

static struct stub_counts counts(void)
{
    struct stub_counts now;

    stub_lock();
    now = stub_counts;
    stub_unlock(CL_SUCCESS);
    return now;
}

static void run_with(stub_run_function run, void *user)
{
    stub_lock();
    run_kernel = run;
    run_user = user;
    stub_unlock(CL_SUCCESS);
}

static void shuffle(cl_ulong seed)
{
    stub_lock();
    stub_platform()->seed = seed;
    stub_unlock(CL_SUCCESS);
}

static void begin_record(bool on)
{
    stub_lock();
    for (size_t i = 0; i < num_recorded; i++)
        stub_launch_drop(record[i]);
    free(record);
    record = NULL;
    num_recorded = 0;
    recording = on;
    stub_unlock(CL_SUCCESS);
}

static size_t recorded(void)
{
    size_t count;

    stub_lock();
    count = num_recorded;
    stub_unlock(CL_SUCCESS);
    return count;
}

static const struct stub_launch *launch_at(size_t i)
{
    const struct stub_launch *launch;

    stub_lock();
    launch = i < num_recorded ? &record[i]->launch : NULL;
    stub_unlock(CL_SUCCESS);
    return launch;
}

const struct stub_api stub_api = {.counts = counts,
                                  .run_with = run_with,
                                  .shuffle = shuffle,
                                  .record = begin_record,
                                  .recorded = recorded,
                                  .launch = launch_at};
