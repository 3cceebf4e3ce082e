/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a call's launches on host memory. */
#include "described.h"
#include "run_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The driver's copy of bytes that follow one another. */
static void copy_bytes(const struct clq__copy *copy)
{
    const struct memory *src = (const void *)copy->launch.buffers[0],
                        *dst = (const void *)copy->launch.buffers[1];

    memcpy(dst->bytes + copy->args.dst_offset, src->bytes + copy->args.src_offset, (size_t)copy->bytes);
}

/* A buffer for the call, which holds anything before it is written. */
static void make_temporaries(const struct clq__plan *plan, struct memory *memory)
{
    const size_t size = plan->workspace_bytes;
    unsigned char *bytes;

    if (size == 0 || plan->checked.placement.workspace.buffer != NULL)
        return;
    bytes = malloc(2 * size);
    if (bytes == NULL) {
        fprintf(stderr, "seam: no memory for twice %zu bytes\n", size);
        exit(1);
    }
    memset(bytes, 0x7f, size);
    *memory = (struct memory){.bytes = bytes, .size = size, .written = bytes + size};
    clq__temporaries_set(&plan->temporaries, (cl_mem)(void *)memory);
}

static void clear_table(const struct clq__launches *launches, struct run *run)
{
    const struct clq_entries *entries = &launches->claim.entries;

    run->launch = &launches->before[launches->num_before - 1];
    run->failure[0] = '\0';
    for (int64_t i = 0; i < entries->owner_words && !run_failed(run); i++) {
        uint32_t *word = run_word(run, 1, entries->owner_offset + i);

        if (word != NULL)
            *word = 0;
    }
}

static bool run_slices(const struct clq__launch *launch, struct run *run)
{
    struct clq__sliced sliced;
    bool good = true;

    if (launch->slices == 1)
        return run_args(run, launch);
    for (int64_t i = 0; i < launch->slices && good; i++) {
        clq__launch_slice(launch, i, &sliced);
        good = run_args(run, &sliced.launch);
    }
    return good;
}

static bool run_launches(const struct clq__launches *launches, struct run *run)
{
    bool good = true;

    for (unsigned i = 0; i < launches->num_before && good; i++) {
        if (launches->claims && i + 1 == launches->num_before)
            clear_table(launches, run);
        good = !run_failed(run) && run_slices(&launches->before[i], run);
    }
    for (unsigned i = 0; i < launches->num_kernels; i++)
        good = good && run_slices(&launches->kernels[i], run);
    return good;
}

static bool run_plan(const struct clq__plan *plan, struct run *run)
{
    struct memory temporaries = {.bytes = NULL};
    bool good = true;

    make_temporaries(plan, &temporaries);
    for (unsigned i = 0; i < plan->num_ahead; i++)
        good = good && run_launches(&plan->ahead[i], run);
    good = good && run_launches(&plan->launches, run);
    free(temporaries.bytes);
    return good;
}

size_t described_words(const struct described *described)
{
    return described->plan.workspace_bytes / sizeof(uint32_t);
}

bool described_run(struct described *described, char *failure, size_t failure_bytes)
{
    const struct clq__plan *plan = &described->plan;
    struct run run = {.failure = ""};
    bool good = true;

    if (plan->copies && plan->copy.bytes > 0)
        copy_bytes(&plan->copy);
    else if (plan->copies)
        good = run_args(&run, &plan->copy.launch);
    if (good && !plan->idle)
        good = run_plan(plan, &run);
    if (!good) {
        snprintf(failure, failure_bytes, "%s: %s", clq__variant_text(&run.launch->variant).data, run.failure);
        return false;
    }
    return call_compare(&described->call, described_words(described), failure, failure_bytes);
}
