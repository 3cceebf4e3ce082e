// SPDX-License-Identifier: Apache-2.0
// quantize_rule: the values of a block by a scale that a rule of MX or NVFP4 finds from the largest magnitude
//
//   y[row][i] = narrow(x[row][i] * inv_scale), scales[row] = code; dynamic/rule.clh has both
//
//   KERNEL_NAME   the kernel's name
//   SRC           f32, f16 or bf16, of base/types.clh
//   DST           e4m3, e5m2 or e2m1, of args/type_rows.h
//   ARITHMETIC    native or exact, of base/arithmetic.clh
//   FORM          item or group, of base/parameters.clh
//
// Arguments and buffers are those of dynamic_quantize.cl. A row is one block, along any dimension. The rule
// is an argument: it is asked once a row. If blocks do not lie along the elements of a unit (share is 1),
// a row is a block for each of its two, whose scales are next_scale apart. offsets is NVFP4's second scale,
// of offset_type.
#include "args/dynamic_quantize.h"
#include "base/chunk.clh"
#include "base/barrier.clh"
#include "base/parameters.clh"
#include "dynamic/rule.clh"
#include "index/entry.clh"
#include "index/place.clh"
#include "index/units.clh"

#if !defined(KERNEL_NAME) || !defined(SRC) || !defined(DST) || !defined(FORM) || !defined(ARITHMETIC)
#error "quantize_rule.cl: KERNEL_NAME, SRC, DST, FORM and ARITHMETIC are required"
#endif

#define MOST_LOCAL 128 // work-items in a group

// The data that all rows share.
struct quantize_rule_call {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    global uchar *scales;
    global const uchar *indices;
    global const uint *owners;
    global uint *report;
    struct clq_global global_scale;
};

struct row {
    global const STORAGE(SRC) *x;
    global STORAGE(DST) *y;
    long scale;  // its place
    long units;
    bool kept;   // whether the row is to be written; where it is not it has no units
    uint chunks; // the first of them, in 16 bytes of x each
};

typedef VECTOR(DST, UNITS(DST, CHUNK(SRC))) y_chunk;

// For dense rows that begin where chunks may be loaded and stored.
static inline uint chunks_of(const struct row *row, const struct dynamic_quantize_args *a)
{
    const bool dense = CLQ_X_IS_DENSE(a, ELEMENTS(DST)) && CLQ_Y_IS_DENSE(a) && a->per_scale == 0;
    const bool aligned = ((size_t)row->x & 15) == 0 && ((size_t)row->y & (sizeof(y_chunk) - 1)) == 0;

    return dense && aligned ? (uint)min(row->units / UNITS(DST, CHUNK(SRC)), (long)INT_MAX) : 0;
}

// One of those that ask for it reports the row's entry.
static inline struct row row_of(const struct quantize_rule_call *call, const struct dynamic_quantize_args *a,
                                uint number, bool reports)
{
    bool kept = number < (uint)a->rows;
    struct clq_place place = clq_place_of_32(number, a->dim, a->outer);
    struct row row;

    if (kept && a->entries.kind != CLQ_ENTRY_NONE) {
        const struct clq_entry_place at =
            clq_entry_place_of(call->indices, call->owners, call->report, &a->entries, number, reports);

        kept = at.kept;
        place.y += at.y;
        place.scale += at.scale;
    }
    row.x = call->x + a->x_offset + place.x;
    row.y = call->y + a->y_offset + place.y;
    row.scale = a->scale_offset + place.scale;
    row.kept = kept;
    row.units = kept ? a->inner : 0;
    row.chunks = chunks_of(&row, a);
    return row;
}

#define CHUNK_VALUE(k) CHUNK_ELEMENT(SRC, x, k)
#define SCAN(k)        keys.x = max(keys.x, clq_rule_key(a->rule, CHUNK_VALUE(k)));
// The largest magnitudes that a lane sees: of a row's elements, or of each unit's first and second.
static inline uint2 scan(const struct row *row, const struct dynamic_quantize_args *a, uint lane, uint lanes)
{
    uint2 keys = (uint2)(0);

    for (uint c = lane; c < row->chunks; c += lanes) {
        const uint4 x = ((global const uint4 *)row->x)[c];

        CHUNK_EACH(SRC, SCAN)
    }
    for (long u = (long)row->chunks * UNITS(DST, CHUNK(SRC)) + lane; u < row->units; u += lanes) {
        keys.x = max(keys.x, clq_rule_key(a->rule, LOAD(SRC, row->x, u * a->x_stride)));
        if (ELEMENTS(DST) > 1)
            keys.y = max(keys.y, clq_rule_key(a->rule, LOAD(SRC, row->x, u * a->x_stride + a->x_pair)));
    }
    return a->per_scale == 0 ? (uint2)(max(keys.x, keys.y)) : keys;
}

// All work-items of a group meet here, so they call it for the rows behind the last one too.
CLQ_HAS_BARRIER uint2 joined(uint2 keys, local uint2 *shared, uint lane, uint lanes)
{
#if IS_GROUP
    const uint id = (uint)get_local_id(0);

    shared[id] = keys;
    for (uint distance = lanes / 2; distance > 0; distance /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < distance)
            shared[id] = max(shared[id], shared[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys = shared[id - lane];
    barrier(CLK_LOCAL_MEM_FENCE); // before the next row is looked at
#else
    (void)shared, (void)lane, (void)lanes;
#endif
    return keys;
}

#define SCALED(v)      clq_ruled_value(v, first)
#define CHUNK_UNIT(k, l, m, n)                                                                               \
    PACK(DST, SCALED(CHUNK_VALUE(k)), SCALED(CHUNK_VALUE(l)), SCALED(CHUNK_VALUE(m)), SCALED(CHUNK_VALUE(n)))
#define ROW_ELEMENT(n) \
    clq_ruled_value(LOAD(SRC, row->x, u * a->x_stride + ELEMENT_OFFSET(n, a->x_pair)), \
                    (n) == 0 ? first : second)
static inline void store(const struct row *row, const struct dynamic_quantize_args *a, struct clq_ruled first,
                         struct clq_ruled second, uint lane, uint lanes)
{
    for (uint c = lane; c < row->chunks; c += lanes) {
        const uint4 x = ((global const uint4 *)row->x)[c];

        ((global y_chunk *)row->y)[c] = (y_chunk)(CHUNK_UNITS(DST, SRC, CHUNK_UNIT));
    }
    for (long u = (long)row->chunks * UNITS(DST, CHUNK(SRC)) + lane; u < row->units; u += lanes)
        row->y[clq_unit_place(a, u)] = UNIT(DST, ROW_ELEMENT);
}

CLQ_HAS_BARRIER void take_row(const struct quantize_rule_call *call, const struct dynamic_quantize_args *a,
                              local uint2 *shared, uint number, uint lane, uint lanes)
{
    const struct row row = row_of(call, a, number, lane == 0);
    const uint blocks = ELEMENTS(DST) > 1 && a->per_scale > 0 ? 2 : 1;
    uint2 keys = joined(scan(&row, a, lane, lanes), shared, lane, lanes);
    struct clq_ruled first = {0.0f, 0.0f, 0u, 0u}, second = first;

#pragma unroll 1 // a quotient is long, and stands once in the code
    for (uint k = 0; k < blocks; k++, keys = keys.yx) {
        first = second;
        second = clq_ruled(max(keys.x, (uint)a->least), a->rule, call->global_scale);
    }
    if (blocks == 1)
        first = second;
    store(&row, a, first, second, lane, lanes);
    if (row.kept && lane == 0) {
        call->scales[row.scale] = (uchar)first.code;
        if (a->per_scale > 0)
            call->scales[row.scale + a->next_scale] = (uchar)second.code;
    }
}

kernel void KERNEL_NAME(global const STORAGE(SRC) *restrict x, global const uint *restrict smooth,
                        global STORAGE(DST) *restrict y, global uchar *restrict scales,
                        global const uchar *restrict offsets, global const uchar *restrict indices,
                        global const uint *restrict owners, global uint *restrict report,
                        const struct dynamic_quantize_args a)
{
    const bool given = HAS_NVFP4 && a.offset_type == CLQ_SCALAR_F32;
    const struct clq_global global_scale = {
        given ? LOAD(f32, (global const uint *)offsets, a.offset_offset) : 0.0f, given};
    const struct quantize_rule_call call = {x, y, scales, indices, owners, report, global_scale};
#if IS_GROUP
    local uint2 shared[MOST_LOCAL];
    const uint local_id = (uint)get_local_id(0), lanes = 1u << a.lane_bits;

    take_row(&call, &a, shared, (uint)get_group_id(0) * a.sets + (local_id >> a.lane_bits),
             local_id & (lanes - 1), lanes);
#else
    const long begin = (long)get_global_id(0) * a.rows_per_item, end = min(begin + a.rows_per_item, a.rows);

    for (long number = begin; number < end; number++)
        take_row(&call, &a, 0, (uint)number, 0, 1);
#endif
    (void)smooth; // multiplied before
}
