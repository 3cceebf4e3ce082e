/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks along two axes, there and back: every byte is the reference's, where the last blocks of both are
 * shorter, where rows are those of the dimension in front of the axis, and of tensors that leave no dimension
 * for a kernel to spare. */
#include "tensor.h"

#include <dequantize.h>
#include <dynamic.h>
#include <string.h>

struct squares {
    const char *name;
    int rank;
    int64_t shape[CLQ_MAX_RANK];
    int axis;
    uint32_t block, before;
    enum reference_type type; /* of what is quantized */
    int lanes;
    bool gaps;       /* behind the indices of each dimension */
    bool turned;     /* the dimension in front of the axis is innermost in memory */
    uint32_t rotate; /* of dynamic rows */
};

#define OF_MOST 2, 2, 2, 2, 2, 2, 5, 16
static const struct squares table[] = {
    {"a checkpoint, 128 by 128", 2, {300, 390}, 1, 128, 128, REFERENCE_E4M3, 1, false, false, 0},
    {"whole blocks", 2, {256, 256}, 1, 128, 128, REFERENCE_E4M3, 1, false, false, 0},
    {"one row of blocks", 2, {60, 200}, 1, 64, 128, REFERENCE_I8, 1, false, false, 0},
    {"one column of blocks", 3, {2, 70, 60}, 2, 64, 32, REFERENCE_I8, 1, false, false, 0},
    {"blocks of one row", 2, {9, 130}, 1, 64, 1, REFERENCE_I8, 1, false, false, 0},
    {"blocks of one column", 2, {37, 20}, 1, 1, 16, REFERENCE_I8, 1, false, false, 0},
    {"not of the last axis", 3, {21, 35, 24}, 1, 16, 8, REFERENCE_I4, 2, false, false, 0},
    {"transposed", 2, {100, 70}, 1, 32, 64, REFERENCE_I8, 1, false, true, 0},
    {"transposed, with gaps", 3, {5, 100, 70}, 2, 32, 64, REFERENCE_E4M3, 1, true, true, 0},
    {"int4, two in a byte", 2, {50, 136}, 1, 64, 32, REFERENCE_I4, 2, false, false, 0},
    {"int4 in words with gaps", 2, {50, 144}, 1, 48, 32, REFERENCE_I4, 8, true, false, 0},
    {"rotated", 2, {40, 192}, 1, 64, 16, REFERENCE_I8, 1, false, false, 64},
    {"rotated, cut by blocks", 2, {40, 192}, 1, 48, 16, REFERENCE_I8, 1, false, false, 64},
    {"rotated, of other axes", 3, {9, 20, 64}, 1, 6, 4, REFERENCE_I8, 1, true, false, 16},
    {"of most dimensions, the last axes", 8, {OF_MOST}, 7, 6, 2, REFERENCE_I8, 1, true, false, 0},
    {"of most dimensions, transposed", 8, {OF_MOST}, 7, 6, 2, REFERENCE_I8, 1, true, true, 0},
    {"of most dimensions, others", 8, {2, 5, 5, 2, 2, 2, 2, 16}, 2, 2, 2, REFERENCE_I8, 1, true, false, 0},
    {"of most dimensions, in words", 8, {OF_MOST}, 7, 6, 2, REFERENCE_I4, 8, true, false, 0},
    {"of most dimensions, others in words",
     8,
     {2, 5, 5, 2, 2, 2, 2, 16},
     2,
     2,
     2,
     REFERENCE_I4,
     8,
     true,
     false,
     0},
    {"one axis, of most dimensions, in words",
     8,
     {2, 5, 5, 2, 2, 2, 2, 16},
     2,
     2,
     0,
     REFERENCE_I4,
     8,
     true,
     false,
     0},
};

enum { X, Y, SCALES, ADDED, BACK, TENSORS };

struct test {
    const struct squares *of;
    struct random random;
    struct tensor tensors[TENSORS];
    bool added; /* zero points or offsets, or none */
};

/* From the innermost dimension outwards. */
static void lay_out(const struct squares *of, struct layout *layout)
{
    int64_t span = 1;

    for (int i = layout->rank - 1; i >= 0; i--) {
        const bool turned = of->turned && (i == of->axis || i == of->axis - 1);
        const int d = turned ? 2 * of->axis - 1 - i : i;

        span += of->gaps ? 1 : 0;
        layout->strides[d] = span;
        span *= layout->shape[d];
    }
    layout->strided = of->gaps || of->turned;
}

static struct tensor *make(struct test *test, int t, enum reference_type type, int lanes, bool is_scale)
{
    const struct squares *of = test->of;
    const uint32_t blocks[] = {of->before, of->block};
    struct layout layout = layout_dense(type, lanes, of->rank, of->shape);
    struct tensor *tensor = &test->tensors[t];

    for (int i = 0; i < 2 && is_scale; i++) {
        int64_t *size = &layout.shape[of->axis - 1 + i];

        if (blocks[i] > 0)
            *size = (*size + blocks[i] - 1) / blocks[i];
    }
    layout.shape[of->rank - 1] /= lanes;
    lay_out(of, &layout);
    tensor_init(tensor, &layout);
    return tensor;
}

static double any_value(struct random *random)
{
    return (random_unit(random) * 2 - 1) * (random_below(random, 8) == 0 ? 900 : 20);
}

static void fill(struct test *test, int t)
{
    struct tensor *tensor = &test->tensors[t];
    const int64_t slots = tensor_slots(tensor);

    for (int64_t slot = 0; slot < slots; slot++)
        tensor_set_slot(tensor, slot,
                        t == SCALES  ? random_unit(&test->random) + 0.01
                        : t == ADDED ? (double)random_from(&test->random, -9, 9)
                                     : any_value(&test->random));
}

static void upload(struct test *test, int t)
{
    assert_true(tensor_upload(&test->tensors[t], harness.queue));
}

/* The buffer's bytes are those of the image, to which the reference has written. */
static void holds(struct test *test, int t, const char *what)
{
    assert_true(tensor_holds(&test->tensors[t], harness.queue, test->tensors[t].image, what));
}

static void begin(struct test *test, const struct squares *of, enum reference_type found, bool added)
{
    *test = (struct test){.of = of, .random = random_of(harness.seed), .added = added};
    make(test, X, REFERENCE_F32, 1, false);
    make(test, Y, of->type, of->lanes, false);
    make(test, SCALES, found, 1, true);
    make(test, ADDED, found, 1, true);
    make(test, BACK, REFERENCE_F16, 1, false);
    fill(test, X);
    fill(test, SCALES);
    fill(test, ADDED);
    for (int t = 0; t < TENSORS; t++)
        upload(test, t);
}

static void end(struct test *test)
{
    for (int t = 0; t < TENSORS; t++)
        tensor_clear(&test->tensors[t]);
}

static void references(struct test *test, struct reference_tensor as[TENSORS])
{
    for (int t = 0; t < TENSORS; t++)
        as[t] = tensor_reference(&test->tensors[t], test->tensors[t].image);
}

static void quantizes(struct test *test)
{
    const struct squares *of = test->of;
    struct tensor *t = test->tensors;
    struct reference_tensor as[TENSORS];
    const struct clq_quantize_desc there = {.x = &t[X].dl,
                                            .scales = &t[SCALES].dl,
                                            .zero_points = test->added ? &t[ADDED].dl : NULL,
                                            .y = &t[Y].dl,
                                            .axis = of->axis,
                                            .block = of->block,
                                            .block_before = of->before};
    const struct clq_dequantize_desc back = {.q = &t[Y].dl,
                                             .scales = &t[SCALES].dl,
                                             .zero_points = test->added ? &t[ADDED].dl : NULL,
                                             .y = &t[BACK].dl,
                                             .axis = of->axis,
                                             .block = of->block,
                                             .block_before = of->before};

    references(test, as);
    reference_quantize(&(struct reference_quantize_desc){.x = &as[X],
                                                         .scales = &as[SCALES],
                                                         .zero_points = test->added ? &as[ADDED] : NULL,
                                                         .y = &as[Y],
                                                         .axis = of->axis,
                                                         .block = of->block,
                                                         .block_before = of->before});
    reference_dequantize(&(struct reference_dequantize_desc){.q = &as[Y],
                                                             .scale = &as[SCALES],
                                                             .zero_points = test->added ? &as[ADDED] : NULL,
                                                             .y = &as[BACK],
                                                             .axis = of->axis,
                                                             .block = of->block,
                                                             .block_before = of->before});
    expect_status(clq_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK, of->name);
    holds(test, Y, of->name);
    expect_status(clq_dequantize(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, of->name);
    holds(test, BACK, of->name);
}

static void quantizes_dynamically(struct test *test)
{
    const struct squares *of = test->of;
    const uint32_t rotate = of->rank < 8 ? of->rotate : 0;
    struct tensor *t = test->tensors;
    struct reference_tensor as[TENSORS];
    const struct clq_dynamic_quantize_desc there = {.x = &t[X].dl,
                                                    .y = &t[Y].dl,
                                                    .scales = &t[SCALES].dl,
                                                    .offsets = test->added ? &t[ADDED].dl : NULL,
                                                    .symmetric = !test->added,
                                                    .axis = of->axis,
                                                    .block = of->block,
                                                    .rotate = rotate,
                                                    .block_before = of->before};
    const struct clq_dequantize_desc back = {.q = &t[Y].dl,
                                             .scales = &t[SCALES].dl,
                                             .offsets = test->added ? &t[ADDED].dl : NULL,
                                             .y = &t[BACK].dl,
                                             .axis = of->axis,
                                             .mode = CLQ_DEQUANTIZE_DYNAMIC,
                                             .block = of->block,
                                             .rotate = rotate,
                                             .block_before = of->before};

    references(test, as);
    reference_dynamic_quantize(&(struct reference_dynamic_quantize_desc){.x = &as[X],
                                                                         .y = &as[Y],
                                                                         .scale = &as[SCALES],
                                                                         .offset = &as[ADDED],
                                                                         .symmetric = !test->added,
                                                                         .axis = of->axis,
                                                                         .block = of->block,
                                                                         .rotate = rotate,
                                                                         .block_before = of->before});
    reference_dequantize(&(struct reference_dequantize_desc){.q = &as[Y],
                                                             .scale = &as[SCALES],
                                                             .zero_points = test->added ? &as[ADDED] : NULL,
                                                             .y = &as[BACK],
                                                             .axis = of->axis,
                                                             .block = of->block,
                                                             .mode = REFERENCE_UNDO_DYNAMIC,
                                                             .rotate = rotate,
                                                             .block_before = of->before});
    expect_status(clq_dynamic_quantize(harness.context, harness.queue, &there, 0, NULL, NULL), CLQ_OK,
                  of->name);
    holds(test, SCALES, of->name);
    holds(test, ADDED, of->name);
    holds(test, Y, of->name);
    expect_status(clq_dequantize(harness.context, harness.queue, &back, 0, NULL, NULL), CLQ_OK, of->name);
    holds(test, BACK, of->name);
}

static void finds(struct test *test)
{
    const struct squares *of = test->of;
    struct tensor *t = test->tensors;
    struct reference_tensor as[TENSORS];
    const struct clq_find_scales_desc desc = {.x = &t[X].dl,
                                              .scales = &t[SCALES].dl,
                                              .zero_points = &t[ADDED].dl,
                                              .dtype = dtype_of(of->type, 1),
                                              .method = test->added ? CLQ_MINMAX : CLQ_ABSMAX,
                                              .axis = of->axis,
                                              .block = of->block,
                                              .block_before = of->before};

    references(test, as);
    reference_find_scales(&(struct reference_find_scales_desc){.x = &as[X],
                                                               .scales = &as[SCALES],
                                                               .zero_points = &as[ADDED],
                                                               .type = of->type,
                                                               .minmax = test->added,
                                                               .axis = of->axis,
                                                               .block = of->block,
                                                               .block_before = of->before});
    expect_status(clq_find_scales(harness.context, harness.queue, &desc, 0, NULL, NULL), CLQ_OK, of->name);
    holds(test, SCALES, of->name);
    holds(test, ADDED, of->name);
}

static void each(void (*does)(struct test *), bool scales_of_float16)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        const struct reference_type_row *type = &reference_types[table[i].type];

        for (int added = 0; added < 2; added++) {
            struct test test;

            if (does != quantizes && (added ? type->minmax_steps == 0.0f : type->lowest == 0.0f))
                continue;
            begin(&test, &table[i], scales_of_float16 ? REFERENCE_F16 : REFERENCE_F32, added);
            does(&test);
            end(&test);
        }
    }
}

TEST(with_scales_that_are_given)
{
    each(quantizes, false);
    each(quantizes, true);
}

TEST(with_scales_that_are_found_on_the_way)
{
    each(quantizes_dynamically, false);
    each(quantizes_dynamically, true);
}

TEST(with_scales_that_are_found_first)
{
    each(finds, false);
}

HARNESS_MAIN("two_axes")
