/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a call: filled in, enqueued, and built ahead. */
#include "plan/launches.h"

#include "base/error.h"

#include <inttypes.h>

void clq__launches_init(struct clq__launches *launches)
{
    launches->num_before = launches->num_scratch = launches->num_made = 0;
    launches->num_kernels = 1;
    launches->kernels[0].kept = NULL;
    launches->claims = false;
}

struct clq__launch *clq__launches_add(struct clq__launches *launches)
{
    assert(launches->num_before < CLQ__MOST_BEFORE && !launches->claims);
    launches->before[launches->num_before].kept = NULL;
    return &launches->before[launches->num_before++];
}

void clq__launches_scratch(struct clq__launches *launches, int64_t elements, size_t element_bytes,
                           unsigned written, cl_mem *read)
{
    assert(launches->num_before > 0 && launches->num_scratch < CLQ__MOST_BEFORE);
    launches->scratch[launches->num_scratch++] =
        (struct clq__scratch){.elements = elements,
                              .element_bytes = element_bytes,
                              .places = {&launches->before[launches->num_before - 1].buffers[written], read},
                              .num_places = 2};
}

struct clq__launch *clq__launches_repeat(struct clq__launches *launches)
{
    struct clq__launch *first = &launches->kernels[0], *kernel = &launches->kernels[launches->num_kernels];

    assert(launches->num_kernels < CLQ__MOST_KERNELS);
    launches->num_kernels++;
    *kernel = *first;
    for (unsigned i = 0; i < launches->num_scratch; i++) {
        struct clq__scratch *scratch = &launches->scratch[i];

        clq__scratch_use(scratch, &kernel->buffers[scratch->places[1] - first->buffers]);
    }
    return kernel;
}

clq_status clq__scratch_make(clq_context *context, const struct clq__scratch *scratch, cl_mem *buffer)
{
    clq_status status = CLQ_OK;
    size_t size_bytes = 0;

    CLQ_REQUIRE(!__builtin_mul_overflow(scratch->elements, scratch->element_bytes, &size_bytes),
                CLQ_ERROR_OVERFLOW, "scratch memory of %" PRId64 " elements of %zu bytes: it must fit size_t",
                scratch->elements, scratch->element_bytes);
    CLQ_TRY(clq__scratch_create(context, size_bytes, buffer));
    for (unsigned i = 0; i < scratch->num_places; i++)
        *scratch->places[i] = *buffer;
end:
    return status;
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

/* Those of a plan that is kept have their kernels by now. */
static clq_status build_variants(clq_context *context, const struct clq__launch *launches, unsigned num)
{
    clq_status status = CLQ_OK;

    for (unsigned i = 0; i < num; i++)
        if (launches[i].kept == NULL)
            CLQ_TRY(clq__build_variant(context, &launches[i].variant));
end:
    return status;
}

clq_status clq__launches_prepare(struct clq__launches *launches, clq_context *context, bool several)
{
    clq_status status = CLQ_OK;

    if (several) {
        CLQ_TRY(build_variants(context, launches->before, launches->num_before));
        CLQ_TRY(build_variants(context, launches->kernels, launches->num_kernels));
    }
    for (; launches->num_made < launches->num_scratch; launches->num_made++)
        CLQ_TRY(clq__scratch_make(context, &launches->scratch[launches->num_made],
                                  &launches->made[launches->num_made]));
end:
    return status;
}

void clq__launches_release(struct clq__launches *launches)
{
    while (launches->num_made > 0)
        clq__scratch_release(launches->made[--launches->num_made]);
}

clq_status clq__launches_enqueue(struct clq__launches *launches, clq_context *context, cl_command_queue queue,
                                 cl_uint num_wait, const cl_event *wait, cl_event *done)
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
