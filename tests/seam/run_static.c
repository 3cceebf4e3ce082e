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

/* Scales begin again after a period: less than a row only for dense rows that one
 * CPU's kernel takes as one. */
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

/* Of NVFP4 what a block has as its scale lies where a zero point would. */
static float back_of(const struct call *call, uint64_t code, float scale, float zero_point)
{
    const float q = reference_read(code, units_type(call->y_type));

    if (call->a->by_both)
        return reference_dequantize_one(q * zero_point, scale, NULL, REFERENCE_UNDO_DYNAMIC);
    return reference_dequantize_one(q, scale, &zero_point,
                                    call->divide ? REFERENCE_UNDO_MULTIPLY : REFERENCE_UNDO_DIVIDE);
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
                      element = (a->period > 0 ? u % a->period : u) * call->elements + e;
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
        units_store_float(call->run, X, call->x_type, x, back_of(call, codes[e], scale, zero_point));
    }
    if (!call->back)
        units_store(call->run, Y, call->y_type, y, codes);
}

static const struct entry_buffers entry_buffers = {INDICES, OWNERS, REPORT};

static void tile(const struct call *call, int64_t number)
{
    const struct quantize_args *a = call->a;
    const int64_t row = divided(number, &a->by_tiles_per_row),
                  first = (number - row * a->tiles_per_row) * a->tile;
    struct place place = place_of(call->run, row, a->dim, a->outer);

    if (!entries_place(call->run, &a->entries, &entry_buffers, row, first == 0, &place))
        return;
    for (int64_t u = first; u < first + a->tile && u < a->inner && !run_failed(call->run); u++)
        unit(call, &place, u);
}

static void run_tiles(const struct call *call)
{
    const struct quantize_args *a = call->a;
    struct run *run = call->run;
    const struct share share = run_share(run, a->tiles, a->tiles_per_item, 1);

    if (a->tile < 1 || a->tile * a->tiles_per_row < a->inner || a->tile * (a->tiles_per_row - 1) >= a->inner)
        run_fail(run, "rows of %lld units are cut into %lld tiles of %lld", (long long)a->inner,
                 (long long)a->tiles_per_row, (long long)a->tile);
    check_period(call);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t t = w * share.each; t < (w + 1) * share.each && t < a->tiles && !run_failed(run); t++)
            tile(call, t);
}

/* What all lanes take in a step of a run that lies at this place. */
static void take_step(const struct call *call, const struct place *run_place, int64_t step)
{
    const struct quantize_args *a = call->a;
    const struct clq_steps *s = &a->steps;
    struct place place = *run_place;

    place.x += step * s->x;
    place.y += step * s->y;
    place.scale += step * s->scale;
    place.zero_point += step * s->zero_point;
    for (int64_t u = 0;
         u < (int64_t)s->lanes * s->at_once && step * s->units + u < a->inner && !run_failed(call->run); u++)
        unit(call, &place, u);
}

static void run_tile_of_steps(const struct call *call, int64_t number)
{
    const struct clq_steps *s = &call->a->steps;
    const int64_t run = divided(number, &s->by_tiles), first = (number - run * s->tiles) * s->tile_step;
    const int64_t most = s->each + (first < s->longer), left = s->count - first;
    struct place place = place_of_slice(call->run, run, call->a->dim, call->a->outer);

    if (left < 1 || (most < left ? most : left) > INT32_MAX)
        run_fail(call->run, "tile %lld begins with step %lld of %lld", (long long)number, (long long)first,
                 (long long)s->count);
    if (!entries_place(call->run, &call->a->entries, &entry_buffers, run, first == 0, &place))
        return;
    for (int64_t i = 0; i < most && i < left && !run_failed(call->run); i++)
        take_step(call, &place, first + i * s->stride);
}

/* Tiles have all steps of a run, each once. */
static void check_steps(const struct call *call)
{
    const struct clq_steps *s = &call->a->steps;
    const bool lie_between = s->tile_step == 1 && s->stride == s->tiles;
    const int64_t of_tiles = lie_between ? s->tiles * s->each + s->longer : s->tiles * s->tile_step;
    const bool all = lie_between ? of_tiles == s->count && s->longer < s->tiles
                                 : s->stride == 1 && s->tile_step == s->each && s->longer == 0 &&
                                       of_tiles >= s->count && of_tiles - s->tile_step < s->count;
    /* a step is as long as the row, or the lanes' share of it */
    const int64_t share = (int64_t)s->lanes * s->at_once, units = s->units > 0 ? s->count * s->units : share;

    if (!all || s->tiles < 1 || (s->units > 0 && s->units != share) || units < call->a->inner ||
        units - share >= call->a->inner)
        run_fail(
            call->run,
            "runs of %lld steps of %u units are cut into %lld tiles of %u, %lld of them longer, %u apart",
            (long long)s->count, s->units, (long long)s->tiles, s->each, (long long)s->longer, s->stride);
}

static void check_lanes(const struct call *call)
{
    const struct clq_steps *s = &call->a->steps;
    const size_t local = call->run->launch->local;

    if (s->lanes < 1 || s->sets < 1 || (size_t)s->sets * s->lanes > local)
        run_fail(call->run, "%u sets of %u lanes in groups of %zu", s->sets, s->lanes, local);
    for (uint32_t id = 0; id < local && !run_failed(call->run); id++)
        if (id * s->by_lanes >> 16 != id / s->lanes)
            run_fail(call->run, "work-item %u of sets of %u lanes by %u", id, s->lanes, s->by_lanes);
}

/* Chunks are 16 bytes of x, of dense units, and begin where those may if the buffers do. */
static void check_chunks(const struct call *call)
{
    const struct quantize_args *a = call->a;
    const struct clq_steps *s = &a->steps;
    const int64_t elements = call->x_type == CLQ__F32 ? 4 : 8, units = elements / call->elements;
    int64_t x = a->x_offset | s->x, y = a->y_offset | s->y | a->entries.y_batch | a->entries.y_start;
    int64_t scale = a->scale_offset | s->scale, zero_point = a->zero_point_offset | s->zero_point;

    if (s->by_chunks == 0)
        return;
    for (uint32_t d = 0; d < a->outer; d++) {
        x |= a->dim[d].x;
        y |= a->dim[d].y;
        scale |= a->dim[d].scale;
        zero_point |= a->dim[d].zero_point;
    }
    if (a->y_stride != 1 || a->x_stride != call->elements || a->x_pair != call->elements - 1 ||
        s->at_once != units || x % elements != 0 || y % units != 0 || (call->scales_each && scale % 4 != 0) ||
        (call->zero_points_each && zero_point % 4 != 0))
        run_fail(call->run, "chunks of %u units where none can be", s->at_once);
}

static void run_steps(const struct call *call)
{
    const struct quantize_args *a = call->a;
    struct run *run = call->run;
    const bool group = clq__variant_value(&run->launch->variant, CLQ__FORM) == 1;
    const struct share share =
        group ? (struct share){(int64_t)run->launch->groups * a->steps.sets, 1}
              : (struct share){(int64_t)(run->launch->groups * run->launch->local), a->tiles_per_item};

    check_steps(call);
    check_lanes(call);
    check_chunks(call);
    if (share.workers * share.each < a->tiles ||
        (share.workers - share.workers / (int64_t)run->launch->groups) * share.each >= a->tiles)
        run_fail(run, "%lld workers with %lld each are too few or too many for %lld",
                 (long long)share.workers, (long long)share.each, (long long)a->tiles);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t t = w * share.each; t < (w + 1) * share.each && t < a->tiles && !run_failed(run); t++)
            run_tile_of_steps(call, t);
}

void run_static(struct run *run)
{
    const struct call call = call_of(run);
    const struct quantize_args *a = call.a;
    const uint64_t kernel = run->launch->variant.bits & 255;

    if (a->tiles == 0)
        return;
    if (a->zero_point_sign != 0 && a->zero_points_each != 0)
        run_fail(run, "zero points of each element are added");
    if (a->by_both != 0 &&
        (a->by_both != 1 || a->zero_point_sign != 0 || call.y_type != CLQ__E2M1 || call.divide))
        run_fail(run, "zero points multiply");
    if (a->round_first > !call.back)
        run_fail(run, "round_first is %u", a->round_first);
    if (kernel == CLQ__CPU_DEQUANTIZE_CL || kernel == CLQ__CPU_QUANTIZE_CL)
        run_tiles(&call);
    else
        run_steps(&call);
}
