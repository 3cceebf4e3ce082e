/* SPDX-License-Identifier: Apache-2.0 */
/* The types that tensors store, one row each. Operators compute with binary32 values; a row says what code
 * stands for a value, and what value for a code. No operator asks which type it has. */
#ifndef CLQUANT_REFERENCE_TYPES_H
#define CLQUANT_REFERENCE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/* The types of single values, and what the public header calls them, in the order in which sentences list
 * them; of these the integers that share a byte, and the floats of 8 bits and fewer that are quantized. */
#define REFERENCE_VALUES(X)                                                                                  \
    X(F32, FLOAT32)                                                                                          \
    X(F16, FLOAT16)                                                                                          \
    X(BF16, BFLOAT16)                                                                                        \
    X(I8, INT8)                                                                                              \
    X(U8, UINT8)                                                                                             \
    X(I32, INT32)                                                                                            \
    X(I4, INT4)                                                                                              \
    X(U4, UINT4)                                                                                             \
    X(E4M3, FLOAT8_E4M3FN)                                                                                   \
    X(E5M2, FLOAT8_E5M2)                                                                                     \
    X(E2M1, FLOAT4_E2M1FN)                                                                                   \
    X(E8M0, FLOAT8_E8M0FNU)
#define REFERENCE_PACKED_INTEGERS(X) X(I4, INT4) X(U4, UINT4)
#define REFERENCE_SMALL_FLOATS(X)    X(E4M3, FLOAT8_E4M3FN) X(E5M2, FLOAT8_E5M2) X(E2M1, FLOAT4_E2M1FN)
#define REFERENCE_NAMED(id, header)  REFERENCE_##id,

/* Blocks of 32 values that carry their scale (blocks.h). */
#define REFERENCE_BLOCKS(X)                                                                                  \
    X(Q8_0, Q8_0) X(Q4_0, Q4_0) X(Q4_1, Q4_1) X(Q5_0, Q5_0) X(Q5_1, Q5_1) X(IQ4_NL, IQ4_NL)

/* A new type is a name here and a row in types.c, with functions of its own where it is no integer. */
enum reference_type {
    REFERENCE_VALUES(REFERENCE_NAMED) REFERENCE_I64, /* only of indices */
    REFERENCE_BLOCKS(REFERENCE_NAMED) REFERENCE_TYPES,
};

/* A code is what is stored of a value: its lowest `bits` bits, the others being zeros. */
struct reference_type_row {
    const char *name;
    int dlpack_code; /* DLDataTypeCode */
    int bits;        /* below 8: codes share a byte, the first in the lowest bits; else whole bytes */
    bool integer;
    double lowest, highest; /* the finite values */
    float minmax_steps; /* from lowest to highest; 0 where no operator has a range of two ends for the type */
    float absmax_steps; /* from absmax_zero_point to highest, and as far below */
    float absmax_zero_point; /* the middle of the range */
    uint64_t (*round)(const struct reference_type_row *row, float value);
    float (*read)(const struct reference_type_row *row, uint64_t code);
    int block_bytes; /* of 32 values, which have no code by themselves; 0: it is no block */
};
extern const struct reference_type_row reference_types[REFERENCE_TYPES];

/* The code of the nearest value of the type, ties to even. Integers saturate, and NaN gives 0:
 * sat(rint(value)). Floats overflow to infinity, and every NaN gives the canonical one; those of 8 bits and
 * less saturate, infinities too, and NaN gives their own. */
uint64_t reference_round(float value, enum reference_type type);

/* The value of a code: exact but for int32 and int64, which round to nearest-even. */
float reference_read(uint64_t code, enum reference_type type);

/* The exact value of a code of an integer type. */
int64_t reference_read_int(uint64_t code, enum reference_type type);

static inline bool reference_is_block(enum reference_type type)
{
    return reference_types[type].block_bytes > 0;
}

/* Values in an element of a tensor, by DLPack's lanes: of a block these are its bytes. */
static inline int reference_lanes(enum reference_type type, int dlpack_lanes)
{
    return reference_is_block(type) ? 32 : dlpack_lanes ? dlpack_lanes : 1;
}

/* DLPack's lanes of its tensors but for views of four bits, and all that it may have. */
static inline int reference_dlpack_lanes(enum reference_type type)
{
    return reference_is_block(type) ? reference_types[type].block_bytes : 1;
}

static inline bool reference_has_lanes(enum reference_type type, int dlpack_lanes)
{
    return dlpack_lanes == reference_dlpack_lanes(type) ||
           (reference_types[type].bits < 8 && (reference_types[type].bits * dlpack_lanes == 8 ||
                                               reference_types[type].bits * dlpack_lanes == 32));
}

/* A unit is the least that is stored: a block, an element of `lanes` values (0 means 1), or where these are
 * less than a byte, the elements that share one. */
/* Elements in a byte; 1 where each has bytes of its own. */
static inline int reference_in_byte(enum reference_type type)
{
    return reference_types[type].bits < 8 ? 8 / reference_types[type].bits : 1;
}

static inline bool reference_shares_bytes(enum reference_type type, int lanes)
{
    return !reference_is_block(type) && reference_types[type].bits * (lanes ? lanes : 1) < 8;
}

static inline int64_t reference_unit_bytes(enum reference_type type, int lanes)
{
    if (reference_is_block(type))
        return reference_types[type].block_bytes;
    return reference_shares_bytes(type, lanes) ? 1 : reference_types[type].bits * (lanes ? lanes : 1) / 8;
}

static inline int64_t reference_unit_values(enum reference_type type, int lanes)
{
    return reference_is_block(type) ? 32 : reference_unit_bytes(type, lanes) * 8 / reference_types[type].bits;
}

/* float16 and bfloat16 to binary32, exactly; and back, to nearest-even, every NaN the canonical one. */
float reference_widen_f16(uint16_t bits);
float reference_widen_bf16(uint16_t bits);
uint16_t reference_narrow_f16(float value);
uint16_t reference_narrow_bf16(float value);

/* Of a type of y: an integer, which alone may be rounded before a zero point is added. */
static inline bool reference_is_whole(enum reference_type type)
{
    return reference_types[type].integer;
}

#endif
