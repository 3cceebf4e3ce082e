/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/chain.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>

void clq__chain_release(struct clq__chain *chain)
{
    for (cl_uint i = 0; i < chain->num_events; i++)
        clq__event_release(chain->events[i]);
    for (cl_uint i = 0; i < chain->num_scratch; i++)
        clq__scratch_release(chain->scratch[i]);
}

clq_status clq__chain_scratch(struct clq__chain *chain, int64_t elements, size_t element_bytes,
                              cl_mem *buffer)
{
    clq_status status = CLQ_OK;
    size_t size_bytes = 0;

    assert(chain->num_scratch < CLQ_COUNT(chain->scratch));
    CLQ_REQUIRE(!__builtin_mul_overflow(elements, element_bytes, &size_bytes), CLQ_ERROR_OVERFLOW,
                "scratch memory of %" PRId64 " elements of %zu bytes: it must fit size_t", elements,
                element_bytes);
    CLQ_TRY(clq__scratch_create(chain->context, size_bytes, buffer));
    chain->scratch[chain->num_scratch++] = *buffer;
end:
    return status;
}

clq_status clq__chain_add(struct clq__chain *chain, const struct clq__launch *launch)
{
    clq_status status = CLQ_OK;

    assert(chain->num_events < CLQ_COUNT(chain->events));
    CLQ_TRY(clq__launch(chain->context, chain->queue, launch, chain->num_wait, chain->wait,
                        &chain->events[chain->num_events]));
    chain->num_events++;
end:
    return status;
}

clq_status clq__chain_finish(struct clq__chain *chain, const struct clq__launch *launch, cl_event *done)
{
    return clq__launch(chain->context, chain->queue, launch,
                       chain->num_events ? chain->num_events : chain->num_wait,
                       chain->num_events ? chain->events : chain->wait, done);
}
