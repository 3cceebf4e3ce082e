/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct dynamic_quantize_args: dynamic_quantize.cl, and dequantize_rotated.cl, where y is
 * read and x is written; quantize_blocks.cl and dequantize_blocks.cl, whose blocks carry their scales; and
 * quantize_rule.cl. */
#include "args/dynamic_quantize.h"
#include "args/rules.h"
#include "blocks.h"
#include "dequantize.h"
#include "dynamic.h"
#include "entries.h"
#include "rotate.h"
#include "rule.h"
#include "run_args.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, SMOOTH, Y, SCALES, OFFSETS, INDICES, OWNERS, REPORT }; /* the buffers */
/* Those of the way back. */
enum { BACK_X, BACK_Y, BACK_SCALES, BACK_OFFSETS, BACK_INDICES, BACK_OWNERS, BACK_REPORT };

struct call {
    struct run *run;
    const struct dynamic_quantize_args *a;
    enum clq__type x_type, y_type;
    bool smooth, back, blocks, rule;
    int elements;
    float *x, *smooth_row; /* a row of each */
    unsigned char *y;
};

/* Where unit u of the row lies in y. */
static int64_t y_at(const struct dynamic_quantize_args *a, const struct place *place, int64_t u)
{
    const int64_t part = divided(u, &a->by_y_segment);

    return a->y_offset + place->y + part * a->y_segment_stride + (u - part * a->y_segment) * a->y_stride;
}

static float of_bits(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static float scalar_at(const struct call *call, unsigned buffer, uint32_t type, int64_t at)
{
    return type == CLQ_SCALAR_NONE ? -0.0f : run_load(call->run, buffer, (enum clq__type)type, at);
}

/* Values of the row's blocks. */
static void load_blocks(const struct call *call, const struct place *place, int64_t count)
{
    const struct dynamic_quantize_args *a = call->a;
    unsigned char block[UNITS_BLOCK_BYTES];

    for (int64_t i = 0; i < count; i++) {
        if (i % CLQ_BLOCK_VALUES == 0)
            units_load_block(call->run, BACK_Y, call->y_type,
                             a->y_offset + place->y + i / CLQ_BLOCK_VALUES * a->y_stride, block);
        call->x[i] = reference_block_value(units_type(call->y_type), block, (int)(i % CLQ_BLOCK_VALUES));
    }
}

/* Of NVFP4 what a block has as its scale lies where an offset would. */
static float back_of(const struct call *call, uint64_t code, float scale, float offset)
{
    const float q = reference_read(code, units_type(call->y_type));

    return call->a->rule != 0 ? reference_dequantize_one(q * offset, scale, NULL, REFERENCE_UNDO_DYNAMIC)
                              : reference_dequantize_one(q, scale, &offset, REFERENCE_UNDO_DYNAMIC);
}

/* The way back: a row of y to one of x. */
static void row_back_at(const struct call *call, const struct place *place)
{
    const struct dynamic_quantize_args *a = call->a;
    const int64_t count = a->inner * call->elements;

    if (call->blocks)
        load_blocks(call, place, count);
    for (int64_t u = 0; u < a->inner && !call->blocks; u++) {
        uint64_t codes[UNITS_MOST_ELEMENTS];

        units_load(call->run, BACK_Y, call->y_type, y_at(a, place, u), codes);
        for (int64_t e = 0; e < call->elements; e++) {
            const int64_t i = u * call->elements + e, n = a->per_scale > 0 ? divided(i, &a->by_per_scale) : 0;
            const float scale = scalar_at(call, BACK_SCALES, a->scale_type,
                                          a->scale_offset + place->scale + n * a->next_scale),
                        offset = scalar_at(call, BACK_OFFSETS, a->offset_type,
                                           a->offset_offset + place->zero_point + n * a->next_offset);

            call->x[i] = back_of(call, codes[e], scale, offset);
        }
    }
    reference_rotate(call->x, count, a->rotate);
    for (int64_t i = 0; i < count && !run_failed(call->run); i++)
        units_store_float(call->run, BACK_X, call->x_type,
                          a->x_offset + place->x + i / call->elements * a->x_stride +
                              i % call->elements * a->x_pair,
                          call->x[i]);
}

/* The row's elements one after the other, quantized by the reference, and back to where they belong. */
static void row_at(const struct call *call, const struct place *place, int64_t number, int64_t of_group)
{
    const struct dynamic_quantize_args *a = call->a;
    const int64_t count = a->inner * call->elements;
    /* blocks of one row follow one another */
    const int64_t first =
        a->smooth_offset + of_group +
        (a->smooth_blocks > 0 ? (number - divided(number, &a->by_smooth_blocks) * a->smooth_blocks) * count
                              : 0);
    unsigned char scale[4] = {0}, offset[4] = {0}, block[UNITS_BLOCK_BYTES];
    const enum reference_type found = units_type((enum clq__type)a->scale_type);
    const struct reference_tensor x = reference_dense(REFERENCE_F32, 1, 1, &count, call->x),
                                  smooth = reference_dense(REFERENCE_F32, 1, 1, &count, call->smooth_row),
                                  y = reference_dense(units_type(call->y_type), 1, 1, &count, call->y),
                                  one_scale = reference_dense(found, 1, 0, NULL, scale),
                                  one_offset = reference_dense(found, 1, 0, NULL, offset);

    for (int64_t i = 0; i < count; i++) {
        const int64_t u = i / call->elements, e = i % call->elements;

        call->x[i] =
            run_load(call->run, X, call->x_type, a->x_offset + place->x + u * a->x_stride + e * a->x_pair);
        if (call->smooth)
            call->smooth_row[i] = run_load(call->run, SMOOTH, CLQ__F32, first + i);
    }
    if (call->blocks) {
        for (int64_t i = 0; i < count && call->smooth; i++)
            call->x[i] *= call->smooth_row[i];
        reference_block_quantize(units_type(call->y_type), call->x, block);
        units_store_block(call->run, Y, call->y_type, a->y_offset + place->y, block);
        return;
    }
    reference_dynamic_quantize(
        &(struct reference_dynamic_quantize_desc){.x = &x,
                                                  .smooth_scale = call->smooth ? &smooth : NULL,
                                                  .y = &y,
                                                  .scale = &one_scale,
                                                  .offset = a->symmetric ? NULL : &one_offset,
                                                  .symmetric = a->symmetric != 0,
                                                  .axis = -1,
                                                  .top = a->symmetric ? of_bits(a->top) : 0.0f,
                                                  .rotate = a->rotate});
    for (int64_t u = 0; u < a->inner && !run_failed(call->run); u++) {
        uint64_t codes[UNITS_MOST_ELEMENTS];

        for (int64_t e = 0; e < call->elements; e++) {
            const int64_t i = u * call->elements + e;

            codes[e] = reference_load_code(&y, &i);
        }
        units_store(call->run, Y, call->y_type, y_at(a, place, u), codes);
    }
    units_store_float(call->run, SCALES, (enum clq__type)a->scale_type, a->scale_offset + place->scale,
                      reference_load(&one_scale, NULL));
    if (!a->symmetric)
        units_store_float(call->run, OFFSETS, (enum clq__type)a->offset_type,
                          a->offset_offset + place->zero_point,
                          (a->offset_sign != 0 ? 1.0f : -1.0f) * reference_load(&one_offset, NULL));
}

/* A block by a rule, or one for each of a unit's elements. */
static void row_by_rule(const struct call *call, const struct place *place)
{
    const struct dynamic_quantize_args *a = call->a;
    const enum reference_type type = units_type(call->y_type);
    struct reference_block_range ranges[2] = {{0}};
    const float second = scalar_at(call, OFFSETS, a->offset_type, a->offset_offset),
                *const global_scale = a->offset_type != CLQ_SCALAR_NONE ? &second : NULL;
    uint64_t scales[2];

    for (int64_t i = 0; i < a->inner * call->elements; i++) {
        const int64_t u = i / call->elements, e = i % call->elements;
        struct reference_block_range *const range = &ranges[a->per_scale > 0 ? e : 0];

        call->x[i] =
            run_load(call->run, X, call->x_type, a->x_offset + place->x + u * a->x_stride + e * a->x_pair);
        range->has_nan |= isnan(call->x[i]);
        if (fabsf(call->x[i]) > range->magnitude)
            range->magnitude = fabsf(call->x[i]);
    }
    for (int k = 0; k <= (a->per_scale > 0); k++) {
        scales[k] = reference_rule_code((struct reference_rule){(int)a->rule, of_bits((uint32_t)a->least)},
                                        type, ranges[k], global_scale);
        units_store(call->run, SCALES, (enum clq__type)a->scale_type,
                    a->scale_offset + place->scale + k * a->next_scale, &scales[k]);
    }
    for (int64_t u = 0; u < a->inner && !run_failed(call->run); u++) {
        uint64_t codes[UNITS_MOST_ELEMENTS];

        for (int64_t e = 0; e < call->elements; e++)
            codes[e] = reference_rule_value((int)a->rule, type, scales[a->per_scale > 0 ? e : 0],
                                            global_scale, call->x[u * call->elements + e]);
        units_store(call->run, Y, call->y_type, y_at(a, place, u), codes);
    }
}

/* What an entry adds to the scale is, of groups, where their smooth scales are. */
static void row_forward(const struct call *call, const struct place *place, int64_t row)
{
    const struct dynamic_quantize_args *a = call->a;
    struct place own = *place;
    int64_t of_group = 0;

    if (a->entries.kind == CLQ_ENTRY_GROUPS) {
        own.scale = place_of_slice(call->run, row, a->dim, a->outer).scale;
        of_group = place->scale - own.scale;
    }
    row_at(call, &own, row, of_group);
}

static void run_rows(const struct call *call)
{
    static const struct entry_buffers forward = {INDICES, OWNERS, REPORT},
                                      back = {BACK_INDICES, BACK_OWNERS, BACK_REPORT};
    struct run *run = call->run;
    const struct dynamic_quantize_args *a = call->a;
    const struct share share = run_share(run, a->rows, a->rows_per_item, UINT32_C(1) << a->lane_bits);

    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t row = w * share.each; row < (w + 1) * share.each && row < a->rows && !run_failed(run);
             row++) {
            struct place place = place_of_slice(run, row, a->dim, a->outer);

            if (!entries_place(run, &a->entries, call->back ? &back : &forward, row, true, &place))
                continue;
            if (call->back)
                row_back_at(call, &place);
            else if (call->rule)
                row_by_rule(call, &place);
            else
                row_forward(call, &place, row);
        }
}

/* Floats that are turned at once by a work-item by itself, or by a group,
 * which has them in registers where sums are the device's. */
static int64_t room_of(const struct clq__launch *launch)
{
    const bool native = clq__variant_value(&launch->variant, CLQ__ARITHMETIC) == CLQ__NATIVE;

    if (clq__variant_value(&launch->variant, CLQ__FORM) != 1)
        return 1024;
    return native ? 16 * (int64_t)launch->local : 2048;
}

/* The kernels that have a file of their own for blocks turn nothing. */
static bool has_own_file(const struct call *call)
{
    const uint64_t kernel = call->run->launch->variant.bits & 255;

    return kernel == CLQ__DEQUANTIZE_BLOCKS_CL || kernel == CLQ__CPU_DEQUANTIZE_BLOCKS_CL;
}

/* What is turned at once: whole blocks, and eights, for which the group of these work-items has room. */
static void check_rotate(const struct call *call)
{
    const struct dynamic_quantize_args *a = call->a;
    const int rotated = call->back ? !has_own_file(call)
                        : call->blocks || call->rule
                            ? 0
                            : clq__variant_value(&call->run->launch->variant, CLQ__ROTATE);
    const int64_t rows = (int64_t)call->run->launch->local >> a->lane_bits;
    const float factor = (float)(1.0 / sqrt((double)a->rotate));

    if ((a->rotate > 0) != (rotated == 1))
        run_fail(call->run, "a row is turned by %u, and its kernel has ROTATE=%d", a->rotate, rotated);
    if (a->rotate == 0)
        return;
    if (a->inner * call->elements % a->rotate != 0 || a->together % a->rotate != 0 || a->together % 8 != 0 ||
        rows * a->together > room_of(call->run->launch) || memcmp(&factor, &a->factor, sizeof factor) != 0)
        run_fail(call->run, "rows of %lld elements are turned by %u, %u at once, with the factor %x",
                 (long long)(a->inner * call->elements), a->rotate, a->together, a->factor);
}

static void run_call(struct call *call)
{
    struct run *run = call->run;
    const uint64_t kernel = run->launch->variant.bits & 255;
    size_t count;

    if (call->a->rows == 0)
        return;
    call->elements = units_elements(call->y_type);
    call->rule = kernel == CLQ__QUANTIZE_RULE_CL || kernel == CLQ__CPU_QUANTIZE_RULE_CL;
    if (call->back ? call->a->rule != 0 && (call->a->rule != CLQ_RULE_NVFP4 || call->y_type != CLQ__E2M1)
                   : call->rule != (call->a->rule != 0) || call->a->rule > CLQ_RULE_NVFP4)
        run_fail(run, "the rule is %u", call->a->rule);
    call->blocks = clq__type_is(call->y_type, CLQ__BLOCKS);
    if (call->blocks && (call->a->inner % CLQ_BLOCK_VALUES != 0 ||
                         (call->a->rotate == 0 && call->a->inner != CLQ_BLOCK_VALUES)))
        run_fail(run, "rows of blocks have %lld values", (long long)call->a->inner);
    count = (size_t)(call->a->inner * call->elements);
    if (call->a->inner < 1 || call->a->y_segment < 1 || call->a->inner % call->a->y_segment != 0)
        run_fail(run, "rows of %lld units in parts of %lld", (long long)call->a->inner,
                 (long long)call->a->y_segment);
    if (run->launch->local > 128)
        run_fail(run, "a group has %zu work-items, and its kernel has room for 128", run->launch->local);
    check_rotate(call);
    call->x = calloc(count, sizeof(float));
    call->smooth_row = calloc(count, sizeof(float));
    call->y = calloc(count, 1);
    if (call->x != NULL && call->smooth_row != NULL && call->y != NULL)
        run_rows(call);
    else
        run_fail(run, "no memory for a row of %zu elements", count);
    free(call->x);
    free(call->smooth_row);
    free(call->y);
}

void run_dynamic(struct run *run)
{
    const struct clq__variant *variant = &run->launch->variant;
    struct call call = {.run = run,
                        .a = run->launch->args,
                        .x_type = (enum clq__type)clq__variant_value(variant, CLQ__SRC),
                        .y_type = (enum clq__type)clq__variant_value(variant, CLQ__DST),
                        .smooth = clq__variant_value(variant, CLQ__SMOOTH) == 1};

    run_call(&call);
}

void run_dynamic_back(struct run *run)
{
    const struct clq__variant *variant = &run->launch->variant;
    struct call call = {.run = run,
                        .a = run->launch->args,
                        .x_type = (enum clq__type)clq__variant_value(variant, CLQ__DST),
                        .y_type = (enum clq__type)clq__variant_value(variant, CLQ__SRC),
                        .back = true};

    run_call(&call);
}
