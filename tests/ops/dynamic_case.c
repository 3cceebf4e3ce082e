/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a case of dynamic quantization, runs it, and compares every byte. */
#include "dynamic_case.h"

#include <stdio.h>
#include <string.h>

#include "dynamic.h"

struct dynamic_types dynamic_types_of(size_t number)
{
    static const enum reference_type floats[] = {FLOAT_TYPES, REFERENCE_I4};
    static const int lanes[] = {0, 1, 2, 8}; /* 0: int8 */
    const int view = lanes[number / 3 % 4];

    return (struct dynamic_types){.x = floats[number % 3],
                                  .y = view ? REFERENCE_I4 : REFERENCE_I8,
                                  .lanes = view ? view : 1,
                                  .symmetric = number / 12 % 2,
                                  .smooth = floats[(number / 24 + 3) % 4]};
}

struct dynamic_case dynamic_case_of(const char *name, const struct dynamic_types *types, int rank,
                                    const int64_t *shape)
{
    const int lanes = types->lanes ? types->lanes : 1;
    struct dynamic_case c = {.name = name,
                             .smooths = types->smooth != REFERENCE_I4,
                             .symmetric = types->symmetric,
                             .rows = ROW_MIXED,
                             .seed = harness.seed};

    c.x = layout_dense(types->x, 1, rank, shape);
    c.smooth_scale = layout_dense(types->smooth, 1, 1, &shape[rank - 1]);
    c.y = layout_dense(types->y, lanes, rank, shape);
    c.y.shape[rank - 1] /= lanes;
    c.scale = c.offset = layout_dense(REFERENCE_F32, 1, rank - 1, shape);
    return c;
}

void dynamic_case_stride(struct dynamic_case *c, struct random *random)
{
    layout_scramble_input(&c->x, random);
    layout_scramble_input(&c->smooth_scale, random);
    layout_scramble(&c->y, random);
    layout_scramble(&c->scale, random);
    layout_scramble(&c->offset, random);
}

struct parts dynamic_parts(struct dynamic_tensors *t, const struct dynamic_case *c)
{
    struct parts parts = {.count = 0};

    parts_add(&parts, "x", &t->x, &c->x, false, true);
    parts_add(&parts, "smooth_scale", &t->smooth_scale, &c->smooth_scale, false, c->smooths);
    parts_add(&parts, "y", &t->y, &c->y, true, true);
    parts_add(&parts, "scale", &t->scale, &c->scale, true, true);
    parts_add(&parts, "offset", &t->offset, &c->offset, true, !c->symmetric);
    return parts;
}

void dynamic_tensors_init(struct dynamic_tensors *t, const struct dynamic_case *c)
{
    const struct parts parts = dynamic_parts(t, c);

    memset(t, 0, sizeof(*t));
    parts_init(&parts);
}

void dynamic_tensors_fill(struct dynamic_tensors *t, const struct dynamic_case *c)
{
    struct random random = random_of(c->seed);

    dynamic_fill(&t->x, c->rows, dynamic_steps(c->y.type), &random);
    if (c->smooths)
        dynamic_fill_smooth(&t->smooth_scale, c->seed % 4 == 0, &random);
}

void dynamic_tensors_clear(struct dynamic_tensors *t, const struct dynamic_case *c)
{
    const struct parts parts = dynamic_parts(t, c);

    parts_clear(&parts);
}

struct clq_dynamic_quantize_desc dynamic_desc_of(const struct dynamic_tensors *t,
                                                 const struct dynamic_case *c)
{
    return (struct clq_dynamic_quantize_desc){
        .x = &t->x.dl,
        .smooth_scales = c->smooths ? &t->smooth_scale.dl : NULL,
        .y = &t->y.dl,
        .scales = &t->scale.dl,
        .offsets = c->symmetric ? NULL : &t->offset.dl,
        .symmetric = c->symmetric,
        .rotate = c->rotate,
        .type_max = c->type_max,
    };
}

void dynamic_tensors_expect(struct dynamic_tensors *t, const struct dynamic_case *c, int filling)
{
    const struct parts parts = dynamic_parts(t, c);
    const struct reference_tensor x = tensor_reference(&t->x, t->x.image);
    const struct reference_tensor smooth_scale = tensor_reference(&t->smooth_scale, t->smooth_scale.image);
    const struct reference_tensor y = tensor_reference(&t->y, t->y.image);
    const struct reference_tensor scale = tensor_reference(&t->scale, t->scale.image);
    const struct reference_tensor offset = tensor_reference(&t->offset, t->offset.image);

    parts_fill_images(&parts, filling);
    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){
        .x = &x,
        .axis = -1,
        .smooth_scale = c->smooths ? &smooth_scale : NULL,
        .y = &y,
        .scale = &scale,
        .offset = c->symmetric ? NULL : &offset,
        .symmetric = c->symmetric,
        .rotate = c->rotate,
        .top = c->type_max,
    });
}

static bool run_once(struct dynamic_tensors *t, const struct dynamic_case *c, clq_context *context,
                     cl_command_queue queue, int filling)
{
    const struct parts parts = dynamic_parts(t, c);
    struct clq_dynamic_quantize_desc desc;
    cl_event done = NULL;
    clq_status status;

    if (!parts_fill(&parts, queue, filling))
        return false;
    desc = dynamic_desc_of(t, c);
    status = clq_dynamic_quantize(context, queue, &desc, 0, NULL, &done);
    if (status != CLQ_OK) {
        fprintf(stderr, "clq_dynamic_quantize: %s: %s\n", clq_status_name(status), clq_error_detail());
        return false;
    }
    dynamic_tensors_expect(t, c, filling);
    return parts_hold_after(&parts, queue, done);
}

bool dynamic_tensors_match(struct dynamic_tensors *t, const struct dynamic_case *c, clq_context *context,
                           cl_command_queue queue)
{
    const struct parts parts = dynamic_parts(t, c);
    int fillings[2];
    const int runs = harness_fillings(parts_written_bytes(&parts), fillings);
    bool good = parts_upload(&parts, queue);

    for (int i = 0; good && i < runs; i++)
        good = run_once(t, c, context, queue, fillings[i]);
    if (good && parts_hold(&parts, queue, false))
        return true;
    fprintf(stderr, "case \"%s\": %s, rows %d, rotate %u, seed %llu\n", c->name,
            c->symmetric ? "symmetric" : "asymmetric", (int)c->rows, c->rotate, (unsigned long long)c->seed);
    parts_print(&parts);
    return false;
}

bool dynamic_case_matches(const struct dynamic_case *c, clq_context *context, cl_command_queue queue)
{
    struct dynamic_tensors t;
    bool good;

    dynamic_tensors_init(&t, c);
    dynamic_tensors_fill(&t, c);
    good = dynamic_tensors_match(&t, c, context, queue);
    dynamic_tensors_clear(&t, c);
    return good;
}

void expect_dynamic(const struct dynamic_case *c)
{
    if (!dynamic_case_matches(c, harness.context, harness.queue))
        fail_msg("\"%s\" differs from the reference; run again with --seed %llu", c->name,
                 (unsigned long long)harness.seed);
}
