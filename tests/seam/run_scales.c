/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct find_scales_args and of struct finish_scales_args. */
#include "args/find_scales.h"
#include "args/finish_scales.h"
#include "cpu/tuning.h"
#include "entries.h"
#include "run_args.h"
#include "units.h"

#include <math.h>
#include <string.h>

/* What a range is, cl/find/range.clh says: each of both words is larger the further it reaches. */
struct range {
    uint32_t up, down;
};

static uint32_t bits_of(float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* An integer that is ordered as the float. */
static uint32_t key_of(float v)
{
    const uint32_t bits = bits_of(v);

    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static float of_key(uint32_t key)
{
    return of_bits(key >> 31 ? key ^ UINT32_C(1) << 31 : ~key);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void widen_range(struct range *range, bool all, float value)
{
    if (all ? isnan(value) : !isfinite(value))
        return;
    if (all || value > 0.0f)
        range->up = larger(range->up, all ? key_of(value) : bits_of(value));
    if (all || value < 0.0f)
        range->down = larger(range->down, all ? key_of(-value) : bits_of(-value));
}

static bool takes_all(const struct run *run)
{
    return clq__variant_value(&run->launch->variant, CLQ__RANGE) == 1;
}

/* The same of rows: clquant/dynamic_quantize.h. */
static void write_found(struct run *run, unsigned scales, unsigned offsets,
                        const struct clq_scale_output *out, struct place batch, int64_t i,
                        const struct range *range)
{
    const enum clq__type type = (enum clq__type)out->scale_type;
    const float high = range->up == 0 ? 0.0f : of_key(range->up),
                low = range->up == 0 ? 0.0f : -of_key(range->down);
    const float most = fmaxf(fabsf(high), fabsf(low)), span = out->symmetric ? most : high - low;
    const float step = span / of_bits(out->symmetric ? out->top : out->steps);
    float least = 1e-12f;
    unsigned char bytes[4];
    const struct reference_tensor rounded = reference_dense(units_type(type), 1, 0, NULL, bytes);

    if (type == CLQ__F16)
        least = fmaxf(out->symmetric ? 0.0f : most * 0x1p-15f, 0x1p-24f);
    reference_store(&rounded, NULL, step > least ? step : least);
    units_store_float(run, scales, type, out->scale_offset + batch.scale + i * out->scale_stride,
                      reference_load(&rounded, NULL));
    if (!out->symmetric)
        units_store_float(run, offsets, type,
                          out->zero_point_offset + batch.zero_point + i * out->zero_point_stride,
                          (out->offset_sign != 0 ? -1.0f : 1.0f) *
                              (of_bits(out->top) - high / reference_load(&rounded, NULL)));
}

/* The formulas of cl/args/scales.h. */
static void write_static(struct run *run, unsigned scales, unsigned zero_points,
                         const struct clq_scale_output *out, struct place batch, int64_t i,
                         const struct range *found)
{
    const struct {
        float most, least;
    } values = {of_bits(found->up), of_bits(found->down)}, *range = &values;
    const float steps = (float)out->twice_steps / 2.0f;
    const float larger = range->most > range->least ? range->most : range->least;
    const float h = out->symmetric ? larger : range->most * 0.5f + range->least * 0.5f;
    const int64_t at = out->zero_point_offset + batch.zero_point + i * out->zero_point_stride;
    float scale = out->multiply ? steps / h : h / steps, rounded;
    int32_t zero_point = (int32_t)out->zero;

    scale = fminf(fmaxf(scale, of_bits(out->least)), of_bits(out->most));
    rounded = rintf(out->multiply ? range->least * scale : range->least / scale);
    if (!out->symmetric)
        zero_point += rounded < (float)out->levels ? (int32_t)rounded : (int32_t)out->levels;
    units_store_float(run, scales, CLQ__F32, out->scale_offset + batch.scale + i * out->scale_stride, scale);
    if (out->zero_point_type == CLQ_SCALAR_F32)
        units_store_float(run, zero_points, CLQ__F32, at, (float)zero_point);
    else if (out->zero_point_type != CLQ_SCALAR_NONE)
        units_store(run, zero_points, (enum clq__type)out->zero_point_type, at,
                    (uint64_t[UNITS_MOST_ELEMENTS]){(uint64_t)zero_point});
}

static void write_scale(struct run *run, unsigned scales, unsigned added, const struct clq_scale_output *out,
                        struct place batch, int64_t i, const struct range *range)
{
    (takes_all(run) ? write_found : write_static)(run, scales, added, out, batch, i, range);
}

/* A range is two words. */
static void write_range(struct run *run, int64_t number, const struct range *range)
{
    run_write(run, 1, number, sizeof *range, range);
}

struct find {
    struct run *run;
    const struct find_scales_args *a;
    enum clq__type type;
};

static void put(const struct find *find, int64_t number, struct place batch, int64_t index,
                const struct range *range)
{
    if (find->a->direct && find->a->batches > 1)
        run_fail(find->run, "scales of %lld batches are written", (long long)find->a->batches);
    if (find->a->direct)
        write_scale(find->run, 2, 3, &find->a->output, batch, index, range);
    else
        write_range(find->run, find->a->ranges_offset + number, range);
}

/* The steps from first to last, of `count` elements each from column `from` on: those of the index `unit`. */
static struct range range_of_run(const struct find *find, struct place batch, int64_t unit, int64_t first,
                                 int64_t last)
{
    const struct find_scales_args *a = find->a;
    struct range range = {0, 0};

    for (int64_t step = first; step < last && !run_failed(find->run); step++) {
        const int64_t number = divided(step, &a->by_tiles_per_row);
        const int64_t before = (step - number * a->tiles_per_row) * a->tile;
        const int64_t row = place_of_slice(find->run, number, a->dim, a->outer).x;

        for (int64_t i = before; i < before + a->tile && i < a->inner; i++)
            widen_range(&range, takes_all(find->run),
                        run_load(find->run, 0, find->type,
                                 a->x_offset + batch.x + unit * a->index_stride + row + i * a->x_stride));
    }
    return range;
}

/* The last row may have fewer elements. */
static struct range range_of_column(const struct find *find, struct place batch, int64_t column,
                                    int64_t first, int64_t last)
{
    const struct find_scales_args *a = find->a;
    struct range range = {0, 0};

    for (int64_t row = first; row < last && !run_failed(find->run); row++)
        if (row < a->steps - 1 || column < a->last)
            widen_range(&range, takes_all(find->run),
                        run_load(find->run, 0, find->type,
                                 a->x_offset + batch.x + place_of_slice(find->run, row, a->dim, a->outer).x +
                                     column * a->x_stride));
    return range;
}

/* Their dimensions stand at the end, the innermost one last. */
static struct place batch_place(const struct find *find, int64_t batch)
{
    const struct find_scales_args *a = find->a;
    struct clq_dim dim[CLQ_FIND_DIMS];

    if (a->outer + a->batch_dims > CLQ_FIND_DIMS)
        run_fail(find->run, "%u dimensions of rows and %u of batches", a->outer, a->batch_dims);
    for (uint32_t d = 0; d < a->batch_dims && d < CLQ_FIND_DIMS; d++)
        dim[d] = a->dim[CLQ_FIND_DIMS - 1 - d];
    return place_of_slice(find->run, batch, dim, a->batch_dims);
}

/* of_all: the batch, counted through all parts. */
static void unit_of_part(const struct find *find, bool columns, int64_t unit, int64_t of_all)
{
    const struct find_scales_args *a = find->a;
    const int64_t part = divided(of_all, &a->by_batches);
    const int64_t number = of_all - part * a->batches,
                  ranges = part * a->slice_ranges + number * a->batch_ranges;
    const struct place batch = batch_place(find, number);
    const int64_t first = part * a->steps_per_slice;
    const int64_t last = first + a->steps_per_slice < a->steps ? first + a->steps_per_slice : a->steps;

    if (!columns) {
        const struct range range = range_of_run(find, batch, unit, first, last);

        put(find, ranges + unit, batch, unit, &range);
        return;
    }
    for (int64_t c = unit * a->tile; c < (unit + 1) * a->tile && c < a->inner && !run_failed(find->run);
         c++) {
        const struct range range = range_of_column(find, batch, c, first, last);

        put(find, ranges + c, batch, c, &range);
    }
}

/* So many elements a kernel counts, or columns that it has room for. */
static void check_tile(const struct find *find, bool columns)
{
    const struct clq__variant *variant = &find->run->launch->variant;
    const int64_t bytes = find->type == CLQ__F32 ? 4 : 2;
    const int64_t most = columns && clq__variant_value(variant, CLQ__FORM) == 1 ? 16 / bytes
                         : columns && (variant->bits & 255) == CLQ__CPU_FIND_SCALES_CL
                             ? CLQ_CPU_FIND_COLUMN_BYTES / bytes
                             : INT32_MAX;

    if (find->a->tile > most || find->a->steps_per_slice > INT32_MAX)
        run_fail(find->run, "a tile of %lld elements, %lld steps in a part: there is room for %lld",
                 (long long)find->a->tile, (long long)find->a->steps_per_slice, (long long)most);
}

void run_find_scales(struct run *run)
{
    const struct clq__variant *variant = &run->launch->variant;
    const bool columns = clq__variant_value(variant, CLQ__REDUCE) == 1;
    const struct find find = {run, run->launch->args, (enum clq__type)clq__variant_value(variant, CLQ__SRC)};
    const struct find_scales_args *a = find.a;
    const int64_t units = a->units * a->batches * a->slices;
    struct share share;

    if (a->tile < 1 || a->steps_per_slice < 1 || a->steps_per_slice * a->slices < a->steps)
        run_fail(run, "%lld steps in %lld parts of %lld", (long long)a->steps, (long long)a->slices,
                 (long long)a->steps_per_slice);
    if (columns && a->tile * a->units < a->inner)
        run_fail(run, "%lld columns in %lld tiles of %lld", (long long)a->inner, (long long)a->units,
                 (long long)a->tile);
    check_tile(&find, columns);
    if (run->launch->local > CLQ_FIND_LANES)
        run_fail(run, "a group has %zu work-items, at most %d are allowed", run->launch->local,
                 CLQ_FIND_LANES);
    share = run_share(run, units, a->units_per_item, columns ? 1 : a->lanes);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t n = w * share.each; n < (w + 1) * share.each && n < units && !run_failed(run); n++)
            unit_of_part(&find, columns, n - divided(n, &a->by_units) * a->units, divided(n, &a->by_units));
}

void run_finish_scales(struct run *run)
{
    const struct finish_scales_args *a = run->launch->args;
    struct share share;

    if (run->launch->local > CLQ_FINISH_LANES)
        run_fail(run, "a group has %zu work-items, at most %d are allowed", run->launch->local,
                 CLQ_FINISH_LANES);
    share = run_share(run, a->indices * a->batches, a->indices_per_item, a->lanes);
    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t i = w * share.each;
             i < (w + 1) * share.each && i < a->indices * a->batches && !run_failed(run); i++) {
            const int64_t batch = divided(i, &a->by_indices), index = i - batch * a->indices;
            struct range range = {0, 0};

            for (int64_t n = 0; n < a->slices * a->span && !run_failed(run); n++) {
                const struct range *found =
                    run_read(run, 0,
                             a->ranges_offset + n / a->span * a->slice_ranges + batch * a->batch_ranges +
                                 index * a->index_ranges + n % a->span,
                             sizeof range);

                if (found == NULL)
                    return;
                range.up = larger(range.up, found->up);
                range.down = larger(range.down, found->down);
            }
            write_scale(run, 1, 2, &a->output, place_of(run, batch, a->dim, a->batch_dims), index, &range);
        }
}
