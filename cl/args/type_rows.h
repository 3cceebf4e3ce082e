/* SPDX-License-Identifier: Apache-2.0 */
/* The element types, a row each: read by the host's C and by OpenCL C. All else that is said of a type is
 * how kernels widen and narrow it (cl/base/types.clh). */
#ifndef CLQ_ARGS_TYPE_ROWS_H
#define CLQ_ARGS_TYPE_ROWS_H

/* The uses of a type. */
#define CLQ_ROLE_SCALE      1  /* scales, offsets and the values that are quantized */
#define CLQ_ROLE_QUANTIZED  2  /* the result of clq_quantize */
#define CLQ_ROLE_CACHED     4  /* elements of a cache, and of rows that find their scale */
#define CLQ_ROLE_GROUPED    8  /* rows of groups */
#define CLQ_ROLE_ZERO_POINT 16 /* zero points that are integers */
#define CLQ_ROLE_INDEX      32
#define CLQ_ROLE_CPU        64  /* cl/cpu names it; others run portable kernels there */
#define CLQ_ROLE_BLOCK      128 /* rows of blocks that carry their scales: caches, and what finds its scale */
#define CLQ_ROLE_PARAMETER  256 /* scales that are read, beside those of CLQ_ROLE_SCALE */

/* (kind, bits, largest, least, signed zero, DLPack's code, name, roles). A kind is int, uint, float or block,
 * and says what storage is. The ends are those of what is quantized, as floats; of a source they count for
 * nothing. A value of 4 or 2 bits shares its byte, the first in the lowest bits. A block's bits are those of
 * all its values and of its scale, and its ends those of a value beside a scale of 1. DLPack has no codes for
 * blocks: theirs are the library's. */
#define clq_row_f32  (float, 32, 0, 0, 1, 2, float32, CLQ_ROLE_SCALE | CLQ_ROLE_CPU)
#define clq_row_f16  (float, 16, 0, 0, 1, 2, float16, CLQ_ROLE_SCALE | CLQ_ROLE_CPU)
#define clq_row_bf16 (float, 16, 0, 0, 1, 4, bfloat16, CLQ_ROLE_SCALE | CLQ_ROLE_CPU)
#define clq_row_i8                                                                                           \
    (int, 8, 127.0f, -128.0f, 0, 0, int8,                                                                    \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_ZERO_POINT | CLQ_ROLE_CPU)
#define clq_row_u8                                                                                           \
    (uint, 8, 255.0f, 0.0f, 0, 1, uint8,                                                                     \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_ZERO_POINT | CLQ_ROLE_CPU)
#define clq_row_i32                                                                                          \
    (int, 32, 2147483648.0f, -2147483648.0f, 0, 0, int32,                                                    \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_ZERO_POINT | CLQ_ROLE_INDEX | CLQ_ROLE_CPU)
#define clq_row_i4                                                                                           \
    (int, 4, 7.0f, -8.0f, 0, 0, int4, CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_CPU)
#define clq_row_u4                                                                                           \
    (uint, 4, 15.0f, 0.0f, 0, 1, uint4,                                                                      \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_CPU)
#define clq_row_e4m3                                                                                         \
    (float, 8, 448.0f, -448.0f, 1, 10, float8_e4m3fn,                                                        \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_PARAMETER | CLQ_ROLE_CPU)
#define clq_row_e5m2                                                                                         \
    (float, 8, 57344.0f, -57344.0f, 1, 12, float8_e5m2,                                                      \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_CPU)
#define clq_row_e2m1                                                                                         \
    (float, 4, 6.0f, -6.0f, 1, 17, float4_e2m1fn,                                                            \
     CLQ_ROLE_QUANTIZED | CLQ_ROLE_CACHED | CLQ_ROLE_GROUPED | CLQ_ROLE_CPU)
#define clq_row_e8m0   (float, 8, 0, 0, 0, 14, float8_e8m0fnu, CLQ_ROLE_PARAMETER)
#define clq_row_i64    (int, 64, 0, 0, 0, 0, int64, CLQ_ROLE_INDEX)
#define clq_row_q8_0   (block, 272, 127.0f, -127.0f, 0, 0x80, q8_0, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)
#define clq_row_q4_0   (block, 144, 7.0f, -8.0f, 0, 0x81, q4_0, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)
#define clq_row_q4_1   (block, 160, 15.0f, 0.0f, 0, 0x82, q4_1, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)
#define clq_row_q5_0   (block, 176, 15.0f, -16.0f, 0, 0x83, q5_0, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)
#define clq_row_q5_1   (block, 192, 31.0f, 0.0f, 0, 0x84, q5_1, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)
#define clq_row_iq4_nl (block, 144, 113.0f, -127.0f, 0, 0x85, iq4_nl, CLQ_ROLE_BLOCK | CLQ_ROLE_CPU)

/* For a block: (bits of a code, how codes and scale d come from the values). In words of 16 bits stand d, the
 * least value where it is by range, the fifth bits of all codes where they have five, and the codes.
 *   largest   d = the largest magnitude / the largest code; nearest codes
 *   first     d = the first extreme / the least code
 *   range     d = (largest - least) / the largest code, of what a value is above the least one
 *   levels    a code is one of the sixteen levels of base/blocks.clh, and d makes the error least */
#define clq_block_q8_0   (8, largest)
#define clq_block_q4_0   (4, first)
#define clq_block_q4_1   (4, range)
#define clq_block_q5_0   (5, first)
#define clq_block_q5_1   (5, range)
#define clq_block_iq4_nl (4, levels)

#define CLQ_BLOCK_VALUES 32 /* neighbours along the last dimension */

/* Whether the row says as many bits as d, the least value, the fifth bits and the codes have, and kernels
 * store codes of this size that are found in this way. */
#define CLQ_BLOCK_IS_WHOLE(t)                                                                                \
    (CLQ_BLOCK_OF_WAY(clq_block_stores_, CLQ_BLOCK_WAY(t))(CLQ_BLOCK_CODE_BITS(t)) &&                        \
     CLQ_TYPE_BITS(t) == 16 + 16 * CLQ_BLOCK_LEAST(t) + CLQ_BLOCK_VALUES * CLQ_BLOCK_CODE_BITS(t))

/* X(t, id) for each type that kernels load as a float, and for all. The place is the type's number (enum
 * clq__type), and that of enum clq_scalar, which has some. */
#define CLQ_VALUE_TYPES(X)                                                                                   \
    X(f32, F32)                                                                                              \
    X(f16, F16)                                                                                              \
    X(bf16, BF16)                                                                                            \
    X(i8, I8)                                                                                                \
    X(u8, U8) X(i32, I32) X(i4, I4) X(u4, U4) X(e4m3, E4M3) X(e5m2, E5M2) X(e2m1, E2M1) X(e8m0, E8M0)
#define CLQ_BLOCK_TYPES(X)                                                                                   \
    X(q8_0, Q8_0) X(q4_0, Q4_0) X(q4_1, Q4_1) X(q5_0, Q5_0) X(q5_1, Q5_1) X(iq4_nl, IQ4_NL)
#define CLQ_TYPES(X) CLQ_VALUE_TYPES(X) X(i64, I64) CLQ_BLOCK_TYPES(X)

/* A field of a row. */
#define CLQ_TYPE_KIND(t)        CLQ_FIELD(clq_field_kind, CLQ_ROW(t))
#define CLQ_TYPE_BITS(t)        CLQ_FIELD(clq_field_bits, CLQ_ROW(t))
#define CLQ_TYPE_TOP(t)         CLQ_FIELD(clq_field_top, CLQ_ROW(t))
#define CLQ_TYPE_LOWEST(t)      CLQ_FIELD(clq_field_lowest, CLQ_ROW(t))
#define CLQ_TYPE_SIGNED_ZERO(t) CLQ_FIELD(clq_field_signed_zero, CLQ_ROW(t))
#define CLQ_TYPE_CODE(t)        CLQ_FIELD(clq_field_code, CLQ_ROW(t))
#define CLQ_TYPE_NAME(t)        CLQ_FIELD(clq_field_name, CLQ_ROW(t))
#define CLQ_TYPE_ROLES(t)       CLQ_FIELD(clq_field_roles, CLQ_ROW(t))

/* 1 of a type whose values are whole numbers: neither fractions nor NaN nor -0. */
#define CLQ_TYPE_WHOLE(t) CLQ_FIELD(clq_field_whole, CLQ_ROW(t))

/* DLPack's lanes: of a block its bytes. */
#define CLQ_TYPE_LANES(t) CLQ_FIELD(clq_field_lanes, CLQ_ROW(t))

/* For a block; 1 where it stores its least value. */
#define CLQ_BLOCK_CODE_BITS(t)             CLQ_FIELD(clq_block_field_code_bits, CLQ_BLOCK_ROW(t))
#define CLQ_BLOCK_WAY(t)                   CLQ_FIELD(clq_block_field_way, CLQ_BLOCK_ROW(t))
#define CLQ_BLOCK_LEAST(t)                 CLQ_BLOCK_OF_WAY(clq_block_least_, CLQ_BLOCK_WAY(t))
#define CLQ_BLOCK_OF_WAY(what, way)        CLQ_BLOCK_OF_WAY_PASTED(what, way)
#define CLQ_BLOCK_OF_WAY_PASTED(what, way) what##way
#define clq_block_least_largest            0
#define clq_block_least_first              0
#define clq_block_least_range              1
#define clq_block_least_levels             0
#define clq_block_stores_largest(bits)     ((bits) == 8)
#define clq_block_stores_first(bits)       ((bits) == 4 || (bits) == 5)
#define clq_block_stores_range(bits)       ((bits) == 4 || (bits) == 5)
#define clq_block_stores_levels(bits)      ((bits) == 4)
#define CLQ_BLOCK_ROW(t)                   CLQ_BLOCK_ROW_PASTED(t)
#define CLQ_BLOCK_ROW_PASTED(t)            clq_block_##t
#define clq_block_field_code_bits(b, w)    b
#define clq_block_field_way(b, w)          w

#define CLQ_ROW(t)                                                              CLQ_ROW_PASTED(t)
#define CLQ_ROW_PASTED(t)                                                       clq_row_##t
#define CLQ_FIELD(field, row)                                                   CLQ_FIELD_APPLIED(field, row)
#define CLQ_FIELD_APPLIED(field, row)                                           field row
#define clq_field_kind(kind, bits, top, lowest, zero, code, name, roles)        kind
#define clq_field_bits(kind, bits, top, lowest, zero, code, name, roles)        bits
#define clq_field_top(kind, bits, top, lowest, zero, code, name, roles)         top
#define clq_field_lowest(kind, bits, top, lowest, zero, code, name, roles)      lowest
#define clq_field_signed_zero(kind, bits, top, lowest, zero, code, name, roles) zero
#define clq_field_code(kind, bits, top, lowest, zero, code, name, roles)        code
#define clq_field_name(kind, bits, top, lowest, zero, code, name, roles)        name
#define clq_field_roles(kind, bits, top, lowest, zero, code, name, roles)       (roles)
#define clq_field_whole(kind, bits, top, lowest, zero, code, name, roles)       clq_whole_##kind
#define clq_field_lanes(kind, bits, top, lowest, zero, code, name, roles)       clq_lanes_##kind(bits)
#define clq_whole_int                                                           1
#define clq_whole_uint                                                          1
#define clq_whole_float                                                         0
#define clq_whole_block                                                         0
#define clq_lanes_int(bits)                                                     1
#define clq_lanes_uint(bits)                                                    1
#define clq_lanes_float(bits)                                                   1
#define clq_lanes_block(bits)                                                   ((bits) / 8)

#endif
