/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's commands as a part of a command buffer, whose replay reads what is in the buffers then. */
#include "plan/record.h"

#include "base/error.h"
#include "runtime/recorder.h"

/* One record's own things: kernels whose arguments nobody sets again, and memory for its temporaries. */
struct clq__record {
    struct clq__record *next;
    cl_mem temporaries; /* NULL where they are in a workspace, or there are none */
    size_t num_kept;
    struct clq__kept kept[]; /* of each slice of each launch */
};

/* With a kernel of the record's own; the plan keeps its. Each slice has one, for PoCL 3.1 replays all
 * commands of a kernel with the arguments that it was given last. */
static clq_status record_launch(struct clq__record *record, struct clq__recorder *recorder,
                                const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;

    for (int64_t i = 0; i < launch->slices; i++) {
        struct clq__launch own = *launch;
        struct clq__sliced sliced;

        own.kept = &record->kept[record->num_kept++];
        if (own.slices > 1)
            clq__launch_slice(&own, i, &sliced);
        CLQ_TRY(clq__record_launch(recorder, own.slices > 1 ? &sliced.launch : &own));
    }
end:
    return status;
}

static size_t slices_of(const struct clq__launch *launches, unsigned num)
{
    size_t slices = 0;

    for (unsigned i = 0; i < num; i++)
        slices += (size_t)launches[i].slices;
    return slices;
}

/* Kernels of all commands. */
static size_t kernels_of(const struct clq__plan *call)
{
    size_t kernels = call->copies ? 1 : 0;

    if (call->idle)
        return kernels;
    for (unsigned i = 0; i < call->num_ahead; i++)
        kernels += slices_of(call->ahead[i].before, call->ahead[i].num_before) +
                   slices_of(call->ahead[i].kernels, call->ahead[i].num_kernels);
    return kernels + slices_of(call->launches.before, call->launches.num_before) +
           slices_of(call->launches.kernels, call->launches.num_kernels);
}

/* In the order of clq__launches_enqueue, and each command behind the one before it. */
static clq_status record_launches(struct clq__record *record, struct clq__recorder *recorder,
                                  const struct clq__launches *launches)
{
    clq_status status = CLQ_OK;

    for (unsigned i = 0; i < launches->num_before; i++) {
        if (launches->claims && i + 1 == launches->num_before) {
            const struct clq_entries *entries = &launches->claim.entries;

            CLQ_TRY(clq__record_clear(recorder, launches->before[i].buffers[1],
                                      (size_t)entries->owner_offset * sizeof(uint32_t),
                                      (size_t)entries->owner_words * sizeof(uint32_t)));
        }
        CLQ_TRY(record_launch(record, recorder, &launches->before[i]));
    }
    for (unsigned i = 0; i < launches->num_kernels; i++)
        CLQ_TRY(record_launch(record, recorder, &launches->kernels[i]));
end:
    return status;
}

static clq_status record_copy(struct clq__record *record, struct clq__recorder *recorder,
                              const struct clq__copy *copy)
{
    if (copy->bytes == 0)
        return record_launch(record, recorder, &copy->launch);
    return clq__record_copy(recorder, copy->launch.buffers[0], (size_t)copy->args.src_offset,
                            copy->launch.buffers[1], (size_t)copy->args.dst_offset, (size_t)copy->bytes);
}

static clq_status record_call(struct clq__record *record, struct clq__recorder *recorder,
                              struct clq__plan *call)
{
    clq_status status = CLQ_OK;

    if (call->copies)
        CLQ_TRY(record_copy(record, recorder, &call->copy));
    if (call->idle)
        goto end;
    CLQ_TRY(clq__plan_make_temporaries(call, recorder->context, &record->temporaries));
    for (unsigned i = 0; i < call->num_ahead; i++)
        CLQ_TRY(record_launches(record, recorder, &call->ahead[i]));
    CLQ_TRY(record_launches(record, recorder, &call->launches));
end:
    return status;
}

clq_status clq__record_make(struct clq__record **records, struct clq__recorder *recorder,
                            clq_context *context, struct clq__plan *call)
{
    clq_status status = CLQ_OK;
    const size_t size = sizeof(struct clq__record) + kernels_of(call) * sizeof(struct clq__kept);
    struct clq__record *record;

    clq__recorder_restart(recorder, context);
    record = calloc(1, size);
    CLQ_REQUIRE(record != NULL, CLQ_ERROR_MEMORY, "malloc of %zu bytes for record failed", size);
    record->next =
        *records; /* what was recorded before a failure stays in the command buffer, and needs its kernels */
    *records = record;
    CLQ_TRY(record_call(record, recorder, call));
end:
    return status;
}

void clq__records_release(struct clq__record *records, clq_context *context)
{
    while (records != NULL) {
        struct clq__record *record = records;

        records = record->next;
        for (size_t i = 0; i < record->num_kept; i++)
            clq__kept_release(context, &record->kept[i]);
        clq__scratch_release(record->temporaries);
        free(record);
    }
}
