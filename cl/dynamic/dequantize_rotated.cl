// SPDX-License-Identifier: Apache-2.0
// dequantize_rotated: x[row][i] = v[i] turned (dynamic/rotate.clh), for v[i] = (y[row][i] + offset) * scale,
// or the value of a block that carries its scale (base/blocks.clh), every step rounded to binary32, then to
// DST
//
// The mirror of dynamic_quantize.cl, with its names: y holds the integers and is read,
// x the floats and is written.
//   KERNEL_NAME   the kernel's name
//   SRC           a type of args/type_rows.h that is quantized, or a block type
//   DST           f32, f16 or bf16, of base/types.clh
//   MODE          multiply, of base/arithmetic.clh
//   ARITHMETIC    native or exact, of base/arithmetic.clh, base/narrow.clh and base/sum.clh
//   FORM          item or group, of base/parameters.clh
#include "args/dynamic_quantize.h"
#include "base/arithmetic.clh"
#include "base/blocks.clh"
#include "base/chunk.clh"
#include "base/narrow.clh"
#include "base/parameters.clh"
#include "dynamic/rotate.clh"
#include "base/scalar.clh"
#include "index/place.clh"

#define EIGHT          f16 // a type of which a chunk has eight elements
#define EIGHT_AT(v, c) (*(CLQ_TURNED float8 *)((v) + 8 * (c)))

struct row {
    global const STORAGE(SRC) *y;
    global STORAGE(DST) *x;
    global const uchar *scales, *offsets;
    long scale_at, offset_at;
    float scale, zero_point; // all of the row's, or of the element that is looked at
    long units;  // none where the row is not to be written
    uint eights; // the first of them may be loaded and stored whole
};

#define BY_BOTH(a) (HAS_BOTH(SRC) && (a)->rule != 0) // NVFP4 with a second scale

// Scale and offset of share n of the row.
static inline void find_scale(struct row *row, const struct dynamic_quantize_args *a, long n)
{
    row->scale = LOAD_SCALE(SRC, row->scales, row->scale_at + n * a->share_scale, a->scale_type);
    // The offset is negated, because the kernel subtracts.
    row->zero_point = as_float(
        as_uint(LOAD_ZERO_POINT(SRC, row->offsets, row->offset_at + n * a->share_offset, a->offset_type)) ^
        (BY_BOTH(a) ? 0u : 0x80000000u));
}

// Once turned.
static inline STORAGE(DST) narrowed(const struct dynamic_quantize_args *a, float v)
{
    return NARROW(DST, clq_canonical(APPLY_GRADUAL(MODE, v, as_float(a->factor))));
}

#include "dynamic/dequantize_rotated_row.clh"

static inline uint eights_of(const struct row *row, const struct dynamic_quantize_args *a)
{
    const bool dense = a->x_stride == ELEMENTS(SRC) && a->x_pair == (ELEMENTS(SRC) > 1) && y_is_dense(row, a);

    return dense && ((size_t)row->x & 15) == 0
               ? (uint)min(row->units * ELEMENTS(SRC) / 8, (long)INT_MAX)
               : 0;
}

// The data that all rows share.
struct call {
    global STORAGE(DST) *x;
    global const STORAGE(SRC) *y;
    global const uchar *scales, *offsets, *indices;
    global uint *report;
};

// Where a row lies. One of those that ask for it reports its entry.
static inline void place_row(struct row *row, const struct call *call, const struct dynamic_quantize_args *a,
                             uint number, bool reports)
{
    bool kept = number < (uint)a->rows;
    struct clq_place place = clq_place_of_32(number, a->dim, a->outer);

    *row = (struct row){.y = call->y + a->y_offset,
                        .x = call->x + a->x_offset + place.x,
                        .scales = call->scales,
                        .offsets = call->offsets,
                        .units = 0};
    if (kept && a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_source_of(call->indices, call->report, &a->entries, number, reports);

        kept = at.kept;
        place.y += at.y;
        place.scale += at.scale;
        place.zero_point += at.zero_point;
    }
    if (kept) {
        row->y += place.y;
        row->scale_at = a->scale_offset + place.scale;
        row->offset_at = a->offset_offset + place.zero_point;
        find_scale(row, a, 0);
        row->units = a->inner;
    }
    row->eights = eights_of(row, a);
}

// Elements `at` to `at` + `count` of the row.
static inline void load(struct row *row, const struct dynamic_quantize_args *a, CLQ_TURNED float *v, long at,
                        uint count, uint lane, uint lanes)
{
    for (uint c = lane; 8 * c < count; c += lanes) {
        const uint eight = (uint)(at / 8) + c;
        float8 values;

        if (eight < row->eights && a->share == 0) {
            values = eight_values(row, a, eight);
        } else {
            EIGHT_AT(v, c) = (float8)(0.0f);
            for (uint k = 8 * c; k < min(8 * c + 8, count); k++)
                v[k] = element_at(row, a, at + k);
            values = EIGHT_AT(v, c);
        }
        EIGHT_AT(v, c) = clq_turn_eight(values, a->rotate);
    }
}

#define BITS(k)      narrowed(a, turned.s##k)
#define HIGH_BITS(k) narrowed(a, turned.hi.s##k)
static inline void store(const struct row *row, const struct dynamic_quantize_args *a, CLQ_TURNED float *v,
                         long at, uint count, uint lane, uint lanes)
{
    for (uint c = lane; 8 * c < count; c += lanes) {
        const uint eight = (uint)(at / 8) + c;
        global uint4 *x = (global uint4 *)row->x + (8 / CHUNK(DST)) * eight;

        if (eight < row->eights) {
            const float8 turned = EIGHT_AT(v, c);

            x[0] = CHUNK_FROM(DST, BITS);
            if (CHUNK(DST) == 4)
                x[1] = CHUNK_FROM(f32, HIGH_BITS);
        } else {
            for (uint k = 8 * c; k < min(8 * c + 8, count); k++) {
                const long i = at + k;

                row->x[i / ELEMENTS(SRC) * a->x_stride + i % ELEMENTS(SRC) * a->x_pair] = narrowed(a, v[k]);
            }
        }
    }
}

// All of a group's work-items call it, for a row that is not to be written too.
CLQ_MEETS void take_parts(struct row *row, const struct dynamic_quantize_args *a, CLQ_TURNED float *part,
                          uint lane, uint lanes)
{
    for (long at = 0; at < a->inner * ELEMENTS(SRC); at += a->together) {
        const uint count = (uint)min((long)a->together, max(row->units * ELEMENTS(SRC) - at, 0L));

        load(row, a, part, at, count, lane, lanes);
        clq_turn(part, count, a->rotate, lane, lanes);
        store(row, a, part, at, count, lane, lanes);
    }
}

#if CLQ_IN_SIXTEENS
#include "dynamic/dequantize_rotated_sixteens.clh"
#else
CLQ_MEETS void take_row(const struct call *call, const struct dynamic_quantize_args *a,
                        CLQ_TURNED float *part, uint number, uint lane, uint lanes)
{
    struct row row;

    place_row(&row, call, a, number, lane == 0);
    take_parts(&row, a, part, lane, lanes);
}
#endif

kernel void KERNEL_NAME(global STORAGE(DST) *restrict x, global const STORAGE(SRC) *restrict y,
                        global const uchar *restrict scales, global const uchar *restrict offsets,
                        global const uchar *restrict indices, global const uint *restrict owners,
                        global uint *restrict report, const struct dynamic_quantize_args a)
{
    const struct call call = {x, y, scales, offsets, indices, report};
#if CLQ_IN_SIXTEENS
    local struct turned_rows rows[1];
    const uint item = (uint)get_local_id(0);
    struct row row;

    if (clq_finds_row(&a, item))
        find_row(&call, &a, rows, (uint)get_group_id(0) * a.sets + item, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    row = found_row(&call, &a, rows, item >> a.lane_bits);
    if (a.inner * ELEMENTS(SRC) > CLQ_OWN << a.lane_bits) // then the group has this row alone
        take_parts(&row, &a, (local float *)rows->room, item, 1u << a.lane_bits);
    else
        take_short(&row, &a, rows->room);
#else
    CLQ_TURNED float8 parts[CLQ_TURNED_MOST / 8]; // of all rows of the group
    CLQ_TURNED float *const part = (CLQ_TURNED float *)parts;
    if (IS_GROUP) {
        const uint local_id = (uint)get_local_id(0), here = local_id >> a.lane_bits,
                   lanes = 1u << a.lane_bits;
        const uint number = (uint)get_group_id(0) * a.sets + here;

        take_row(&call, &a, part + here * a.together, number, local_id & (lanes - 1), lanes);
    } else {
        const long begin = (long)get_global_id(0) * a.rows_per_item,
                   end = min(begin + a.rows_per_item, a.rows);

        for (long number = begin; number < end; number++)
            take_row(&call, &a, part, (uint)number, 0, 1);
    }
#endif
    (void)owners; // several rows may be read from one place
}
