/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

#include <string.h>

/* The library's types and the reference's, which have rows of their own, are the
 * same ones, by their names. */
_Static_assert((int)REFERENCE_TYPES == (int)CLQ__TYPES - 1, "a type is in one of the two lists alone");

enum reference_type units_type(enum clq__type type)
{
    static const enum reference_type types[CLQ__TYPES] = {
#define OF_NAME(t, id) [CLQ__##id] = REFERENCE_##id,
        CLQ_TYPES(OF_NAME)
#undef OF_NAME
    };

    return types[type];
}

int units_elements(enum clq__type type)
{
    return clq__type_is(type, CLQ__BLOCKS) ? 1 : (int)reference_unit_values(units_type(type), 1);
}

static size_t unit_bytes(enum clq__type type)
{
    return (size_t)reference_unit_bytes(units_type(type), 1);
}

/* The elements of one unit. */
static struct reference_tensor tensor_of(enum clq__type type, void *bytes)
{
    return (struct reference_tensor){
        .type = units_type(type), .rank = 1, .shape = {units_elements(type)}, .strides = {1}, .data = bytes};
}

void units_load_block(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                      unsigned char block[UNITS_BLOCK_BYTES])
{
    for (int64_t w = 0; w < (int64_t)reference_unit_bytes(units_type(type), 1) / 2; w++) {
        const void *word = run_read(run, buffer, u + w, 2);

        memset(block + 2 * w, 0, 2);
        if (word != NULL)
            memcpy(block + 2 * w, word, 2);
    }
}

void units_store_block(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                       const unsigned char block[UNITS_BLOCK_BYTES])
{
    for (int64_t w = 0; w < (int64_t)reference_unit_bytes(units_type(type), 1) / 2; w++)
        run_write(run, buffer, u + w, 2, block + 2 * w);
}

void units_load(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                uint64_t codes[UNITS_MOST_ELEMENTS])
{
    const void *bytes = run_read(run, buffer, u, unit_bytes(type));
    const struct reference_tensor tensor = tensor_of(type, (void *)bytes);

    for (int64_t e = 0; e < units_elements(type); e++)
        codes[e] = bytes != NULL ? reference_load_code(&tensor, &e) : 0;
}

void units_store(struct run *run, unsigned buffer, enum clq__type type, int64_t u, const uint64_t *codes)
{
    unsigned char bytes[4] = {0};
    const struct reference_tensor tensor = tensor_of(type, bytes);

    for (int64_t e = 0; e < units_elements(type); e++)
        reference_store_code(&tensor, &e, codes[e]);
    run_write(run, buffer, u, unit_bytes(type), bytes);
}

void units_store_float(struct run *run, unsigned buffer, enum clq__type type, int64_t i, float value)
{
    unsigned char bytes[4];
    const struct reference_tensor tensor = tensor_of(type, bytes);
    const int64_t first = 0;

    reference_store(&tensor, &first, value);
    run_write(run, buffer, i, unit_bytes(type), bytes);
}
