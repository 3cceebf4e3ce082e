/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a case, runs it, and compares every byte. */
#include "scales_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct scales_case scales_case_of(const char *name, const struct scales_types *types, int rank,
                                  const int64_t *shape, int axis)
{
    const int64_t count = axis == NO_AXIS ? 1 : shape[(axis + rank) % rank];
    struct scales_case c = {.name = name,
                            .has_zero_points = types->zero != REFERENCE_I4,
                            .minmax = types->minmax && reference_types[types->type].minmax_steps > 0.0f,
                            .multiply = types->multiply,
                            .type = types->type,
                            .axis = axis,
                            .seed = harness.seed};

    c.x = layout_dense(types->x, 1, rank, shape);
    c.scales = layout_dense(REFERENCE_F32, 1, 1, &count);
    if (c.has_zero_points)
        c.zero_points = layout_dense(types->zero, 1, 1, &count);
    return c;
}

struct parts scales_parts(struct scales_tensors *t, const struct scales_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "x", &t->x, &c->x, false, true);
    parts_add(&parts, "scales", &t->scales, &c->scales, true, true);
    parts_add(&parts, "zero_points", &t->zero_points, &c->zero_points, true, c->has_zero_points);
    return parts;
}

static void print_case(const struct scales_case *c)
{
    struct scales_tensors none;
    const struct parts parts = scales_parts(&none, c);

    fprintf(stderr, "case \"%s\": %s, %s, for %s, axis %d, values %d, seed %llu\n", c->name,
            c->minmax ? "minmax" : "absmax", c->multiply ? "multiply" : "divide", type_name(c->type), c->axis,
            (int)c->values, (unsigned long long)c->seed);
    parts_print(&parts);
}

void scales_tensors_init(struct scales_tensors *t, const struct scales_case *c)
{
    const struct parts parts = scales_parts(t, c);

    memset(t, 0, sizeof(*t));
    parts_init(&parts);
}

void scales_tensors_clear(struct scales_tensors *t)
{
    tensor_clear(&t->x);
    tensor_clear(&t->scales);
    tensor_clear(&t->zero_points);
}

static double power(struct random *random, int low, int high)
{
    return ldexp(1.0 + random_unit(random), (int)random_from(random, low, high));
}

static double value_of(struct random *random, enum scales_values values)
{
    const double sign = random_bits(random) & 1 ? -1.0 : 1.0;

    switch (values) {
    case SCALES_NARROW:
        return sign * (1.0 + random_unit(random));
    case SCALES_POSITIVE:
        return power(random, -3, 3);
    case SCALES_NEGATIVE:
        return -power(random, -3, 3);
    case SCALES_TINY:
        return sign * power(random, -149, -80);
    case SCALES_HUGE:
        return sign * 3.4e38 * random_unit(random);
    default:
        return sign * power(random, -20, 15);
    }
}

/* Gaps and guards hold values beyond all others, so that reading one by mistake gives a wrong result. */
void scales_tensors_fill(struct scales_tensors *t, const struct scales_case *c)
{
    struct random random = random_of(c->seed);
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image);

    if (c->values == SCALES_BITS) {
        for (size_t i = 0; i < t->x.size_bytes; i++)
            t->x.image[i] = (unsigned char)random_bits(&random);
        return;
    }
    tensor_repeat(&t->x, (double[]){60000.0, -60000.0}, 2);
    for (int64_t i = 0, count = reference_count(&x); i < count; i++)
        tensor_set(&t->x, i, value_of(&random, c->values));
}

static DLDataType dtype_for(enum reference_type type)
{
    return dtype_of(type, 1);
}

struct clq_find_scales_desc scales_desc_of(const struct scales_tensors *t, const struct scales_case *c)
{
    return (struct clq_find_scales_desc){.x = &t->x.dl,
                                         .scales = &t->scales.dl,
                                         .zero_points = c->has_zero_points ? &t->zero_points.dl : NULL,
                                         .dtype = dtype_for(c->type),
                                         .axis = described_axis(c->axis),
                                         .method = c->minmax ? CLQ_MINMAX : CLQ_ABSMAX,
                                         .mode = c->multiply ? CLQ_MULTIPLY : CLQ_DIVIDE};
}

void scales_tensors_expect(struct scales_tensors *t, const struct scales_case *c)
{
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image);
    const struct reference_tensor scales = tensor_reference(&t->scales, t->scales.image);
    struct reference_tensor zero_points;
    struct reference_find_scales_desc desc = {.x = &x,
                                              .scales = &scales,
                                              .type = c->type,
                                              .axis = c->axis,
                                              .minmax = c->minmax,
                                              .multiply = c->multiply};

    if (c->has_zero_points) {
        zero_points = tensor_reference(&t->zero_points, t->zero_points.image);
        desc.zero_points = &zero_points;
    }
    reference_find_scales(&desc);
}

static bool run_once(struct scales_tensors *t, const struct scales_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct parts parts = scales_parts(t, c);
    struct clq_find_scales_desc desc;
    cl_event done = NULL;
    clq_status status;

    if (!parts_fill(&parts, queue, filling))
        return false;
    desc = scales_desc_of(t, c);
    status = clq_find_scales(context, queue, &desc, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "clq_find_scales: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    parts_fill_images(&parts, filling);
    scales_tensors_expect(t, c);
    return parts_hold_after(&parts, queue, done);
}

bool scales_tensors_match(struct scales_tensors *t, const struct scales_case *c, clq_context *context,
                          cl_command_queue queue)
{
    const struct parts parts = scales_parts(t, c);
    int fillings[2];
    const int runs = harness_fillings(t->x.size_bytes, fillings);
    bool good = parts_upload(&parts, queue);

    for (int i = 0; good && i < runs; i++)
        good = run_once(t, c, context, queue, fillings[i]);
    good = good && parts_hold(&parts, queue, false);
    if (!good)
        print_case(c);
    return good;
}

void expect_scales(const struct scales_case *c)
{
    struct scales_tensors t;
    bool good;

    scales_tensors_init(&t, c);
    scales_tensors_fill(&t, c);
    good = scales_tensors_match(&t, c, harness.context, harness.queue);
    scales_tensors_clear(&t);
    if (!good)
        fail_msg("\"%s\" differs from the reference; run again with --seed %llu", c->name,
                 (unsigned long long)harness.seed);
}
