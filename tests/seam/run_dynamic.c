/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of struct dynamic_quantize_args. */
#include "args/dynamic_quantize.h"
#include "dynamic.h"
#include "entries.h"
#include "run_args.h"
#include "units.h"

#include <stdlib.h>

enum { X, SMOOTH, Y, SCALES, OFFSETS, INDICES, OWNERS, REPORT }; /* the buffers */

struct call {
    struct run *run;
    const struct dynamic_quantize_args *a;
    enum clq__type x_type, y_type;
    bool smooth;
    int elements;
    float *x, *smooth_row; /* a row of each */
    unsigned char *y;
};

/* The row's elements one after the other, quantized by the reference, and back to where they belong. */
static void row_at(const struct call *call, const struct place *place)
{
    const struct dynamic_quantize_args *a = call->a;
    const int64_t count = a->inner * call->elements;
    float scale = 0.0f, offset = 0.0f;
    const struct reference_tensor x = reference_dense(REFERENCE_F32, 1, 1, &count, call->x),
                                  smooth = reference_dense(REFERENCE_F32, 1, 1, &count, call->smooth_row),
                                  y = reference_dense(units_type(call->y_type), 1, 1, &count, call->y),
                                  one_scale = reference_dense(REFERENCE_F32, 1, 0, NULL, &scale),
                                  one_offset = reference_dense(REFERENCE_F32, 1, 0, NULL, &offset);

    for (int64_t i = 0; i < count; i++) {
        const int64_t u = i / call->elements, e = i % call->elements;

        call->x[i] =
            run_load(call->run, X, call->x_type, a->x_offset + place->x + u * a->x_stride + e * a->x_pair);
        if (call->smooth)
            call->smooth_row[i] = run_load(call->run, SMOOTH, CLQ__F32, a->smooth_offset + i);
    }
    reference_dynamic_quantize(
        &(struct reference_dynamic_quantize_desc){.x = &x,
                                                  .smooth_scale = call->smooth ? &smooth : NULL,
                                                  .y = &y,
                                                  .scale = &one_scale,
                                                  .offset = a->symmetric ? NULL : &one_offset,
                                                  .symmetric = a->symmetric != 0});
    for (int64_t u = 0; u < a->inner && !run_failed(call->run); u++) {
        const int64_t part = divided(u, &a->by_y_part);
        uint64_t codes[UNITS_MOST_ELEMENTS];

        for (int64_t e = 0; e < call->elements; e++) {
            const int64_t i = u * call->elements + e;

            codes[e] = reference_load_code(&y, &i);
        }
        units_store(call->run, Y, call->y_type,
                    a->y_offset + place->y + part * a->y_part_stride + (u - part * a->y_part) * a->y_stride,
                    codes);
    }
    units_store_float(call->run, SCALES, CLQ__F32, a->scale_offset + place->scale, scale);
    if (!a->symmetric)
        units_store_float(call->run, OFFSETS, CLQ__F32, a->offset_offset + place->zero_point, offset);
}

static void run_rows(const struct call *call)
{
    static const struct entry_buffers buffers = {INDICES, OWNERS, REPORT};
    struct run *run = call->run;
    const struct dynamic_quantize_args *a = call->a;
    const struct share share = run_share(run, a->rows, a->rows_per_item, a->lanes);

    for (int64_t w = 0; w < share.workers && !run_failed(run); w++)
        for (int64_t row = w * share.each; row < (w + 1) * share.each && row < a->rows && !run_failed(run);
             row++) {
            struct place place = place_of(run, row, a->dim, a->outer);

            if (entries_place(run, &a->entries, &buffers, row, true, &place))
                row_at(call, &place);
        }
}

void run_dynamic(struct run *run)
{
    const struct clq__variant *variant = &run->launch->variant;
    struct call call = {.run = run,
                        .a = run->launch->args,
                        .x_type = (enum clq__type)clq__variant_value(variant, CLQ__SRC),
                        .y_type = (enum clq__type)clq__variant_value(variant, CLQ__DST),
                        .smooth = clq__variant_value(variant, CLQ__SMOOTH) == 1};
    size_t count;

    if (call.a->rows == 0)
        return;
    call.elements = units_elements(call.y_type);
    count = (size_t)(call.a->inner * call.elements);
    if (call.a->inner < 1 || call.a->y_part < 1 || call.a->inner % call.a->y_part != 0)
        run_fail(run, "rows of %lld units in parts of %lld", (long long)call.a->inner,
                 (long long)call.a->y_part);
    if (run->launch->local > 128)
        run_fail(run, "a group has %zu work-items, and its kernel has room for 128", run->launch->local);
    call.x = calloc(count, sizeof(float));
    call.smooth_row = calloc(count, sizeof(float));
    call.y = calloc(count, 1);
    if (call.x != NULL && call.smooth_row != NULL && call.y != NULL)
        run_rows(&call);
    else
        run_fail(run, "no memory for a row of %zu elements", count);
    free(call.x);
    free(call.smooth_row);
    free(call.y);
}
