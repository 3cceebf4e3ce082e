/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a call: filled in, enqueued, and built ahead. */
#include "plan/launches.h"

#include "base/error.h"

void clq__launches_init(struct clq__launches *launches, struct clq__temporaries *temporaries)
{
    launches->temporaries = temporaries;
    launches->num_before = 0;
    launches->num_kernels = 1;
    launches->kernels[0].kept = NULL;
    launches->kernels[0].x_offset = NULL;
    launches->kernels[0].slices = 1;
    launches->claims = false;
}

struct clq__launch *clq__launches_add(struct clq__launches *launches)
{
    assert(launches->num_before < CLQ__MOST_BEFORE && !launches->claims);
    launches->before[launches->num_before].kept = NULL;
    launches->before[launches->num_before].x_offset = NULL;
    launches->before[launches->num_before].slices = 1;
    return &launches->before[launches->num_before++];
}

struct clq__temporary *clq__launches_temporary(struct clq__launches *launches, int64_t elements,
                                               size_t element_bytes, unsigned written,
                                               int64_t *written_offset, cl_mem *read, int64_t *read_offset)
{
    struct clq__temporary *temporary = clq__temporaries_add(launches->temporaries, elements, element_bytes);

    assert(launches->num_before > 0);
    clq__temporary_use(temporary, &launches->before[launches->num_before - 1].buffers[written],
                       written_offset);
    clq__temporary_use(temporary, read, read_offset);
    return temporary;
}

struct clq__launch *clq__launches_repeat(struct clq__launches *launches, void *args)
{
    struct clq__launch *first = &launches->kernels[0], *kernel = &launches->kernels[launches->num_kernels];

    assert(launches->num_kernels < CLQ__MOST_KERNELS);
    launches->num_kernels++;
    *kernel = *first;
    kernel->args = args;
    kernel->x_offset = NULL;
    clq__temporaries_repeat(launches->temporaries, first->buffers, first->num_buffers, first->args,
                            kernel->buffers, args);
    return kernel;
}

static clq_status clear_table(const struct clq__launches *launches, cl_command_queue queue, cl_uint num_wait,
                              const cl_event *wait, cl_event *cleared)
{
    const struct clq_entries *entries = &launches->claim.entries;

    return clq__clear(queue, launches->before[launches->num_before - 1].buffers[1],
                      (size_t)entries->owner_offset * sizeof(uint32_t),
                      (size_t)entries->owner_words * sizeof(uint32_t), num_wait, wait, cleared);
}

/* One after the other; the first waits for what is given. */
static clq_status enqueue_kernels(const struct clq__launches *launches, clq_context *context,
                                  cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                                  cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event before = NULL, now = NULL;

    for (unsigned i = 0; i < launches->num_kernels; i++) {
        const bool last = i + 1 == launches->num_kernels;

        CLQ_TRY(clq__launch(context, queue, &launches->kernels[i], i > 0 ? 1 : num_wait,
                            i > 0 ? &before : wait, last ? done : &now));
        clq__event_release(before);
        before = now;
        now = NULL;
    }
end:
    clq__event_release(before);
    return status;
}

/* Launches of a kept plan have their kernels by now. */
static clq_status build_variants(clq_context *context, const struct clq__launch *launches, unsigned num)
{
    clq_status status = CLQ_OK;

    for (unsigned i = 0; i < num; i++)
        if (launches[i].kept == NULL)
            CLQ_TRY(clq__launch_ready(context, &launches[i]));
end:
    return status;
}

clq_status clq__launches_prepare(const struct clq__launches *launches, clq_context *context)
{
    clq_status status = CLQ_OK;

    CLQ_TRY(build_variants(context, launches->before, launches->num_before));
    CLQ_TRY(build_variants(context, launches->kernels, launches->num_kernels));
end:
    return status;
}

clq_status clq__launches_enqueue(const struct clq__launches *launches, clq_context *context,
                                 cl_command_queue queue, cl_uint num_wait, const cl_event *wait,
                                 cl_event *done)
{
    clq_status status = CLQ_OK;
    cl_event events[CLQ__MOST_BEFORE], cleared = NULL;
    cl_uint num_events = 0;

    for (unsigned i = 0; i < launches->num_before; i++) {
        const bool claims = launches->claims && i + 1 == launches->num_before;

        if (claims)
            CLQ_TRY(clear_table(launches, queue, num_wait, wait, &cleared));
        CLQ_TRY(clq__launch(context, queue, &launches->before[i], claims ? 1 : num_wait,
                            claims ? &cleared : wait, &events[i]));
        num_events++;
    }
    CLQ_TRY(enqueue_kernels(launches, context, queue, num_events > 0 ? num_events : num_wait,
                            num_events > 0 ? events : wait, done));
end:
    for (cl_uint i = 0; i < num_events; i++)
        clq__event_release(events[i]);
    clq__event_release(cleared);
    return status;
}

clq_status clq__launches_build(const struct clq__launches *launches, clq_context *context)
{
    clq_status status = CLQ_OK;
    const struct clq__launch *built = NULL;

    for (unsigned i = 0; i < launches->num_before; i++) {
        const struct clq__launch *launch = &launches->before[i];

        if (built == NULL ||
            built->variant.bits != launch->variant.bits) /* scales and zero points are widened alike */
            CLQ_TRY(clq__launch_build(context, launch));
        built = launch;
    }
    for (unsigned i = 0; i < launches->num_kernels; i++)
        CLQ_TRY(clq__launch_build(context, &launches->kernels[i]));
end:
    return status;
}
