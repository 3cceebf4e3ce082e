/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations of places, without memory for them. */
#include "call.h"

#include <stdlib.h>

/* A permutation of the numbers below count: of those below the next power of two, walked until one fits. */
static uint64_t permute(uint64_t i, uint64_t count, uint64_t seed)
{
    uint64_t mask = 1;
    int bits = 1;

    while (mask < count - 1) {
        mask = 2 * mask + 1;
        bits++;
    }
    do {
        for (int round = 0; round < 3; round++) {
            i = (i * (2 * (seed >> 20 * round) + 1) + (seed >> 7 * round)) & mask;
            i ^= i >> (bits + 1) / 2;
        }
    } while (i >= count);
    return i;
}

static void fill(const struct places *places, int32_t *at)
{
    const uint64_t count = (uint64_t)(places->batches * places->length), length = (uint64_t)places->length;
    const uint64_t half = (uint64_t)places->batches / 2;
    const uint64_t starts = (uint64_t)(places->length - places->update_length + 1);
    uint64_t seed = (1 + (uint64_t)places->paged) * 0x9e3779b97f4a7c15u;

    for (int set = 0; set < places->sets; set++, seed = seed * 6364136223846793005u + 1442695040888963407u) {
        for (int64_t i = 0; i < places->entries; i++) {
            const uint64_t place =
                places->paged ? (permute((uint64_t)i, half, seed) + (places->paged == 2 ? half : 0)) * length
                : places->ordered ? ((uint64_t)i + seed % count) % count
                                  : permute((uint64_t)i, count, seed);

            if (places->slots) {
                *at++ = (int32_t)place;
                continue;
            }
            if (places->pairs)
                *at++ = (int32_t)(place / length);
            *at++ = (int32_t)(place % (places->pairs ? length : starts));
        }
    }
}

int places_columns(const struct places *places)
{
    return places->pairs && !places->slots ? 2 : 1;
}

static size_t set_bytes(const struct places *places)
{
    return (size_t)(places->entries * places_columns(places)) * sizeof(int32_t);
}

bool places_init(struct bench *bench, struct places *places)
{
    const size_t size_bytes = (size_t)places->sets * set_bytes(places);
    int32_t *values = malloc(size_bytes);
    cl_int code = CL_SUCCESS;

    if (!values)
        return fail(&bench->failure, STATUS_SYSTEM, "bench: no memory for indices");
    fill(places, values);
    places->buffer = clCreateBuffer(clq_context_cl(bench->context), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                    size_bytes, values, &code);
    free(values);
    return device_check(bench, "clCreateBuffer of the indices", code);
}

void places_clear(struct places *places)
{
    if (places->buffer)
        clReleaseMemObject(places->buffer);
}

size_t places_offset_bytes(const struct places *places, size_t call)
{
    return call % (size_t)places->sets * set_bytes(places);
}
