/* SPDX-License-Identifier: Apache-2.0 */
#include "units.h"

enum reference_type units_type(enum clq__type type)
{
    static const enum reference_type types[CLQ__TYPES] = {
        [CLQ__F32] = REFERENCE_F32,   [CLQ__F16] = REFERENCE_F16,  [CLQ__BF16] = REFERENCE_BF16,
        [CLQ__I8] = REFERENCE_I8,     [CLQ__U8] = REFERENCE_U8,    [CLQ__I32] = REFERENCE_I32,
        [CLQ__I4] = REFERENCE_I4,     [CLQ__U4] = REFERENCE_U4,    [CLQ__I64] = REFERENCE_I64,
        [CLQ__E4M3] = REFERENCE_E4M3, [CLQ__E5M2] = REFERENCE_E5M2};

    return types[type];
}

int units_elements(enum clq__type type)
{
    return (int)reference_unit_values(units_type(type), 1);
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

void units_load(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                uint64_t codes[UNITS_MOST_ELEMENTS])
{
    const void *bytes = run_read(run, buffer, u, unit_bytes(type));
    const struct reference_tensor tensor = tensor_of(type, (void *)bytes);

    for (int64_t e = 0; e < units_elements(type); e++)
        codes[e] = bytes != NULL ? reference_load_code(&tensor, &e) : 0;
}

void units_store(struct run *run, unsigned buffer, enum clq__type type, int64_t u,
                 const uint64_t codes[UNITS_MOST_ELEMENTS])
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
