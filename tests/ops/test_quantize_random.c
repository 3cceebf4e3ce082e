/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that nobody would think of: types, ranks, shapes, strides, offsets and axes by chance. */
#include "quantize_case.h"

#include <string.h>

static enum reference_type any_float(struct random *random)
{
    return (enum reference_type)random_below(random, REFERENCE_I8);
}

/* Strides that leave no two elements in one place: the dimensions in some order, gaps between them. Packed
 * int4 keeps its last dimension innermost, with a stride of 1, and even strides elsewhere. */
static void scatter_strides(struct layout *layout, struct random *random)
{
    const bool packed = reference_shares_bytes(layout->type, layout->lanes);
    int order[CLQ_MAX_RANK];
    int64_t stride = 1;

    for (int d = 0; d < layout->rank; d++)
        order[d] = layout->rank - 1 - d;
    for (int i = layout->rank - 1; i > packed; i--) {
        const int j = (int)random_from(random, packed, i);
        const int other = order[i];

        order[i] = order[j];
        order[j] = other;
    }
    layout->strided = true;
    for (int i = 0; i < layout->rank; i++) {
        if ((i > 0 || !packed) && random_below(random, 3) == 0)
            stride += random_below(random, 4);
        if (packed && i > 0)
            stride += stride % 2;
        layout->strides[order[i]] = stride;
        stride *= layout->shape[order[i]];
    }
}

/* An input may also repeat, and lie over itself. */
static void input_strides(struct layout *layout, struct random *random)
{
    switch (random_below(random, 4)) {
    case 0:
        break;
    case 1:
        layout->strided = true;
        for (int d = 0; d < layout->rank; d++)
            layout->strides[d] = random_below(random, 6);
        break;
    default:
        scatter_strides(layout, random);
        for (int d = 0; d < layout->rank; d++)
            if (random_below(random, 5) == 0)
                layout->strides[d] = 0;
    }
}

static void any_place(struct layout *layout, struct random *random)
{
    layout->before = random_below(random, 3) ? random_below(random, 40) : 0;
    layout->behind = random_below(random, 3) ? random_below(random, 40) : 0;
}

static void any_parameter(struct layout *layout, struct random *random, const struct quantize_shape *shape)
{
    const int64_t count = layout->shape[0];

    if (count == 1 && random_below(random, 3) == 0) {
        layout->rank = 0;
    } else if (shape->rank > 1 && random_below(random, 2)) {
        layout->rank = shape->rank;
        for (int d = 0; d < shape->rank; d++)
            layout->shape[d] = d == shape->axis ? count : 1;
    }
    input_strides(layout, random);
    any_place(layout, random);
}

static struct quantize_case any_case(struct random *random)
{
    static const int lanes[] = {1, 2, 8};
    struct quantize_types types = {.x = any_float(random),
                                   .scale = any_float(random),
                                   .zero = (enum reference_type)random_below(random, REFERENCE_I4),
                                   .y = (enum reference_type)random_from(random, REFERENCE_I8, REFERENCE_I4),
                                   .lanes = 1,
                                   .multiply = random_below(random, 2)};
    struct quantize_shape shape = {.rank = (int)random_below(random, CLQ_MAX_RANK + 1)};
    const int64_t budget = harness.small ? 300 : 20000;
    int64_t elements = 1, size;
    struct quantize_case c;

    if (reference_shares_bytes(types.y, 1)) {
        types.lanes = lanes[random_below(random, 3)];
        shape.rank += shape.rank == 0;
    }
    for (int d = shape.rank - 1; d >= 0; d--) {
        const int64_t unit = d == shape.rank - 1 ? reference_unit_values(types.y, types.lanes) : 1;
        const int64_t room = budget / elements / unit;

        shape.x_shape[d] = unit * (1 + random_below(random, random_below(random, 3) && room > 4 ? 4 : room));
        elements *= shape.x_shape[d];
    }
    shape.axis = shape.rank ? (int)random_below(random, shape.rank) : 0;
    size = shape.rank ? shape.x_shape[shape.axis] : 1;
    shape.scale_count = random_below(random, 3) ? size : 1;
    shape.zero_count = random_below(random, 3) == 0 ? 0 : random_below(random, 3) ? size : 1;
    c = quantize_case_of("random", &types, &shape);
    c.values = (enum values)random_below(random, 3);
    c.round_first = random_below(random, 3) == 0;
    c.seed = random_bits(random);
    if (random_below(random, 2))
        c.axis -= shape.rank;
    input_strides(&c.x, random);
    if (random_below(random, 2))
        scatter_strides(&c.y, random);
    any_place(&c.x, random);
    any_place(&c.y, random);
    any_parameter(&c.scales, random, &shape);
    if (c.has_zero_points)
        any_parameter(&c.zero_points, random, &shape);
    return c;
}

static void random_calls(void **state)
{
    struct random random = random_of(harness.seed);
    const int calls = harness.small ? 60 : 3000 / (int)harness.share;

    (void)state;
    for (int i = 0; i < calls; i++) {
        const struct quantize_case c = any_case(&random);

        expect_match(&c);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_calls)};

    return HARNESS_RUN(argc, argv, "quantize random", tests);
}
