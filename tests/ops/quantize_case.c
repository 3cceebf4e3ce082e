/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a case, runs it, and compares every byte. */
#include "quantize_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quantize_case quantize_case_of(const char *name, const struct quantize_types *types,
                                      const struct quantize_shape *shape)
{
    const int lanes = types->lanes ? types->lanes : 1;
    struct quantize_case c = {.name = name,
                              .has_zero_points = shape->zero_count > 0,
                              .multiply = types->multiply,
                              .axis = shape->axis,
                              .seed = harness.seed};

    c.x = layout_dense(types->x, 1, shape->rank, shape->x_shape);
    c.y = layout_dense(types->y, lanes, shape->rank, shape->x_shape);
    if (shape->rank > 0)
        c.y.shape[shape->rank - 1] /= reference_shares_bytes(types->y, 1) && lanes > 1 ? lanes : 1;
    c.scales = layout_dense(types->scale, 1, 1, &shape->scale_count);
    if (c.has_zero_points)
        c.zero_points = layout_dense(types->zero, 1, 1, &shape->zero_count);
    return c;
}

struct parts quantize_parts(struct quantize_tensors *t, const struct quantize_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "x", &t->x, &c->x, false, true);
    parts_add(&parts, "scales", &t->scales, &c->scales, false, true);
    parts_add(&parts, "zero_points", &t->zero_points, &c->zero_points, false, c->has_zero_points);
    parts_add(&parts, "y", &t->y, &c->y, true, true);
    return parts;
}

void quantize_case_print(const struct quantize_case *c)
{
    struct quantize_tensors none;
    const struct parts parts = quantize_parts(&none, c);

    fprintf(stderr, "case \"%s\": %s%s, axis %d, values %d, seed %llu\n", c->name,
            c->multiply ? "multiply" : "divide", c->round_first ? ", rounded first" : "", c->axis,
            (int)c->values, (unsigned long long)c->seed);
    parts_print(&parts);
}

void quantize_tensors_init(struct quantize_tensors *t, const struct quantize_case *c)
{
    const struct parts parts = quantize_parts(t, c);

    memset(t, 0, sizeof(*t));
    parts_init(&parts);
}

void quantize_tensors_clear(struct quantize_tensors *t)
{
    tensor_clear(&t->x);
    tensor_clear(&t->scales);
    tensor_clear(&t->zero_points);
    tensor_clear(&t->y);
}

/* A magnitude whose exponent is anything from low to high, with either sign. */
static double spread(struct random *random, int low, int high)
{
    const double magnitude = ldexp(1.0 + random_unit(random), (int)random_from(random, low, high));

    return random_bits(random) & 1 ? -magnitude : magnitude;
}

/* A parameter that is a power of two makes ties of halves; the others make ordinary quotients. */
static double scale_value(struct random *random, const struct quantize_case *c)
{
    if (c->values == VALUES_TIES)
        return ldexp(1.0, (int)random_from(random, -3, 3));
    return spread(random, -3, 2);
}

static double x_value(struct random *random, const struct quantize_case *c)
{
    const int top = c->y.type == REFERENCE_I32 ? 36 : c->y.type == REFERENCE_I4 ? 4 : 9;

    if (c->values == VALUES_TIES)
        return (double)random_from(random, -600, 600) / 16;
    return spread(random, -4, random_below(random, 8) == 0 ? top + 4 : top);
}

static double zero_value(struct random *random, const struct quantize_case *c)
{
    if (c->zero_points.type == REFERENCE_I32 && random_below(random, 4) == 0)
        return (double)(int32_t)random_bits(random);
    if (c->values == VALUES_TIES)
        return (double)random_from(random, -20, 20) / 2;
    return spread(random, -3, 5);
}

static void fill_bits(struct tensor *tensor, struct random *random)
{
    for (size_t i = 0; i < tensor->size_bytes; i++)
        tensor->image[i] = (unsigned char)random_bits(random);
}

/* Gaps and guards hold values like any other, so that reading one by mistake gives a wrong result. */
void quantize_tensors_fill(struct quantize_tensors *t, const struct quantize_case *c)
{
    struct random random = random_of(c->seed);

    if (c->values == VALUES_BITS) {
        fill_bits(&t->x, &random);
        fill_bits(&t->scales, &random);
        fill_bits(&t->zero_points, &random);
        return;
    }
    for (int64_t i = 0, slots = tensor_slots(&t->x); i < slots; i++)
        tensor_set_slot(&t->x, i, x_value(&random, c));
    for (int64_t i = 0, slots = tensor_slots(&t->scales); i < slots; i++)
        tensor_set_slot(&t->scales, i, scale_value(&random, c));
    for (int64_t i = 0, slots = tensor_slots(&t->zero_points); c->has_zero_points && i < slots; i++)
        tensor_set_slot(&t->zero_points, i, zero_value(&random, c));
}

struct clq_quantize_desc quantize_desc_of(const struct quantize_tensors *t, const struct quantize_case *c)
{
    return (struct clq_quantize_desc){
        .x = &t->x.dl,
        .scales = &t->scales.dl,
        .zero_points = c->has_zero_points ? &t->zero_points.dl : NULL,
        .y = &t->y.dl,
        .axis = described_axis(c->axis),
        .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE,
        .round_first = c->round_first && reference_is_whole(c->y.type),
    };
}

void quantize_tensors_expect(const struct quantize_tensors *t, const struct quantize_case *c,
                             unsigned char *image)
{
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image);
    const struct reference_tensor y = tensor_reference(&t->y, image);
    struct reference_tensor zero_points;
    struct reference_quantize_desc desc = {.x = &x,
                                           .scales = &scales,
                                           .y = &y,
                                           .axis = c->axis,
                                           .multiply = c->multiply,
                                           .round_first = c->round_first && reference_is_whole(c->y.type)};

    if (c->has_zero_points) {
        zero_points = tensor_reference(&t->zero_points, t->zero_points.image);
        desc.zero_points = &zero_points;
    }
    reference_quantize(&desc);
}

static bool run_once(struct quantize_tensors *t, const struct quantize_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct parts parts = quantize_parts(t, c);
    const struct clq_quantize_desc desc = quantize_desc_of(t, c);
    cl_event done = NULL;
    clq_status status;

    if (!parts_fill(&parts, queue, filling))
        return false;
    status = clq_quantize(context, queue, &desc, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "clq_quantize: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    parts_fill_images(&parts, filling);
    quantize_tensors_expect(t, c, t->y.image);
    return parts_hold_after(&parts, queue, done);
}

bool quantize_tensors_match(struct quantize_tensors *t, const struct quantize_case *c, clq_context *context,
                            cl_command_queue queue)
{
    const struct parts parts = quantize_parts(t, c);
    int fillings[2];
    const int runs = harness_fillings(t->y.size_bytes, fillings);
    bool good = parts_upload(&parts, queue);

    for (int i = 0; good && i < runs; i++)
        good = run_once(t, c, context, queue, fillings[i]);
    good = good && parts_hold(&parts, queue, false);
    if (!good)
        quantize_case_print(c);
    return good;
}

bool quantize_case_matches(const struct quantize_case *c, clq_context *context, cl_command_queue queue)
{
    struct quantize_tensors t;
    bool good;

    quantize_tensors_init(&t, c);
    quantize_tensors_fill(&t, c);
    good = quantize_tensors_match(&t, c, context, queue);
    quantize_tensors_clear(&t);
    return good;
}

void expect_match(const struct quantize_case *c)
{
    if (!quantize_case_matches(c, harness.context, harness.queue))
        fail_msg("\"%s\" differs from the reference; run again with --seed %llu", c->name,
                 (unsigned long long)harness.seed);
}
