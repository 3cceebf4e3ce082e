/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct quantize_args: quantize.cl, and dequantize.cl, where y is read and x is written. */
#include "args/quantize.h"
#include "dequantize.h"
#include "entries.h"
#include "run_args.h"
#include "units.h"

#include <string.h>

enum { X, SCALES, ZERO_POINTS, Y, INDICES, OWNERS, REPORT }; /* the buffers */

struct call {
    struct run *run;
    const struct quantize_args *a;
    enum clq__type x_type, y_type;
    bool back, divide, scales_each, zero_points_each;
    int elements; /* of a unit */
};

static struct call call_of(struct run *run)
{
    const struct clq__variant *variant = &run->launch->variant;
    const uint64_t kernel = variant->bits & 255;
    const int params = clq__variant_value(variant, CLQ__PARAMS);
    const enum clq__type src = (enum clq__type)clq__variant_value(variant, CLQ__SRC),
                         dst = (enum clq__type)clq__variant_value(variant, CLQ__DST);
    struct call call = {.run = run,
                        .a = run->launch->args,
                        .back = kernel == CLQ__DEQUANTIZE_CL || kernel == CLQ__CPU_DEQUANTIZE_CL,
                        .divide = clq__variant_value(variant, CLQ__MODE) == 1,
                        .scales_each = params != CLQ__PARAMS_ONE,
                        .zero_points_each = params == CLQ__PARAMS_BOTH};

    call.x_type = call.back ? dst : src;
    call.y_type = call.back ? src : dst;
    call.elements = units_elements(call.y_type);
    if (call.back)
        call.zero_points_each = call.a->zero_points_each != 0;
    return call;
}

/* Scales begin again after a period: less than a row only for a CPU's kernel, which does dense rows in steps. */
static void check_period(const struct call *call)
{
    const struct quantize_args *a = call->a;
    const struct clq__variant *variant = &call->run->launch->variant;
    const bool dense = a->y_stride == 1 && a->x_stride == call->elements && a->x_pair == call->elements - 1;
    const bool cpu = (variant->bits & 255) == CLQ__CPU_QUANTIZE_CL;

    if (a->period == a->inner)
        return;
    if (!dense || !cpu || a->period < 1 || a->period > a->inner || a->period % 64 != 0 ||
        (a->tile % a->period != 0 && a->tile < a->inner))
        run_fail(call->run, "scales begin again after %lld of %lld units, and tiles after %lld",
                 (long long)a->period, (long long)a->inner, (long long)a->tile);
}

/* A scale or zero point, which is one for a row or one for each of its elements. */
static float parameter(const struct call *call, unsigned buffer, bool each, uint32_t type, int64_t at,
                       int64_t element)
{
    if (type == CLQ_SCALAR_NONE)
        return -0.0f;
    if (each && type != CLQ_SCALAR_F32)
        run_fail(call->run, "buffer %u has one value an element, of type %u", buffer, type);
    return run_load(call->run, buffer, (enum clq__type)type, at + (each ? element : 0));
}

static void unit(const struct call *call, const struct place *place, int64_t u)
{
    const struct quantize_args *a = call->a;
    const int64_t y = a->y_offset + place->y + u * a->y_stride;
    uint64_t codes[UNITS_MOST_ELEMENTS];

    if (call->back)
        units_load(call->run, Y, call->y_type, y, codes);
    for (int e = 0; e < call->elements; e++) {
        const int64_t x = a->x_offset + place->x + u * a->x_stride + e * a->x_pair,
                      element = u % a->period * call->elements + e;
        const float scale = parameter(call, SCALES, call->scales_each, a->scale_type,
                                      a->scale_offset + place->scale, element);
        float zero_point = parameter(call, ZERO_POINTS, call->zero_points_each, a->zero_point_type,
                                     a->zero_point_offset + place->zero_point, element);

        if (!call->back) {
            codes[e] = reference_quantize_one(run_load(call->run, X, call->x_type, x), scale, &zero_point,
                                              !call->divide, a->round_first != 0, units_type(call->y_type));
            continue;
        }
        if (a->zero_point_sign != 0)
            zero_point = -zero_point;
        units_store_float(
            call->run, X, call->x_type, x,
            reference_dequantize_one(reference_read(codes[e], units_type(call->y_type)), scale, &zero_point,
                                     call->divide ? REFERENCE_UNDO_MULTIPLY : REFERENCE_UNDO_DIVIDE));
    }
    if (!call->back)
        units_store(call->run, Y, call->y_type, y, codes);
}

static void tile(const struct call *call, int64_t number)
{
    static const struct entry_buffers buffers = {INDICES, OWNERS, REPORT};
    const struct quantize_args *a = call->a;
    const int64_t row = divided(number, &a->by_tiles_per_row),
                  first = (number - row * a->tiles_per_row) * a->tile;
    struct place place = place_of(call->run, row, a->dim, a->outer);

    if (!entries_place(call->run, &a->entries, &buffers, row, first == 0, &place))
        return;
    for (int64_t u = first; u < first + a->tile && u < a->inner && !run_failed(call->run); u++)
        unit(call, &place, u);
}

void run_static(struct run *run)
{
    const struct call call = call_of(run);
    const struct quantize_args *a = call.a;
    struct share share;

    if (a->tiles == 0)
        return;
    if (a->tile < 1 || a->tile * a->tiles_per_row < a->inner || a->tile * (a->tiles_per_row - 1) >= a->inner)
        run_fail(run, "rows of %lld units are cut into %lld tiles of %lld", (long long)a->inner,
                 (long long)a->tiles_per_row, (long long)a->tile);
    check_period(&call);
    if (a->zero_point_sign != 0 && a->zero_points_each != 0)
        run_fail(run, "zero points of each element are added");
    if (a->round_first > !call.back)
        run_fail(run, "round_first is %u", a->round_first);
    share = run_share(run, a->tiles, a->tiles_per_item, a->lanes);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t t = w * share.each; t < (w + 1) * share.each && t < a->tiles && !run_failed(run); t++)
            tile(&call, t);
}
