/* SPDX-License-Identifier: Apache-2.0 */
/* The operators and the rows, as two tables. A new operator is a line of the first, and lines of the
 * second. */
#include "rows.h"

#include <stdio.h>

const struct operation_row operation_rows[OPERATIONS] = {
    [QUANTIZE] = {"quantize", false, {"x", "y", "scales"}},
    [GROUP_QUANTIZE] = {"group_quantize", false, {"x", "y", "scales", [INDICES] = "group_index"}},
    [SCATTER] = {"quantize_scatter", false, {"updates", "cache", "scales", [INDICES] = "indices"}},
    [DYNAMIC_QUANTIZE] = {"dynamic_quantize", true, {"x", "y", "scales", "offsets"}},
    [DYNAMIC_SCATTER] = {"dynamic_quantize_scatter",
                         true,
                         {"updates", "cache", "cache_scales", "cache_offsets", "indices"}},
    [FIND_SCALES] = {"find_scales", true, {[IN] = "x", [SCALES] = "scales"}},
    [DEQUANTIZE] = {"dequantize", false, {"q", "y", "scales", [INDICES] = "indices"}},
    [MOVE_ROWS] = {"move_rows", false, {"src", "dst", [INDICES] = "dst_indices", [SOURCES] = "src_indices"}},
};

const char *const row_modes[MODES] = {"multiply", "divide",   "asymmetric", "symmetric",
                                      "dynamic",  "mx_rceil", "nvfp4",      "copy"};

/* Sets of types and of modes. */
#define OF(x)          (1u << (x))
#define TYPE_OF(t, id) | OF(REFERENCE_##t)
enum {
    FLOATS = OF(F32) | OF(F16) | OF(BF16),
    INT8_INT4 = OF(I8) | OF(I4),
    GGML = 0 REFERENCE_BLOCKS(TYPE_OF),
    UINT8_INT32 = OF(U8) | OF(I32),
    BOTH = OF(MULTIPLY) | OF(DIVIDE),
    RANGES = OF(ASYMMETRIC) | OF(SYMMETRIC),
};
/* Sources, destinations and modes of many lines. */
#define STATIC     OF(F16), OF(I8), OF(DIVIDE)
#define FOUND      OF(F16), INT8_INT4, OF(ASYMMETRIC)
#define FOUND4     OF(F16), OF(I4), OF(ASYMMETRIC)
#define BACK       INT8_INT4, OF(F16), OF(DIVIDE)
#define BACK_FOUND INT8_INT4, OF(F16), OF(DYNAMIC)
#define EACH       FLOATS, INT8_INT4, OF(DIVIDE)
#define FLOAT8     OF(F16), OF(E4M3), OF(DIVIDE)
#define MOVED      OF(F16), OF(F16), OF(COPY)
#define MOVED8     OF(I8), OF(I8), OF(COPY)

/* A line has its types and modes, the operator, how its scales lie, the columns and a note; with a cache the
 * placement and the heads, and where the cache is given its batches, length, entries and their length, and
 * how many calls a run has. 96, which some heads have, is not a whole number of lines of memory. */
static const struct row rows[] = {
    {FLOATS, INT8_INT4, BOTH, QUANTIZE, PER_TENSOR, 8192, .note = "per tensor"},
    {FLOATS, INT8_INT4, BOTH, QUANTIZE, PER_LAST, 8192, .note = "per index of the last axis"},
    {OF(F32), UINT8_INT32, BOTH, QUANTIZE, PER_TENSOR, 8192, .note = "per tensor"},
    {OF(F32), UINT8_INT32, BOTH, QUANTIZE, PER_LAST, 8192, .note = "per index of the last axis"},
    {EACH, QUANTIZE, PER_LAST, 96, .note = "per index of the last axis, rows of 96"},
    {EACH, QUANTIZE, PER_OTHER, 256, .note = "per index of axis 1, inner size 256"},
    {EACH, QUANTIZE, PER_OTHER, 4096, .note = "per index of axis 1, inner size 4096"},
    {EACH, QUANTIZE, STRIDED, 4096, .note = "strided rows, per index of the last axis"},
    {STATIC, QUANTIZE, PER_LAST, 8192, .note = "per index of the last axis, rounded first",
     .round_first = true},
    {FLOAT8, QUANTIZE, PER_TENSOR, 8192, .note = "per tensor"},
    {FLOAT8, QUANTIZE, PER_LAST, 8192, .note = "per index of the last axis"},
    {FLOAT8, QUANTIZE, IN_SQUARES, 8192, .note = "blocks of 128 x 128"},
    {OF(F16), OF(I8), OF(MULTIPLY), GROUP_QUANTIZE, PER_GROUP, 4096, .note = "64 uneven groups"},
    {OF(F16), INT8_INT4, RANGES, DYNAMIC_QUANTIZE, PER_ROW, 96, .note = "rows of 96"},
    {FLOATS, INT8_INT4, RANGES, DYNAMIC_QUANTIZE, PER_ROW, 128, .note = "rows of 128"},
    {FLOATS, INT8_INT4, RANGES, DYNAMIC_QUANTIZE, PER_ROW, 1024, .note = "rows of 1024"},
    {FLOATS, INT8_INT4, RANGES, DYNAMIC_QUANTIZE, PER_ROW, 4096, .note = "rows of 4096"},
    {FOUND, DYNAMIC_QUANTIZE, PER_ROW, 128, .note = "rotated by 128, rows of 128", .rotate = 128},
    {FOUND, DYNAMIC_QUANTIZE, PER_ROW, 1024, .note = "rotated by 128, rows of 1024", .rotate = 128},
    {FOUND, DYNAMIC_QUANTIZE, PER_ROW, 1024, .note = "blocks of 32, float16 scales, rows of 1024",
     .block = 32},
    {FOUND, DYNAMIC_QUANTIZE, PER_ROW, 1024, .note = "blocks of 64, float16 scales, rows of 1024",
     .block = 64},
    {FOUND, DYNAMIC_QUANTIZE, PER_ROW, 1024, .note = "blocks of 128, float16 scales, rows of 1024",
     .block = 128},
    {OF(F16), OF(E4M3), OF(SYMMETRIC), DYNAMIC_QUANTIZE, PER_ROW, 128, .note = "rows of 128"},
    {OF(F16), OF(E4M3), OF(SYMMETRIC), DYNAMIC_QUANTIZE, PER_ROW, 4096, .note = "rows of 4096"},
    {OF(F16), OF(E4M3), OF(SYMMETRIC), DYNAMIC_QUANTIZE, IN_SQUARES, 8192, .note = "blocks of 128 x 128"},
    {OF(F32) | OF(F16), GGML, OF(DYNAMIC), DYNAMIC_QUANTIZE, IN_BLOCKS, 4096,
     .note = "ggml's blocks, rows of 4096"},
    {OF(F16), OF(E4M3) | OF(E2M1), OF(MX_RCEIL), DYNAMIC_QUANTIZE, PER_ROW, 4096,
     .note = "MX, blocks of 32, rows of 4096", .block = 32},
    {OF(F16), OF(E2M1), OF(NVFP4), DYNAMIC_QUANTIZE, PER_ROW, 4096,
     .note = "NVFP4, blocks of 16, rows of 4096", .block = 16},
    {OF(F32) | OF(F16), OF(I8), OF(DIVIDE), FIND_SCALES, PER_TENSOR, 8192, .note = "per tensor"},
    {OF(F32) | OF(F16), OF(I8), OF(DIVIDE), FIND_SCALES, PER_LAST, 8192,
     .note = "per index of the last axis"},
    {OF(F32) | OF(F16), OF(I8), OF(DIVIDE), FIND_SCALES, PER_FIRST, 8192,
     .note = "per index of the first axis"},
    {BACK, DEQUANTIZE, PER_TENSOR, 8192, .note = "per tensor"},
    {BACK, DEQUANTIZE, PER_LAST, 8192, .note = "per index of the last axis"},
    {OF(E4M3), OF(F16), OF(DIVIDE), DEQUANTIZE, PER_TENSOR, 8192, .note = "per tensor"},
    {OF(E4M3), OF(F16), OF(DIVIDE), DEQUANTIZE, IN_SQUARES, 8192, .note = "blocks of 128 x 128"},
    {BACK_FOUND, DEQUANTIZE, PER_ROW, 128, .note = "per row of 128"},
    {BACK_FOUND, DEQUANTIZE, PER_ROW, 96, .note = "per row of 96"},
    {BACK_FOUND, DEQUANTIZE, PER_ROW, 128, .note = "rotated by 128, per row of 128", .rotate = 128},
    {GGML, OF(F32) | OF(F16), OF(DYNAMIC), DEQUANTIZE, IN_BLOCKS, 4096,
     .note = "ggml's blocks, rows of 4096"},
    {OF(E4M3) | OF(E2M1), OF(F16), OF(MX_RCEIL), DEQUANTIZE, PER_ROW, 4096,
     .note = "MX, blocks of 32, rows of 4096", .block = 32},
    {OF(E2M1), OF(F16), OF(NVFP4), DEQUANTIZE, PER_ROW, 4096, .note = "NVFP4, blocks of 16, rows of 4096",
     .block = 16},

    /* Entries into a cache, or out of it: as many as x has, into a cache that they fill, where no sizes are
     * given. */
    {STATIC, SCATTER, PER_LAST, 128, .note = "prefill 2-D last wins", PAIRS, 8},
    {STATIC, SCATTER, PER_LAST, 128, .note = "prefill 2-D unique", PAIRS, 8, .unique = true},
    {STATIC, SCATTER, PER_LAST, 128, .note = "slots, no promise", SLOTS, 8},
    {STATIC, SCATTER, PER_LAST, 128, .note = "slots, promised apart", SLOTS, 8, .unique = true},
    {STATIC, SCATTER, PER_LAST, 128, .note = "prefill 1-D", STARTS, 8},
    {STATIC, SCATTER, PER_LAST, 8192, .note = "overlap wide", PAIRS, 0, 8, 4096, 1024, 1, 4},
    {STATIC, SCATTER, PER_LAST, 1024, .note = "overlap narrow", PAIRS, 0, 8, 32768, 64, 1, 16},
    {STATIC, SCATTER, PER_LAST, 1024, .note = "overlap narrow", PAIRS, 0, 8, 32768, 4096, 1, 16},
    {STATIC, SCATTER, PER_LAST, 1024, .note = "overlap narrow", PAIRS, 0, 8, 32768, 65536, 1},
    {STATIC, SCATTER, PER_LAST, 128, .note = "decode, calls back to back", STARTS, 0, 24, 4096, 24, 1, 256},
    {STATIC, SCATTER, PER_LAST, 128, .note = "decode, each call waited for", STARTS, 0, 24, 4096, 24, 1},
    {STATIC, SCATTER, PER_LAST, 128, .note = "decode, each call waited for", STARTS, 8, 64, 32768, 64, 1},
    {STATIC, SCATTER, PER_LAST, 128, .note = "decode, calls back to back", STARTS, 8, 64, 32768, 64, 1, 64},
    {FOUND, DYNAMIC_SCATTER, PER_ROW, 96, .note = "prefill 2-D unique", PAIRS, 8, .unique = true},
    {FOUND, DYNAMIC_SCATTER, PER_ROW, 128, .note = "prefill 2-D unique", PAIRS, 8, .unique = true},
    {FOUND, DYNAMIC_SCATTER, PER_ROW, 1024, .note = "prefill 2-D unique", PAIRS, 1, .unique = true},
    {FOUND, DYNAMIC_SCATTER, PER_ROW, 4096, .note = "prefill 2-D unique", PAIRS, 1, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 96, .note = "prefill 2-D last wins", PAIRS, 8},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "prefill 2-D last wins", PAIRS, 8},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 1024, .note = "prefill 2-D last wins", PAIRS, 1},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 4096, .note = "prefill 2-D last wins", PAIRS, 1},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "slots, promised apart", SLOTS, 8, .unique = true},
    {OF(F16), OF(I8), OF(ASYMMETRIC), DYNAMIC_SCATTER, PER_ROW, 128, .note = "slots, no promise", SLOTS, 8},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 96, .note = "prefill 1-D", STARTS, 8, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "prefill 1-D", STARTS, 8, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 1024, .note = "prefill 1-D", STARTS, 1, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 4096, .note = "prefill 1-D", STARTS, 1, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "prefill 2-D in order", ORDERED, 4, .unique = true},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "decode, each call waited for", STARTS, 8, 64, 32768, 64,
     1},
    {FOUND4, DYNAMIC_SCATTER, PER_ROW, 128, .note = "decode, calls back to back", STARTS, 8, 64, 32768, 64, 1,
     64},
    {OF(F16), OF(REFERENCE_Q8_0) | OF(REFERENCE_Q4_0), OF(DYNAMIC), DYNAMIC_SCATTER, IN_BLOCKS, 128,
     .note = "ggml's blocks", PAIRS, 8, .unique = true},
    {BACK, DEQUANTIZE, PER_LAST, 1024, .note = "gathered, entries of 256 x 1024", STARTS, 0, 0, 512, 0, 256},
    {BACK, DEQUANTIZE, PER_LAST, 1024, .note = "gathered, entries of 1024", PAIRS, 0},
    {BACK_FOUND, DEQUANTIZE, PER_ROW, 128, .note = "gathered, entries of 8 rows of 128", PAIRS, 8},
    {BACK_FOUND, DEQUANTIZE, PER_ROW, 128, .note = "gathered, slots of 8 rows of 128", SLOTS, 8},
    {OF(I4), OF(F16), OF(DYNAMIC), DEQUANTIZE, PER_ROW, 128, .note = "decode, each call waited for", STARTS,
     8, 64, 32768, 64, 1},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "decode, calls back to back", STARTS, 8, 8, 4096, 8, 1, 64,
     true},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "decode, calls back to back", STARTS, 8, 64, 4096, 64, 1, 64,
     true},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "decode, each call waited for", STARTS, 8, 64, 4096, 64, 1,
     .unique = true},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "prefill 1-D", STARTS, 8, .unique = true},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "prefill 2-D unique", PAIRS, 8, .unique = true},
    {MOVED, MOVE_ROWS, PER_LAST, 128, .note = "prefill 2-D last wins", PAIRS, 8},
    {MOVED8, MOVE_ROWS, PER_LAST, 128, .note = "prefill 2-D unique", PAIRS, 8, .unique = true},
    {MOVED8, MOVE_ROWS, PER_LAST, 128, .note = "defragmentation in place, unique", PAGES, 8, .unique = true},
    {MOVED8, MOVE_ROWS, PER_LAST, 128, .note = "defragmentation in place", PAGES, 8},
};

enum reference_type row_scale_type(const struct row *row)
{
    return row->mode == MX_RCEIL ? REFERENCE_E8M0
           : row->mode == NVFP4  ? REFERENCE_E4M3
           : row->block > 0      ? REFERENCE_F16
                                 : REFERENCE_F32;
}

size_t row_scales_bytes(const struct row *row)
{
    const int64_t block = row->block > 0 ? row->block : row->columns;

    return row->layout == IN_BLOCKS ? 0
                                    : row_type_bytes(row_scale_type(row), (row->columns + block - 1) / block);
}

uint32_t row_rule(const struct row *row)
{
    return row->mode == MX_RCEIL ? REFERENCE_MX_RCEIL : row->mode == NVFP4 ? REFERENCE_NVFP4 : 0;
}

void row_label(const struct row *row, char label[ROW_LABEL])
{
    char columns[32] = "";

    if (row->operation == DYNAMIC_SCATTER)
        snprintf(columns, sizeof columns, ", rows of %d", (int)row->columns);
    snprintf(label, ROW_LABEL, "%s %s to %s, %s, %s%s", operation_rows[row->operation].name,
             reference_types[row->src].name, reference_types[row->dst].name, row_modes[row->mode], row->note,
             columns);
}

/* Every destination and mode of the row's sets, from this source. */
static bool visit(struct row row, enum reference_type src, row_visitor *each, void *user)
{
    row.src = src;
    for (int dst = 0; dst < REFERENCE_TYPES; dst++)
        for (int mode = 0; mode < MODES; mode++) {
            row.dst = (enum reference_type)dst;
            row.mode = (enum mode)mode;
            if ((row.dsts & OF(dst)) && (row.modes & OF(mode)) && !each(user, &row))
                return false;
        }
    return true;
}

/* By operator, and within it by source, so that the data is made once for each. */
bool rows_visit(row_visitor *each, void *user)
{
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int src = 0; src < REFERENCE_TYPES; src++)
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                if ((int)rows[i].operation == operation && (rows[i].srcs & OF(src)) &&
                    !visit(rows[i], (enum reference_type)src, each, user))
                    return false;
    return true;
}

DLDataType row_type_dtype(enum reference_type type)
{
    const struct reference_type_row *row = &reference_types[type];

    return (DLDataType){(uint8_t)row->dlpack_code, (uint8_t)row->bits,
                        (uint16_t)reference_dlpack_lanes(type)};
}

size_t row_type_bytes(enum reference_type type, int64_t elements)
{
    if (reference_is_block(type))
        return (size_t)(elements / reference_lanes(type, 1) * reference_types[type].block_bytes);
    return (size_t)elements * (size_t)reference_types[type].bits / 8;
}
