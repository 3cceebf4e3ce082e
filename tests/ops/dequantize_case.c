/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a case of dequantization, runs it, and compares every byte. */
#include "dequantize_case.h"

#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void parameter_layouts(struct dequantize_case *c, const struct dequantize_types *types,
                              const struct dequantize_shape *shape)
{
    const int axis = shape->index_rank > 0 ? -1 : shape->axis;
    const int64_t along = shape->rank > 0 ? c->y.shape[axis < 0 ? axis + shape->rank : axis] : 1, one = 1;
    const int64_t groups[2] = {shape->groups, shape->q[1]};

    if (c->mode == CLQ_DEQUANTIZE_DYNAMIC) {
        c->scale = layout_dense(types->scale, 1, shape->rank - 1, shape->q);
        if (c->has_zero_points)
            c->zero_points = layout_dense(types->zero, 1, shape->rank - 1, shape->q);
        return;
    }
    c->scale = shape->groups > 0 ? layout_dense(types->scale, 1, 2, groups)
                                 : layout_dense(types->scale, 1, 1, shape->one_scale ? &one : &along);
    if (c->has_zero_points)
        c->zero_points =
            layout_dense(types->zero, 1, 1, shape->one_zero || shape->groups > 0 ? &one : &along);
}

struct dequantize_case dequantize_case_of(const char *name, const struct dequantize_types *types,
                                          const struct dequantize_shape *shape)
{
    const int last = shape->rank - 1, lanes = types->lanes ? types->lanes : 1;
    const int axis = shape->axis < 0 ? shape->axis + shape->rank : shape->axis;
    const int64_t index_shape[2] = {shape->entries, 2};
    struct dequantize_case c = {
        .name = name,
        .has_zero_points = types->zero != REFERENCE_I4,
        .has_indices = shape->index_rank > 0,
        .has_groups = shape->groups > 0,
        .reports = shape->index_rank > 0 || shape->groups > 0,
        .slots = shape->slots,
        /* dynamic rows are the last dimension */
        .axis = types->mode == CLQ_DEQUANTIZE_DYNAMIC && shape->index_rank == 0 ? -1 : shape->axis,
        .mode = types->mode,
        .seed = harness.seed};

    c.q = layout_dense(types->q, lanes, shape->rank, shape->q);
    c.y = layout_dense(types->y, 1, shape->rank, shape->q);
    if (shape->rank > 0)
        c.q.shape[last] /= lanes;
    if (c.has_indices) {
        c.y.shape[0] = shape->entries;
        c.y.shape[axis] = shape->length;
        c.indices = layout_dense(types->index, 1, shape->index_rank, index_shape);
    }
    if (c.has_groups)
        c.group_index = layout_dense(types->index, 1, 1, &shape->groups);
    parameter_layouts(&c, types, shape);
    return c;
}

void dequantize_case_stride(struct dequantize_case *c, struct random *random)
{
    layout_scramble_input(&c->q, random);
    if (reference_shares_bytes(c->q.type, 1)) /* nibbles do not repeat, nor step less than a byte */
        layout_scramble(&c->q, random);
    layout_scramble(&c->y, random);
    layout_scramble_input(&c->scale, random);
    if (c->has_zero_points)
        layout_scramble_input(&c->zero_points, random);
    if (c->has_indices)
        layout_scramble_input(&c->indices, random);
    if (c->has_groups)
        layout_scramble(&c->group_index, random);
}

struct parts dequantize_parts(struct dequantize_tensors *t, const struct dequantize_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "q", &t->q, &c->q, false, true);
    parts_add(&parts, "scale", &t->scale, &c->scale, false, true);
    parts_add(&parts, "zero_points", &t->zero_points, &c->zero_points, false, c->has_zero_points);
    parts_add(&parts, "indices", &t->indices, &c->indices, false, c->has_indices);
    parts_add(&parts, "group_index", &t->group_index, &c->group_index, false, c->has_groups);
    parts_add(&parts, "y", &t->y, &c->y, true, true);
    return parts;
}

static void fill_bits(struct tensor *tensor, struct random *random)
{
    for (size_t i = 0; i < tensor->size_bytes; i++)
        tensor->image[i] = (unsigned char)random_bits(random);
}

/* Now and then what makes NaN and infinities: results of such rows come from another loop. */
static double scale_value(struct random *random, const struct dequantize_case *c)
{
    static const int exponents[] = {[RESULTS_SMALL_HALVES] = -20,
                                    [RESULTS_LARGE_HALVES] = 10,
                                    [RESULTS_SUBNORMAL] = -136,
                                    [RESULTS_LARGE] = 121};
    const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-149, -0x1.8p-130};
    const int size = reference_types[c->q.type].bits - 1;
    const int exponent = exponents[c->results] - (c->results == RESULTS_NEAR_ONE ? 0 : size);
    const double value =
        ldexp(1 + random_unit(random),
              (c->mode == CLQ_DEQUANTIZE_MULTIPLY ? -exponent : exponent) + (int)random_from(random, -4, 4));

    if (random_below(random, 16) == 0)
        return special[random_below(random, COUNT(special))];
    return random_bits(random) & 1 ? -value : value;
}

static double zero_value(struct random *random, const struct dequantize_case *c)
{
    const double special[] = {0.0,      -0.0,        INFINITY, -INFINITY,    NAN,
                              0x1p-149, -0x1.8p-130, 1e30,     -2147483648.0};
    const int kind = (int)random_below(random, 16);

    if (kind == 0)
        return special[random_below(random, COUNT(special))];
    if (kind < 6) /* equal to a q, so that nothing is left */
        return (double)random_from(random, -8, 7);
    if (kind < 8 && c->q.type == REFERENCE_I32)
        return (double)(int32_t)random_bits(random);
    return (random_unit(random) * 2 - 1) * 40;
}

/* The ends of groups in order, or where places are stray anything. */
static void fill_groups(struct dequantize_tensors *t, const struct dequantize_case *c, struct random *random)
{
    const int64_t rows = c->y.shape[0], groups = c->group_index.shape[0];
    int64_t end = 0;

    for (int64_t g = 0; g < groups; g++) {
        end = g == groups - 1 ? rows : random_from(random, end, rows);
        scatter_set_index(&t->group_index, g, 0,
                          c->places == PLACES_STRAY ? random_from(random, -2, rows + 2) : end);
    }
}

void dequantize_tensors_fill(struct dequantize_tensors *t, const struct dequantize_case *c)
{
    struct random random = random_of(c->seed);
    const int axis = c->axis < 0 ? c->axis + c->q.rank : c->axis;

    fill_bits(&t->q, &random);
    fill_bits(&t->scale, &random);
    fill_bits(&t->zero_points, &random);
    fill_bits(&t->indices, &random);
    fill_bits(&t->group_index, &random);
    if (c->results != RESULTS_ANY) {
        for (int64_t i = 0, slots = tensor_slots(&t->scale); i < slots; i++)
            tensor_set_slot(&t->scale, i, scale_value(&random, c));
        for (int64_t i = 0, slots = tensor_slots(&t->zero_points); c->has_zero_points && i < slots; i++)
            tensor_set_slot(&t->zero_points, i, zero_value(&random, c));
    }
    if (c->has_groups)
        fill_groups(t, c, &random);
    if (c->has_indices) {
        const struct reference_tensor q = tensor_reference(&t->q, t->q.image);

        if (c->slots)
            scatter_fill_slots(&t->indices, c->places, reference_extent(&q, 0), reference_extent(&q, axis),
                               &random);
        else
            scatter_fill_indices(&t->indices, c->places, reference_extent(&q, 0), reference_extent(&q, axis),
                                 c->y.shape[axis], &random);
    }
}

struct clq_dequantize_desc dequantize_desc_of(const struct dequantize_tensors *t,
                                              const struct dequantize_case *c)
{
    const bool dynamic = c->mode == CLQ_DEQUANTIZE_DYNAMIC;

    return (struct clq_dequantize_desc){
        .q = &t->q.dl,
        .scales = &t->scale.dl,
        .zero_points = c->has_zero_points && !dynamic ? &t->zero_points.dl : NULL,
        .offsets = c->has_zero_points && dynamic ? &t->zero_points.dl : NULL,
        .indices = c->has_indices ? &t->indices.dl : NULL,
        .group_index = c->has_groups ? &t->group_index.dl : NULL,
        .y = &t->y.dl,
        .report = t->report,
        .report_offset_bytes = t->report ? REPORT_OFFSET : 0,
        .axis = described_axis(c->axis),
        .mode = c->mode,
        .out_of_range = c->range,
        .index_kind = c->slots ? CLQ_SLOTS : CLQ_INDICES_BY_SHAPE,
        .rotate = c->rotate,
    };
}

struct reference_report dequantize_tensors_apply(const struct dequantize_tensors *t,
                                                 const struct dequantize_case *c)
{
    const struct reference_tensor q = tensor_reference(&t->q, t->q.image),
                                  scale = tensor_reference(&t->scale, t->scale.image),
                                  zero_points = tensor_reference(&t->zero_points, t->zero_points.image),
                                  indices = tensor_reference(&t->indices, t->indices.image),
                                  groups = tensor_reference(&t->group_index, t->group_index.image),
                                  y = tensor_reference(&t->y, t->y.image);

    return reference_dequantize(&(struct reference_dequantize_desc){
        .q = &q,
        .scale = &scale,
        .zero_points = c->has_zero_points ? &zero_points : NULL,
        .indices = c->has_indices ? &indices : NULL,
        .group_index = c->has_groups ? &groups : NULL,
        .y = &y,
        .axis = c->axis,
        .mode = (enum reference_undo)c->mode,
        .rotate = c->rotate,
        .range = (enum reference_range)c->range,
        .slots = c->slots,
    });
}

static bool run_once(struct dequantize_tensors *t, const struct dequantize_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct parts parts = dequantize_parts(t, c);
    const struct clq_dequantize_desc desc = dequantize_desc_of(t, c);
    const uint32_t first = filling == 0x5a ? 0 : 3;
    struct reference_report expected;
    cl_event done = NULL;
    clq_status status;
    bool good = parts_fill(&parts, queue, filling) && (!t->report || report_begin(t->report, queue, first));

    status = clq_dequantize(context, queue, &desc, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "clq_dequantize: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    parts_fill_images(&parts, filling);
    expected = dequantize_tensors_apply(t, c);
    good = parts_hold_after(&parts, queue, done) && good;
    return (!t->report || report_holds(t->report, queue, &expected, first)) && good;
}

bool dequantize_tensors_match(struct dequantize_tensors *t, const struct dequantize_case *c,
                              clq_context *context, cl_command_queue queue)
{
    const struct parts parts = dequantize_parts(t, c);
    int fillings[2];
    const int runs = harness_fillings(parts_written_bytes(&parts), fillings);
    bool good;

    if (c->reports && !t->report)
        t->report = report_create(queue);
    good = parts_upload(&parts, queue);
    for (int i = 0; good && i < runs; i++)
        good = run_once(t, c, context, queue, fillings[i]);
    if (good && parts_hold(&parts, queue, false))
        return true;
    fprintf(stderr, "case \"%s\": mode %d, rotate %u, axis %d, range %d, places %d, results %d, seed %llu\n",
            c->name, (int)c->mode, c->rotate, c->axis, (int)c->range, (int)c->places, (int)c->results,
            (unsigned long long)c->seed);
    parts_print(&parts);
    return false;
}

bool dequantize_case_matches(const struct dequantize_case *c, clq_context *context, cl_command_queue queue)
{
    struct dequantize_tensors t = {.report = NULL};
    const struct parts parts = dequantize_parts(&t, c);
    bool good;

    parts_init(&parts);
    dequantize_tensors_fill(&t, c);
    good = dequantize_tensors_match(&t, c, context, queue);
    parts_clear(&parts);
    if (t.report)
        clReleaseMemObject(t.report);
    return good;
}

void expect_dequantize(const struct dequantize_case *c)
{
    if (!dequantize_case_matches(c, harness.context, harness.queue))
        fail_msg("\"%s\" differs from the reference; run again with --seed %llu", c->name,
                 (unsigned long long)harness.seed);
}
