/* SPDX-License-Identifier: Apache-2.0 */
/* Executing a call's launches on host memory. */
#include "call.h"
#include "run_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The driver's copy of bytes that follow one another. */
static void copy_bytes(const struct call *call)
{
    const struct memory *src = call->copy_src.tensor->data, *dst = call->copy_dst.tensor->data;

    memcpy(dst->bytes + call->copy_dst.tensor->byte_offset, src->bytes + call->copy_src.tensor->byte_offset,
           (size_t)call->copy.bytes);
}

/* Buffers for the call, which hold anything before they are written. */
static void make_scratch(struct call *call, struct memory memory[CLQ__MOST_BEFORE])
{
    for (unsigned i = 0; i < call->launches->num_scratch; i++) {
        const struct clq__scratch *scratch = &call->launches->scratch[i];
        const size_t size = (size_t)scratch->elements * scratch->element_bytes;
        unsigned char *bytes = malloc(2 * size + 1);

        if (bytes == NULL) {
            fprintf(stderr, "seam: no memory for twice %zu bytes\n", size);
            exit(1);
        }
        memset(bytes, 0x7f, size);
        memory[i] = (struct memory){bytes, size, bytes + size};
        *scratch->written = *scratch->read = (cl_mem)(void *)&memory[i];
    }
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

static bool run_launches(struct call *call, struct run *run)
{
    struct memory scratch[CLQ__MOST_BEFORE];
    const struct clq__launches *launches = call->launches;
    bool good = true;

    make_scratch(call, scratch);
    for (unsigned i = 0; i < launches->num_before && good; i++) {
        if (launches->claims && i + 1 == launches->num_before)
            clear_table(launches, run);
        good = !run_failed(run) && run_args(run, &launches->before[i]);
    }
    good = good && run_args(run, &launches->kernel);
    for (unsigned i = 0; i < launches->num_scratch; i++)
        free(scratch[i].bytes);
    return good;
}

static bool compare(const struct tensor *tensor, char *failure, size_t failure_bytes)
{
    if (tensor->name == NULL)
        return true;
    for (size_t i = 0;
         memcmp(tensor->memory.bytes, tensor->expected, tensor->memory.size) != 0 && i < tensor->memory.size;
         i++)
        if (tensor->memory.bytes[i] != tensor->expected[i]) {
            snprintf(failure, failure_bytes, "byte %zu of %s is 0x%02x: the reference has 0x%02x", i,
                     tensor->name, tensor->memory.bytes[i], tensor->expected[i]);
            return false;
        }
    return true;
}

/* What stands in the table of last entries is its own business; around it nothing is written. */
bool call_compare(struct call *call, char *failure, size_t failure_bytes)
{
    bool good = true;

    if (call->workspace.name != NULL)
        tensor_take(&call->workspace, (size_t)call->launches->claim.entries.owner_words * sizeof(uint32_t));
    for (int t = 0; t < call->num_tensors && good; t++)
        good = compare(&call->tensors[t], failure, failure_bytes);
    return good && compare(&call->report, failure, failure_bytes) &&
           compare(&call->workspace, failure, failure_bytes);
}

bool call_run(struct call *call, char *failure, size_t failure_bytes)
{
    struct run run = {.failure = ""};
    bool good = true;

    if (call->copies && call->copy.bytes > 0)
        copy_bytes(call);
    else if (call->copies)
        good = run_args(&run, &call->copy.launch);
    if (good && call->launches != NULL)
        good = run_launches(call, &run);
    if (!good) {
        snprintf(failure, failure_bytes, "%s: %s", clq__variant_text(&run.launch->variant).data, run.failure);
        return false;
    }
    return call_compare(call, failure, failure_bytes);
}
