/* SPDX-License-Identifier: Apache-2.0 */
#include "descriptor.h"

#include "match.h"
#include "spoil.h"

#include <stdio.h>
#include <string.h>

/* What is larger stands in little memory, where it repeats itself,
 * and would keep the reference busy for years. */
enum { MOST_ELEMENTS = 100000 };

static bool is_small(const struct judge *judge)
{
    for (int t = 0; judge->call->op->operands[t].name != NULL; t++)
        if (judge->facts[t].given && judge->facts[t].elements > MOST_ELEMENTS)
            return false;
    return true;
}

/* A promise that entries do not overlap, which a change may have broken:
 * then either entry's bytes are right. */
static bool promises(struct call *call)
{
    const uint32_t *unique = operator_field(call->op, call->desc, "unique");

    return unique != NULL && *unique == 1;
}

static size_t words_of(const struct device *device, struct call *call)
{
    struct placed placed;
    const void *desc = placed_make(&placed, device, call);
    size_t bytes = 0;

    if (desc != NULL && call->op->workspace_bytes != NULL)
        call->op->workspace_bytes(device->context, desc, &bytes);
    placed_clear(&placed);
    return bytes / sizeof(uint32_t);
}

static bool try_right(const struct match *how, struct call *call, const struct judge *judge, int changes,
                      char *failure, size_t failure_bytes)
{
    struct placed placed;
    const void *desc;
    clq_status status;

    if (is_small(judge) && (changes == 0 || !promises(call))) {
        call_expect(call);
        return match(how, call, failure, failure_bytes);
    }
    desc = placed_make(&placed, how->device, call);
    status = desc != NULL ? call->op->build(how->device->context, desc) : CL_OUT_OF_RESOURCES;
    placed_clear(&placed);
    snprintf(failure, failure_bytes, "build: %s, \"%s\"", clq_status_name(status), clq_error_detail());
    return status == CLQ_OK;
}

bool descriptor_try(const struct device *device, struct call *call, const struct operator_row *op)
{
    const struct match how = {.device = device, .queue = device->queue};
    char failure[1024] = "";
    struct judge judge;
    bool by_workspace = false, good;
    int changes = 0;

    call_draw(call, op, 48, NULL);
    while (!rng_once_in(&call->rng, 3) && changes < 6)
        changes += spoil(call);
    judge_call(&judge, call);
    if (judge.count == 0) {
        judge_workspace(&judge, words_of(device, call));
        by_workspace = judge.count > 0;
    }
    good = judge.count > 0
               ? match_refused(&how, call, &judge, changes == 1, by_workspace, failure, sizeof failure)
               : try_right(&how, call, &judge, changes, failure, sizeof failure);
    if (!good) {
        fprintf(stderr, "%s\n", failure);
        for (int i = 0; i < judge_findings(&judge); i++)
            fprintf(stderr, "  a rule says %s: \"%s\"\n", clq_status_name(judge.findings[i].status),
                    judge.findings[i].sentence);
        call_print(call);
    }
    call_clear(call);
    return good;
}
