/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, as two tables. A line is an operator, the types and modes that it is measured with, a layout or a
 * cache, and what stands beside it. */
#include "rows.h"

#include <stdio.h>

static const char *const operations[OPERATIONS] = {
    "quantize",    "group_quantize", "quantize_scatter", "dynamic_quantize", "dynamic_quantize_scatter",
    "find_scales", "dequantize",     "move_rows"};
static const char *const modes[MODES] = {"multiply", "divide",   "asymmetric", "symmetric",
                                         "dynamic",  "mx_rceil", "nvfp4",      "copy"};

/* Sets of types and of modes. */
#define OF(x) (1u << (x))
enum {
    FLOATS = OF(F32) | OF(F16) | OF(BF16),
    INT8_INT4 = OF(I8) | OF(I4),
#define TYPE_OF(t, id) | OF(REFERENCE_##t)
    GGML = 0 REFERENCE_BLOCKS(TYPE_OF),
    UINT8_INT32 = OF(U8) | OF(I32),
    BOTH = OF(MULTIPLY) | OF(DIVIDE),
    RANGES = OF(ASYMMETRIC) | OF(SYMMETRIC),
    BY_128 = 1 << 16, /* beside modes: rows are rotated by 128 */
};
#define BLOCKS(g) ((g) * (1u << 17)) /* or each so many of a row have a scale */
static const struct sets {
    unsigned srcs, dsts, modes;
} any = {FLOATS, INT8_INT4, BOTH}, wide = {OF(F32), UINT8_INT32, BOTH},
  divided = {FLOATS, INT8_INT4, OF(DIVIDE)}, grouped = {OF(F16), OF(I8), OF(MULTIPLY)},
  dynamic = {FLOATS, INT8_INT4, RANGES}, dynamic16 = {OF(F16), INT8_INT4, RANGES},
  found = {OF(F32) | OF(F16), OF(I8), OF(DIVIDE)}, scattered = {OF(F16), OF(I8), OF(DIVIDE)},
  rounded = {OF(F16), OF(I8), OF(DIVIDE)}, dyn4 = {OF(F16), OF(I4), OF(ASYMMETRIC)},
  dyn8 = {OF(F16), OF(I8), OF(ASYMMETRIC)}, float8 = {OF(F16), OF(E4M3), OF(DIVIDE)},
  blocks32 = {OF(F16), INT8_INT4, OF(ASYMMETRIC) | BLOCKS(32)},
  blocks64 = {OF(F16), INT8_INT4, OF(ASYMMETRIC) | BLOCKS(64)},
  blocks128 = {OF(F16), INT8_INT4, OF(ASYMMETRIC) | BLOCKS(128)},
  dynamic_float8 = {OF(F16), OF(E4M3), OF(SYMMETRIC)}, back_float8 = {OF(E4M3), OF(F16), OF(DIVIDE)},
  back = {INT8_INT4, OF(F16), OF(DIVIDE)}, back_rows = {INT8_INT4, OF(F16), OF(DYNAMIC)},
  rotated = {OF(F16), INT8_INT4, OF(ASYMMETRIC) | BY_128},
  back_rotated = {INT8_INT4, OF(F16), OF(DYNAMIC) | BY_128}, ggml = {OF(F32) | OF(F16), GGML, OF(DYNAMIC)},
  ggml_scattered = {OF(F16), OF(REFERENCE_Q8_0) | OF(REFERENCE_Q4_0), OF(DYNAMIC)},
  back_ggml = {GGML, OF(F32) | OF(F16), OF(DYNAMIC)},
  mx = {OF(F16), OF(E4M3) | OF(E2M1), OF(MX_RCEIL) | BLOCKS(32)},
  nvfp4 = {OF(F16), OF(E2M1), OF(NVFP4) | BLOCKS(16)},
  back_mx = {OF(E4M3) | OF(E2M1), OF(F16), OF(MX_RCEIL) | BLOCKS(32)},
  back_nvfp4 = {OF(E2M1), OF(F16), OF(NVFP4) | BLOCKS(16)}, moved = {OF(F16), OF(F16), OF(COPY)},
  moved8 = {OF(I8), OF(I8), OF(COPY)};
enum {
    BY_DENSE = LIMITS | BESIDE_DENSE,
    BY_UNROTATED = LIMITS | BESIDE_UNROTATED,
    BY_UNIQUE = LIMITS | BESIDE_UNIQUE
};

/* Rows of `columns` elements, from one tensor to another. 96, which some heads have,
 * is not a whole number of lines. */
static const struct dense {
    enum operation operation;
    const struct sets *sets;
    enum layout layout;
    int64_t columns;
    unsigned beside;
    const char *note;
} dense[] = {
    {QUANTIZE, &any, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {QUANTIZE, &any, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis"},
    {QUANTIZE, &wide, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {QUANTIZE, &wide, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis"},
    {QUANTIZE, &divided, PER_LAST_AXIS, 96, LIMITS, "per index of the last axis, rows of 96"},
    {QUANTIZE, &divided, PER_OTHER_AXIS, 256, BY_DENSE, "per index of axis 1, inner size 256"},
    {QUANTIZE, &divided, PER_OTHER_AXIS, 4096, BY_DENSE, "per index of axis 1, inner size 4096"},
    {QUANTIZE, &divided, STRIDED, 4096, BY_DENSE, "strided rows, per index of the last axis"},
    {QUANTIZE, &rounded, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis, rounded first"},
    {QUANTIZE, &float8, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {QUANTIZE, &float8, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis"},
    {QUANTIZE, &float8, IN_SQUARES, 8192, LIMITS, "blocks of 128 x 128"},
    {GROUP_QUANTIZE, &grouped, PER_GROUP, 4096, BY_DENSE, "64 uneven groups"},
    {DYNAMIC_QUANTIZE, &dynamic16, PER_ROW, 96, LIMITS, "rows of 96"},
    {DYNAMIC_QUANTIZE, &dynamic, PER_ROW, 128, LIMITS, "rows of 128"},
    {DYNAMIC_QUANTIZE, &dynamic, PER_ROW, 1024, LIMITS, "rows of 1024"},
    {DYNAMIC_QUANTIZE, &dynamic, PER_ROW, 4096, LIMITS, "rows of 4096"},
    {DYNAMIC_QUANTIZE, &rotated, PER_ROW, 128, BY_UNROTATED, "rotated by 128, rows of 128"},
    {DYNAMIC_QUANTIZE, &rotated, PER_ROW, 1024, BY_UNROTATED, "rotated by 128, rows of 1024"},
    {DYNAMIC_QUANTIZE, &blocks32, PER_ROW, 1024, LIMITS, "blocks of 32, float16 scales, rows of 1024"},
    {DYNAMIC_QUANTIZE, &blocks64, PER_ROW, 1024, LIMITS, "blocks of 64, float16 scales, rows of 1024"},
    {DYNAMIC_QUANTIZE, &blocks128, PER_ROW, 1024, LIMITS, "blocks of 128, float16 scales, rows of 1024"},
    {DYNAMIC_QUANTIZE, &dynamic_float8, PER_ROW, 128, LIMITS, "rows of 128"},
    {DYNAMIC_QUANTIZE, &dynamic_float8, PER_ROW, 4096, LIMITS, "rows of 4096"},
    {DYNAMIC_QUANTIZE, &dynamic_float8, IN_SQUARES, 8192, LIMITS, "blocks of 128 x 128"},
    {DYNAMIC_QUANTIZE, &ggml, IN_BLOCKS, 4096, LIMITS, "ggml's blocks, rows of 4096"},
    {DYNAMIC_QUANTIZE, &mx, PER_ROW, 4096, LIMITS, "MX, blocks of 32, rows of 4096"},
    {DYNAMIC_QUANTIZE, &nvfp4, PER_ROW, 4096, LIMITS, "NVFP4, blocks of 16, rows of 4096"},
    {FIND_SCALES, &found, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {FIND_SCALES, &found, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis"},
    {FIND_SCALES, &found, PER_FIRST_AXIS, 8192, LIMITS, "per index of the first axis"},
    {DEQUANTIZE, &back, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {DEQUANTIZE, &back, PER_LAST_AXIS, 8192, LIMITS, "per index of the last axis"},
    {DEQUANTIZE, &back_float8, PER_TENSOR, 8192, LIMITS, "per tensor"},
    {DEQUANTIZE, &back_float8, IN_SQUARES, 8192, LIMITS, "blocks of 128 x 128"},
    {DEQUANTIZE, &back_rows, PER_ROW, 128, LIMITS, "per row of 128"},
    {DEQUANTIZE, &back_rows, PER_ROW, 96, LIMITS, "per row of 96"},
    {DEQUANTIZE, &back_rotated, PER_ROW, 128, BY_UNROTATED, "rotated by 128, per row of 128"},
    {DEQUANTIZE, &back_ggml, IN_BLOCKS, 4096, LIMITS, "ggml's blocks, rows of 4096"},
    {DEQUANTIZE, &back_mx, PER_ROW, 4096, LIMITS, "MX, blocks of 32, rows of 4096"},
    {DEQUANTIZE, &back_nvfp4, PER_ROW, 4096, LIMITS, "NVFP4, blocks of 16, rows of 4096"},
};

/* Entries into a cache, or out of it. */
#define ALL 0, 0, 0, 0 /* as many entries as x has, into a cache that they fill */
static const struct cached {
    enum operation operation;
    const struct sets *sets;
    enum placement placement;
    int64_t heads, columns;
    int64_t batches, length, entries, update_length;
    bool unique;
    int calls;
    unsigned beside;
    const char *note;
} cached[] = {
    {QUANTIZE_SCATTER, &scattered, PAIRS, 8, 128, 8, 32768, 32768, 1, false, 1, BY_DENSE,
     "prefill 2-D last wins"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 8, 128, 8, 32768, 32768, 1, true, 1, BY_DENSE,
     "prefill 2-D unique"},
    {QUANTIZE_SCATTER, &scattered, SLOTS, 8, 128, 8, 32768, 32768, 1, false, 1, BESIDE_PAIRS,
     "slots, no promise"},
    {QUANTIZE_SCATTER, &scattered, SLOTS, 8, 128, 8, 32768, 32768, 1, true, 1, BESIDE_PAIRS,
     "slots, promised apart"},
    {QUANTIZE_SCATTER, &scattered, STARTS, 8, 128, 8, 32768, 8, 4096, false, 1, BY_DENSE, "prefill 1-D"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 8192, 8, 4096, 1024, 1, false, 4, BESIDE_UNIQUE, "overlap wide"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 64, 1, false, 16, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 256, 1, false, 16, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 1024, 1, false, 16, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 4096, 1, false, 16, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 16384, 1, false, 1, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, PAIRS, 0, 1024, 8, 32768, 65536, 1, false, 1, BESIDE_UNIQUE,
     "overlap narrow"},
    {QUANTIZE_SCATTER, &scattered, STARTS, 0, 128, 24, 4096, 24, 1, false, 256, 0,
     "decode, calls back to back"},
    {QUANTIZE_SCATTER, &scattered, STARTS, 0, 128, 24, 4096, 24, 1, false, 1, 0,
     "decode, each call waited for"},
    {QUANTIZE_SCATTER, &scattered, STARTS, 8, 128, 64, 32768, 64, 1, false, 1, 0,
     "decode, each call waited for"},
    {QUANTIZE_SCATTER, &scattered, STARTS, 8, 128, 64, 32768, 64, 1, false, 64, 0,
     "decode, calls back to back"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 8, 96, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 8, 128, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 1, 1024, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 1, 4096, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn8, PAIRS, 8, 96, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn8, PAIRS, 8, 128, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn8, PAIRS, 1, 1024, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn8, PAIRS, 1, 4096, ALL, true, 1, BY_DENSE, "prefill 2-D unique"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 8, 96, ALL, false, 1, BY_DENSE, "prefill 2-D last wins"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 8, 128, ALL, false, 1, BY_DENSE, "prefill 2-D last wins"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 1, 1024, ALL, false, 1, BY_DENSE, "prefill 2-D last wins"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, PAIRS, 1, 4096, ALL, false, 1, BY_DENSE, "prefill 2-D last wins"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, SLOTS, 8, 128, ALL, true, 1, BESIDE_PAIRS, "slots, promised apart"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn8, SLOTS, 8, 128, ALL, false, 1, BESIDE_PAIRS, "slots, no promise"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 8, 96, ALL, true, 1, BY_DENSE, "prefill 1-D"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 8, 128, ALL, true, 1, BY_DENSE, "prefill 1-D"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 1, 1024, ALL, true, 1, BY_DENSE, "prefill 1-D"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 1, 4096, ALL, true, 1, BY_DENSE, "prefill 1-D"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, ORDERED, 4, 128, ALL, true, 1, BY_DENSE, "prefill 2-D in order"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 8, 128, 64, 32768, 64, 1, false, 1, 0,
     "decode, each call waited for"},
    {DYNAMIC_QUANTIZE_SCATTER, &dyn4, STARTS, 8, 128, 64, 32768, 64, 1, false, 64, 0,
     "decode, calls back to back"},
    {DYNAMIC_QUANTIZE_SCATTER, &ggml_scattered, PAIRS, 8, 128, ALL, true, 1, BY_DENSE, "ggml's blocks"},
    {DEQUANTIZE, &back, STARTS, 0, 1024, ALL, true, 1, LIMITS, "gathered, entries of 256 x 1024"},
    {DEQUANTIZE, &back, PAIRS, 0, 1024, ALL, true, 1, LIMITS, "gathered, entries of 1024"},
    {DEQUANTIZE, &back_rows, PAIRS, 8, 128, ALL, true, 1, LIMITS, "gathered, entries of 8 rows of 128"},
    {DEQUANTIZE, &back_rows, SLOTS, 8, 128, ALL, true, 1, LIMITS | BESIDE_PAIRS,
     "gathered, slots of 8 rows of 128"},
    {MOVE_ROWS, &moved, STARTS, 8, 128, 8, 4096, 8, 1, true, 64, 0, "decode, calls back to back"},
    {MOVE_ROWS, &moved, STARTS, 8, 128, 64, 4096, 64, 1, true, 64, 0, "decode, calls back to back"},
    {MOVE_ROWS, &moved, STARTS, 8, 128, 64, 4096, 64, 1, true, 1, 0, "decode, each call waited for"},
    {MOVE_ROWS, &moved, STARTS, 8, 128, ALL, true, 1, LIMITS, "prefill 1-D"},
    {MOVE_ROWS, &moved, PAIRS, 8, 128, ALL, true, 1, LIMITS, "prefill 2-D unique"},
    {MOVE_ROWS, &moved, PAIRS, 8, 128, ALL, false, 1, BY_UNIQUE, "prefill 2-D last wins"},
    {MOVE_ROWS, &moved8, PAIRS, 8, 128, ALL, true, 1, LIMITS, "prefill 2-D unique"},
    {MOVE_ROWS, &moved8, PAGES, 8, 128, ALL, true, 1, LIMITS, "defragmentation in place, unique"},
    {MOVE_ROWS, &moved8, PAGES, 8, 128, ALL, false, 1, BY_UNIQUE, "defragmentation in place"},
    {MOVE_ROWS, &moved8, FORKS, 8, 128, ALL, true, 1, LIMITS, "forks in place, unique"},
};

const char *row_operation(const struct row *row)
{
    return operations[row->operation];
}

const char *row_mode(const struct row *row)
{
    return modes[row->mode];
}

void row_label(const struct row *row, char *label, size_t size_bytes)
{
    char rows[32] = "";

    if (row->operation == DYNAMIC_QUANTIZE_SCATTER)
        snprintf(rows, sizeof rows, ", rows of %d", (int)row->columns);
    snprintf(label, size_bytes, "%s %s to %s, %s, %s%s", row_operation(row), reference_types[row->src].name,
             reference_types[row->dst].name, row_mode(row), row->note, rows);
}

/* Whoever visits the rows. */
struct visitor {
    bool (*each)(void *user, const struct row *row);
    void *user;
};

/* Every type and mode of the sets, from this source. */
static bool visit(const struct visitor *visitor, const struct sets *sets, enum reference_type src,
                  struct row row)
{
    row.src = src;
    row.rotate = sets->modes & BY_128 ? 128 : 0;
    row.block = sets->modes / BLOCKS(1);
    for (int dst = 0; dst < REFERENCE_TYPES && (sets->srcs & OF(src)); dst++)
        for (int mode = 0; mode < MODES; mode++) {
            row.dst = (enum reference_type)dst;
            row.mode = (enum mode)mode;
            if ((sets->dsts & OF(dst)) && (sets->modes & OF(mode)) && !visitor->each(visitor->user, &row))
                return false;
        }
    return true;
}

static bool visit_operation(const struct visitor *visitor, enum operation operation, enum reference_type src)
{
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        const struct dense *d = &dense[i];
        const struct row row = {.operation = operation,
                                .layout = d->layout,
                                .columns = d->columns,
                                .round_first = d->sets == &rounded,
                                .calls = 1,
                                .beside = d->beside,
                                .note = d->note};

        if (d->operation == operation && !visit(visitor, d->sets, src, row))
            return false;
    }
    for (size_t i = 0; i < sizeof cached / sizeof *cached; i++) {
        const struct cached *c = &cached[i];
        const bool of_rows = operation == DYNAMIC_QUANTIZE_SCATTER || c->sets == &back_rows,
                   blocks = c->sets == &ggml_scattered;
        const struct row row = {.operation = operation,
                                .layout = blocks    ? IN_BLOCKS
                                          : of_rows ? PER_ROW
                                                    : PER_LAST_AXIS,
                                .columns = c->columns,
                                .placement = c->placement,
                                .heads = c->heads,
                                .batches = c->batches,
                                .length = c->length,
                                .entries = c->entries,
                                .update_length = c->update_length,
                                .unique = c->unique,
                                .calls = c->calls,
                                .beside = c->beside,
                                .note = c->note};

        if (c->operation == operation && !visit(visitor, c->sets, src, row))
            return false;
    }
    return true;
}

/* By operator, and within it by source, so that the data is made once for each. */
bool rows_visit(bool (*each)(void *user, const struct row *row), void *user)
{
    const struct visitor visitor = {each, user};

    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int src = 0; src < REFERENCE_TYPES; src++)
            if (!visit_operation(&visitor, (enum operation)operation, (enum reference_type)src))
                return false;
    return true;
}

DLDataType row_type_dtype(enum reference_type type)
{
    const struct reference_type_row *row = &reference_types[type];

    return (DLDataType){(uint8_t)row->dlpack_code, (uint8_t)row->bits,
                        (uint16_t)reference_dlpack_lanes(type)};
}

int64_t row_type_values(enum reference_type type)
{
    return reference_lanes(type, 1);
}

size_t row_type_bytes(enum reference_type type, int64_t elements)
{
    if (reference_is_block(type))
        return (size_t)(elements / row_type_values(type) * reference_types[type].block_bytes);
    return (size_t)elements * (size_t)reference_types[type].bits / 8;
}
